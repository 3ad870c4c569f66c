// The hosts that a user names for a job.
#pragma once

#include <string>
#include <vector>

namespace isthmus::launch {

struct HostShare {
    std::string name;
    int pes = 0;           // 0: not said
    int named = 0;         // by lines of a file without a number
    bool in_file = false;  // where `pes` is how many there may be, and not how many there are to be
};

// "h1,h2:4": adds to `hosts`. Returns what is wrong, or nothing.
std::string parse_hosts(const std::string& list, std::vector<HostShare>& hosts);

// A line a host: `h1`, `h1:4`, `h1 4`, `h1 slots=4`; `#` begins a comment. Or what batch systems
// write: a host once a process (PBS), or `h1 4 all.q@h1 UNDEFINED` (SGE).
std::string read_host_file(const std::string& path, std::vector<HostShare>& hosts);

// Gives every host its number of PEs. `pes` 0: the sum of what was said; each host that says
// nothing gets `each`, or where a file names one several times as many as it is named, and each
// host of a file `each`, if it is not 0, and not more than the file says. `pes` more than 0 and
// nothing said: blocks of neighbouring PEs, as even as can be. Sets `pes`; returns what is wrong,
// or nothing.
std::string place_pes(std::vector<HostShare>& hosts, int each, int& pes);

// By a name that is every machine's own.
bool is_loop_back(const HostShare& host);
// All of them are this machine, by its name or as localhost.
bool are_here(const std::vector<HostShare>& hosts);

}  // namespace isthmus::launch
