#include "launch/program.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace isthmus::launch {
namespace {

// Whether the kernel would run the program for another user or group, or with capabilities.
bool gives_rights(const std::string& path, const struct stat& info) {
    if ((info.st_mode & S_ISUID) && info.st_uid != geteuid()) return true;
    // Without the group's execute bit it means something else.
    if ((info.st_mode & S_ISGID) && (info.st_mode & S_IXGRP) && info.st_gid != getegid())
        return true;
    return geteuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

// Empty if it can be executed.
std::string why_not(const std::string& path, int& status) {
    struct stat info {};
    status = kStatusNotFound;
    if (stat(path.c_str(), &info) != 0)
        return errno == ENOENT ? "no such file" : std::strerror(errno);
    status = kStatusNotExecutable;
    if (S_ISDIR(info.st_mode)) return "it is a directory";
    if (!S_ISREG(info.st_mode)) return "it is not a regular file";
    if (access(path.c_str(), X_OK) != 0)
        return errno == EACCES ? "it is not executable (chmod +x?)" : std::strerror(errno);
    if (gives_rights(path, info))
        return "it would run with other rights than yours (set-user-ID, set-group-ID or "
               "capabilities of the file), and its memory would be open to you; start the job with "
               "the rights that it needs";
    status = 0;
    return "";
}

}  // namespace

Program find_program(const std::string& name, const std::string& directory) {
    Program program;
    if (name.find('/') != std::string::npos) {
        program.path = name;
        const std::string seen =
            name[0] == '/' || directory.empty() ? name : directory + "/" + name;
        const std::string reason = why_not(seen, program.status);
        if (!reason.empty()) program.error = "cannot run " + name + ": " + reason;
        return program;
    }
    const char* variable = std::getenv("PATH");
    std::string_view rest = variable ? variable : "/usr/local/bin:/bin:/usr/bin";
    std::string refusal;
    while (true) {
        const auto colon = rest.find(':');
        const std::string folder(rest.substr(0, colon));
        std::string path = folder.empty() ? "." : folder;
        path.append("/").append(name);
        int status = 0;
        const std::string reason = why_not(path, status);
        if (reason.empty()) {
            program.path = path;
            return program;
        }
        if (status == kStatusNotExecutable && refusal.empty())
            refusal = "cannot run " + path + ": " + reason;
        if (colon == std::string_view::npos) break;
        rest.remove_prefix(colon + 1);
    }
    program.status = refusal.empty() ? kStatusNotFound : kStatusNotExecutable;
    program.error = refusal.empty() ? "cannot run " + name + ": it is not in PATH" : refusal;
    const std::string here = (directory.empty() ? "." : directory) + "/" + name;
    int status = 0;
    if (why_not(here, status).empty()) program.error += "; did you mean ./" + name + "?";
    return program;
}

std::string describe_exec_error(const std::string& path, int error) {
    if (error == ENOENT)
        return "cannot run " + path + ": its interpreter (first line) or its loader was not found";
    if (error == E2BIG) return "cannot run " + path + ": arguments and environment are too long";
    return "cannot run " + path + ": " + std::strerror(error);
}

}  // namespace isthmus::launch
