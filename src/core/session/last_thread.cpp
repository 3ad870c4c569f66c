#include "core/session/last_thread.hpp"

#include <dirent.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/os.hpp"

namespace isthmus {
namespace {

constexpr std::string_view kRoadThread = "isthmus-";  // what their names begin with

enum class ThreadState { program, road, ended };

// By its number. Main's has ended and is there still until the process ends.
ThreadState state_of(const char* thread) {
    char text[512];
    const std::string path = std::string("/proc/self/task/") + thread + "/stat";
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
    if (!file) return ThreadState::ended;
    const std::string_view stat(text, std::fread(text, 1, sizeof text, file.get()));
    // The name stands in brackets and may have some itself.
    const std::size_t name = stat.find('(');
    const std::size_t end = stat.rfind(')');
    if (name == stat.npos || end == stat.npos || end + 2 >= stat.size()) return ThreadState::ended;
    if (stat[end + 2] == 'Z' || stat[end + 2] == 'X') return ThreadState::ended;
    return stat.substr(name + 1).starts_with(kRoadThread) ? ThreadState::road
                                                          : ThreadState::program;
}

bool is_program_left() {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/task"), closedir);
    if (!folder) return true;
    while (const dirent* const entry = readdir(folder.get())) {
        if (entry->d_name[0] != '.' && state_of(entry->d_name) == ThreadState::program) return true;
    }
    return false;
}

}  // namespace

void look_for_program() {
    constexpr std::uint64_t kInterval = 1'000'000'000;
    static std::atomic<std::uint64_t> looked_at = 0;
    // Relaxed, both: each stands for itself, and one of several threads of roads is enough.
    std::uint64_t last = looked_at.load(std::memory_order_relaxed);
    const std::uint64_t now = os::monotonic_nanoseconds();
    if (now - last < kInterval ||
        !looked_at.compare_exchange_strong(last, now, std::memory_order_relaxed))
        return;
    // As a rule main's is there, and nothing else is asked.
    if (state_of(std::to_string(getpid()).c_str()) == ThreadState::program || is_program_left())
        return;
    // By a thread of its own, which the next look takes for the program's: the exit closes the
    // roads, and waits for this one.
    std::thread([] { std::exit(EXIT_SUCCESS); }).detach();
}

}  // namespace isthmus
