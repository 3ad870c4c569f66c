#include "core/reach/scattered.hpp"

#include <cstring>

#include "core/reach/request.hpp"

namespace isthmus {
namespace {

struct RowHead {
    std::uint64_t offset;
    std::uint32_t segment;
    std::uint32_t bytes;
};
constexpr std::size_t padded(std::uint64_t bytes) {
    return (bytes + 7) & ~std::size_t{7};
}
// Above it a put of its own costs no more than the copies into the request and out of it.
constexpr std::uint64_t kShortRow = 512;
static_assert(sizeof(RowHead) + kShortRow <= transport::kRequestBytes);

}  // namespace

void ScatteredPut::add(char* dest, const void* source, std::uint64_t bytes) {
    if (bytes == 0) return;
    // In a late job each is late for itself: a request goes behind all that went before it, and to
    // oneself there are puts and gets alone.
    if (bytes > kShortRow || far::view.is_late)
        return far::put(dest, source, bytes, pe_, routine_, on_);
    if (used_ + sizeof(RowHead) + padded(bytes) > sizeof request_) send();
    const transport::Place place = far::place_of(dest, bytes, routine_);
    const RowHead head{place.offset, place.segment, static_cast<std::uint32_t>(bytes)};
    std::memcpy(request_ + used_, &head, sizeof head);
    std::memcpy(request_ + used_ + sizeof head, source, bytes);
    used_ += sizeof head + padded(bytes);
}

void ScatteredPut::send() {
    if (used_ != 0)
        far::request(pe_, static_cast<std::uint32_t>(RequestId::put_rows), request_, used_, on_);
    used_ = 0;
}

ScatteredGet::ScatteredGet(int pe, Event* event, const char* routine) : pe_(pe), routine_(routine) {
    if (event) flight_.emplace(*event);
    pending_.number = 1;
    pending_.left.store(1, std::memory_order_relaxed);
}

ScatteredGet::~ScatteredGet() {
    if (flight_) return;
    pending_.finish(1);
    far::await(pending_, pe_);
}

void ScatteredGet::add(void* dest, const char* source, std::uint64_t bytes) {
    if (!far::is_published(source, bytes) || pe_ == job.me)
        return far::get(dest, source, bytes, pe_, routine_);
    far::begin_get(dest, source, bytes, pe_, flight_ ? flight_->pending() : pending_, routine_);
}

namespace {

// By the target: rows behind each other, each with its head. Nothing is touched unless all is right
// up to there.
std::size_t serve_put_rows(int, const void* payload, std::size_t bytes, void*) {
    const auto* from = static_cast<const char*>(payload);
    while (bytes != 0) {
        RowHead head{};
        if (bytes < sizeof head) return transport::kRefused;
        std::memcpy(&head, from, sizeof head);
        from += sizeof head;
        bytes -= sizeof head;
        char* const dest = far::own_memory({head.segment, head.offset}, head.bytes);
        if (!dest || head.bytes > kShortRow || padded(head.bytes) > bytes)
            return transport::kRefused;
        std::memcpy(dest, from, head.bytes);
        from += padded(head.bytes);
        bytes -= padded(head.bytes);
    }
    return 0;
}

const RequestServer kServer(RequestId::put_rows, serve_put_rows);

}  // namespace

}  // namespace isthmus
