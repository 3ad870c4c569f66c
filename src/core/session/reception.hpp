// Takes the calls of the PEs that call this one, and no others. A stranger's call is refused,
// counted and told. One that says nothing holds nobody up: all are listened to at once, each until
// its own deadline, and of too many the one that has been silent for longest has to go.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/session/handshake.hpp"

namespace isthmus {

class Reception {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kSilence{10};
    // A whole hello with this PE's secret and a file; the socket may be taken. False: it is refused
    // all the same.
    using Accept = std::function<bool(const Hello& hello, Descriptor file, Descriptor& socket)>;

    // `listener` is the caller's and listens; so many calls are expected. Who is silent for
    // `silence` is hung up on.
    Reception(int listener, const Secret& secret, std::size_t expected,
              Clock::duration silence = kSilence);

    // Returns when as many calls as were expected have been accepted. False: not within the time,
    // or the listener fails (errno).
    bool take_calls(Clock::duration time, const Accept& accept);
    // Returns when something has come, here or to one of the others, or at that time, or now and
    // then. False: it fails (errno).
    bool take_some(Clock::time_point until, std::vector<pollfd>& others, const Accept& accept);
    bool has_all() const { return expected_ == 0; }

    // When all have come: hangs up on everybody who is there still, and counts them. No mate is
    // among them, for each calls once.
    void close();

    // "3 calls of strangers were refused: process 12 of user 1000 (another user) 2 times, ...";
    // empty if there were none.
    std::string refused() const;

    // A call of the system that is refused to this process, or comes to nothing, and why; else
    // empty.
    const std::string& forbidden() const { return forbidden_; }
    // No descriptor was left for the last caller, for this error; 0: there was.
    int want() const { return want_; }

    static constexpr std::size_t kSilent = 64;  // beside those that are expected

  private:
    // Others may give a descriptor back at any time.
    static constexpr std::chrono::milliseconds kPauseInWant{20};
    struct Caller {
        Descriptor socket;
        PeerProcess who;
        Clock::time_point deadline;
    };
    void welcome(const Accept& accept);
    // Of errno, if it is not the caller's doing.
    void note_forbidden(const char* call);
    // True if the caller has been dealt with, or is among greeted_ now.
    bool hear(Caller& caller, const Accept& accept);
    bool lacks_descriptor(Heard heard, const Hello& hello);
    bool hear_greeted(Caller& caller, const Accept& accept);
    void refuse(const PeerProcess& who, const char* why);
    void hang_up_on_silent(Clock::time_point now);

    int listener_;
    Secret secret_;
    std::size_t expected_;
    Clock::duration silence_;
    std::vector<Caller> callers_;  // the longest silent first
    std::vector<Caller> greeted_;  // who have proved to be mates, and send their files later
    std::size_t refused_ = 0;
    struct Named {
        std::string name;  // of a process
        std::string why;   // each reason once
        std::size_t calls;
    };
    std::vector<Named> named_;  // those that came first
    bool has_unnamed_ = false;
    std::string forbidden_;
    int want_ = 0;
    Clock::time_point listens_from_;
};

}  // namespace isthmus
