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
#include <thread>

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

    // Answers the questions that have come, to where they have come from: whose road it is not
    // known yet. Returns as receive() does.
    unsigned answer_all();

    // Takes what has come, questions and answers to the last questions: each(pe, beat).
    // Returns how many were none of this job's, or came again.
    template <typename Each>
    unsigned receive(Each&& each) {
        unsigned refused = 0;
        std::size_t bytes = 0;
        unsigned left = kMostAtOnce;
        for (Beat beat; left != 0 && take(beat, bytes, nullptr); --left) {
            if (bytes != sizeof beat || !opens(beat))
                ++refused;
            else if (beat.answers == 0 || has_asked(static_cast<int>(beat.from), beat.answers))
                each(static_cast<int>(beat.from), beat);
        }
        return refused;
    }

  private:
    // Whoever floods the port must not hold the thread.
    static constexpr unsigned kMostAtOnce = 256;

    // False: nothing is there. `bytes` is the whole length of what came, of any; `from`, if asked
    // for, who sent it, as the network has it.
    bool take(Beat& beat, std::size_t& bytes, sockaddr_storage* from);
    void send_to(int pe, const sockaddr* address, socklen_t length, std::uint32_t answers);
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

// Answers for a PE that has told the others its port and does not know theirs yet: while it waits
// for its host's PEs the others may all have begun to watch. As long as it lives nobody else
// touches the pulse.
class FirstAnswers {
  public:
    explicit FirstAnswers(Pulse& pulse);  // without a socket: does nothing
    FirstAnswers(const FirstAnswers&) = delete;
    FirstAnswers& operator=(const FirstAnswers&) = delete;
    ~FirstAnswers();
    // Ends it; how many were none of this job's.
    unsigned end();

  private:
    void run();

    Pulse& pulse_;
    int stop_event_ = -1;
    unsigned refused_ = 0;  // of the thread, while it runs
    std::thread thread_;
};

}  // namespace isthmus::transport::service
