// The launcher's side of one job on several hosts: what it knows of hosts and PEs. head.cpp starts
// them and hears what their agents say; verdict.cpp decides of what the job ends, and says so.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/diagnosis.hpp"
#include "launch/options.hpp"
#include "launch/output.hpp"
#include "launch/remote/far_output.hpp"
#include "launch/remote/frame.hpp"
#include "launch/remote/shell.hpp"

namespace isthmus::launch {

inline constexpr std::uint64_t kSecond = 1'000'000'000;

inline std::uint64_t nanoseconds(double seconds) {
    return static_cast<std::uint64_t>(std::min(seconds, 1e9) * 1e9);
}

struct Far {  // one host
    std::string name;
    int first = 0;
    int count = 0;
    pid_t shell = -1;
    int from = -1;  // what the agent says
    OutputQueue to{-1};
    FrameReader frames;
    std::string before;  // until it has greeted
    bool greeted = false;
    int running = 0;
    int arrived = 0;
    bool refused = false;
    int unheard = 0;             // signals that the agent has not told of
    double silent = 0;           // for so many seconds nothing has come
    std::uint64_t next_ask = 0;  // whether it is still there
    bool has_stopped = false;    // and the job ends for that
};

struct FarPe {
    PeState state = PeState::absent;
    bool ended = false;
    std::uint64_t began = 0;           // when it came to shmem_init; 0: not yet, or has left
    std::optional<Routine> last_call;  // if its agent has told
};

class Head {
  public:
    Head(const RunOptions& options, const std::string& tool)
        : options_(options), tool_(tool), output_(options) {}
    int run();

  private:
    bool start(Far& host);
    void wait_for_event();
    void hear_signals();
    void hear_input();
    void hear(Far& host);
    void act_on(Far& host, Frame& frame);
    void pe_ended(Far& host, int pe, int wait_status);
    void lost(Far& host);
    void give_up(Far& host);
    void judge_absent();
    void judge_silent(std::uint64_t now);
    void judge_stopped(const Far& host, int pe, int seconds);
    void judge_gone(const Far& host, int pe, int seconds);
    void aborted(FarPe& pe, std::string_view bytes);
    void dies(const Far& host, int pe, int signal);
    void note_cause(const PeEnd& ended, const std::string& host);
    void say_cause();
    void go_on_if_all_arrived();
    void tick(std::uint64_t now);
    void end(int status, const std::string& line, int signal);
    void end_with_calls(int status, const std::string& line, int signal);
    void say_calls();
    void send_signal(int signal);
    void finish();

    FarPe* pe_at(std::int32_t pe) {
        return pe >= 0 && pe < options_.pes ? &pes_[static_cast<std::size_t>(pe)] : nullptr;
    }
    bool may_take_input() const {
        return input_open_ && !input_held_ && hosts_[0].greeted && !hosts_[0].to.congested();
    }
    // Why the job ends, or what goes wrong; all else goes to output_.
    void announce(const std::string& line) {
        has_said_ = true;
        output_.announce(line);
    }
    bool over() const {
        return std::all_of(hosts_.begin(), hosts_.end(),
                           [](const Far& host) { return host.from < 0; });
    }

    const RunOptions& options_;
    const std::string& tool_;
    Inheritance inheritance_ = Inheritance::present();
    std::vector<Far> hosts_;
    std::vector<FarPe> pes_;
    FarOutput output_;
    std::string space_;    // the name of the job, no other job's
    std::string mapping_;  // of its PEs to the hosts
    std::string values_;   // put since the last barrier
    int signals_ = -1;
    bool input_open_ = true;
    bool input_held_ = false;  // PE 0 does not read it
    int status_ = 0;
    bool ending_ = false, killed_ = false, ended_by_signal_ = false, someone_failed_ = false;
    bool finishing_ = false;
    bool is_word_of_pe_ = false;  // that the job ends
    bool has_said_ = false;       // a line of ours, or of a PE's library
    bool is_wanted_ = false;      // the end, by the program or the reader of its output
    int sent_signal_ = 0;         // to all
    std::string cause_;           // of an end that nobody has spoken of
    bool is_cause_signal_ = false;
    std::string line_;  // said when all agents have told what their PEs last called
    std::uint64_t line_until_ = 0;
    double detect_seconds_ = 0;
    std::uint64_t went_on_ = 0;  // when this process was last stopped, and went on
    std::uint64_t listened_ = 0;
    std::uint64_t began_ = 0, timeout_at_ = 0, deadline_ = 0, hearing_until_ = 0;
    int left_behind_ = 0;
};

}  // namespace isthmus::launch
