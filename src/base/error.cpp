#include "base/error.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace isthmus {
namespace {

int speaker = -1;
JobEnd job_end{nullptr, nullptr};

}  // namespace

void set_speaker(int pe) {
    speaker = pe;
}

void set_job_end(const JobEnd& end) {
    job_end = end;
}

std::string host_name() {
    char name[256] = "?";
    gethostname(name, sizeof name - 1);
    return name;
}

std::string speaker_prefix() {
    if (speaker < 0) return "isthmus: ";
    return "isthmus: PE " + std::to_string(speaker) + " (host " + host_name() + "): ";
}

void say(const char* text) {
    // A short or failed write to standard error has nobody left to be told.
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text));
}

void say_from(const std::string& where, const std::string& what) {
    say((speaker_prefix() + (where.empty() ? "" : where + ": ") + what + "\n").c_str());
}

void fail(const std::string& where, const std::string& what) {
    if (!job_end.claim || job_end.claim(1)) say_from(where, what);
    if (job_end.end) job_end.end(1);
    _exit(1);
}

std::string hexadecimal(std::uintptr_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "%#zx", static_cast<std::size_t>(value));
    return text;
}

}  // namespace isthmus
