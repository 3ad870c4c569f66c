// Puts and gets of any length, those that are waited for and those that are left under way.
#include <algorithm>
#include <cstring>

#include "transport/ofi/road.hpp"

namespace isthmus::transport::ofi {
namespace {

// A few cache lines to some kilobytes, for which the C library's string instructions are slow to
// start, and slower where the two sides lie badly to each other.
void copy_to_bounce(char* to, const void* source, std::size_t bytes) {
    const auto* from = static_cast<const char*>(source);
    constexpr std::size_t kLine = 64;
    for (; bytes >= kLine; bytes -= kLine, to += kLine, from += kLine)
        __builtin_memcpy(to, from, kLine);
    std::memcpy(to, from, bytes);
}

}  // namespace

void Road::put(int pe, Place dest, const void* source, std::size_t bytes) {
    if (bytes > inject_) [[unlikely]]
        return put_long(pe, dest, source, bytes);
    const Target& target = fabric_.target(pe, dest.segment);
    const ssize_t result =
        fi_inject_write(fabric_.endpoint(), source, bytes, static_cast<fi_addr_t>(pe),
                        target.base + dest.offset, target.key);
    if (result != 0) [[unlikely]]
        return put_again(pe, dest, source, bytes);
    mark_written(pe);
}

// The provider had no room, or refuses for good.
void Road::put_again(int pe, Place dest, const void* source, std::size_t bytes) {
    const Target& target = fabric_.target(pe, dest.segment);
    issue(pe, [&] {
        return fi_inject_write(fabric_.endpoint(), source, bytes, static_cast<fi_addr_t>(pe),
                               target.base + dest.offset, target.key);
    });
    mark_written(pe);
}

void Road::write(int pe, Place dest, const void* source, std::size_t bytes, void* descriptor,
                 Context& context) {
    const Target& target = fabric_.target(pe, dest.segment);
    context.pe = pe;
    iovec local{const_cast<void*>(source), bytes};
    fi_rma_iov remote{target.base + dest.offset, bytes, target.key};
    fi_msg_rma message{};
    message.msg_iov = &local;
    message.desc = &descriptor;
    message.iov_count = 1;
    message.addr = static_cast<fi_addr_t>(pe);
    message.rma_iov = &remote;
    message.rma_iov_count = 1;
    message.context = &context;
    std::uint64_t flags = FI_COMPLETION;
    if (!fabric_.is_ordered()) {
        flags |= FI_DELIVERY_COMPLETE;
        unconfirmed_.fetch_add(1, std::memory_order_relaxed);
    }
    issue(pe, [&] {
        return attention_.during([&] { return fi_writemsg(fabric_.endpoint(), &message, flags); });
    });
}

void Road::put_long(int pe, Place dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    write_long(pe, dest, source, bytes);
    mark_written(pe);
}

// More than the provider injects, and no mark.
void Road::write_long(int pe, Place dest, const void* source, std::size_t bytes) {
    void* descriptor = nullptr;
    if ((bytes <= kBounceBytes && bytes <= longest_) ||
        !fabric_.find_descriptor(source, bytes, descriptor))
        return put_aside(pe, dest, source, bytes);
    const auto* from = static_cast<const char*>(source);
    while (bytes != 0) {
        const std::size_t part = bytes < longest_ ? bytes : longest_;
        Direct direct;
        write(pe, dest, from, part, descriptor, direct.context);
        await_direct(pe, direct, kRoom);
        from += part;
        dest.offset += part;
        bytes -= part;
    }
}

void Road::put_aside(int pe, Place dest, const void* source, std::size_t bytes) {
    const auto* from = static_cast<const char*>(source);
    for (std::size_t part = 0; bytes != 0; from += part, dest.offset += part, bytes -= part) {
        part = std::min({bytes, kBounceBytes, longest_});
        Bounce& bounce = take_bounce(pe);
        bounce.confirms = !fabric_.is_ordered();
        copy_to_bounce(bounce.buffer, from, part);
        write(pe, dest, bounce.buffer, part, descriptor_, bounce.context);
    }
}

void Road::get(int pe, void* dest, Place source, std::size_t bytes) {
    void* descriptor = nullptr;
    if (!fabric_.find_descriptor(dest, bytes, descriptor)) [[unlikely]]
        return get_aside(pe, dest, source, bytes);
    auto* to = static_cast<char*>(dest);
    const Target& target = fabric_.target(pe, source.segment);
    std::uint64_t from = target.base + source.offset;
    do {
        const std::size_t part = bytes < longest_ ? bytes : longest_;
        Direct direct;
        direct.context.pe = pe;
        issue(pe, [&] {
            return fi_read(fabric_.endpoint(), to, part, descriptor, static_cast<fi_addr_t>(pe),
                           from, target.key, &direct.context);
        });
        await_direct(pe, direct, kGet);
        to += part;
        from += part;
        bytes -= part;
    } while (bytes != 0);
}

void Road::get_aside(int pe, void* dest, Place source, std::size_t bytes) {
    auto* to = static_cast<char*>(dest);
    const Target& target = fabric_.target(pe, source.segment);
    std::uint64_t from = target.base + source.offset;
    Bounce& bounce = take_bounce(pe);
    for (std::size_t part = 0; bytes != 0; to += part, from += part, bytes -= part) {
        part = std::min({bytes, kBounceBytes, longest_});
        Direct direct;
        direct.context.pe = pe;
        issue(pe, [&] {
            return fi_read(fabric_.endpoint(), bounce.buffer, part, descriptor_,
                           static_cast<fi_addr_t>(pe), from, target.key, &direct.context);
        });
        await_direct(pe, direct, kGet);
        std::memcpy(to, bounce.buffer, part);
    }
    give_back(bounce);
}

void Road::begin_get(int pe, void* dest, Place source, std::size_t bytes, Pending& pending) {
    if (!fabric_.has_ordered_reads()) return get(pe, dest, source, bytes);
    read_parts(pe, dest, source, bytes, &pending);
}

void Road::get_nbi(int pe, void* dest, Place source, std::size_t bytes) {
    read_parts(pe, dest, source, bytes, nullptr);
}

void Road::read_parts(int pe, void* dest, Place source, std::size_t bytes, Pending* pending) {
    void* descriptor = nullptr;
    if (!fabric_.find_descriptor(dest, bytes, descriptor)) [[unlikely]]
        return get_aside(pe, dest, source, bytes);
    auto* to = static_cast<char*>(dest);
    const Target& target = fabric_.target(pe, source.segment);
    std::uint64_t from = target.base + source.offset;
    for (std::size_t part = 0; bytes != 0; to += part, from += part, bytes -= part) {
        part = std::min(bytes, longest_);
        Transfer& read = take_transfer(pe, pending);
        issue(pe, [&] {
            return fi_read(fabric_.endpoint(), to, part, descriptor, static_cast<fi_addr_t>(pe),
                           from, target.key, &read.context);
        });
    }
}

void Road::put_nbi(int pe, Place dest, const void* source, std::size_t bytes) {
    void* descriptor = nullptr;
    if (bytes <= kBounceBytes || !fabric_.find_descriptor(source, bytes, descriptor))
        return put(pe, dest, source, bytes);
    const auto* from = static_cast<const char*>(source);
    for (std::size_t part = 0; bytes != 0; from += part, dest.offset += part, bytes -= part) {
        part = std::min(bytes, longest_);
        Transfer& transfer = take_transfer(pe, nullptr);
        transfer.confirms = !fabric_.is_ordered();
        write(pe, dest, from, part, descriptor, transfer.context);
    }
    mark_written(pe);
}

Transfer& Road::take_transfer(int pe, Pending* pending) {
    Transfer* transfer = nullptr;
    wait(pe, kRoom, [&] {
        const std::lock_guard lock(transfer_guard_);
        if (free_transfers_.empty()) return false;
        transfer = free_transfers_.back();
        free_transfers_.pop_back();
        return true;
    });
    transfer->context.pe = pe;
    transfer->confirms = false;
    transfer->pending = pending;
    if (pending)
        pending->left.fetch_add(1, std::memory_order_relaxed);
    else
        begin_transfer(pe);
    return *transfer;
}

void Road::begin_transfer(int pe) {
    const std::lock_guard lock(marking_);
    under_way_.fetch_add(1, std::memory_order_relaxed);
    transfer_pe_.store(pe, std::memory_order_relaxed);
    outstanding_.store(1, std::memory_order_relaxed);
}

void Road::finish(Transfer& transfer) {
    Pending* const pending = transfer.pending;
    if (transfer.confirms) unconfirmed_.fetch_sub(1, std::memory_order_release);
    {
        const std::lock_guard lock(transfer_guard_);
        free_transfers_.push_back(&transfer);
    }
    if (pending) return pending->finish(1);
    under_way_.fetch_sub(1, std::memory_order_release);  // partner: await_transfers()
}

void Road::await_transfers() {
    // Acquire: partner is the release in finish().
    if (under_way_.load(std::memory_order_acquire) == 0) return;
    wait(transfer_pe_.load(std::memory_order_relaxed), kQuiet,
         [&] { return under_way_.load(std::memory_order_acquire) == 0; });
}

void Road::await_direct(int pe, Direct& direct, const char* what) {
    // Acquire: partner is the release in complete().
    wait(pe, what, [&] { return direct.done.load(std::memory_order_acquire); });
}

// As fetch_word_here().
void Road::get_word_here(Transport& transport, void* dest, int pe, std::uint64_t offset,
                         std::size_t bytes) {
    auto& road = static_cast<Road&>(transport);
    struct {
        Direct direct;
        void* dest;
        std::size_t bytes;
        std::uint64_t offset;
        Road* road;
    } frame;
    frame.direct.context.pe = pe;
    frame.dest = dest;
    frame.bytes = bytes;
    frame.offset = offset;
    frame.road = &road;
    if (road.read_(road.endpoint_, dest, bytes, nullptr, static_cast<fi_addr_t>(pe), offset,
                   road.keys_[pe], &frame.direct.context) != 0) [[unlikely]]
        return frame.road->get(frame.direct.context.pe, frame.dest, {kHeap, frame.offset},
                               frame.bytes);
    frame.road->await_direct(frame.direct.context.pe, frame.direct, kGet);
}

Bounce& Road::take_bounce(int pe) {
    Bounce* bounce = nullptr;
    wait(pe, kRoom, [&] { return (bounce = free_bounce()) != nullptr; });
    return *bounce;
}

Bounce* Road::free_bounce() {
    const std::lock_guard lock(bounce_guard_);
    if (free_bounces_.empty()) return nullptr;
    Bounce* const bounce = free_bounces_.back();
    free_bounces_.pop_back();
    return bounce;
}

void Road::give_back(Bounce& bounce) {
    const std::lock_guard lock(bounce_guard_);
    free_bounces_.push_back(&bounce);
}

}  // namespace isthmus::transport::ofi
