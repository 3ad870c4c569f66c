// Signs of life beside the road: datagrams between the progress threads. On the road a question
// waits behind the megabytes that are under way on a slow link, and behind TCP's ever longer pauses
// after the link was cut; a datagram does not. Where none come through (a firewall, a network that
// is not IP) the road alone tells who lives.
#pragma once

#include <netinet/in.h>

#include <cstddef>
#include <cstdint>

namespace isthmus::transport::ofi {

// In the byte order of the machine: a job is one executable.
struct Beat {
    std::uint64_t secret;
    std::uint32_t from;
    std::uint32_t question;  // 1: to be answered, with 0
};
static_assert(sizeof(Beat) == 16);

class Pulse {
  public:
    Pulse(std::uint64_t secret, int me, int pes);
    ~Pulse();
    Pulse(const Pulse&) = delete;
    Pulse& operator=(const Pulse&) = delete;

    // Opens a socket beside the road's own address; without one there are no beats.
    void open(const void* address, std::size_t bytes);
    // In the byte order of the network; 0: there is none.
    std::uint16_t port() const { return port_; }
    int descriptor() const { return file_; }

    // To a PE whose road has this address. Port 0: does nothing.
    void send(const void* address, std::size_t bytes, std::uint16_t port, bool question) const;

    // Takes what has come: each(pe, is_question). Returns how many were none of this job's.
    template <typename Each>
    unsigned receive(Each&& each) {
        unsigned refused = 0;
        for (Beat beat; take(beat);) {
            if (beat.secret != secret_ || beat.from >= pes_ || beat.question > 1)
                ++refused;
            else
                each(static_cast<int>(beat.from), beat.question != 0);
        }
        return refused;
    }

  private:
    // False: nothing is there. What is too short or too long comes as a beat of nobody's.
    bool take(Beat& beat);

    const std::uint64_t secret_;
    const std::uint32_t me_;
    const std::uint32_t pes_;
    int file_ = -1;
    std::uint16_t port_ = 0;
};

}  // namespace isthmus::transport::ofi
