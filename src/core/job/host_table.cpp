#include "core/job/host_table.hpp"

#include "base/error.hpp"
#include "base/lasting.hpp"
#include "core/job/job.hpp"

namespace isthmus {

namespace {

Lasting<HostTable> lasting_table;

}  // namespace

constinit HostTable& host_table = *lasting_table;

int memory_file(int pe) {
    return host_table.files.empty() ? job.file : host_table.files[static_cast<std::size_t>(pe)];
}

const std::vector<int>& first_pes() {
    if (host_table.firsts.empty()) host_table.firsts.push_back(0);
    return host_table.firsts;
}

int host_number(int pe) {
    return host_table.numbers.empty() ? 0 : host_table.numbers[static_cast<std::size_t>(pe)];
}

int header_owner() {
    return first_pes()[static_cast<std::size_t>(host_number(job.me))];
}

std::vector<int> pes_of_host() {
    std::vector<int> pes;
    for (int pe = 0; pe < job.pes; ++pe) {
        if (job.host.test(static_cast<std::size_t>(pe))) pes.push_back(pe);
    }
    return pes;
}

std::string host_of(int pe) {
    const bool known = pe >= 0 && pe < job.pes && !host_table.names.empty();
    return known ? host_table.names[static_cast<std::size_t>(host_number(pe))].data() : host_name();
}

int first_on_host(int pe) {
    if (!host_table.nodes.empty()) return host_table.nodes[static_cast<std::size_t>(pe)];
    return first_pes()[static_cast<std::size_t>(host_number(pe))];
}

}  // namespace isthmus
