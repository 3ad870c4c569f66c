#include "transport/service/attention.hpp"

#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>

namespace isthmus::transport::service {

std::uint64_t now_nanoseconds() {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds(1));
}

Attention::Attention() : timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {}

Attention::~Attention() {
    if (timer_ >= 0) ::close(timer_);
}

bool Attention::is_paid() const {
    const std::uint64_t now = now_nanoseconds();
    const std::uint64_t looked = looked_.load(std::memory_order_relaxed);
    return is_asleep() || calling_.load(std::memory_order_relaxed) != 0 || now <= looked ||
           now - looked <= kMoment;
}

void Attention::pause(std::uint64_t began, int stop) {
    // What comes when the program stops looking waits for the end of the pause: an eighth of the
    // time that it has looked, at most.
    const std::uint64_t length = std::clamp((now_nanoseconds() - began) / 8, kMoment, kLongest);
    if (length < kLongest || timer_ < 0) {
        const timespec time{0, static_cast<long>(length)};
        nanosleep(&time, nullptr);
        return;
    }
    // While the program sleeps there is no end to put off; it sees to that when it wakes up.
    // Sequentially consistent: partners are those of wake_up().
    awaited_.store(true, std::memory_order_seq_cst);
    if (!asleep_.load(std::memory_order_seq_cst)) put_off(now_nanoseconds());
    pollfd ends[] = {{timer_, POLLIN, 0}, {stop, POLLIN, 0}};
    ::poll(ends, 2, kSleep_ms);
    awaited_.store(false, std::memory_order_relaxed);
    std::uint64_t count = 0;
    if (ends[0].revents != 0) {
        [[maybe_unused]] const auto bytes = ::read(timer_, &count, sizeof count);
    }
}

void Attention::put_off(std::uint64_t now) {
    put_off_.store(now, std::memory_order_relaxed);
    const itimerspec in{{0, 0}, {0, static_cast<long>(kLongest)}};
    timerfd_settime(timer_, 0, &in, nullptr);
}

}  // namespace isthmus::transport::service
