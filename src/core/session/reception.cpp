#include "core/session/reception.hpp"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/limits.hpp"
#include "core/job/job_layout.hpp"

namespace isthmus {

Reception::Reception(int listener, const Secret& secret, std::size_t expected,
                     Clock::duration silence)
    : listener_(listener), secret_(secret), expected_(expected), silence_(silence) {
    // A caller that has hung up again must not make the call that takes it wait for the next.
    const int flags = fcntl(listener_, F_GETFL);
    if (flags < 0 || fcntl(listener_, F_SETFL, flags | O_NONBLOCK) != 0) note_forbidden("fcntl");
}

void Reception::refuse(const PeerProcess& who, const char* why) {
    constexpr std::size_t kNamed = 3;
    ++refused_;
    const std::string name = who.text();
    const auto found = std::find_if(named_.begin(), named_.end(),
                                    [&](const Named& each) { return each.name == name; });
    if (found == named_.end()) {
        if (named_.size() < kNamed)
            named_.push_back({name, why, 1});
        else
            has_unnamed_ = true;
        return;
    }
    ++found->calls;
    if (found->why.find(why) == std::string::npos) found->why += std::string(", ") + why;
}

std::string Reception::refused() const {
    if (refused_ == 0) return "";
    std::string told;
    for (const Named& each : named_) {
        told += (told.empty() ? "" : ", ") + each.name + " (" + each.why + ")";
        if (each.calls != 1) told += " " + std::to_string(each.calls) + " times";
    }
    return std::to_string(refused_) +
           (refused_ == 1 ? " call of a stranger was" : " calls of strangers were") +
           " refused: " + told + (has_unnamed_ ? ", ..." : "");
}

// All that have called. Another user's process is not listened to at all.
void Reception::welcome(const Accept& accept) {
    // Not without end: whoever calls again and again must not keep the others from being heard.
    for (int calls = 0; calls < 64; ++calls) {
        Descriptor socket(retried(
            [&] { return accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); }));
        if (socket.file() < 0 && (errno == EMFILE || errno == ENFILE)) {
            // Who is silent gives one back in time.
            want_ = errno;
            listens_from_ = Clock::now() + kPauseInWant;
            return;
        }
        if (socket.file() < 0) return note_forbidden("accept4");
        want_ = 0;
        const PeerProcess who = peer_of(socket.file());
        if (!who.known) note_forbidden("getsockopt");
        if (!who.is_of_this_user()) {
            refuse(who, "another user");
            continue;
        }
        callers_.push_back({std::move(socket), who, Clock::now() + silence_});
        if (callers_.size() <= expected_ + kSilent) continue;
        // What it has said since it was last heard may lie there unread.
        const bool has_spoken = hear(callers_.front(), accept);
        if (!has_spoken) refuse(callers_.front().who, "too many silent callers");
        callers_.erase(callers_.begin());
    }
}

void Reception::note_forbidden(const char* call) {
    const int error = errno;
    if (!os::is_call_forbidden(error)) return;
    forbidden_ = std::string(call) + ": " + std::strerror(error) + os::advice_on_call(error);
}

// A mate's file has come and is gone, as is the start.
bool Reception::lacks_descriptor(Heard heard, const Hello& hello) {
    if (heard != Heard::noise || errno != EMFILE) return false;
    const bool is_mate = is_equal(hello.secret, secret_);
    if (!is_mate) return false;
    forbidden_ = std::string("recvmsg: ") + std::strerror(EMFILE) + os::advice_on_call(EMFILE);
    return true;
}

bool Reception::hear(Caller& caller, const Accept& accept) {
    Hello hello{};
    Descriptor file;
    const Heard heard = receive_file(caller.socket.file(), MSG_DONTWAIT, hello, file);
    if (heard == Heard::nothing) {
        if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
        note_forbidden("recvmsg");
        refuse(caller.who, "broke off");
        return true;
    }
    if (lacks_descriptor(heard, hello)) return false;
    if (heard == Heard::noise)
        refuse(caller.who, "no greeting of this library");
    else if (!is_equal(hello.secret, secret_))
        refuse(caller.who, "not of this job");
    else if (heard == Heard::hello && greeted_.size() < expected_)
        greeted_.push_back(std::move(caller));
    else if (heard == Heard::file && accept(hello, std::move(file), caller.socket))
        --expected_;
    else
        refuse(caller.who, "not a PE that is to call");
    return true;
}

bool Reception::hear_greeted(Caller& caller, const Accept& accept) {
    Hello hello{};
    Descriptor file;
    const Heard heard = receive_file(caller.socket.file(), MSG_DONTWAIT, hello, file);
    if (heard == Heard::nothing && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
    if (lacks_descriptor(heard, hello)) return false;
    if (heard == Heard::file && is_equal(hello.secret, secret_) &&
        accept(hello, std::move(file), caller.socket))
        --expected_;
    else
        refuse(caller.who, "greeted and sent no memory");
    return true;
}

// Of those that had nothing to say at that time: this process may have had no turn for longer than
// a caller is listened to.
void Reception::hang_up_on_silent(Clock::time_point now) {
    while (!callers_.empty() && callers_.front().deadline <= now) {
        refuse(callers_.front().who, "silent");
        callers_.erase(callers_.begin());
    }
}

void Reception::close() {
    // Not without end, as above: more than the listener keeps.
    for (int calls = 0; calls < kMaxHostPes; ++calls) {
        Descriptor socket(
            retried([&] { return accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC); }));
        if (socket.file() < 0) break;
        const PeerProcess who = peer_of(socket.file());
        if (who.is_of_this_user())
            callers_.push_back({std::move(socket), who, {}});
        else
            refuse(who, "another user");
    }
    for (Caller& caller : callers_) {
        if (!hear(caller, [](const Hello&, const Descriptor&, Descriptor&) { return false; }))
            refuse(caller.who, "silent");
    }
    callers_.clear();
}

bool Reception::take_calls(Clock::duration time, const Accept& accept) {
    const Clock::time_point end = Clock::now() + time;
    std::vector<pollfd> none;
    while (expected_ != 0) {
        if (Clock::now() >= end) {
            errno = ETIMEDOUT;
            return false;
        }
        if (!take_some(end, none, accept)) return false;
    }
    return true;
}

bool Reception::take_some(Clock::time_point until, std::vector<pollfd>& others,
                          const Accept& accept) {
    if (!forbidden_.empty()) return false;
    const Clock::time_point now = Clock::now();
    std::vector<pollfd> polled = others;
    const auto also = [&](int file) { polled.push_back({file, POLLIN, 0}); };
    // Who calls when all have called is no mate.
    if (expected_ != 0) {
        for (const Caller& caller : greeted_)
            also(caller.socket.file());
        for (const Caller& caller : callers_)
            also(caller.socket.file());
        // Whose call waits there would ring all the while.
        if (now >= listens_from_) also(listener_);
        if (now < listens_from_) until = std::min(until, listens_from_);
        if (!callers_.empty()) until = std::min(until, callers_.front().deadline);
    }
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(until - now);
    if (poll(polled.data(), polled.size(), std::max<int>(0, static_cast<int>(wait.count()))) < 0 &&
        errno != EINTR) {
        note_forbidden("poll");
        return false;
    }
    std::copy_n(polled.begin(), others.size(), others.begin());
    if (expected_ == 0) return true;
    std::size_t i = others.size();
    std::erase_if(greeted_, [&](Caller& caller) {
        return polled[i++].revents != 0 && hear_greeted(caller, accept);
    });
    std::erase_if(callers_,
                  [&](Caller& caller) { return polled[i++].revents != 0 && hear(caller, accept); });
    if (!forbidden_.empty()) return false;
    hang_up_on_silent(now);
    if (i < polled.size() && polled[i].revents != 0 && expected_ != 0) welcome(accept);
    return true;
}

}  // namespace isthmus
