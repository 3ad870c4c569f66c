// Channels of the faces: of a context, of the native interface's channels. What is issued on one is
// ordered and completed apart from the rest (transport.hpp).
#pragma once

#include <memory>

#include "core/job/road.hpp"
#include "core/reach/far.hpp"
#include "transport/transport.hpp"

namespace isthmus::far {

// As long as there is a road, a channel of its own; where nothing is far, and behind the end of the
// road, what it stands for is the road itself, or nothing.
class OwnChannel {
  public:
    // Without far PEs it costs nothing.
    OwnChannel();
    OwnChannel(const OwnChannel&) = delete;
    OwnChannel& operator=(const OwnChannel&) = delete;
    // Returns when what was issued on it is complete; so does close(), and get() is then the road.
    ~OwnChannel() { close(); }
    void close();
    bool is_open() const { return channel_ != nullptr; }
    transport::Channel* get() const { return channel_ ? channel_.get() : road; }
    // A short put into the heap, straight to the road's call, of a PE of the job. False: it is not
    // taken so, or not now.
    bool put_short(void* dest, const void* source, std::size_t bytes, int pe) const {
        std::uint64_t offset = 0;
        if (!written_ || bytes - 1 >= express.call.longest ||
            !find_in_heap(express, dest, offset) ||
            !is_taken(source, bytes, offset, static_cast<std::uint32_t>(pe))) [[unlikely]]
            return false;
        // Acquire: as mark_written().
        if (written_[pe].load(std::memory_order_acquire) == 0) [[unlikely]]
            channel_->wrote(pe);
        return true;
    }

  private:
    friend void quiet_all();
    friend void close_channels();
    friend void abandon_channels();
    std::unique_ptr<transport::Channel> channel_;
    const std::atomic<std::uint8_t>* written_ = nullptr;  // the channel's; null: without one
    OwnChannel* before_ = nullptr;
    OwnChannel* next_ = nullptr;
};

// Quiet of the road and of every channel: for barriers. Does nothing without far PEs.
void quiet_all();
// Before the road goes; and in a forked child, which has none.
void close_channels();
void abandon_channels();

}  // namespace isthmus::far
