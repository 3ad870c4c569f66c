// Writes and reads for a link that only sends messages: requests put and get, which the peer's
// service serves, and their ends.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "transport/link.hpp"
#include "transport/service/wire.hpp"

namespace isthmus::transport::service {

template <typename L>
class OneSided : public L {
  public:
    struct Scratch {};
    using Ticket = BasicTicket<Scratch>;
    struct Local {};

    // The seals are the road's, and outlive this.
    OneSided(const Services& services, Seals& seals)
        : L(services), seals_(seals), limits_(L::limits()) {
        limits_.write = std::min(kPartBytes, limits_.message - sizeof(Request));
        limits_.inject = limits_.write;
        limits_.ordered_reads = true;  // asked for, and read, in order
    }

    const Limits& limits() const { return limits_; }
    void* own_memory(std::size_t bytes) {
        own_.reset(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
        return own_.get();
    }
    Local own_local() const { return {}; }
    bool find_local(const void*, std::size_t, Local&) const { return true; }

    long write_now(int pe, Place dest, const void* source, std::size_t bytes) {
        return put(pe, dest, source, bytes, 0);
    }
    // Its data have left with the call, so in order it is done by that.
    long write(int pe, Place dest, const void* source, std::size_t bytes, Local, Ticket& ticket) {
        const std::uint64_t token = limits_.ordered ? 0 : open(ticket, nullptr, 0);
        const long result = put(pe, dest, source, bytes, token);
        if (result != 0 && token != 0) close(token);
        if (result == 0 && token == 0) {
            const std::lock_guard lock(guard_);
            ended_.push_back(&ticket);
        }
        return result;
    }
    long read(int pe, void* dest, Place source, std::size_t bytes, Local, Ticket& ticket) {
        Request request = request_of(RequestKind::get, source);
        request.operand = bytes;
        request.token = open(ticket, dest, bytes);
        seals_.seal(pe, &request, sizeof request);
        const long result = L::send(pe, {{&request, sizeof request}}, Order::strict);
        if (result != 0) {
            seals_.take_back(pe, request.number);
            close(request.token);
        }
        return result;
    }

    long read_heap(int pe, void* dest, std::uint64_t offset, std::size_t bytes, Ticket& ticket) {
        return read(pe, dest, {kHeap, offset}, bytes, {}, ticket);
    }

    template <typename Sink>
    bool poll(Sink& sink) {
        bool found = L::poll(sink);
        for (Ticket* ticket; (ticket = take_ended()) != nullptr; found = true)
            sink.done(*ticket);
        return found;
    }

    // A message `data` or `confirm` has come: whose end it is. Null: nobody waits for it.
    Ticket* end(const Request& came, const char* payload) {
        const std::lock_guard lock(guard_);
        Open* const found = find(came.token);
        const bool is_data = came.kind == RequestKind::data;
        if (!found || is_data != (found->dest != nullptr) ||
            (is_data && came.bytes != found->bytes))
            return nullptr;
        if (is_data) std::memcpy(found->dest, payload, came.bytes);
        Ticket* const ticket = found->ticket;
        free(*found);
        return ticket;
    }

  private:
    // An operation whose end is awaited. Its token: the index, and above it a number that no other
    // of this slot has had.
    struct Open {
        std::uint64_t token = 0;
        Ticket* ticket = nullptr;  // null: free
        void* dest = nullptr;
        std::size_t bytes = 0;
    };
    static constexpr unsigned kIndexBits = 20;
    static constexpr std::uint64_t kIndex = (std::uint64_t{1} << kIndexBits) - 1;

    Request request_of(RequestKind kind, Place place) const {
        Request request;
        request.kind = kind;
        request.data_segment = place.segment;
        request.data_offset = place.offset;
        return request;
    }
    long put(int pe, Place dest, const void* source, std::size_t bytes, std::uint64_t token) {
        Request request = request_of(RequestKind::put, dest);
        request.token = token;
        request.bytes = static_cast<std::uint32_t>(bytes);
        Message<kPartBytes> message(request, source, bytes);
        seals_.seal(pe, &message, message.bytes);
        const long result = L::send(pe, {{&message, message.bytes}}, Order::loose);
        if (result != 0) seals_.take_back(pe, message.request.number);
        return result;
    }
    std::uint64_t open(Ticket& ticket, void* dest, std::size_t bytes) {
        const std::lock_guard lock(guard_);
        if (free_.empty()) {
            free_.push_back(opens_.size());
            opens_.push_back({opens_.size(), nullptr, nullptr, 0});
        }
        Open& taken = opens_[free_.back()];
        free_.pop_back();
        taken = {taken.token + kIndex + 1, &ticket, dest, bytes};
        return taken.token;
    }
    void close(std::uint64_t token) {
        const std::lock_guard lock(guard_);
        if (Open* const found = find(token)) free(*found);
    }
    Open* find(std::uint64_t token) {
        const std::size_t index = token & kIndex;
        const bool is_there = index < opens_.size() && opens_[index].token == token &&
                              opens_[index].ticket != nullptr;
        return is_there ? &opens_[index] : nullptr;
    }
    void free(Open& open) {
        open.ticket = nullptr;
        free_.push_back(open.token & kIndex);
    }
    Ticket* take_ended() {
        const std::lock_guard lock(guard_);
        if (ended_.empty()) return nullptr;
        Ticket* const ticket = ended_.back();
        ended_.pop_back();
        return ticket;
    }

    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };
    Seals& seals_;
    Limits limits_;
    std::unique_ptr<void, Free> own_;
    std::mutex guard_;
    std::vector<Open> opens_;
    std::vector<std::size_t> free_;
    std::vector<Ticket*> ended_;
};

}  // namespace isthmus::transport::service
