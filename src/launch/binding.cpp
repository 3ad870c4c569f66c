#include "launch/binding.hpp"

#include <dlfcn.h>
#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

namespace isthmus::launch {
namespace {

constexpr int kWordBits = sizeof(unsigned long) * CHAR_BIT;

constexpr std::pair<std::string_view, BindMode> kModes[] = {
    {"auto", BindMode::automatic}, {"none", BindMode::none},     {"core", BindMode::core},
    {"thread", BindMode::thread},  {"socket", BindMode::socket}, {"hwthread", BindMode::thread},
    {"package", BindMode::socket},
};

// hwloc is loaded when a binding has to be chosen and not before: a job that needs none should not
// pay for it at start, nor need it installed.
// The declaration gives a function's type, its name finds the symbol.
#define ISTHMUS_HWLOC(function) find<decltype(function)>(#function)

class Hwloc {
  public:
    Hwloc() : library_(dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL)) {}
    ~Hwloc() {
        if (topology_) ISTHMUS_HWLOC(hwloc_topology_destroy)(topology_);
    }
    Hwloc(const Hwloc&) = delete;
    Hwloc& operator=(const Hwloc&) = delete;

    // Empty, or what went wrong.
    std::string load() {
        if (!library_) return "libhwloc.so.15 is not installed";
        if (ISTHMUS_HWLOC(hwloc_topology_init)(&topology_) != 0)
            return "hwloc_topology_init failed";
        ISTHMUS_HWLOC(hwloc_topology_set_all_types_filter)(topology_, HWLOC_TYPE_FILTER_KEEP_NONE);
        for (const hwloc_obj_type_t type : {HWLOC_OBJ_CORE, HWLOC_OBJ_PACKAGE})
            ISTHMUS_HWLOC(hwloc_topology_set_type_filter)
        (topology_, type, HWLOC_TYPE_FILTER_KEEP_ALL);
        if (ISTHMUS_HWLOC(hwloc_topology_load)(topology_) != 0)
            return std::string("hwloc_topology_load: ") + std::strerror(errno);
        return "";
    }

    std::vector<ProcessorSet> sets(hwloc_obj_type_t type, const ProcessorSet& allowed) {
        std::vector<ProcessorSet> result;
        const int depth = ISTHMUS_HWLOC(hwloc_get_type_depth)(topology_, type);
        if (depth < 0) return result;
        const auto next = ISTHMUS_HWLOC(hwloc_bitmap_next);
        const unsigned objects = ISTHMUS_HWLOC(hwloc_get_nbobjs_by_depth)(topology_, depth);
        for (unsigned i = 0; i < objects; ++i) {
            const hwloc_obj_t object = ISTHMUS_HWLOC(hwloc_get_obj_by_depth)(topology_, depth, i);
            ProcessorSet set;
            for (int p = next(object->cpuset, -1); p >= 0; p = next(object->cpuset, p))
                set.add(p);
            set = set & allowed;
            if (!set.empty()) result.push_back(std::move(set));
        }
        return result;
    }

  private:
    template <typename Function>
    Function* find(const char* name) {
        return reinterpret_cast<Function*>(dlsym(library_, name));
    }

    void* library_;
    hwloc_topology_t topology_ = nullptr;
};

std::string counted(std::size_t count, const char* noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// Unit `i` of `units` to PE p: in turn, starting over.
std::vector<ProcessorSet> deal(const std::vector<ProcessorSet>& units, int pes) {
    std::vector<ProcessorSet> sets;
    sets.reserve(static_cast<std::size_t>(pes));
    for (int pe = 0; pe < pes; ++pe)
        sets.push_back(units[static_cast<std::size_t>(pe) % units.size()]);
    return sets;
}

// Neighbouring PEs share a unit, so that they are near each other.
std::vector<ProcessorSet> deal_in_blocks(const std::vector<ProcessorSet>& units, int pes) {
    std::vector<ProcessorSet> sets;
    const auto n = static_cast<std::size_t>(pes);
    for (std::size_t pe = 0; pe < n; ++pe)
        sets.push_back(units[pe * units.size() / n]);
    return sets;
}

std::vector<ProcessorSet> equal_shares(const std::vector<ProcessorSet>& cores, int pes) {
    std::vector<ProcessorSet> sets(static_cast<std::size_t>(pes));
    const std::size_t n = sets.size();
    for (std::size_t pe = 0; pe < n; ++pe)
        for (std::size_t core = pe * cores.size() / n; core < (pe + 1) * cores.size() / n; ++core)
            sets[pe] |= cores[core];
    return sets;
}

}  // namespace

void ProcessorSet::add(int processor) {
    const auto word = static_cast<std::size_t>(processor / kWordBits);
    if (word >= words_.size()) words_.resize(word + 1);
    words_[word] |= 1UL << (processor % kWordBits);
}

bool ProcessorSet::contains(int processor) const {
    const auto word = static_cast<std::size_t>(processor / kWordBits);
    return processor >= 0 && word < words_.size() &&
           (words_[word] >> (processor % kWordBits) & 1UL) != 0;
}

int ProcessorSet::count() const {
    int total = 0;
    for (const unsigned long word : words_)
        total += __builtin_popcountl(word);
    return total;
}

ProcessorSet ProcessorSet::operator&(const ProcessorSet& other) const {
    ProcessorSet result;
    result.words_.resize(std::min(words_.size(), other.words_.size()));
    for (std::size_t i = 0; i < result.words_.size(); ++i)
        result.words_[i] = words_[i] & other.words_[i];
    return result;
}

ProcessorSet& ProcessorSet::operator|=(const ProcessorSet& other) {
    words_.resize(std::max(words_.size(), other.words_.size()));
    for (std::size_t i = 0; i < other.words_.size(); ++i)
        words_[i] |= other.words_[i];
    return *this;
}

std::string ProcessorSet::text() const {
    std::string result;
    const int limit = static_cast<int>(words_.size()) * kWordBits;
    for (int p = 0; p < limit; ++p) {
        if (!contains(p)) continue;
        int last = p;
        while (contains(last + 1))
            ++last;
        if (!result.empty()) result += ',';
        result += std::to_string(p);
        if (last > p) result += '-' + std::to_string(last);
        p = last;
    }
    return result;
}

ProcessorSet ProcessorSet::allowed() {
    ProcessorSet set;
    // The kernel refuses a buffer shorter than its own set; no machine needs the last of these.
    for (std::size_t words = 16; words <= 4096; words *= 2) {
        set.words_.assign(words, 0);
        if (sched_getaffinity(0, set.bytes(), reinterpret_cast<cpu_set_t*>(set.words_.data())) == 0)
            return set;
    }
    set.words_.assign(1, 1);
    return set;
}

bool parse_bind_mode(std::string_view word, BindMode& mode) {
    for (const auto& [name, value] : kModes) {
        if (word != name) continue;
        mode = value;
        return true;
    }
    return false;
}

const char* bind_mode_name(BindMode mode) {
    for (const auto& [name, value] : kModes)
        if (value == mode) return name.data();
    return "?";
}

Topology read_topology(const ProcessorSet& allowed) {
    Topology topology;
    Hwloc hwloc;
    topology.problem = hwloc.load();
    if (!topology.problem.empty()) return topology;
    topology.cores = hwloc.sets(HWLOC_OBJ_CORE, allowed);
    topology.sockets = hwloc.sets(HWLOC_OBJ_PACKAGE, allowed);
    // Some virtual machines do not say which processors form a core or a socket.
    if (topology.cores.empty()) topology.cores = hwloc.sets(HWLOC_OBJ_PU, allowed);
    if (topology.sockets.empty()) topology.sockets = {allowed};
    if (topology.cores.empty()) topology.problem = "hwloc finds no processor that may be used";
    return topology;
}

Binding share_out(BindMode mode, int pes, const ProcessorSet& allowed, const Topology& topology) {
    Binding binding;
    const std::string job = counted(static_cast<std::size_t>(pes), "PE");
    if (mode == BindMode::thread) {
        std::vector<ProcessorSet> threads;
        for (int p = 0; p < static_cast<int>(allowed.bytes()) * CHAR_BIT; ++p) {
            if (!allowed.contains(p)) continue;
            threads.emplace_back();
            threads.back().add(p);
        }
        binding.sets = deal(threads, pes);
        binding.reason = job + " on " + counted(threads.size(), "hardware thread") + ", in turn";
        return binding;
    }
    if (!topology.problem.empty()) {
        if (mode == BindMode::automatic)
            binding.reason = "not bound: " + topology.problem;
        else
            binding.error = std::string("cannot bind to a ") + bind_mode_name(mode) + ": " +
                            topology.problem + "; choose none or thread";
        return binding;
    }
    const std::size_t cores = topology.cores.size();
    switch (mode) {
        case BindMode::core:
            binding.sets = deal(topology.cores, pes);
            binding.reason = job + " on " + counted(cores, "core") + ", in turn";
            break;
        case BindMode::socket:
            binding.sets = deal_in_blocks(topology.sockets, pes);
            binding.reason = job + " on " + counted(topology.sockets.size(), "socket");
            break;
        case BindMode::automatic:
            if (static_cast<std::size_t>(pes) > cores) {
                binding.reason = "not bound: " + job + ", only " + counted(cores, "core");
            } else {
                binding.sets = equal_shares(topology.cores, pes);
                binding.reason = job + " on " + counted(cores, "core") + ": " +
                                 (static_cast<std::size_t>(pes) == cores ? "a core each"
                                                                         : "an equal share each");
            }
            break;
        case BindMode::none:
        case BindMode::thread: break;
    }
    return binding;
}

Binding choose_binding(BindMode mode, int pes) {
    Binding binding;
    if (mode == BindMode::none) {
        binding.reason = "not bound: asked for";
        return binding;
    }
    const ProcessorSet allowed = ProcessorSet::allowed();
    // Known without a look at the machine, which takes milliseconds.
    if (mode == BindMode::automatic && pes == 1) {
        binding.reason = "not bound: a single PE may use every core";
        return binding;
    }
    if (mode == BindMode::automatic && pes > allowed.count()) {
        binding.reason = "not bound: " + counted(static_cast<std::size_t>(pes), "PE") + ", only " +
                         counted(static_cast<std::size_t>(allowed.count()), "processor");
        return binding;
    }
    const Topology topology = mode == BindMode::thread ? Topology{} : read_topology(allowed);
    return share_out(mode, pes, allowed, topology);
}

}  // namespace isthmus::launch
