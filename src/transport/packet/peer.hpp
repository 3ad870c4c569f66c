// What a PE knows of another one that it has a connection to.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "transport/packet/courier.hpp"
#include "transport/packet/inbox.hpp"
#include "transport/packet/outbox.hpp"
#include "transport/packet/record.hpp"
#include "transport/packet/stream.hpp"

namespace isthmus::transport::packet {

// Gets that are not answered yet. A token is the index, and above it a number that no other get of
// this place has had for long.
class Gets {
  public:
    struct Get {
        std::uint32_t token = 0;
        char* into = nullptr;  // null: free
        std::uint64_t bytes = 0;
        std::uint64_t left = 0;
        void* mark = nullptr;
    };

    // Null: there are too many.
    Get* open(char* into, std::uint64_t bytes, void* mark) {
        if (free_.empty()) {
            if (gets_.size() == kMostGets) return nullptr;
            free_.push_back(static_cast<std::uint32_t>(gets_.size()));
            gets_.emplace_back().token = free_.back();
        }
        Get& get = gets_[free_.back()];
        free_.pop_back();
        get = {get.token + static_cast<std::uint32_t>(kMostGets), into, bytes, bytes, mark};
        return &get;
    }
    // Null: no such get is open.
    Get* find(std::uint32_t token) {
        const std::size_t index = token % kMostGets;
        const bool is_there =
            index < gets_.size() && gets_[index].token == token && gets_[index].into != nullptr;
        return is_there ? &gets_[index] : nullptr;
    }
    void close(Get& get) {
        get.into = nullptr;
        free_.push_back(get.token % kMostGets);
    }

  private:
    std::vector<Get> gets_;
    std::vector<std::uint32_t> free_;
};

// What is no get has this token: a nack that bears it is about a put or a message.
inline constexpr std::uint32_t kNoToken = ~std::uint32_t{0};

enum class Tie : std::uint8_t {
    none,    // not connected yet
    joined,  // both have proved who they are
    left,    // the PE has said that it goes
    broken
};

struct Peer {
    // By datagrams. The stream then says nothing but the farewell, and tells of the other's end.
    Courier courier;
    std::mutex guard;  // of this and of what follows
    Tie tie = Tie::none;
    int error = 0;  // of a broken one
    Stream stream;
    Outbox outbox;
    // Of a sealed connection, from the join on. The reader is of poll().
    struct Records {
        RecordWriter out;
        RecordReader in;
    };
    std::unique_ptr<Records> records;
    Gets gets;
    bool is_dirty = false;
    bool is_timed = false;   // its datagrams wait for time to pass
    bool is_blocked = true;  // the stream takes no more, and will ring; or there is none yet
    // Something has come since `flushed`. Relaxed: a hint, set by poll().
    std::atomic<bool> has_come{false};
    std::uint64_t flushed = 0;
    std::vector<Outbox::Mark> ended;
    unsigned nacks = 0;
    std::size_t path_bytes = 0;  // by datagrams

    // ---- of poll()
    Inbox inbox;
    bool is_readable = false;
    bool is_ending = false;  // the other side's end, or an error, lies behind what is to be read
    bool is_heard = false;
    std::vector<std::byte> request;  // one that is not whole
};

}  // namespace isthmus::transport::packet
