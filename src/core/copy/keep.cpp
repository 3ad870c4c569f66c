#include "core/copy/keep.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace isthmus {
namespace {

constexpr std::size_t kMostBytes = 4096;

// All folders above the file. What exists already is as good.
void make_folders(const std::string& path) {
    for (auto slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1))
        mkdir(path.substr(0, slash).c_str(), 0700);
}

}  // namespace

std::string cache_folder() {
    // secure_getenv knows no variable in a program that is setuid.
    const char* const cache = secure_getenv("XDG_CACHE_HOME");
    if (cache && *cache == '/') return std::string(cache) + "/isthmus";
    const char* const home = secure_getenv("HOME");
    if (home && *home == '/') return std::string(home) + "/.cache/isthmus";
    return {};
}

std::string kept_file(const std::string& folder, std::string_view processor) {
    std::string name = "copy-";
    for (const char letter : processor)
        name += std::isalnum(static_cast<unsigned char>(letter)) ? letter : '-';
    return folder + "/" + name + ".txt";
}

std::optional<std::string> read_kept(const std::string& path, std::string& problem) {
    problem.clear();
    // Not blocking: it may be a pipe.
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        if (errno != ENOENT && errno != ENOTDIR) problem = std::strerror(errno);
        return {};
    }
    struct stat about {};
    std::array<char, kMostBytes + 1> text;
    ssize_t length = -1;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
        problem = "it is no file";
    else if ((about.st_uid != geteuid() && about.st_uid != 0) ||
             (about.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        problem = "others may write it";
    else if ((length = read(file, text.data(), text.size())) < 0)
        problem = std::strerror(errno);
    else if (static_cast<std::size_t>(length) > kMostBytes)
        problem = "it is too long";
    close(file);
    if (!problem.empty()) return {};
    return std::string(text.data(), static_cast<std::size_t>(length));
}

bool write_kept(const std::string& path, std::string_view text) {
    make_folders(path);
    const std::string unfinished = path + "." + std::to_string(getpid());
    const int file =
        open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return false;
    const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const bool good =
        (close(file) == 0) && written && rename(unfinished.c_str(), path.c_str()) == 0;
    if (!good) unlink(unfinished.c_str());
    return good;
}

MeasureLock::MeasureLock(const std::string& path) {
    make_folders(path);
    file_ = open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) != 0) {
        close(file_);
        file_ = -1;
    }
}

MeasureLock::~MeasureLock() {
    if (file_ >= 0) close(file_);
}

}  // namespace isthmus
