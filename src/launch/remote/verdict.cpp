#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/os.hpp"
#include "core/job/end_times.hpp"
#include "launch/diagnosis.hpp"
#include "launch/remote/frame.hpp"
#include "launch/remote/head_state.hpp"
#include "launch/signals.hpp"

namespace isthmus::launch {

using namespace end_times;

// Several may have seen the same, on one host or others: who comes first is heard. An end that the
// program wants needs no line; those that have been told of it may be here before who wants it.
void Head::aborted(FarPe& pe, std::string_view bytes) {
    constexpr std::size_t kNumber = sizeof(std::int32_t);
    std::int32_t number = 0;
    if (!read_number(bytes.substr(0, kNumber), number)) return;
    pe.state = PeState::failed;
    const std::string words(bytes.substr(std::min(bytes.size(), kNumber + 1)));
    if (words.empty() && bytes.size() > kNumber) is_wanted_ = true;
    if (ending_) return;
    is_word_of_pe_ = words.empty();
    end(number & 255, words, SIGTERM);
}

// Others end for it, and may be heard first. What it says itself comes in front of this; of a
// signal that somebody has sent it says nothing, and in a shell no other end tells of that.
void Head::dies(const Far& host, int pe, int signal) {
    pes_[static_cast<std::size_t>(pe)].state = PeState::failed;
    if (cause_.empty() || !is_cause_signal_)
        cause_ =
            pe_prefix(pe, host.name) + "killed by " + describe_signal(signal) + "; the job ends";
    is_cause_signal_ = true;
    if (ending_) return;
    is_word_of_pe_ = true;
    end(128 + (signal & 127), "", SIGTERM);
}

void Head::pe_ended(Far& host, int pe, int wait_status) {
    FarPe& own = pes_[static_cast<std::size_t>(pe)];
    own.ended = true;
    --host.running;
    PeEnd ended;
    ended.pe = pe;
    ended.wait_status = wait_status;
    ended.state = own.state;
    ended.knows_call = false;
    someone_failed_ |= wait_status != 0;
    note_cause(ended, host.name);
    // It came first, and may be what the other one has seen: nobody else sends this signal before
    // it is time. Of another one the PE has told those of other hosts, who say nothing behind it.
    const int signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
    const bool is_cause =
        is_word_of_pe_ && !killed_ && !is_wanted_ &&
        (signal == SIGKILL || (signal != 0 && signal != sent_signal_ && !has_said_));
    if (is_cause) {
        is_word_of_pe_ = false;
        status_ = job_status(ended);
        announce(describe_end(ended, host.name));
    }
    if (ending_) return;
    const int status_of_pe = job_status(ended);
    if (ends_job(ended))
        return end(status_ != 0 ? status_ : status_of_pe, describe_end(ended, host.name), SIGTERM);
    if (status_of_pe != 0 && status_ == 0) {
        status_ = status_of_pe;
        announce(describe_end(ended, host.name));
    }
    judge_absent();
}

// One that died of what nobody here has sent comes before one that exited.
void Head::note_cause(const PeEnd& ended, const std::string& host) {
    const bool is_signal = WIFSIGNALED(ended.wait_status);
    const bool is_sent =
        is_signal && (WTERMSIG(ended.wait_status) == sent_signal_ || (killed_ && ending_));
    if (job_status(ended) == 0 || is_sent || (!cause_.empty() && is_cause_signal_ >= is_signal))
        return;
    cause_ = describe_end(ended, host);
    is_cause_signal_ = is_signal;
}

// A job that ends badly does not end without a word, whoever should have had it.
void Head::say_cause() {
    if (status_ == 0 || has_said_ || is_wanted_) return;
    announce(!cause_.empty() ? cause_
                             : "isthmus: the job ends with status " + std::to_string(status_) +
                                   ", and no PE has said why");
}

// A PE that ended without shmem_init, for which one that has called it would wait for ever.
void Head::judge_absent() {
    if (ending_) return;
    const auto absent = std::find_if(pes_.begin(), pes_.end(), [](const FarPe& pe) {
        return pe.ended && pe.state == PeState::absent;
    });
    const auto running = std::find_if(pes_.begin(), pes_.end(), [](const FarPe& pe) {
        return !pe.ended && pe.state == PeState::running;
    });
    if (absent == pes_.end() || running == pes_.end()) return;
    const int pe = static_cast<int>(absent - pes_.begin());
    const auto host = std::find_if(hosts_.begin(), hosts_.end(),
                                   [&](const Far& far) { return pe < far.first + far.count; });
    end(1,
        pe_prefix(pe, host->name) + "exited with status 0 without shmem_init, which PE " +
            std::to_string(running - pes_.begin()) + " has called; the job ends",
        SIGTERM);
}

// An agent that stands still hands nothing on, of the start or of an end, and nobody else knows of
// it. Time in which this process did not listen does not count, nor that of an agent which cannot
// write or which tidies up behind its PEs.
void Head::judge_silent(std::uint64_t now) {
    constexpr std::uint64_t kMostBetween = kSecond / 2;
    constexpr int kQuestions = 20;  // until then
    const double passed = static_cast<double>(std::min(now - listened_, kMostBetween)) * 1e-9;
    listened_ = now;
    if (ending_ || detect_seconds_ <= 0) return;
    const double limit = 2 * detect_seconds_ + kPesTurn;
    for (Far& host : hosts_) {
        const bool is_heard = host.from >= 0 && host.greeted && !host.refused && host.running > 0;
        if (!is_heard || output_.congested()) {
            host.silent = 0;
            continue;
        }
        host.silent += passed;
        if (now >= host.next_ask) {
            host.to.append(frame_text(FrameKind::ask, -1, ""));
            host.next_ask = now + nanoseconds(limit / kQuestions);
        }
        if (host.silent < limit) continue;
        host.has_stopped = true;
        char time[32];
        std::snprintf(time, sizeof time, "%.4g", limit);
        return end(1,
                   "isthmus: host " + host.name +
                       ": `isthmus agent`, which has started the PEs there, has not answered for " +
                       time +
                       " s (twice ISTHMUS_DETECT_SECONDS, and 1 s more): it has stopped, or its "
                       "host is cut off, and what runs there ends when it goes on; the job ends",
                   SIGTERM);
    }
}

// A PE for which others would wait. Those of its host may see that as well, and know more; those of
// others, who do not, speak later (core/session/start_watch.cpp).
void Head::judge_stopped(const Far& host, int pe, int seconds) {
    if (ending_ || detect_seconds_ <= 0) return;
    const double limit = 2 * detect_seconds_ + kPesTurn;
    const std::uint64_t now = os::monotonic_nanoseconds();
    // While this process was stopped, so were all PEs.
    const auto passed_since = [&](std::uint64_t then) {
        return static_cast<double>(now - std::max(then, went_on_)) * 1e-9;
    };
    const auto waits = [&](const FarPe& other) {
        return &other != &pes_[static_cast<std::size_t>(pe)] && !other.ended && other.began != 0 &&
               passed_since(other.began) >= limit;
    };
    const auto waiting = std::find_if(pes_.begin(), pes_.end(), waits);
    if (std::min<double>(seconds, passed_since(0)) < limit || waiting == pes_.end()) return;
    end(1,
        pe_prefix(pe, host.name) + "its process has been stopped, by a signal, for " +
            std::to_string(seconds) + " s (twice ISTHMUS_DETECT_SECONDS), and PE " +
            std::to_string(waiting - pes_.begin()) + " waits in shmem_init; the job ends",
        SIGTERM);
    send_signal(SIGCONT);  // it would not notice
}

// Others may wait for one whose process has ended: what it was started in goes on, and may do so
// for long.
void Head::judge_gone(const Far& host, int pe, int seconds) {
    const FarPe& own = pes_[static_cast<std::size_t>(pe)];
    if (ending_ && cause_.empty())
        cause_ = pe_prefix(pe, host.name) + "its process has ended" +
                 (status_ > 128 && status_ <= 128 + 64 ? " by " + describe_signal(status_ - 128)
                                                       : std::string()) +
                 ", and what it was started in has gone on; the job ends";
    const auto waiting = std::find_if(pes_.begin(), pes_.end(), [&](const FarPe& other) {
        return &other != &own && !other.ended && other.began != 0;
    });
    if (ending_ || seconds < kGoneFor || waiting == pes_.end()) return;
    end(1,
        pe_prefix(pe, host.name) +
            "its process has ended within shmem_init, and what it was started in goes on; the job "
            "ends",
        SIGTERM);
}

// One that is frozen, or its host: it finds the connection gone if it ever goes on.
void Head::give_up(Far& host) {
    if (!host.has_stopped)
        announce("isthmus: host " + host.name +
                 " does not answer and is given up; what runs there ends when it answers again");
    host.running = 0;
    kill(host.shell, SIGKILL);
    lost(host);
}

void Head::end(int status, const std::string& line, int signal) {
    if (ending_) return;
    ending_ = true;
    status_ = status;
    if (!line.empty()) announce(line);
    deadline_ = os::monotonic_nanoseconds() + nanoseconds(options_.grace_seconds);
    sent_signal_ = signal;
    send_signal(signal);
}

// As end(), with a line that says where the PEs are. They are sent the signal meanwhile; whoever
// does not answer at once is left out.
void Head::end_with_calls(int status, const std::string& line, int signal) {
    if (ending_) return;
    line_ = line;
    line_until_ = os::monotonic_nanoseconds() + in_nanoseconds(kHearing);
    end(status, "", signal);
}

void Head::say_calls() {
    std::map<std::string_view, std::vector<int>> by_call;
    for (int pe = 0; pe < options_.pes; ++pe)
        if (const auto call = pes_[static_cast<std::size_t>(pe)].last_call)
            by_call[routine_name(*call)].push_back(pe);
    announce(line_ + (by_call.empty() ? "" : "; last noted calls: " + list_calls(by_call)));
    line_.clear();
}

}  // namespace isthmus::launch
