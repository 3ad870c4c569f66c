#include "base/process_tree.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>

namespace isthmus::os {
namespace {

// A process that does nothing until it is killed, or this one ends.
class Idle {
  public:
    template <typename Begin>
    explicit Idle(Begin begin) : process_(fork()) {
        if (process_ != 0) return;
        begin();
        for (;;)
            pause();
    }
    Idle(const Idle&) = delete;
    Idle& operator=(const Idle&) = delete;
    ~Idle() {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    pid_t process() const { return process_; }

  private:
    pid_t process_;
};

TEST(ProcessTree, SeesChildrenOfEveryThread) {
    pid_t child = 0;
    std::atomic<bool> is_over = false;
    std::thread other([&] {
        child = fork();
        if (child == 0) {
            for (;;)
                pause();
        }
        is_over.wait(false);
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    });
    std::vector<pid_t> children;
    for (int tries = 0; tries < 1000 && children.empty(); ++tries) {
        usleep(5000);
        children = children_of(getpid());
    }
    is_over = true;
    is_over.notify_one();
    other.join();
    EXPECT_EQ(children, std::vector<pid_t>{child});
}

void* rests(void*) {
    for (;;)
        pause();
}

TEST(ProcessTree, ReadsOfWhoGoesOnWithoutItsFirstThread) {
    const Idle idle([] {
        pthread_t thread;
        pthread_create(&thread, nullptr, rests, nullptr);
        syscall(SYS_exit, 0);  // of this thread
    });
    const std::string whole = "/proc/" + std::to_string(idle.process()) + "/maps";
    std::string path = whole;
    for (int tries = 0; tries < 1000 && path == whole; ++tries) {
        usleep(5000);
        path = in_proc(idle.process(), "maps");
    }
    const std::vector<pid_t> threads = threads_of(idle.process());
    ASSERT_EQ(threads.size(), 2);
    const pid_t second = *std::max_element(threads.begin(), threads.end());
    EXPECT_EQ(path, "/proc/" + std::to_string(idle.process()) + "/task/" + std::to_string(second) +
                        "/maps");
}

TEST(ProcessTree, WhoIsNotThereIsDead) {
    pid_t gone = 0;
    {
        const Idle idle([] {});
        gone = idle.process();
        EXPECT_TRUE(is_alive(facts_of(gone)));
        EXPECT_FALSE(has_library(gone));
    }
    EXPECT_FALSE(is_alive(facts_of(gone)));
    EXPECT_TRUE(children_of(gone).empty());
}

}  // namespace
}  // namespace isthmus::os
