#include "core/job/room_above.hpp"

#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/os.hpp"
#include "core/job/loaded_object.hpp"
#include "core/job/window.hpp"

namespace isthmus {
namespace {

bool is_again = false;

// The stack lies at the top, but under valgrind. Some processors have more than 47 bits.
std::uint64_t end_of_addresses() {
    return std::max(std::bit_ceil(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0))),
                    std::uintptr_t{1} << 47);
}

std::vector<std::string> own_arguments() {
    std::vector<std::string> words;
    std::FILE* const file = std::fopen("/proc/self/cmdline", "re");
    char* word = nullptr;
    std::size_t room = 0;
    while (file && getdelim(&word, &room, '\0', file) > 0)
        words.emplace_back(word);
    std::free(word);
    if (file) std::fclose(file);
    return words;
}

// The dynamic linker that was called by its name, or valgrind: that would be executed.
bool is_run_by_another() {
    const LoadedObject program = main_program();
    const bool has_linker =
        std::any_of(program.headers.begin(), program.headers.end(),
                    [](const auto& header) { return header.p_type == PT_INTERP; });
    return (has_linker && getauxval(AT_BASE) == 0) || os::under_valgrind();
}

}  // namespace

bool has_room_above(const Range& range, int slots) {
    const std::uint64_t last = static_cast<std::uint64_t>(slots - 1) * window_stride();
    return range.end() + last < end_of_addresses();
}

void make_room_above(int slots) {
    if (is_again || slots > kMostSlotsAbove || is_run_by_another() || window.shift < 37) return;
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0) return;
    const rlimit before = limit;
    limit.rlim_cur = static_cast<std::uint64_t>(slots) * window_stride();
    if (limit.rlim_cur > limit.rlim_max) return;
    std::vector<std::string> words = own_arguments();
    if (words.empty()) return;
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    char program[4096];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0 || setrlimit(RLIMIT_STACK, &limit) != 0) return;
    program[length] = '\0';
    setenv(kAgainVariable, std::to_string(before.rlim_cur).c_str(), 1);
    execve(program, arguments.data(), environ);
    unsetenv(kAgainVariable);
    setrlimit(RLIMIT_STACK, &before);
}

void restore_stack_limit() {
    const char* const text = std::getenv(kAgainVariable);
    if (!text) return;
    is_again = true;
    const rlim_t before = std::strtoull(text, nullptr, 10);
    rlimit limit{};
    getrlimit(RLIMIT_STACK, &limit);
    limit.rlim_cur = std::min<rlim_t>(before, limit.rlim_max);
    setrlimit(RLIMIT_STACK, &limit);
    constexpr rlim_t kStandard = 2 << 20;  // glibc's, where there is no limit
    pthread_attr_t attributes;
    if (pthread_getattr_default_np(&attributes) != 0) return;
    pthread_attr_setstacksize(
        &attributes, os::page_up(limit.rlim_cur == RLIM_INFINITY
                                     ? kStandard
                                     : std::max<rlim_t>(limit.rlim_cur, PTHREAD_STACK_MIN)));
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
    unsetenv(kAgainVariable);
}

}  // namespace isthmus
