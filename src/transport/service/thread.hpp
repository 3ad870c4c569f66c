// The thread that serves others while the program computes, and the signs of life that it sees to.
#pragma once

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

#include "base/limits.hpp"
#include "transport/service/connection.hpp"
#include "transport/service/road.hpp"

namespace isthmus::transport::service {
inline std::uint64_t thread_nanoseconds() {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(used.tv_nsec);
}

// Unless told, not on the core that its PE is bound to, which computes.
template <Link L>
void Road<L>::place_thread() {
    cpu_set_t processors;
    CPU_ZERO(&processors);
    for (int processor = 0; processor < CPU_SETSIZE; ++processor)
        CPU_SET(processor, &processors);
    const cpu_set_t* const chosen = services_.thread_processors;
    const int error = pthread_setaffinity_np(thread_.native_handle(), sizeof processors,
                                             chosen ? chosen : &processors);
    if (error != 0 && chosen)
        services_.fail((std::string("the progress thread may run on none of the processors of "
                                    "ISTHMUS_PROGRESS_PROCESSORS: ") +
                        std::strerror(error))
                           .c_str());
}

template <Link L>
void Road<L>::run() {
    // Acquire: partner is the release in the destructor.
    prctl(PR_SET_TIMERSLACK, 1000);  // nanoseconds: its pauses are short
    Share share(services_.thread_share);
    const int ends = open_ends();
    bool beats_came = false;
    const bool lingers = services_.spins && share.is_all();
    std::uint64_t rang_at = 0;  // since when there has been work in the queue; 0: there was none
    bool served = false;        // requests, since then
    while (!stopping_.load(std::memory_order_acquire)) {
        leave_to_program();
        keep_to(share);
        served |= look(false, now_nanoseconds());
        see_to_beats(beats_came);
        beats_came = false;
        // The link's leave to sleep: there may be work that the descriptor does not show.
        const bool may_sleep = link_.descriptor() < 0 || link_.may_sleep();
        // Puts of others leave no completion here. The link may have taken some in, by being
        // asked for its leave as well; what comes from now on rings.
        services_.stir();
        if (!may_sleep) continue;
        epoll_event woken[3];
        int count = rang_at != 0 ? epoll_wait(ends, woken, 3, 0) : 0;
        if (count == 0) {
            if (rang_at != 0)
                count = linger(served ? 0 : now_nanoseconds() - rang_at, ends, woken, 3);
            if (count == 0) count = epoll_wait(ends, woken, 3, pause_milliseconds());
            rang_at = 0;
            served = false;
        }
        woke();
        for (int i = 0; i < count; ++i) {
            if (woken[i].data.fd == link_.descriptor() && rang_at == 0 && lingers)
                rang_at = now_nanoseconds();
            beats_came |= woken[i].data.fd == pulse_.descriptor();
        }
    }
    ::close(ends);
}

// What has come once often comes again soon, and to be woken costs both sides: for a moment it asks
// instead, unless somebody else wants the processor. But behind blocks that it has taken in it
// first rests for as long as that took: who takes each block of a stream as it comes, and not some
// together, has the sender's processor fetch what the two share in the system from this one's
// cache, for every block.
template <Link L>
int Road<L>::linger(std::uint64_t taken_in, int ends, epoll_event* woken, int most) const {
    constexpr std::uint64_t kLinger = 20'000;  // nanoseconds
    constexpr std::uint64_t kOthersTurn = 5'000;
    constexpr std::uint64_t kShort = 8'000;  // no blocks
    const std::uint64_t rest = taken_in < kShort ? 0 : std::min(taken_in, kLinger);
    const std::uint64_t began = now_nanoseconds();
    for (std::uint64_t now = began; now - began < kLinger + rest;) {
        const bool rested = now - began >= rest;
        if (const int count = rested ? epoll_wait(ends, woken, most, 0) : 0; count > 0)
            return count;
        const std::uint64_t before = now_nanoseconds();
        sched_yield();
        now = now_nanoseconds();
        if (now - before > kOthersTurn) break;
    }
    return 0;
}

// What ends the thread's sleep. A set that is kept: each sleep costs less than by poll().
template <Link L>
int Road<L>::open_ends() const {
    const int ends = epoll_create1(EPOLL_CLOEXEC);
    for (const int end : {stop_event_, link_.descriptor(), pulse_.descriptor()}) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = end;
        if (end >= 0 && (ends < 0 || epoll_ctl(ends, EPOLL_CTL_ADD, end, &event) != 0))
            services_.fail(
                (std::string("epoll: ") + std::strerror(errno) + os::advice_on_call(errno))
                    .c_str());
    }
    return ends;
}

template <Link L>
void Road<L>::keep_to(Share& share) {
    if (share.is_all()) return;
    const std::uint64_t rest = share.rest(now_nanoseconds(), thread_nanoseconds());
    if (rest == 0) return;
    pollfd end{stop_event_, POLLIN, 0};
    const timespec length{static_cast<time_t>(rest / 1'000'000'000),
                          static_cast<long>(rest % 1'000'000'000)};
    ppoll(&end, 1, &length, nullptr);
}

// Returns when the program has not looked for a moment.
template <Link L>
void Road<L>::leave_to_program() {
    const std::uint64_t began = now_nanoseconds();
    while (!stopping_.load(std::memory_order_acquire) && attention_.is_paid()) {
        // A program that waits for long keeps the thread here.
        see_to_beats(false);
        attention_.pause(began, stop_event_);
    }
}

template <Link L>
int Road<L>::pause_milliseconds() const {
    const std::unique_lock lock(const_cast<std::mutex&>(reading_), std::try_to_lock);
    if (!lock || !answers_.empty() || link_.descriptor() < 0) return 1;
    return 100;
}

// ---- signs of life

// A look costs a system call or two, so without a reason only now and then.
template <Link L>
void Road<L>::see_to_beats(bool came) {
    constexpr Milliseconds kInterval = 20;
    const Milliseconds now = milliseconds();
    if (!came && now - beats_seen_to_ < kInterval) return;
    beats_seen_to_ = now;
    take_beats();
    watch_neighbours();
    if (services_.now_and_then) services_.now_and_then();
}

template <Link L>
Milliseconds Road<L>::milliseconds(std::uint64_t now) const {
    return static_cast<Milliseconds>((now - began_) / 1'000'000);
}

template <Link L>
std::uint64_t Road<L>::ask_state(int pe, Asking why) {
    watch(pe, why == Asking::report ? Watch::Why::report : Watch::Why::waiting);
    return watch_.state(pe);
}

template <Link L>
void Road<L>::watch_neighbours() {
    for (const int pe : neighbours_)
        watch(pe, Watch::Why::neighbour);
}

template <Link L>
void Road<L>::watch(int pe, Watch::Why why) {
    const Milliseconds now = milliseconds();
    const Watch::Action action = watch_.look(pe, now, why);
    // A PE that serves only when its program calls may be computing.
    if (action.lost && services_.thread) {
        char text[96];
        std::snprintf(text, sizeof text, "nothing heard of it for %.1f s (ISTHMUS_DETECT_SECONDS)",
                      static_cast<double>(action.silence) / 1000);
        std::string silence(text);
        if constexpr (requires { link_.may_be_kept_busy(); }) {
            if (link_.may_be_kept_busy())
                silence +=
                    ": its host is cut off, it has been stopped, or libfabric is busy there "
                    "without "
                    "end with what a stranger has sent (SECURITY.md, \"Between hosts\")";
        }
        services_.lost(pe, silence.c_str());
    }
    if (action.doubt && services_.thread) {
        Traffic seen = traffic(link_.address_of(services_.me), link_.address_of(pe));
        // What the kernel does not know of, since the link sees to it that it arrives.
        if constexpr (requires { link_.carried(pe); }) seen.carried += link_.carried(pe);
        char text[512];
        if (watch_.is_long(seen.stalled)) {
            std::snprintf(text, sizeof text,
                          "it answers datagrams, but its connection has not got through for %.1f s",
                          static_cast<double>(seen.stalled) / 1000);
            services_.lost(pe, text);
        }
        if (watch_.is_hopeless(pe, now, seen.carried)) {
            std::string cause =
                "a filter may keep connections from it, strangers its port or this one's busy, "
                "with messages that they begin and do not end or with more connections than "
                "descriptors (ulimit -n; SECURITY.md, \"Between hosts\")";
            if constexpr (requires { link_.needs_from_filters(pe); }) {
                if (std::string needs = link_.needs_from_filters(pe); !needs.empty())
                    cause = std::move(needs);
            }
            std::snprintf(text, sizeof text, "it answers datagrams, but no request for %.1f s: %s",
                          static_cast<double>(action.unanswered) / 1000, cause.c_str());
            services_.lost(pe, text);
        }
    }
    if (action.beat) {
        const std::vector<char> address = link_.address_of(pe);
        pulse_.send(pe, address.data(), address.size(), pulse_ports_[static_cast<std::size_t>(pe)],
                    0);
    }
    if (!action.ask) return;
    const std::unique_lock lock(reading_, std::try_to_lock);
    if (!lock) return;  // the next look asks
    Request question;
    question.kind = RequestKind::heartbeat;
    question.operand = static_cast<std::uint64_t>(action.report ? Asking::report : Asking::life);
    question.width = holds_back(pe) ? 1 : 0;
    answer_later({pe, question});
    watch_.asked(pe, now);
    send_answers();
}

template <Link L>
void Road<L>::take_beats() {
    const Milliseconds now = milliseconds();
    const unsigned strange = pulse_.receive([&](int pe, const Beat& beat) {
        if (beat.answers != 0) return watch_.heard(pe, now);
        watch_.hinted(pe, now);
        // It has waited for this PE for a while: if its calls do not come through, this one's may.
        if constexpr (requires { link_.call(pe); }) link_.call(pe);
        const std::vector<char> address = link_.address_of(pe);
        pulse_.send(pe, address.data(), address.size(), pulse_ports_[static_cast<std::size_t>(pe)],
                    answer_to(beat.number));
    });
    if (strange != 0) refuse(strange);
}

}  // namespace isthmus::transport::service
