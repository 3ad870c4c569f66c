// Who calls a PE that waits for its mates. Of another user: tests/core/session/strangers.py.
#include "core/session/reception.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <thread>
#include <utility>
#include <vector>

namespace isthmus {
namespace {

using namespace std::chrono_literals;

class ReceptionTest : public testing::Test {
  protected:
    void SetUp() override {
        listener = Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
        sockaddr_un none{};
        none.sun_family = AF_UNIX;
        ASSERT_EQ(bind(listener.file(), reinterpret_cast<sockaddr*>(&none), sizeof none.sun_family),
                  0);
        length = sizeof address;
        ASSERT_EQ(getsockname(listener.file(), reinterpret_cast<sockaddr*>(&address), &length), 0);
        ASSERT_EQ(listen(listener.file(), 256), 0);
    }
    Descriptor call() {
        Descriptor made(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
        EXPECT_EQ(connect(made.file(), reinterpret_cast<const sockaddr*>(&address), length), 0);
        return made;
    }
    void greet(const Descriptor& call, const Secret& with) {
        Descriptor memory(memfd_create("memory", MFD_CLOEXEC));
        Hello hello{};
        hello.secret = with;
        hello.pe = 1;
        EXPECT_TRUE(send_file(call.file(), hello, memory.file()));
    }
    // Its other end has closed it.
    static bool is_hung_up(const Descriptor& call) {
        char byte = 0;
        return recv(call.file(), &byte, 1, MSG_DONTWAIT) == 0;
    }
    static bool take(const Hello& hello, Descriptor, Descriptor&) { return hello.pe == 1; }

    Descriptor listener;
    sockaddr_un address{};
    socklen_t length = 0;
    const Secret secret = draw_secret();
};

TEST_F(ReceptionTest, TakesWhoKnowsTheSecretAndNobodyElse) {
    Reception reception(listener.file(), secret, 1);
    const Descriptor stranger = call(), mate = call();
    greet(stranger, draw_secret());
    greet(mate, secret);
    EXPECT_TRUE(reception.take_calls(10s, take));
    EXPECT_TRUE(is_hung_up(stranger));
    EXPECT_NE(reception.refused().find("1 call of a stranger was refused"), std::string::npos);
    EXPECT_NE(reception.refused().find("(not of this job)"), std::string::npos);
}

// Also those that the listener has not given out yet.
TEST_F(ReceptionTest, WhoIsThereAtTheEndIsHungUpOnAndTold) {
    Reception reception(listener.file(), secret, 1);
    const Descriptor early = call(), mate = call();
    greet(mate, secret);
    EXPECT_TRUE(reception.take_calls(10s, take));
    EXPECT_EQ(reception.refused(), "");
    const Descriptor late = call(), stranger = call();
    greet(stranger, draw_secret());
    reception.close();
    for (const Descriptor* const each : {&early, &late, &stranger})
        EXPECT_TRUE(is_hung_up(*each));
    EXPECT_EQ(reception.refused().find("3 calls of strangers were refused: "), 0u);
    EXPECT_NE(reception.refused().find("(silent, not of this job) 3 times"), std::string::npos);
}

// Who cannot send its file yet says so, and is not silent then.
TEST_F(ReceptionTest, WaitsForTheFileOfAMateThatHasGreeted) {
    Reception reception(listener.file(), secret, 1, 50ms);
    const Descriptor stranger = call(), mate = call();
    EXPECT_TRUE(send_file(stranger.file(), {draw_secret(), 1, {}}, -1));
    EXPECT_TRUE(send_file(mate.file(), {secret, 1, {}}, -1));
    EXPECT_FALSE(reception.take_calls(200ms, take));
    EXPECT_TRUE(is_hung_up(stranger));
    EXPECT_FALSE(is_hung_up(mate));
    greet(mate, secret);
    EXPECT_TRUE(reception.take_calls(10s, take));
    EXPECT_EQ(reception.refused().find("silent"), std::string::npos);
}

TEST_F(ReceptionTest, AMateThatHasGreetedAndGoesIsToldOf) {
    Reception reception(listener.file(), secret, 1);
    {
        const Descriptor mate = call();
        EXPECT_TRUE(send_file(mate.file(), {secret, 1, {}}, -1));
        EXPECT_FALSE(reception.take_calls(50ms, take));
    }
    EXPECT_FALSE(reception.take_calls(50ms, take));
    EXPECT_NE(reception.refused().find("(greeted and sent no memory)"), std::string::npos);
}

TEST_F(ReceptionTest, HangsUpOnWhoIsSilent) {
    Reception reception(listener.file(), secret, 1, 50ms);
    const Descriptor silent = call();
    EXPECT_FALSE(reception.take_calls(300ms, take));
    EXPECT_EQ(errno, ETIMEDOUT);
    EXPECT_TRUE(is_hung_up(silent));
    EXPECT_NE(reception.refused().find("(silent)"), std::string::npos);
}

TEST_F(ReceptionTest, OfTooManySilentOnesTheLongestSilentGo) {
    Reception reception(listener.file(), secret, 1);
    std::vector<Descriptor> silent;
    for (std::size_t i = 0; i < Reception::kSilent + 4; ++i)
        silent.push_back(call());
    EXPECT_FALSE(reception.take_calls(200ms, take));
    for (std::size_t i = 0; i < silent.size(); ++i)
        EXPECT_EQ(is_hung_up(silent[i]), i < 3) << i;  // one place is the mate's
    const Descriptor mate = call();
    greet(mate, secret);
    EXPECT_TRUE(reception.take_calls(10s, take));
    EXPECT_NE(reception.refused().find("(too many silent callers)"), std::string::npos);
}

// Where this process has no turn for longer than a caller is listened to, nobody has been silent.
TEST_F(ReceptionTest, HearsBehindAPauseOfItsOwnWhatWasSaidBefore) {
    Reception reception(listener.file(), secret, 1, 20ms);
    const Descriptor mate = call();
    std::vector<pollfd> none;
    EXPECT_TRUE(reception.take_some(Reception::Clock::now() + 10s, none, take));  // taken
    greet(mate, secret);
    std::this_thread::sleep_for(40ms);
    EXPECT_TRUE(reception.take_calls(10s, take));
    EXPECT_EQ(reception.refused(), "");
}

// Of too many callers: the longest silent one speaks while another one is listened to.
TEST_F(ReceptionTest, HearsBeforeItSendsAway) {
    Reception reception(listener.file(), secret, 2);
    const Descriptor slow = call(), quick = call();
    std::vector<pollfd> none;
    EXPECT_TRUE(reception.take_some(Reception::Clock::now() + 10s, none, take));  // both are taken
    std::vector<Descriptor> silent;
    for (std::size_t i = 0; i < Reception::kSilent + 1; ++i)
        silent.push_back(call());
    greet(quick, secret);
    bool has_spoken = false;
    EXPECT_TRUE(
        reception.take_calls(10s, [&](const Hello& hello, Descriptor file, Descriptor& socket) {
            if (!std::exchange(has_spoken, true)) greet(slow, secret);
            return take(hello, std::move(file), socket);
        }));
    EXPECT_EQ(reception.refused(), "");
}

// No descriptor is left for a caller: it is waited for without use of the processor.
TEST_F(ReceptionTest, WaitsForADescriptor) {
    Reception reception(listener.file(), secret, 1);
    const Descriptor mate = call();
    greet(mate, secret);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    const int lowest = dup(0);
    close(lowest);
    const rlimit none{static_cast<rlim_t>(lowest), before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    unsigned looks = 0;
    std::vector<pollfd> others;
    for (const auto end = Reception::Clock::now() + 200ms; Reception::Clock::now() < end; ++looks)
        EXPECT_TRUE(reception.take_some(end, others, take));
    EXPECT_EQ(reception.want(), EMFILE);
    EXPECT_LE(looks, 30U);  // two for each pause
    // For the call, and not for the memory that comes by it.
    const rlimit one{static_cast<rlim_t>(lowest) + 1, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &one), 0);
    EXPECT_FALSE(reception.take_calls(10s, take));
    EXPECT_EQ(reception.forbidden(),
              "recvmsg: Too many open files; raise the limit of open files (ulimit -n)");
    EXPECT_EQ(reception.refused(), "");
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(ReceptionTest, NamesAProcessOnce) {
    Reception reception(listener.file(), secret, 1, 50ms);
    std::vector<Descriptor> calls;
    for (int each = 0; each < 4; ++each)
        calls.push_back(call());
    greet(calls[0], draw_secret());
    greet(calls[1], draw_secret());
    EXPECT_FALSE(reception.take_calls(300ms, take));
    EXPECT_EQ(reception.refused(),
              "4 calls of strangers were refused: process " + std::to_string(getpid()) +
                  " of user " + std::to_string(getuid()) + " (not of this job, silent) 4 times");
}

}  // namespace
}  // namespace isthmus
