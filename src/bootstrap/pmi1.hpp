// PMI-1: the text protocol by which Hydra (mpiexec) and `srun --mpi=pmi2` serve their processes.
// Lines of key=value words over an inherited file; each command gets one line back.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/exchange.hpp"

namespace isthmus::bootstrap {

// The words of a line. False unless each is key=value.
bool parse_pmi_line(std::string_view line, std::map<std::string, std::string>& words);

// Bytes as text that the protocol carries: hexadecimal. decode is false unless it is just that.
std::string encode_bytes(const void* bytes, std::size_t count);
bool decode_bytes(std::string_view text, void* bytes, std::size_t count);

// Who shares the node of `rank`, by what managers say under PMI_process_mapping:
// "(vector,(NODE,NODES,RANKS)...)", where NODES nodes from NODE on get RANKS ranks each, over and
// over again until all have a node. Empty if it says nothing, or something else.
std::vector<int> ranks_beside(std::string_view mapping, int rank, int size);
// What it says of nodes that get so many ranks each.
std::string mapping_of(const std::vector<int>& ranks_of_nodes);

// How the name of a key-value space begins that `isthmus run` makes on other hosts.
inline constexpr std::string_view kOwnSpaces = "isthmus-";
// And that of Hydra, which passes a PE's status on without a word.
inline constexpr std::string_view kHydrasSpaces = "kvs_";
inline constexpr const char* kMappingKey = "PMI_process_mapping";
// What its manager understands beyond PMI-1: three commands, the latter two without an answer, and
// a word of `abort`.
inline constexpr const char* kStartCommand = "isthmus_start";
inline constexpr const char* kLeaveCommand = "isthmus_leave";
inline constexpr const char* kDeathCommand = "isthmus_death";
inline constexpr const char* kLastWords = "isthmus_words";

class Pmi1 final : public Exchange {
  public:
    // Takes over the file.
    Pmi1(int file, int rank, int size);
    ~Pmi1() override;
    void begin() override;
    int rank() const override { return rank_; }
    int size() const override { return size_; }
    std::string job_name() const override { return space_; }
    void share(const void* mine, std::size_t bytes, std::span<const Part> parts) override;
    void meet() override;
    std::vector<int> host_ranks() override;
    void end(int status) override;
    bool ends_at_once() const override { return true; }
    pid_t who_hung_up() const override;
    void note_start(bool is_in_it) override;
    bool note_death(int signal) override;
    void note_leave() override;
    bool take_last_words(const std::string& line) override;
    bool tells_status() const override { return !space_.starts_with(kHydrasSpaces); }
    void leave() override;
    const char* name() const override { return "PMI-1"; }

  private:
    using Words = std::map<std::string, std::string>;
    void write_line(const std::string& line);
    std::string read_line();
    bool has_answer_within(std::chrono::milliseconds time) const;
    Words ask(const std::string& command, const char* reply);
    bool tell_own_manager(std::string_view line) const;

    int file_;
    int rank_;
    int size_;
    std::string space_;  // name of the key-value space
    std::size_t longest_ = 1024;
    unsigned shares_ = 0;
    std::string rest_;  // read, behind the last line
    std::atomic<bool> says_farewell_ = false;
    std::string words_;  // as the line carries them
    std::atomic<bool> has_words_ = false;
};

}  // namespace isthmus::bootstrap
