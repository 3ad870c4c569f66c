// The keeper's state. keeper_start.cpp starts the job, keeper.cpp hears what is told and ends it,
// keeper_watch.cpp looks at PEs that tell nothing.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "launch/binding.hpp"
#include "launch/diagnosis.hpp"
#include "launch/foreign_watch.hpp"
#include "launch/job_file.hpp"
#include "launch/keeper.hpp"
#include "launch/output.hpp"

namespace isthmus::launch {

// One pipe from a PE: its standard output or its standard error.
struct Stream {
    int file = -1;
    LineCutter cutter;
    OutputQueue* queue;
};

struct Pe {
    pid_t child = 0;  // what the keeper started, 0 once it has ended
    // Behind a wrapper (a shell, a debugger) the program is another process, which the library has
    // put into the job file; watched through a pidfd.
    int program_watch = -1;
    bool program_judged = false;  // whether to watch it has been decided
    bool program_gone = false;
    bool has_left = false;  // ended, and the job goes on
    int left_with = 0;      // that status
    double stopped = 0;     // for so many seconds, as far as has been looked
    bool is_told_stopped = false;
};

// A PE that runs under a debugger or a checker.
struct ToolRun {
    int pe;
    std::string path;
    std::vector<std::string> words;
    std::vector<char*> pointers;  // of the words; ends with a null pointer
};

class Keeper {
  public:
    Keeper(const RunOptions& options, const Program& program, const Inheritance& inheritance,
           int control)
        : options_(options),
          program_(program),
          inheritance_(inheritance),
          control_(control),
          host_(host_name()),
          pes_(static_cast<std::size_t>(options.pes)) {}

    int run();

  private:
    // Set-up. Each says what is wrong and returns false.
    bool prepare();
    bool start_all();
    bool start(int pe);
    bool open_streams(int pe, SpawnRequest& request);
    bool prepare_tools();
    std::vector<std::string> build_environment() const;

    // Events.
    void wait_for_event();
    void hear_control();
    void hear_signal();
    void act_on_signal(int signal, bool from_terminal);
    void reap();
    void pe_ended(int pe, int wait_status);
    void judge(PeEnd ended);
    void judge_later(std::uint64_t now);
    bool is_behind_another(int pe) const;
    void tick(std::uint64_t now);
    void read_stream(Stream& stream);
    void write_output();

    // Looks.
    void watch_program(int pe);
    void look_where_one_waits(std::uint64_t now);
    bool look_for_other_programs(const std::vector<int>& pes, int waiting);
    void look_for_stopped(const std::vector<int>& pes, const std::vector<int>& waiting);
    void look_for_foreign_program(std::uint64_t now);
    int who_needs(PeState gone) const;
    std::string describe_missed() const;
    pid_t program_process(int pe) const;

    // Ending.
    void end(int status, const std::string& line, int signal);
    bool job_ended_by_itself();
    void deliver(int pe, int signal);
    int finish();
    void flush_output();

    void announce(const std::string& line);
    PeStatus& status(int pe) const { return job_.header->pe[pe]; }
    std::vector<int> alive() const;
    std::string last_calls() const;

    const RunOptions& options_;
    const Program& program_;
    const Inheritance& inheritance_;
    int control_;
    std::string host_;

    JobFile job_;
    Binding binding_;
    std::vector<Pe> pes_;
    std::vector<std::string> environment_;
    std::vector<char*> environment_pointers_;
    std::vector<char*> argument_pointers_;
    std::vector<ToolRun> tools_;
    int null_input_ = -1;
    int signals_ = -1;
    OutputQueue output_{STDOUT_FILENO};
    OutputQueue errors_{STDERR_FILENO};
    std::vector<Stream> streams_;  // two a PE with --prefix: 2p output, 2p+1 errors

    int running_ = 0;
    int status_ = 0;
    bool ending_ = false;
    bool ended_by_signal_ = false;
    bool output_lost_ = false;     // of standard output or error, and that has been said
    bool abandoned_ = false;       // the launcher is dead, or has asked twice
    bool someone_failed_ = false;  // since the end began
    std::uint64_t deadline_ = 0;   // for the rest of the PEs, once ending
    std::uint64_t timeout_at_ = 0;
    std::uint64_t next_tick_ = 0;
    // An end of a PE while another one's was under way, and until when it is no cause.
    std::optional<PeEnd> later_;
    std::uint64_t later_until_ = 0;
    std::uint64_t next_look_ = 0;  // for other programs, and for PEs that are stopped
    double detect_seconds_ = 0;
    ForeignWatch foreign_;
    std::uint64_t memory_kills_before_ = 0;
};

}  // namespace isthmus::launch
