#include "tools/place.hpp"

#include <filesystem>
#include <system_error>

namespace isthmus::tools {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
    std::error_code error;
    return fs::exists(path, error);
}

}  // namespace

Place find_place() {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    Place place;
    if (error) return place;
    const fs::path bin = self.parent_path();
    place.bin = bin.string();
    for (const char* lib : {"../lib", ISTHMUS_LIB_FROM_BIN}) {
        const fs::path directory = (bin / lib).lexically_normal();
        if (!place.lib.empty() || !is_there(directory / "libisthmus.so")) continue;
        place.lib = directory.string();
    }
    for (const char* include : {"../include", ISTHMUS_INCLUDE_FROM_BIN}) {
        const fs::path directory = (bin / include).lexically_normal();
        if (!place.include.empty() || !is_there(directory / "shmem.h")) continue;
        place.include = directory.string();
    }
    return place;
}

std::string find_helper(const Place& place, const std::string& name) {
    for (const char* directory : {".", "../libexec/isthmus", "../libexec"}) {
        const fs::path path = (fs::path(place.bin) / directory / name).lexically_normal();
        if (is_there(path)) return path.string();
    }
    return "";
}

}  // namespace isthmus::tools
