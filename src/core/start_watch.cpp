#include "core/start_watch.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <system_error>

#include "base/blocked_signals.hpp"
#include "base/error.hpp"
#include "base/settings.hpp"
#include "core/host.hpp"

namespace isthmus {
namespace {

std::string text_of(double time) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", time);
    return text;
}

}  // namespace

StartWatch::StartWatch(int rank) {
    const BlockedSignals blocked;
    try {
        thread_ = std::thread([this, rank] { watch(rank); });
    } catch (const std::system_error&) {
        // No room for a thread: the wait goes unseen.
    }
}

StartWatch::~StartWatch() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(guard_);
        all_came_ = true;
    }
    came_.notify_one();
    thread_.join();
}

bool StartWatch::is_over_after(double seconds) {
    std::unique_lock lock(guard_);
    const auto all_came = [this] { return all_came_; };
    return !came_.wait_for(lock, std::chrono::duration<double>(seconds), all_came);
}

void StartWatch::watch(int rank) {
    // 0 is for ever, which the clock does not know.
    const auto limit = [](Setting setting) {
        return seconds(setting) > 0 ? seconds(setting) : 1e8;
    };
    const double stall = limit(Setting::stall_seconds);
    const double join = limit(Setting::join_seconds);
    // One of two is enough to say it, and one of them may be who is missing.
    const bool speaks = rank < 2;
    if (stall < join) {
        if (!is_over_after(stall)) return;
        if (speaks)
            say((speaker_prefix() + "shmem_init: has waited " + text_of(stall) +
                 " s for the other PEs of the job; has each process called it? "
                 "(ISTHMUS_STALL_SECONDS)\n")
                    .c_str());
    }
    // The others give these two a second to speak.
    if (!is_over_after((stall < join ? join - stall : join) + (speaks ? 0 : 1))) return;
    say_from("shmem_init", "not all PEs of the job have called it within " + text_of(join) +
                               " s (ISTHMUS_JOIN_SECONDS)");
    // There is no job yet that fail() could end.
    end_managed_job(1);
    _exit(1);
}

}  // namespace isthmus
