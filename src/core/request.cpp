#include "core/request.hpp"

#include "core/directory_table.hpp"

namespace isthmus {
namespace {

// By RequestId.
constexpr ServeRequest* kServers[] = {
    serve_directory_publish, serve_directory_look_up, serve_directory_withdraw,
    serve_directory_free,    serve_directory_told,    serve_put_rows,
    serve_allocate,          serve_queue_enqueue,     serve_queue_reserve,
    serve_queue_commit,      serve_queue_close,
};
static_assert(sizeof kServers / sizeof *kServers == static_cast<std::size_t>(RequestId::count));

}  // namespace

std::size_t serve_request(int from, std::uint32_t handler, const void* payload, std::size_t bytes,
                          void* answer) {
    if (handler >= static_cast<std::uint32_t>(RequestId::count)) return transport::kRefused;
    return kServers[handler](from, payload, bytes, answer);
}

}  // namespace isthmus
