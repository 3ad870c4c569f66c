#include "base/alarm.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

#include "base/error.hpp"
#include "base/os.hpp"

namespace isthmus::os {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

volatile std::sig_atomic_t ours = 0;
volatile std::sig_atomic_t theirs = 0;

// A program's own timer, by no call that alarm() would know of.
class Ticks {
  public:
    Ticks() {
        theirs = 0;
        ours = 0;
        struct sigaction action {};
        action.sa_handler = [](int) { theirs = theirs + 1; };
        sigaction(SIGALRM, &action, nullptr);
        const itimerspec often{{0, 500'000}, {0, 500'000}};
        EXPECT_EQ(timer_create(CLOCK_MONOTONIC, nullptr, &timer_), 0);
        EXPECT_EQ(timer_settime(timer_, 0, &often, nullptr), 0);
    }
    ~Ticks() {
        timer_delete(timer_);
        signal(SIGALRM, SIG_IGN);
        signal(SIGALRM, SIG_DFL);
    }
    Ticks(const Ticks&) = delete;
    Ticks& operator=(const Ticks&) = delete;

  private:
    timer_t timer_{};
};

constexpr Limit kOurs = Limit::meeting;

void call_ours_after(unsigned seconds) {
    call_after(
        kOurs, seconds, [](int more) { ours = ours + more; }, 1);
}

TEST(Alarm, IsNotWhatAProgramsTimersSend) {
    const Ticks ticks;
    const std::uint64_t begin = monotonic_nanoseconds();
    call_ours_after(1);
    while (ours == 0 && monotonic_nanoseconds() - begin < 10'000 * kMillisecond)
        sleep_nanoseconds(kMillisecond);
    EXPECT_GE(monotonic_nanoseconds() - begin, 990 * kMillisecond);
    EXPECT_NE(ours, 0);
    give_alarm_back(kOurs);
}

TEST(Alarm, IsOverAndTheProgramHasItsOwnAgain) {
    const Ticks ticks;
    call_ours_after(1);
    call_ours_after(1);  // moved, and no other one to come back
    const int before = theirs;
    call_no_more(kOurs);
    sleep_nanoseconds(5 * kMillisecond);
    EXPECT_EQ(theirs, before);
    give_alarm_back(kOurs);
    sleep_nanoseconds(20 * kMillisecond);
    EXPECT_GT(theirs, before);
    EXPECT_EQ(ours, 0);
}

// A handler there is none, since the program waits for the signal.
TEST(Alarm, LeavesASignalBlockedThatWas) {
    const Ticks ticks;
    sigset_t alarms;
    sigset_t before;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarms, &before);
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    struct sigaction handler {};
    sigaction(SIGALRM, &standard, &handler);
    call_ours_after(1);
    give_alarm_back(kOurs);
    sleep_nanoseconds(5 * kMillisecond);  // or it has ended the process
    sigaction(SIGALRM, &handler, nullptr);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Behind one that is over, one that was moved, and one that has come.
TEST(Alarm, EachLimitHoldsWhateverBecomesOfOthers) {
    const Ticks ticks;
    static volatile std::sig_atomic_t later = 0;
    const std::uint64_t begin = monotonic_nanoseconds();
    call_after(
        Limit::manager, 2, [](int more) { later = later + more; }, 3);
    call_ours_after(1);
    call_after(
        Limit::output, 1, [](int) { ours = ours + 100; }, 0);
    call_no_more(Limit::output);
    while (later == 0 && monotonic_nanoseconds() - begin < 10'000 * kMillisecond)
        sleep_nanoseconds(kMillisecond);
    EXPECT_GE(monotonic_nanoseconds() - begin, 1990 * kMillisecond);
    EXPECT_EQ(ours, 1);
    EXPECT_EQ(later, 3);
    give_alarm_back(Limit::manager);
    const int before = theirs;
    sleep_nanoseconds(20 * kMillisecond);
    EXPECT_GT(theirs, before);
}

TEST(Alarm, SleepsAreAsLongAsTheyShouldBe) {
    const Ticks ticks;
    const std::uint64_t begin = monotonic_nanoseconds();
    sleep_nanoseconds(30 * kMillisecond);
    EXPECT_GE(monotonic_nanoseconds() - begin, 30 * kMillisecond);
    EXPECT_GT(theirs, 0);
}

}  // namespace
}  // namespace isthmus::os
