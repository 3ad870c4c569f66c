#include "core/reach/request.hpp"

namespace isthmus {
namespace {

constexpr auto kRequests = static_cast<std::size_t>(RequestId::count);
// By RequestId. Written while the library is loaded.
constinit ServeRequest* servers[kRequests] = {};

}  // namespace

RequestServer::RequestServer(RequestId id, ServeRequest* serve) {
    servers[static_cast<std::size_t>(id)] = serve;
}

std::size_t serve_request(int from, std::uint32_t handler, const void* payload, std::size_t bytes,
                          void* answer) {
    if (handler >= kRequests || !servers[handler]) return transport::kRefused;
    return servers[handler](from, payload, bytes, answer);
}

}  // namespace isthmus
