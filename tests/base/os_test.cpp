#include "base/os.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/blocked_signals.hpp"
#include "base/limits.hpp"

namespace isthmus::os {
namespace {

constexpr std::size_t kLength = std::size_t{1} << 20;

void* free_place() {
    void* const place = mmap(nullptr, kLength, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(place, kLength);
    return place;
}

TEST(Os, PagesRoundBothWays) {
    const std::uintptr_t page = page_size();
    EXPECT_EQ(page_down(page + 1), page);
    EXPECT_EQ(page_up(page + 1), 2 * page);
    EXPECT_EQ(page_up(page), page);
    EXPECT_EQ(page_down(page), page);
}

TEST(Os, ARangeIsMappedIfAllOfItIs) {
    const std::size_t page = page_size();
    char* const place = static_cast<char*>(
        mmap(nullptr, 600 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(place, MAP_FAILED);
    EXPECT_TRUE(is_mapped(place, 600 * page));
    EXPECT_TRUE(is_mapped(place + page - 1, 2));
    munmap(place + 500 * page, page);
    EXPECT_TRUE(is_mapped(place, 500 * page));
    EXPECT_FALSE(is_mapped(place, 500 * page + 1));
    EXPECT_FALSE(is_mapped(place + 100, 600 * page - 100));
    EXPECT_TRUE(is_mapped(place + 501 * page, 99 * page));
    EXPECT_FALSE(is_mapped(nullptr, 1));
    EXPECT_TRUE(is_mapped(nullptr, 0));
    EXPECT_FALSE(is_mapped(place, ~std::size_t{0}));
    munmap(place, 600 * page);
}

TEST(Os, ASharedFileIsMappedTwiceAndOccupiesWhatIsTouched) {
    const int file = create_shared_file("test", std::uint64_t{1} << 40);
    ASSERT_GE(file, 0) << std::strerror(errno);
    char* const first = static_cast<char*>(free_place());
    ASSERT_TRUE(map_shared(first, kLength, file, 0, false));
    char* const second = static_cast<char*>(free_place());
    ASSERT_TRUE(map_shared(second, kLength, file, 0, false));
    std::strcpy(first + 5000, "across");
    EXPECT_STREQ(second + 5000, "across");
    struct stat status {};
    fstat(file, &status);
    EXPECT_LE(status.st_blocks * 512, 64 << 10);
    EXPECT_EQ(status.st_mode & 07777, 0600u);
    discard(file, 0, kLength);
    EXPECT_EQ(second[5000], 0);
    munmap(first, kLength);
    munmap(second, kLength);
    close(file);
}

TEST(Os, MappingDoesNotReplaceUnlessTold) {
    const int file = create_shared_file("test", kLength);
    void* const place = mmap(nullptr, kLength, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_FALSE(map_shared(place, kLength, file, 0, false));
    EXPECT_EQ(errno, EEXIST);
    EXPECT_TRUE(map_shared(place, kLength, file, 0, true));
    munmap(place, kLength);
    close(file);
}

TEST(Os, AFutexWaitEndsByTimeOrByWake) {
    std::atomic<std::uint32_t> word{0};
    const auto* const raw = reinterpret_cast<const std::uint32_t*>(&word);
    const std::uint64_t begin = monotonic_nanoseconds();
    futex_wait(raw, 0, 5'000'000);
    EXPECT_GE(monotonic_nanoseconds() - begin, 4'000'000u);
    futex_wait(raw, 1, 60'000'000'000);  // another value: no wait at all
    std::thread waker([&] {
        word.store(1, std::memory_order_release);  // partner: the load below
        futex_wake_all(raw);
    });
    while (word.load(std::memory_order_acquire) == 0)
        futex_wait(raw, 0, 60'000'000'000);
    waker.join();
}

TEST(Os, AStartedThreadIsNoticed) {
    std::thread other([] {});
    EXPECT_FALSE(is_single_threaded());
    other.join();
}

// 64 draws: that a bit of any of them stays the same by chance happens once in 2^51.
TEST(Os, EachRandomBitVariesAndNothingElseIsWritten) {
    for (const std::size_t count :
         {std::size_t{1}, std::size_t{8}, std::size_t{32}, std::size_t{300}}) {
        std::vector<unsigned char> any(count, 0x00), all(count, 0xff);
        std::vector<unsigned char> drawn(count + 1, 0x5a);
        for (int draw = 0; draw < 64; ++draw) {
            ASSERT_TRUE(fill_with_random(drawn.data(), count));
            for (std::size_t byte = 0; byte < count; ++byte) {
                any[byte] |= drawn[byte];
                all[byte] &= drawn[byte];
            }
            ASSERT_EQ(drawn[count], 0x5a);
        }
        EXPECT_EQ(any, std::vector<unsigned char>(count, 0xff)) << count << " bytes";
        EXPECT_EQ(all, std::vector<unsigned char>(count, 0x00)) << count << " bytes";
    }
}

// As many as a process has begun sessions; and no other's.
TEST(Os, AllFilesOfAProcessProviderAreRemoved) {
    const std::string mine =
        "/dev/shm/" + std::to_string(getpid()) + ":" + std::to_string(geteuid()) + ":";
    const std::string others =
        "/dev/shm/1" + std::to_string(getpid()) + ":" + std::to_string(geteuid()) + ":0";
    const auto make = [](const std::string& name) {
        const int file = open(name.c_str(), O_CREAT | O_RDWR, 0600);
        close(file);
        return file >= 0;
    };
    ASSERT_TRUE(make(others));
    for (int session = 0; session < 200; ++session)
        ASSERT_TRUE(make(mine + std::to_string(session)));
    ASSERT_TRUE(make(mine + "100000"));
    remove_provider_files(getpid());
    for (int session = 0; session < 200; ++session)
        EXPECT_NE(access((mine + std::to_string(session)).c_str(), F_OK), 0) << session;
    EXPECT_NE(access((mine + "100000").c_str(), F_OK), 0);
    EXPECT_EQ(unlink(others.c_str()), 0);
}

TEST(Os, RoomForFilesIsWhatCanBeOpened) {
    EXPECT_EQ(room_for_files(8), 8);
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    const int next = dup(STDERR_FILENO);
    close(next);
    for (const int more : {0, 1, 5}) {
        rlimit now = before;
        now.rlim_cur = static_cast<rlim_t>(next + more);
        setrlimit(RLIMIT_NOFILE, &now);
        const int room = room_for_files(8);
        setrlimit(RLIMIT_NOFILE, &before);
        EXPECT_EQ(room, more);
    }
    EXPECT_EQ(dup(STDERR_FILENO), next) << "one stayed open";
    close(next);
}

TEST(Os, ThereIsMemoryAndAProcessor) {
    EXPECT_GE(memory_size(), std::uint64_t{64} << 20);
    EXPECT_GE(usable_processors(), 1);
}

// A fault in a thread of the library's own, which may be in libfabric, is told like any other.
TEST(BlockedSignals, LeaveAThreadItsOwnFaults) {
    sigset_t mask;
    {
        const BlockedSignals blocked;
        std::thread([&] { pthread_sigmask(SIG_SETMASK, nullptr, &mask); }).join();
    }
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS})
        EXPECT_EQ(sigismember(&mask, fault), 0) << fault;
    for (const int others : {SIGTERM, SIGINT, SIGALRM, SIGCHLD, SIGUSR1, SIGPROF})
        EXPECT_EQ(sigismember(&mask, others), 1) << others;
    sigset_t after;
    pthread_sigmask(SIG_SETMASK, nullptr, &after);
    EXPECT_EQ(sigismember(&after, SIGTERM), 0);
}

}  // namespace
}  // namespace isthmus::os
