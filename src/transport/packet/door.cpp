#include "transport/packet/door.hpp"

#include <fcntl.h>
#include <sodium.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/limits.hpp"
#include "transport/service/socket_address.hpp"

namespace isthmus::transport::packet {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kFirstPause = 5'000'000;
constexpr std::uint64_t kLongestPause = 200'000'000;
// Nobody listens: the PE has gone, or goes.
constexpr std::uint64_t kRefusedPatience = 3 * kSecond;
constexpr int kAcceptAtOnce = 64;
// Of two PEs that call each other one hangs up; its call may come this long after the other's,
// where turns are rare or the port is full of callers.
constexpr std::uint64_t kCrossing = Door::kHearSeconds * kSecond;

std::array<unsigned char, 32> make_nonce() {
    std::array<unsigned char, 32> nonce;
    randombytes_buf(nonce.data(), nonce.size());
    return nonce;
}

// Of anything: it only keeps the place.
int open_spare(int other) {
    return fcntl(other, F_DUPFD_CLOEXEC, 0);
}

}  // namespace

Door::~Door() {
    if (spare_ >= 0) ::close(spare_);
}

bool Door::listen(const sockaddr_storage& at) {
    address_ = at;
    service::port_of(address_) = 0;
    port_ = Stream(socket(at.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    auto* const address = reinterpret_cast<sockaddr*>(&address_);
    socklen_t length = sizeof address_;
    epoll_event event = event_for(Event::port, 0, EPOLLIN);
    if (spare_ < 0) spare_ = open_spare(events_);
    return port_.is_open() && spare_ >= 0 &&
           bind(port_.descriptor(), address, length_of(address_)) == 0 &&
           ::listen(port_.descriptor(), SOMAXCONN) == 0 &&
           getsockname(port_.descriptor(), address, &length) == 0 &&
           epoll_ctl(events_, EPOLL_CTL_ADD, port_.descriptor(), &event) == 0;
}

// Edges: what comes is read until there is no more.
bool Door::enter(Stream&& stream, const Join& join, int called, bool is_expected) {
    const int one = 1;
    setsockopt(stream.descriptor(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    epoll_event event = event_for(Event::guest, ++numbers_, EPOLLIN | EPOLLOUT | EPOLLET);
    if (epoll_ctl(events_, EPOLL_CTL_ADD, stream.descriptor(), &event) != 0) return false;
    guests_.try_emplace(numbers_, std::move(stream), join, called, is_expected, time_);
    return true;
}

void Door::expect(const sockaddr_storage& at) {
    const std::lock_guard lock(guard_);
    expected_.insert(text_of(at));
}

long Door::call(int pe, const sockaddr_storage& at) {
    const std::lock_guard lock(guard_);
    if (is_joined(pe)) return 0;
    const auto [found, is_new] = attempts_.try_emplace(pe);
    if (!is_new) return 0;
    found->second.at = at;
    return begin(pe, found->second);
}

long Door::begin(int pe, Attempt& attempt) {
    if (coming_.count(pe) != 0) return 0;
    const sockaddr_storage& at = attempt.at;
    ++attempt.calls;
    const auto open = [&at] {
        return socket(at.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    };
    int descriptor = open();
    // Strangers may have them all. Others of this host may be faster than this PE, but not for
    // ever.
    while (descriptor < 0 && (errno == EMFILE || errno == ENFILE)) {
        const int error = errno;
        if (!evict(true)) return -error;
        descriptor = open();
    }
    Stream stream(descriptor);
    if (!stream.is_open()) return -errno;
    // From the address that others know this PE by.
    const int one = 1;
    setsockopt(stream.descriptor(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
    sockaddr_storage own = address_;
    service::port_of(own) = 0;
    const bool fine =
        bind(stream.descriptor(), reinterpret_cast<const sockaddr*>(&own), length_of(own)) == 0 &&
        (connect(stream.descriptor(), reinterpret_cast<const sockaddr*>(&at), length_of(at)) == 0 ||
         errno == EINPROGRESS);
    if (!fine) {
        put_off(pe, errno, false, time_);
        return 0;
    }
    if (!enter(std::move(stream), Join::call(self_, pe, make_nonce()), pe, true)) return -errno;
    attempt.guest = numbers_;
    return 0;
}

void Door::accept_all() {
    const std::lock_guard lock(guard_);
    for (int round = 0; round < kAcceptAtOnce; ++round) {
        sockaddr_storage from{};
        const auto take = [&] {
            socklen_t length = sizeof from;
            return accept4(port_.descriptor(), reinterpret_cast<sockaddr*>(&from), &length,
                           SOCK_NONBLOCK | SOCK_CLOEXEC);
        };
        if (spare_ < 0) spare_ = open_spare(events_);
        int descriptor = take();
        if (descriptor < 0 && (errno == ECONNABORTED || errno == EINTR)) continue;
        if (descriptor < 0 && (errno == EMFILE || errno == ENFILE)) {
            // What waits at the port would ring for ever. The spare one is for it; another caller
            // makes room for the next spare one, or this one is hung up on.
            ::close(spare_);
            descriptor = take();
            if (descriptor >= 0 && !evict(true)) {
                ::close(descriptor);
                if (expected_.count(text_of(from)) == 0) ++news_.silent;
                spare_ = open_spare(events_);
                continue;
            }
            spare_ = open_spare(events_);
        }
        // A filter may do that to a single caller.
        constexpr unsigned kMany = 16;
        if (descriptor < 0 && (errno == EPERM || errno == EACCES) && ++forbidden_ < kMany) return;
        if (descriptor < 0) return note_forbidden("accept4", errno);
        forbidden_ = 0;
        wanted_ = 0;
        if (callers_ >= kMostCallers + static_cast<std::size_t>(self_.pes)) evict(false);
        if (enter(Stream(descriptor), Join::listen(self_, make_nonce()), -1,
                  expected_.count(text_of(from)) != 0))
            ++callers_;
    }
}

void Door::note_forbidden(const char* call, int error) {
    // Memory may be there again at any time.
    const bool is_want = error == ENOMEM || error == ENOBUFS;
    const std::uint64_t now = clock_();
    if (is_want && now - wanted_ > 2 * patience_) wanting_since_ = now;
    if (is_want) wanted_ = now;
    const bool is_lasting = is_want && now - wanting_since_ > patience_;
    if (!is_lasting && !os::is_call_forbidden(error)) return;
    news_.forbidden = call;
    news_.error = error;
}

void Door::attend(std::uint64_t number) {
    const std::lock_guard lock(guard_);
    const auto guest = guests_.find(number);
    if (guest != guests_.end()) pump(guest);
}

void Door::pump(Guests::iterator found) {
    Guest& guest = found->second;
    if (guest.called >= 0 && !guest.is_connected) {
        int error = 0;
        socklen_t length = sizeof error;
        getsockopt(guest.stream.descriptor(), SOL_SOCKET, SO_ERROR, &error, &length);
        if (error != 0) return failed(found, error);
        sockaddr_storage peer{};
        socklen_t room = sizeof peer;
        if (getpeername(guest.stream.descriptor(), reinterpret_cast<sockaddr*>(&peer), &room) !=
            0) {
            if (errno == ENOMEM || errno == ENOBUFS) return failed(found, errno);
            return note_forbidden("getpeername", errno);  // under way still, else
        }
        guest.is_connected = true;
        guest.moved = time_;
        ++attempts_[guest.called].taken;
    }
    for (;;) {
        while (guest.join.unsent_bytes() != 0) {
            iovec piece{const_cast<unsigned char*>(guest.join.unsent()), guest.join.unsent_bytes()};
            const long written = guest.stream.write(&piece, 1);
            if (written == Stream::kNotNow) return;
            if (written < 0) return failed(found, static_cast<int>(-written));
            guest.join.sent(static_cast<std::size_t>(written));
        }
        switch (guest.join.state()) {
            case JoinState::more: break;
            case JoinState::proved: return let_in(found);
            case JoinState::joined: return hand_over(found, guest.join.peer());
            case JoinState::refused:
                return guest.called >= 0 ? failed(found, kNotProved) : drop(found, true);
            case JoinState::other:
                return guest.called >= 0 ? failed(found, kOtherVersion, true) : drop(found, true);
        }
        unsigned char bytes[sizeof(Reply)];
        iovec piece{bytes, guest.join.wanted()};
        const long came = guest.stream.read(&piece, 1);
        if (came == Stream::kNotNow) return;
        if (came <= 0) {
            if (guest.called >= 0)
                return failed(found,
                              came == 0 || came == -ECONNRESET ? kHungUp : static_cast<int>(-came));
            if (!may_be_ours(guest) && guest.join.is_spoken_to()) return drop(found, true);
            return forget(found);
        }
        const int lines = guest.join.lines();
        guest.join.take(bytes, static_cast<std::size_t>(came));
        if (guest.join.lines() != lines) guest.moved = time_;
    }
}

// Who has a ticket and goes without a proof may have given up, or have been called meanwhile.
bool Door::may_be_ours(const Guest& guest) const {
    const int pe = guest.join.peer();
    if (pe < 0) return false;
    const std::uint64_t joined = joined_[static_cast<std::size_t>(pe)];
    return joined == 0 || guest.since < joined + kCrossing;
}

// A caller that has proved who it is.
void Door::let_in(Guests::iterator found) {
    const int pe = found->second.join.peer();
    if (is_joined(pe)) return forget(found);
    if (self_.me < pe) {
        const auto attempt = attempts_.find(pe);
        const bool called = attempt != attempts_.end() && attempt->second.guest != 0;
        // A call that has not got through yet counts for nothing, nor do those that are left
        // without an answer: a filter may be in their way.
        const bool counts =
            called && attempt->second.counts && guests_.at(attempt->second.guest).is_connected;
        if (counts) return forget(found);
        if (called) {
            guests_.erase(attempt->second.guest);
            attempt->second.guest = 0;
        }
        // It would not call again if it had not given that one up.
        const auto before = coming_.find(pe);
        if (before != coming_.end()) forget(guests_.find(before->second));
        coming_[pe] = found->first;
    }
    found->second.is_welcome = true;
    found->second.join.welcome();
    pump(found);
}

// A caller that goes, for no reason of its own.
void Door::forget(Guests::iterator found) {
    const auto coming = coming_.find(found->second.join.peer());
    if (coming != coming_.end() && coming->second == found->first) coming_.erase(coming);
    --callers_;
    guests_.erase(found);
}

void Door::hand_over(Guests::iterator found, int pe) {
    const bool calls = found->second.called >= 0;
    joined_[static_cast<std::size_t>(pe)] = time_;
    const Join& join = found->second.join;
    const auto draw = [&](Join::Key key) {
        return Joined::Keys{join.draw(key, calls), join.draw(key, !calls)};
    };
    news_.joined.push_back({pe, std::move(found->second.stream), draw(Join::Key::datagrams),
                            draw(Join::Key::long_datagrams), draw(Join::Key::records),
                            (join.common() & kHasAes) != 0});
    const auto attempt = attempts_.find(pe);
    if (attempt != attempts_.end()) {
        if (attempt->second.guest != found->first) guests_.erase(attempt->second.guest);
        attempts_.erase(attempt);
    }
    if (calls)
        guests_.erase(found);
    else
        forget(found);
}

void Door::drop(Guests::iterator found, bool is_refused) {
    ++(is_refused ? news_.refused : news_.silent);
    forget(found);
}

// A caller that has to go. One with a ticket may be a PE that has had no turn, and so may one that
// has had no time to say it: it calls again, and is no stranger.
void Door::send_away(Guests::iterator found, bool may_be_slow) {
    if (may_be_slow || may_be_ours(found->second)) return forget(found);
    drop(found, found->second.join.is_spoken_to());
}

void Door::failed(Guests::iterator found, int error, bool for_good) {
    const int pe = found->second.called;
    if (pe < 0) return drop(found, found->second.join.is_spoken_to());
    const std::uint64_t began = found->second.since;
    guests_.erase(found);
    attempts_[pe].guest = 0;
    put_off(pe, error, for_good, began);
}

// It hung up because it calls itself, or of too many strangers; or the network is down for a while.
void Door::put_off(int pe, int error, bool for_good, std::uint64_t began) {
    Attempt& attempt = attempts_[pe];
    if (attempt.first == 0) attempt.first = error == kNotAnswered ? began : time_;
    std::uint64_t patience = patience_;
    if (error == ECONNREFUSED) patience = std::min(patience_, kRefusedPatience);
    if (error == kNotAnswered) patience = may_be_busy_ ? ~std::uint64_t{0} : 2 * patience_;
    if (for_good || time_ - attempt.first > patience) {
        news_.failed.emplace_back(pe, error);
        attempt.first = 0;
    }
    attempt.pause = std::clamp(2 * attempt.pause, kFirstPause, kLongestPause);
    attempt.again = time_ + attempt.pause;
}

// Who swallows what is said answers neither this call nor, likely, the next one. A PE that is slow
// answers one that waits for longer.
void Door::see_to_call(Guests::iterator found) {
    Attempt& attempt = attempts_[found->second.called];
    if (attempt.go_on == 0) attempt.go_on = first_go_on();
    if (!found->second.is_connected || time_ - found->second.moved <= attempt.go_on) return;
    attempt.counts = false;
    attempt.go_on *= 2;
    if (!may_be_busy_) attempt.go_on = std::min(attempt.go_on, patience_);
    failed(found, kNotAnswered);
}

bool Door::welcomes(int pe) const {
    const std::lock_guard lock(guard_);
    return std::any_of(guests_.begin(), guests_.end(), [pe](const auto& each) {
        return each.second.is_welcome && each.second.join.peer() == pe;
    });
}

std::string Door::tried(int pe) const {
    const std::lock_guard lock(guard_);
    const auto found = attempts_.find(pe);
    if (found == attempts_.end()) return "";
    const Attempt& attempt = found->second;
    sockaddr_storage at = attempt.at;
    return std::to_string(attempt.calls) + (attempt.calls == 1 ? " call of " : " calls of ") +
           text_of(at) + " port " + std::to_string(ntohs(service::port_of(at))) + ", of which " +
           std::to_string(attempt.taken) + (attempt.taken == 1 ? " was" : " were") +
           " taken; none of its own has got through";
}

// The caller that is most likely none of the job's; of those that are alike, who has had most time.
// Nobody who is welcome: it may have joined. For want of descriptors a PE has to go that has had no
// time to say who it is; it calls again.
bool Door::evict(bool for_want) {
    auto least = guests_.end();
    for (auto guest = guests_.begin(); guest != guests_.end(); ++guest) {
        if (guest->second.called < 0 && !guest->second.is_welcome &&
            (least == guests_.end() || guest->second.worth() < least->second.worth()))
            least = guest;
    }
    if (least == guests_.end()) return false;
    const Guest& guest = least->second;
    send_away(least, for_want && guest.is_expected && !guest.join.is_spoken_to());
    return true;
}

void Door::see_to_time() {
    const std::lock_guard lock(guard_);
    take_turn();
    if (callers_ == 0 && attempts_.empty()) return;
    for (auto& [pe, attempt] : attempts_) {
        if (attempt.guest != 0 || time_ < attempt.again) continue;
        if (const long result = begin(pe, attempt); result != 0)
            news_.failed.emplace_back(pe, static_cast<int>(-result));
    }
    for (auto guest = guests_.begin(); guest != guests_.end();) {
        const auto each = guest++;
        if (each->second.called >= 0) {
            see_to_call(each);
            continue;
        }
        if (!each->second.is_welcome && time_ - each->second.since > kHearSeconds * kSecond)
            send_away(each, each->second.is_expected && !each->second.join.is_spoken_to());
    }
}

void Door::take_turn() {
    const std::uint64_t now = clock_();
    time_ += std::min(now - looked_, kLongestTurn);
    looked_ = now;
}

Door::News Door::take_news() {
    const std::lock_guard lock(guard_);
    return std::exchange(news_, News{});
}

std::size_t Door::guests() const {
    const std::lock_guard lock(guard_);
    return guests_.size();
}

}  // namespace isthmus::transport::packet
