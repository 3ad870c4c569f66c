// Jobs on several hosts. `isthmus run` becomes the launcher that the site has, with its own options
// in that one's spelling; where there is none it starts the PEs itself (remote/head.hpp).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launch/options.hpp"

namespace isthmus::launch {

enum class RemoteLauncher : unsigned char { srun, hydra, prterun, mpirun, ssh };

// What --launcher and ISTHMUS_LAUNCHER take: auto, and the others in the order in which it tries
// them.
std::vector<std::string> launcher_words();

struct LauncherChoice {
    RemoteLauncher kind = RemoteLauncher::hydra;
    std::string program;  // what to execute; empty: there is none
    std::string reason;   // why this one, or why none
    std::string pmi;      // of srun: pmix or pmi2
    std::string address;  // of this host, for hydra: as other hosts find it; empty: by its name
};

// Whether others on the network can read what its parts on the hosts say to each other: empty, or a
// text that says so.
std::string who_may_hear(const LauncherChoice& choice);

// What a choice depends on; replaced by the tests.
struct Site {
    // Path of a program in PATH; empty if there is none.
    std::function<std::string(const std::string& name)> find;
    // What a command prints, standard error included.
    std::function<std::string(const std::vector<std::string>& command)> ask;
    std::string remote_shell = "ssh";
    bool own_shell = false;   // the user has named that one (ISTHMUS_REMOTE_SHELL)
    bool allocation = false;  // we are within Slurm's
    bool pmix = false;        // the library has its module for PMIx
    // `library_folder`: of libisthmus.so, beside which its modules lie.
    static Site here(const std::string& library_folder);
};

// `asked`: auto, srun, hydra, prterun, mpirun or ssh.
LauncherChoice choose_launcher(const std::string& asked, const Site& site);

// Whether the environment is a Slurm allocation of several hosts, outside of a step.
bool in_allocation_of_hosts();

// The command, or in `error` why it cannot be said to this launcher. `forwarded`: the variables
// that the PEs need, for launchers that do not hand on the environment.
std::vector<std::string> handover_command(const RunOptions& options, const LauncherChoice& choice,
                                          const std::vector<std::string>& forwarded,
                                          std::string& error);

// Becomes the launcher, or prints the command if options.dry_run; or runs the job by `tool`, the
// path of `isthmus`, on each host. Hosts that cannot be reached are refused before. Returns an exit
// status.
int hand_over(const RunOptions& options, const std::string& library_folder,
              const std::string& tool);

}  // namespace isthmus::launch
