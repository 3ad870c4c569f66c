#include "base/error.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace isthmus {
namespace {

int speaker = -1;
JobEnd job_end{nullptr, nullptr};

[[noreturn]] void end(int status) {
    if (job_end.end) job_end.end(status);
    _exit(status);
}

bool tell(const std::string& where, const std::string& what) {
    const bool first = !job_end.claim || job_end.claim(1);
    if (first) say_from(where, what);
    return first;
}

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
    if (tell(where, what) && job_end.flush) flush_output(1);
    end(1);
}

void fail_in_handler(const std::string& where, const std::string& what) {
    tell(where, what);
    end(1);
}

void flush_output(int status) {
    static volatile std::sig_atomic_t exit_status = 0;
    exit_status = status;
    struct sigaction give_up {};
    give_up.sa_handler = [](int) { end(exit_status); };
    sigaction(SIGALRM, &give_up, nullptr);
    sigset_t limit;
    sigemptyset(&limit);
    sigaddset(&limit, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &limit, nullptr);
    alarm(1);
    for (FILE* stream : {stdout, stderr}) {
        if (ftrylockfile(stream) != 0) continue;
        fflush_unlocked(stream);
        funlockfile(stream);
    }
    std::fflush(nullptr);
    alarm(0);
}

std::string hexadecimal(std::uintptr_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "%#zx", static_cast<std::size_t>(value));
    return text;
}

}  // namespace isthmus
