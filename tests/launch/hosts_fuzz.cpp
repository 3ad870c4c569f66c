// The hosts of a job, as a list and as a file: what is taken has names, and room for the PEs.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "launch/hosts.hpp"

using namespace isthmus::launch;

namespace {

void place(std::vector<HostShare> hosts) {
    if (hosts.empty()) std::abort();
    for (const HostShare& host : hosts) {
        if (host.name.empty() || host.name[0] == '-' || host.pes < 0) std::abort();
    }
    int pes = 7;
    if (!place_pes(hosts, 0, pes).empty()) return;
    int placed = 0;
    for (const HostShare& host : hosts) {
        if (host.pes <= 0) std::abort();
        placed += host.pes;
    }
    if (placed != pes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    std::vector<HostShare> hosts;
    if (parse_hosts(text, hosts).empty()) place(hosts);

    static const int file = memfd_create("hosts", 0);
    static const std::string path = "/proc/self/fd/" + std::to_string(file);
    if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
        std::abort();
    hosts.clear();
    if (read_host_file(path, hosts).empty()) place(hosts);
    return 0;
}
