// Puts and gets of any length, those that are waited for and those that are left under way.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include "transport/service/road.hpp"

namespace isthmus::transport::service {
// A few cache lines to some kilobytes, for which the C library's string instructions are slow to
// start, and slower where the two sides lie badly to each other.
inline void copy_to_bounce(char* to, const void* source, std::size_t bytes) {
    const auto* from = static_cast<const char*>(source);
    constexpr std::size_t kLine = 64;
    for (; bytes >= kLine; bytes -= kLine, to += kLine, from += kLine)
        __builtin_memcpy(to, from, kLine);
    if (bytes != 0) std::memcpy(to, from, bytes);
}

// The link had no room, or refuses for good.
template <Link L>
void Road<L>::put_again(Outstanding& on, int pe, Place dest, const void* source,
                        std::size_t bytes) {
    issue(pe, [&] { return link_.write_now(pe, dest, source, bytes); });
    on.mark_written(pe);
}

template <Link L>
void Road<L>::write(int pe, Place dest, const void* source, std::size_t bytes, Local local,
                    Ticket& ticket) {
    ticket.pe = pe;
    issue(pe, [&] {
        return attention_.during(
            [&] { return link_.write(pe, dest, source, bytes, local, ticket); });
    });
}

template <Link L>
void Road<L>::put_long(Outstanding& on, int pe, Place dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    write_long(on, pe, dest, source, bytes);
    on.mark_written(pe);
}

// More than the link injects, and no mark.
template <Link L>
void Road<L>::write_long(Outstanding& on, int pe, Place dest, const void* source,
                         std::size_t bytes) {
    Local local{};
    if ((bytes <= kBounceBytes && bytes <= longest_) || !link_.find_local(source, bytes, local))
        return put_aside(on, pe, dest, source, bytes);
    const auto* from = static_cast<const char*>(source);
    while (bytes != 0) {
        const std::size_t part = bytes < longest_ ? bytes : longest_;
        Direct direct;
        write(pe, dest, from, part, local, direct.ticket);
        await_direct(pe, direct, kRoom);
        from += part;
        dest.offset += part;
        bytes -= part;
    }
}

template <Link L>
void Road<L>::put_aside(Outstanding& on, int pe, Place dest, const void* source,
                        std::size_t bytes) {
    const auto* from = static_cast<const char*>(source);
    for (std::size_t part = 0; bytes != 0; from += part, dest.offset += part, bytes -= part) {
        part = std::min({bytes, kBounceBytes, longest_});
        Bounce& bounce = take_bounce(pe);
        if (!ordered_) (bounce.of = &on)->add(bounce.entry, pe, kWrites);
        copy_to_bounce(bounce.buffer, from, part);
        write(pe, dest, bounce.buffer, part, link_.own_local(), bounce.ticket);
    }
}

template <Link L>
void Road<L>::get(int pe, void* dest, Place source, std::size_t bytes) {
    Local local{};
    if (!link_.find_local(dest, bytes, local)) [[unlikely]]
        return get_aside(pe, dest, source, bytes);
    auto* to = static_cast<char*>(dest);
    do {
        const std::size_t part = bytes < longest_ ? bytes : longest_;
        Direct direct;
        direct.ticket.pe = pe;
        issue(pe, [&] { return link_.read(pe, to, source, part, local, direct.ticket); });
        await_direct(pe, direct, kGet);
        to += part;
        source.offset += part;
        bytes -= part;
    } while (bytes != 0);
}

template <Link L>
void Road<L>::get_aside(int pe, void* dest, Place source, std::size_t bytes) {
    auto* to = static_cast<char*>(dest);
    Bounce& bounce = take_bounce(pe);
    for (std::size_t part = 0; bytes != 0; to += part, source.offset += part, bytes -= part) {
        part = std::min({bytes, kBounceBytes, longest_});
        Direct direct;
        direct.ticket.pe = pe;
        issue(pe, [&] {
            return link_.read(pe, bounce.buffer, source, part, link_.own_local(), direct.ticket);
        });
        await_direct(pe, direct, kGet);
        std::memcpy(to, bounce.buffer, part);
    }
    give_back(bounce);
}

template <Link L>
void Road<L>::begin_get(int pe, void* dest, Place source, std::size_t bytes, Pending& pending) {
    if (!link_.limits().ordered_reads) return get(pe, dest, source, bytes);
    read_parts(nullptr, pe, dest, source, bytes, &pending);
}

template <Link L>
void Road<L>::read_parts(Outstanding* on, int pe, void* dest, Place source, std::size_t bytes,
                         Pending* pending) {
    Local local{};
    if (!link_.find_local(dest, bytes, local)) [[unlikely]]
        return get_aside(pe, dest, source, bytes);
    auto* to = static_cast<char*>(dest);
    for (std::size_t part = 0; bytes != 0; to += part, source.offset += part, bytes -= part) {
        part = std::min(bytes, longest_);
        Transfer& read = take_transfer(pe, on, kMoves, pending);
        issue(pe, [&] { return link_.read(pe, to, source, part, local, read.ticket); });
    }
}

template <Link L>
void Road<L>::write_parts(Outstanding& on, int pe, Place dest, const void* source,
                          std::size_t bytes, Local local, Pending* pending) {
    const auto* from = static_cast<const char*>(source);
    for (std::size_t part = 0; bytes != 0; from += part, dest.offset += part, bytes -= part) {
        part = std::min(bytes, longest_);
        Transfer& transfer = take_transfer(pe, &on, ordered_ ? kMoves : kWrites, pending);
        write(pe, dest, from, part, local, transfer.ticket);
    }
    on.mark_written(pe);
}

template <Link L>
void Road<L>::put_nbi_on(Outstanding& on, int pe, Place dest, const void* source,
                         std::size_t bytes) {
    Local local{};
    if (bytes <= kBounceBytes || !link_.find_local(source, bytes, local))
        return put_on(on, pe, dest, source, bytes);
    write_parts(on, pe, dest, source, bytes, local, nullptr);
}

// Where the link keeps order, a copy that has left is half of it: the first test of the handle asks
// behind all that has gone there by then. Where it does not, each write says when it has arrived.
template <Link L>
void Road<L>::begin_put_on(Outstanding& on, int pe, Place dest, const void* source,
                           std::size_t bytes, Completion& handle) {
    if (bytes == 0) return;
    Local local{};
    const bool copies =
        (ordered_ && bytes <= kBounceBytes) || !link_.find_local(source, bytes, local);
    if (copies)
        put_on(on, pe, dest, source, bytes);
    else
        write_parts(on, pe, dest, source, bytes, local, &handle.parts);
    handle.concern(pe);
    if (!copies && !ordered_) return;
    handle.must_ask = true;
    handle.kinds |= ordered_ ? kConfirmations : kWrites;
}

// Waits while very many are under way.
template <Link L>
auto Road<L>::take_transfer(int pe, Outstanding* of, Kinds kind, Pending* pending) -> Transfer& {
    Transfer* transfer = nullptr;
    wait(pe, kRoom, [&] { return (transfer = free_transfer()) != nullptr; });
    transfer->ticket.pe = pe;
    transfer->pending = pending;
    transfer->of = of;
    transfer->token = 0;
    if (pending) pending->left.fetch_add(1, std::memory_order_relaxed);
    if (of) of->add(transfer->entry, pe, kind);
    return *transfer;
}

template <Link L>
auto Road<L>::free_transfer() -> Transfer* {
    const std::lock_guard lock(transfer_guard_);
    if (free_transfers_.empty()) return nullptr;
    Transfer* const transfer = free_transfers_.back();
    free_transfers_.pop_back();
    return transfer;
}

// One that asks behind others: there is always one.
template <Link L>
auto Road<L>::take_part(bool by_request) -> Transfer& {
    const std::lock_guard lock(transfer_guard_);
    if (free_transfers_.empty()) [[unlikely]]
        add_transfer();
    Transfer& part = *free_transfers_.back();
    free_transfers_.pop_back();
    part.token = by_request ? part_token(++tokens_, part.index) : 0;
    part.number = 0;
    return part;
}

template <Link L>
void Road<L>::add_transfer() {
    try {
        Transfer& made = transfers_.emplace_back();
        made.ticket.kind = Ticket::Kind::transfer;
        made.index = transfers_.size() - 1;
        free_transfers_.reserve(transfers_.size());  // finish() needs no memory
        free_transfers_.push_back(&made);
    } catch (const std::bad_alloc&) {
        services_.fail("the system has no memory to ask whether puts have arrived");
    }
}

template <Link L>
void Road<L>::finish(Transfer& transfer) {
    Pending* const pending = transfer.pending;
    if (transfer.of) transfer.of->remove(transfer.entry);
    {
        const std::lock_guard lock(transfer_guard_);
        transfer.token = 0;
        free_transfers_.push_back(&transfer);
    }
    if (pending) pending->finish(1);
}

template <Link L>
void Road<L>::await_direct(int pe, Direct& direct, const char* what) {
    // Acquire: partner is the release in complete().
    wait(pe, what, [&] { return direct.done.load(std::memory_order_acquire); });
}

// As fetch_word_here().
template <Link L>
void Road<L>::get_word_here(void* self, void* dest, int pe, std::uint64_t offset,
                            std::size_t bytes) {
    auto& road = *static_cast<Road*>(static_cast<Transport*>(self));
    struct {
        Direct direct;
        void* dest;
        std::size_t bytes;
        std::uint64_t offset;
        Road* road;
    } frame;
    frame.direct.ticket.pe = pe;
    frame.dest = dest;
    frame.bytes = bytes;
    frame.offset = offset;
    frame.road = &road;
    if (road.link_.read_heap(pe, dest, offset, bytes, frame.direct.ticket) != 0) [[unlikely]]
        return frame.road->get(frame.direct.ticket.pe, frame.dest, {kHeap, frame.offset},
                               frame.bytes);
    frame.road->await_direct(frame.direct.ticket.pe, frame.direct, kGet);
}

template <Link L>
auto Road<L>::await_bounce(int pe) -> Bounce& {
    Bounce* bounce = nullptr;
    wait(pe, kRoom, [&] { return (bounce = free_bounce()) != nullptr; });
    return *bounce;
}

template <Link L>
inline auto Road<L>::free_bounce() -> Bounce* {
    std::uint64_t free = free_bounces_.load(std::memory_order_relaxed);
    // Acquire: partner is give_back().
    while (free != 0) {
        const int number = std::countr_zero(free);
        if (free_bounces_.compare_exchange_weak(free, free & (free - 1), std::memory_order_acquire,
                                                std::memory_order_relaxed))
            return &buffers_->bounces[number];
    }
    return nullptr;
}

template <Link L>
void Road<L>::give_back(Bounce& bounce) {
    const auto number = static_cast<unsigned>(&bounce - buffers_->bounces);
    free_bounces_.fetch_or(std::uint64_t{1} << number, std::memory_order_release);
}

}  // namespace isthmus::transport::service
