#include "core/session/nodes.hpp"

#include <string>

#include "base/error.hpp"
#include "base/road_list.hpp"
#include "base/settings.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/session/road_choice.hpp"

namespace isthmus {
void split_into_nodes() {
    host_table.nodes.clear();
    const std::string& text = value(Setting::nodes).text;
    if (text.empty() || !setting_has_window()) return;
    std::string why;
    if (job.managed)
        why = kNodesOfHosts;
    else if (host_table.nodes = parse_nodes(text, job.pes); host_table.nodes.empty())
        why = why_no_nodes(job.pes);
    if (!why.empty()) fail("shmem_init", "ISTHMUS_NODES=" + text + ": " + why);
    for (int pe = 0; pe < job.pes; ++pe) {
        if (first_on_host(pe) != first_on_host(job.me))
            job.near.reset(static_cast<std::size_t>(pe));
    }
}

}  // namespace isthmus
