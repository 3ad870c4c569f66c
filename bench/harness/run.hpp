// One run of a group: its options, its rows so far, and the two sides that are measured.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/process.hpp"
#include "harness/row.hpp"

namespace isthmus::bench {

struct Options {
    bool quick = false;  // fewer batches and sizes
    bool counts = true;  // instruction counts (needs valgrind)
    bool peer = true;    // measure the peer if there is one
    std::string only;    // families whose name contains this
};

enum class Side : unsigned char { ours, peer };

// A line of key=value pairs, as the measured programs print them.
using Record = std::map<std::string, std::string>;
std::vector<Record> parse_records(const std::string& text);
double number(const Record& record, const std::string& key);

class Run {
  public:
    // `group` names the folder of programs.
    Run(Options options, const std::string& group);

    const Options& options() const { return options_; }
    bool has_peer() const { return !peer_launcher_.empty(); }
    static const char* peer_name() { return "Open MPI OSHMEM"; }
    // Why there is no peer, or empty.
    const std::string& peer_note() const { return peer_note_; }

    // Path of a measured program of a side.
    std::string program(Side side, const std::string& name) const;

    // Runs a program of this group under the side's launcher; its first argument is its name. The
    // prefix, if any, is a command that the launcher starts instead, followed by the program.
    Finished job(Side side, int pes, const std::string& name,
                 const std::vector<std::string>& arguments = {},
                 const std::vector<std::string>& prefix = {},
                 const std::vector<std::pair<std::string, std::string>>& environment = {}) const;

    // job() with such a heap, parsed; empty if it failed, and `reason` then says why.
    std::vector<Record> records(Side side, int pes, const std::string& name,
                                const std::vector<std::string>& arguments, std::string& reason,
                                const std::string& heap = "256M") const;

    // For a row whose bound is what the peer does, if the peer was not measured: says why, and the
    // row does not hold.
    void lacks_peer(Row& row, const std::string& reason) const {
        row.lacks =
            std::string(peer_name()) + " was not measured: " + (has_peer() ? reason : peer_note_);
    }

    void add(Row row) { rows_.push_back(std::move(row)); }
    const std::vector<Row>& rows() const { return rows_; }

    // The line on standard error that says what is being measured.
    void progress(const std::string& what) const;
    void end_progress() const;

  private:
    Options options_;
    std::string programs_;  // folder
    std::string launcher_;
    std::string peer_launcher_;
    std::string peer_note_;
    std::vector<Row> rows_;
};

// Draws the rows into a file, through python3 and matplotlib.
bool draw(const std::vector<Row>& rows, const std::string& file, std::string& reason);

// How often the sides take turns: `quick` or `full` times, but no more turns once the quick mode's
// share of time is used up. There is always one.
class Turns {
  public:
    Turns(const Run& run, std::string what, int quick, int full, double quick_seconds);
    // True if there is another turn; says so in the progress line.
    bool next();

  private:
    const Run& run_;
    std::string what_;
    int turns_;
    int turn_ = 0;
    double limit_seconds_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// A family of claims, measured together.
struct Family {
    const char* name;
    std::function<void(Run&)> measure;
};

struct Group {
    const char* name;
    const char* about;
    std::vector<Family> families;
    // What this machine or build has not, and with it which rows cannot hold: said before anything
    // is measured.
    std::function<std::vector<std::string>(const Run&)> missing = nullptr;
};

}  // namespace isthmus::bench
