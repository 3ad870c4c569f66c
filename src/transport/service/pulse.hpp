// Signs of life beside the road: datagrams between the progress threads. On the road a question
// waits behind the megabytes that are under way on a slow link, and behind TCP's ever longer pauses
// after the link was cut; a datagram does not. Where none come through (a firewall, a network that
// is not IP) the road alone tells who lives.
//
// An answer names its question, and only that to one of the last few proves life: whoever keeps
// back what a PE has sent cannot make it live longer by it, or for as long as Watch::hinted()
// allows.
#pragma once

#include <netinet/in.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "transport/service/seal.hpp"

namespace isthmus::transport::service {

// In the byte order of the machine: a job is one executable.
struct Beat {
    std::uint64_t tag[2];  // these three are a Seal
    std::uint64_t number;
    std::uint32_t from;
    std::uint32_t answers;  // 0: it is a question. Else answer_to() of the number
};
inline constexpr std::uint32_t kBeatAnswers = std::uint32_t{1} << 31;
constexpr std::uint32_t answer_to(std::uint64_t question) {
    return kBeatAnswers | static_cast<std::uint32_t>(question);
}
static_assert(sizeof(Beat) == 32 && offsetof(Beat, from) == offsetof(Seal, from));

class Pulse {
  public:
    Pulse(const JobSecret& secret, std::uint64_t session, int me, int pes);
    ~Pulse();
    Pulse(const Pulse&) = delete;
    Pulse& operator=(const Pulse&) = delete;

    // Opens a socket beside the road's own address; without one there are no beats.
    void open(const void* address, std::size_t bytes);
    // In the byte order of the network; 0: there is none.
    std::uint16_t port() const { return port_; }
    int descriptor() const { return file_; }

    // To a PE whose road has this address. Port 0: does nothing. `answers` as in a Beat.
    void send(int pe, const void* address, std::size_t bytes, std::uint16_t port,
              std::uint32_t answers);

    // Takes what has come, questions and answers to the last questions: each(pe, beat).
    // Returns how many were none of this job's, or came again.
    template <typename Each>
    unsigned receive(Each&& each) {
        unsigned refused = 0;
        std::size_t bytes = 0;
        // Not without end: whoever floods the port must not hold the thread.
        unsigned left = 256;
        for (Beat beat; left != 0 && take(beat, bytes); --left) {
            if (bytes != sizeof beat || !opens(beat))
                ++refused;
            else if (beat.answers == 0 || has_asked(static_cast<int>(beat.from), beat.answers))
                each(static_cast<int>(beat.from), beat);
        }
        return refused;
    }

  private:
    // False: nothing is there. `bytes` is the whole length of what came, of any.
    bool take(Beat& beat, std::size_t& bytes);
    bool opens(const Beat& beat);

    // The last questions to a PE, as their answers name them. Relaxed: each stands for itself. They
    // are a sixteenth of the patience apart, so the oldest is about as old as that.
    static constexpr unsigned kQuestions = 16;
    struct Asked {
        std::atomic<std::uint32_t> latest[kQuestions] = {};
        std::atomic<std::uint32_t> count{0};
    };
    bool has_asked(int pe, std::uint32_t answer) const;

    Seals seals_;
    std::unique_ptr<Asked[]> asked_;  // by PE
    int file_ = -1;
    std::uint16_t port_ = 0;
};

}  // namespace isthmus::transport::service
