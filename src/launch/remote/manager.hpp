// The process manager of the PEs of one host, as PMI-1: the serving side of bootstrap/pmi1.hpp.
// Values that are put go to the launcher, which hands those of all hosts to every host when a
// barrier is complete; so a question is answered where it is asked. No file, no process: lines in,
// lines out.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace isthmus::launch {

class HostManager {
  public:
    // `space`: the name of the job's key-value space. `mapping`: which PEs are on which host;
    // nothing: not told.
    HostManager(int first, int count, int pes, std::string space, const std::string& mapping);

    // What becomes of a line of PE `pe`.
    struct Outcome {
        std::string answer;  // to that PE; empty: none now
        bool began = false, left = false;
        bool all_arrived = false;  // the whole host waits in the barrier
        std::string key, value;    // were put
        bool aborts = false;       // the PE ends the job
        int status = 0;            // with this one
        int signal = 0;            // it dies of this one, for which the job ends
        bool has_words = false;    // and says so
        std::string words;
        bool starts = false, has_started = false;  // is in shmem_init from now on, or no longer
        std::string problem;  // the line cannot be understood: the PE is hung up on
    };
    Outcome take_line(int pe, std::string_view line);

    void learn(std::string key, std::string value);
    // The barrier is complete: what each PE of this host that waits is told.
    std::string go_on();
    bool is_waiting(int pe) const { return member(pe).waits; }
    bool has_begun(int pe) const { return member(pe).began; }
    bool has_left(int pe) const { return member(pe).left; }

  private:
    struct Member {
        bool began = false, left = false, waits = false;
    };
    const Member& member(int pe) const { return members_[static_cast<std::size_t>(pe - first_)]; }

    int first_;
    int pes_;
    std::string space_;
    std::vector<Member> members_;
    std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace isthmus::launch
