#include "core/session/nodes.hpp"

#include <charconv>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/session/road_choice.hpp"

namespace isthmus {
namespace {

// By PE, the first one of its node; empty if the text is no such list.
std::vector<int> parse_nodes(const std::string& text) {
    const auto pes = static_cast<std::size_t>(job.pes);
    std::vector<int> firsts;
    std::istringstream numbers(text);
    for (std::string number; std::getline(numbers, number, ',');) {
        int count = 0;
        const char* const end = number.data() + number.size();
        const auto [rest, error] = std::from_chars(number.data(), end, count);
        if (error != std::errc{} || rest != end || count < 1 ||
            static_cast<std::size_t>(count) > pes - firsts.size())
            return {};
        firsts.insert(firsts.end(), static_cast<std::size_t>(count),
                      static_cast<int>(firsts.size()));
    }
    return firsts.size() == pes ? firsts : std::vector<int>();
}

}  // namespace

void split_into_nodes() {
    host_table.nodes.clear();
    const std::string& text = value(Setting::nodes).text;
    if (text.empty() || !setting_has_window()) return;
    std::string why;
    if (job.managed)
        why = "the job's hosts are its nodes; this is for jobs that isthmus run starts on one host";
    else if (host_table.nodes = parse_nodes(text); host_table.nodes.empty())
        why = "expected numbers of PEs such as 2,2, in all " + std::to_string(job.pes);
    if (!why.empty()) fail("shmem_init", "ISTHMUS_NODES=" + text + ": " + why);
    for (int pe = 0; pe < job.pes; ++pe) {
        if (first_on_host(pe) != first_on_host(job.me))
            job.near.reset(static_cast<std::size_t>(pe));
    }
}

}  // namespace isthmus
