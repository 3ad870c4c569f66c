// Which processors each PE may run on.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace isthmus::launch {

// A set of processors of any number, in the layout that the kernel takes.
class ProcessorSet {
  public:
    void add(int processor);
    bool contains(int processor) const;
    int count() const;
    bool empty() const { return count() == 0; }
    ProcessorSet operator&(const ProcessorSet& other) const;
    ProcessorSet& operator|=(const ProcessorSet& other);
    std::string text() const;  // "0-3,8"
    const unsigned long* words() const { return words_.data(); }
    std::size_t bytes() const { return words_.size() * sizeof(unsigned long); }

    // Where this process may run.
    static ProcessorSet allowed();

  private:
    std::vector<unsigned long> words_;
};

enum class BindMode : unsigned char { automatic, none, core, thread, socket };

// The words of the setting ISTHMUS_BIND, and those of other launchers: hwthread, package, l3cache
// and numa are not offered. False if the word is none of them.
bool parse_bind_mode(std::string_view word, BindMode& mode);
const char* bind_mode_name(BindMode mode);

// The machine as far as binding needs it, each set within ProcessorSet::allowed().
struct Topology {
    std::vector<ProcessorSet> cores;
    std::vector<ProcessorSet> sockets;
    std::string problem;  // why the above are empty, if they are
};
Topology read_topology(const ProcessorSet& allowed);

struct Binding {
    std::vector<ProcessorSet> sets;  // one a PE; empty: no binding
    std::string reason;              // "2 PEs on 2 cores: a core each"
    std::string error;               // why what was asked for cannot be done
};

// `automatic` gives each PE an equal share of the cores (a core each if there are as many), or
// nothing if there are fewer cores than PEs, or a single PE. The other modes deal out what they
// name, and start over when there are more PEs.
Binding choose_binding(BindMode mode, int pes);
Binding share_out(BindMode mode, int pes, const ProcessorSet& allowed, const Topology& topology);

}  // namespace isthmus::launch
