#include "base/control_group.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>

namespace isthmus::os {
namespace {

// A limit above counts as well: children share what their parents have.
void add_group(std::vector<std::string>& files, const std::string& mount, std::string_view group,
               const char* file) {
    while (!group.empty() && group != "/") {
        files.push_back(mount + std::string(group) + file);
        group = group.substr(0, group.find_last_of('/'));
    }
    files.push_back(mount + file);
}

bool names_memory(std::string_view controllers) {
    while (!controllers.empty()) {
        const std::size_t comma = std::min(controllers.find(','), controllers.size());
        if (controllers.substr(0, comma) == "memory") return true;
        controllers.remove_prefix(std::min(comma + 1, controllers.size()));
    }
    return false;
}

}  // namespace

std::vector<std::string> memory_limit_files(std::string_view groups) {
    std::vector<std::string> files;
    while (!groups.empty()) {
        const std::size_t end = std::min(groups.find('\n'), groups.size());
        const std::string_view line = groups.substr(0, end);  // hierarchy:controllers:/group
        groups.remove_prefix(std::min(end + 1, groups.size()));
        const std::size_t first = line.find(':');
        if (first == std::string_view::npos) continue;
        const std::size_t second = line.find(':', first + 1);
        if (second == std::string_view::npos) continue;
        const std::string_view controllers = line.substr(first + 1, second - first - 1);
        const std::string_view group = line.substr(second + 1);
        if (!group.starts_with('/')) continue;
        if (controllers.empty()) add_group(files, "/sys/fs/cgroup", group, "/memory.max");
        if (names_memory(controllers))
            add_group(files, "/sys/fs/cgroup/memory", group, "/memory.limit_in_bytes");
    }
    return files;
}

std::uint64_t memory_limit() {
    std::ostringstream groups;
    groups << std::ifstream("/proc/self/cgroup").rdbuf();
    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
    for (const std::string& path : memory_limit_files(groups.str())) {
        if (FILE* file = std::fopen(path.c_str(), "re")) {
            unsigned long long limit = 0;  // "max" is no number
            if (std::fscanf(file, "%llu", &limit) == 1 && limit > 0)
                smallest = std::min<std::uint64_t>(smallest, limit);
            std::fclose(file);
        }
    }
    return smallest;
}

}  // namespace isthmus::os
