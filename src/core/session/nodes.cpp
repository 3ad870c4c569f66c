#include "core/session/nodes.hpp"

#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/road_list.hpp"
#include "base/settings.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/session/road_choice.hpp"

namespace isthmus {
void split_into_nodes() {
    std::vector<int>& nodes = host_table.nodes;
    nodes.clear();
    if (!setting_has_window()) {
        // The same at all PEs, whatever each sees of its own host.
        nodes.resize(static_cast<std::size_t>(job.pes));
        std::iota(nodes.begin(), nodes.end(), 0);
    } else if (const std::string& text = value(Setting::nodes).text; !text.empty()) {
        std::string why;
        if (job.managed)
            why = kNodesOfHosts;
        else if (nodes = parse_nodes(text, job.pes); nodes.empty())
            why = why_no_nodes(job.pes);
        if (!why.empty()) fail("shmem_init", "ISTHMUS_NODES=" + text + ": " + why);
    }
    for (int pe = 0; pe < job.pes; ++pe) {
        if (first_on_host(pe) != first_on_host(job.me))
            job.near.reset(static_cast<std::size_t>(pe));
    }
}

}  // namespace isthmus
