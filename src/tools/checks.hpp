// The single checks of `isthmus doctor`.
#pragma once

#include <string>
#include <vector>

namespace isthmus::tools {

enum class Verdict : unsigned char { ok, warn, fail };

struct Check {
    std::string name;
    Verdict verdict = Verdict::ok;
    std::string finding;  // what was seen
    std::string advice;   // what to do about it, if anything
};

// For jobs of `pes` PEs. Each returns one finding; none changes anything that outlives it.
Check check_memory(int pes);
Check check_shared_memory(int pes);
Check check_processors(int pes);
Check check_topology();
Check check_address_space_limit(int pes);
Check check_file_size_limit();
Check check_open_files_limit(int pes);
Check check_process_limit(int pes);
Check check_overcommit();
Check check_window(int pes);
Check check_huge_pages();
Check check_proc();
Check check_settings();
Check check_other_launchers();
Check check_library();
// For jobs of several hosts.
Check check_roads();
// `asked_for`: by the user; empty: what the setting says.
Check check_launchers(const std::string& asked_for);
Check check_host_name();
Check check_network();
// "a,b:2": whether a job runs there, by this launcher.
std::vector<Check> check_hosts(const std::string& list, const std::string& launcher);
// These two compile and run a program, in a temporary directory.
std::vector<Check> check_compiler_and_job(int pes);

}  // namespace isthmus::tools
