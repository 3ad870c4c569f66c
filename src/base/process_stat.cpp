#include "base/process_stat.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace isthmus::os {

bool read_process_stat(const char* path, ProcessStat& stat) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    char text[512];
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) return false;
    text[length] = '\0';
    // The name in parentheses may itself hold any character, so the fields begin after the last.
    const char* const name = std::strchr(text, '(');
    const char* const name_end = std::strrchr(text, ')');
    // Between the parent and the number of threads there are fifteen fields, and one behind it.
    if (!name || !name_end ||
        std::sscanf(
            name_end + 1,
            " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d %*s %llu",
            &stat.state, &stat.parent, &stat.threads, &stat.began) != 4)
        return false;
    const std::size_t bytes =
        std::min(static_cast<std::size_t>(name_end - name - 1), sizeof stat.name - 1);
    std::memcpy(stat.name, name + 1, bytes);
    stat.name[bytes] = '\0';
    return true;
}

bool read_process_stat(pid_t process, ProcessStat& stat) {
    char path[32];
    std::snprintf(path, sizeof path, "/proc/%d/stat", process);
    return read_process_stat(path, stat);
}

Text own_proc(const char* what) {
    ProcessStat first;
    const bool has_first_ended = gettid() != getpid() &&
                                 read_process_stat("/proc/self/stat", first) &&
                                 has_ended(first.state);
    return Text(has_first_ended ? "/proc/thread-self/" : "/proc/self/", what);
}

}  // namespace isthmus::os
