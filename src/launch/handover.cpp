#include "launch/handover.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "base/quote.hpp"
#include "base/settings.hpp"
#include "core/job/job_layout.hpp"
#include "launch/before_start.hpp"
#include "launch/dry_run.hpp"
#include "launch/linked.hpp"
#include "launch/program.hpp"
#include "launch/program_run.hpp"
#include "launch/reach.hpp"
#include "launch/remote/head.hpp"
#include "launch/remote/shell.hpp"

namespace isthmus::launch {
namespace {

using Words = std::vector<std::string>;

// The executables by which each launcher is known, best first.
struct Known {
    RemoteLauncher kind;
    const char* word;  // of --launcher
    std::array<const char*, 3> programs;
};
constexpr Known kKnown[] = {
    {RemoteLauncher::srun, "srun", {"srun", nullptr, nullptr}},
    {RemoteLauncher::hydra, "hydra", {"mpiexec.hydra", "mpiexec.mpich", "mpiexec"}},
    {RemoteLauncher::prterun, "prterun", {"prterun", nullptr, nullptr}},
    {RemoteLauncher::mpirun, "mpirun", {"mpirun.openmpi", "mpirun", nullptr}},
    {RemoteLauncher::ssh, "ssh", {"ssh", nullptr, nullptr}},  // or what ISTHMUS_REMOTE_SHELL says
};

// `mpiexec` and `mpirun` are anybody's names.
bool is_really(RemoteLauncher kind, const std::string& program, const Site& site) {
    if (kind != RemoteLauncher::hydra && kind != RemoteLauncher::mpirun) return true;
    const std::string name = program.substr(program.rfind('/') + 1);
    if (name == "mpiexec.hydra" || name == "mpirun.openmpi") return true;
    const std::string version = site.ask({program, "--version"});
    return version.find(kind == RemoteLauncher::hydra ? "HYDRA" : "Open MPI") != std::string::npos;
}

bool uses_own_shell(RemoteLauncher kind, const Site& site) {
    return kind == RemoteLauncher::ssh && site.own_shell;
}

std::string find_launcher(const Known& known, const Site& site) {
    if (known.kind == RemoteLauncher::ssh) return site.find(site.remote_shell);
    for (const char* const name : known.programs) {
        if (!name) break;
        std::string path = site.find(name);
        if (!path.empty() && is_really(known.kind, path, site)) return path;
    }
    return "";
}

bool speaks_pmix_only(RemoteLauncher kind) {
    return kind == RemoteLauncher::prterun || kind == RemoteLauncher::mpirun;
}

// Slurm's plugins are named in any order, "pmix_v4" beside "pmix".
std::string slurm_pmi(const std::string& program, const Site& site) {
    const std::string list = site.ask({program, "--mpi=list"});
    if (site.pmix && list.find("pmix") != std::string::npos) return "pmix";
    return list.find("pmi2") != std::string::npos ? "pmi2" : "";
}

bool complete(LauncherChoice& choice, const Site& site) {
    if (speaks_pmix_only(choice.kind) && !site.pmix) {
        choice.reason =
            choice.program + " speaks PMIx, and the library was built without libpmix 3.1 or later";
        return false;
    }
    if (choice.kind != RemoteLauncher::srun) return true;
    choice.pmi = slurm_pmi(choice.program, site);
    if (choice.pmi.empty())
        choice.reason = choice.program + " --mpi=list names neither pmi2 nor a pmix that the " +
                        "library was built for";
    return !choice.pmi.empty();
}

std::string numbered(const std::vector<HostShare>& hosts) {
    std::string list;
    for (const HostShare& host : hosts)
        list += (list.empty() ? "" : ",") + host.name + ":" + std::to_string(host.pes);
    return list;
}

// Each name as often as it has PEs, or once.
std::string names(const std::vector<HostShare>& hosts, bool repeated) {
    std::string list;
    for (const HostShare& host : hosts) {
        for (int i = 0; i < (repeated ? host.pes : 1); ++i)
            list += (list.empty() ? "" : ",") + host.name;
    }
    return list;
}

void append(Words& words, std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
}

const char* binding_word(RemoteLauncher kind, BindMode mode) {
    switch (mode) {
        case BindMode::automatic: return nullptr;  // theirs
        case BindMode::none: return "none";
        case BindMode::core: return kind == RemoteLauncher::srun ? "cores" : "core";
        case BindMode::thread: return kind == RemoteLauncher::srun ? "threads" : "hwthread";
        case BindMode::socket: return kind == RemoteLauncher::srun ? "sockets" : "socket";
    }
    return nullptr;
}

std::string whole_seconds(double seconds) {
    return std::to_string(static_cast<long>(std::ceil(seconds)));
}

void say_to_slurm(const RunOptions& options, const LauncherChoice& choice, Words& words,
                  std::string& error) {
    append(words, {"--mpi=" + choice.pmi, "--kill-on-bad-exit=1"});
    if (options.pes > 0) append(words, {"-n", std::to_string(options.pes)});
    const auto& hosts = options.hosts;
    if (!hosts.empty()) {
        const bool even = std::all_of(hosts.begin(), hosts.end(), [&](const HostShare& host) {
            return host.pes == hosts[0].pes;
        });
        if (even)
            append(words, {"--nodelist=" + names(hosts, false),
                           "--ntasks-per-node=" + std::to_string(hosts[0].pes)});
        else
            append(words, {"--distribution=arbitrary", "--nodelist=" + names(hosts, true)});
    }
    if (const char* const mode = binding_word(choice.kind, options.bind))
        words.push_back(std::string("--cpu-bind=") + (options.show_binding ? "verbose," : "") +
                        mode);
    else if (options.show_binding)
        words.push_back("--cpu-bind=verbose");
    if (options.prefix) words.push_back("--label");
    if (!options.split_directory.empty())
        words.push_back("--output=" + options.split_directory + "/pe-%t.out");
    if (!options.working_directory.empty()) words.push_back("--chdir=" + options.working_directory);
    if (options.timeout_seconds > 0)
        error = "--timeout cannot be said to srun, which counts in minutes: set SLURM_TIMELIMIT";
}

void say_to_hydra(const RunOptions& options, const LauncherChoice& choice, Words& words,
                  std::string& error) {
    // Of an allocation it knows the hosts itself.
    if (!options.hosts.empty()) append(words, {"-hosts", numbered(options.hosts)});
    // Else the others call back by this host's name, and it waits without end where they do not
    // know that.
    if (!choice.address.empty()) append(words, {"-localhost", choice.address});
    if (options.pes > 0) append(words, {"-n", std::to_string(options.pes)});
    if (const char* const mode = binding_word(choice.kind, options.bind))
        append(words, {"-bind-to", mode});
    if (options.prefix) words.push_back("-prepend-rank");
    if (!options.split_directory.empty()) {
        const std::string pattern = options.split_directory + "/pe-%r.out";
        append(words, {"-outfile-pattern", pattern, "-errfile-pattern", pattern});
    }
    if (!options.working_directory.empty()) append(words, {"-wdir", options.working_directory});
    // It has no option for that, and reads its own environment.
    if (options.timeout_seconds > 0)
        words.insert(words.begin(),
                     {"/usr/bin/env", "MPIEXEC_TIMEOUT=" + whole_seconds(options.timeout_seconds)});
    if (options.show_binding) error = "--show-binding cannot be said to hydra";
    // The others are told to call the first host back by the name that it has here.
    if (!are_here(options.hosts) && std::ranges::any_of(options.hosts, is_loop_back))
        error =
            "--hosts: localhost among other hosts cannot be said to hydra; give this host's "
            "name as the others know it";
}

// Open MPI's mpirun, and prterun, which kept its words.
void say_to_open_mpi(const RunOptions& options, const LauncherChoice& choice,
                     const Words& forwarded, Words& words, std::string& error) {
    if (!options.hosts.empty()) append(words, {"--host", numbered(options.hosts)});
    if (options.pes > 0) append(words, {"-n", std::to_string(options.pes)});
    if (geteuid() == 0) words.push_back("--allow-run-as-root");  // we refuse nobody
    // More PEs than cores is fine, here as on one host.
    if (choice.kind == RemoteLauncher::mpirun)
        words.push_back("--oversubscribe");
    else
        append(words, {"--map-by", "slot:oversubscribe"});
    if (const char* const mode = binding_word(choice.kind, options.bind))
        append(words, {"--bind-to", mode});
    if (options.show_binding) words.push_back("--report-bindings");
    if (options.prefix) words.push_back("--tag-output");
    if (!options.working_directory.empty()) append(words, {"--wdir", options.working_directory});
    if (options.timeout_seconds > 0)
        append(words, {"--timeout", whole_seconds(options.timeout_seconds)});
    for (const std::string& name : forwarded)
        append(words, {"-x", name});
    if (!options.split_directory.empty())
        error = "--split cannot be said to " + choice.program + ", which names files its own way";
}

// What the library and libfabric read, and what --env sets.
Words variables_to_forward(const RunOptions& options) {
    Words forwarded;
    for (char** entry = environ; *entry; ++entry) {
        const std::string name(*entry, std::strcspn(*entry, "="));
        for (const char* const prefix : {"ISTHMUS_", "SHMEM_", "SMA_", "FI_"}) {
            if (name.starts_with(prefix) && name != kBootstrapVariable) forwarded.push_back(name);
        }
        if (name.starts_with("XT_") && is_name_of(Setting::symmetric_size, name))
            forwarded.push_back(name);
    }
    for (const std::string& entry : options.environment) {
        std::string name = entry.substr(0, entry.find('='));
        if (std::find(forwarded.begin(), forwarded.end(), name) == forwarded.end())
            forwarded.push_back(std::move(name));
    }
    std::sort(forwarded.begin(), forwarded.end());
    return forwarded;
}

std::string find_in_path(const std::string& name) {
    const Program program = find_program(name, "");
    return program.error.empty() ? program.path : "";
}

// For a host to answer before its job is given up.
constexpr double kReachSeconds = 5;

int refuse(const std::string& what) {
    say(("isthmus: " + what + "\n").c_str());
    return kStatusUsage;
}

}  // namespace

Site Site::here(const std::string& library_folder) {
    Site site;
    site.find = find_in_path;
    site.ask = [](const Words& command) { return run_program(command).output; };
    site.remote_shell = launch::remote_shell()[0];
    site.own_shell = !value(Setting::remote_shell).text.empty();
    site.allocation = std::getenv("SLURM_JOB_ID") != nullptr;
    std::error_code error;
    site.pmix = std::filesystem::exists(library_folder + "/libisthmus-pmix.so", error);
    return site;
}

bool in_allocation_of_hosts() {
    if (!std::getenv("SLURM_JOB_ID") || std::getenv("SLURM_STEP_ID")) return false;
    for (const char* const name : {"SLURM_JOB_NUM_NODES", "SLURM_NNODES"}) {
        if (const char* const hosts = std::getenv(name)) return std::atoi(hosts) > 1;
    }
    return false;
}

std::vector<std::string> launcher_words() {
    std::vector<std::string> words{"auto"};
    for (const Known& known : kKnown)
        words.emplace_back(known.word);
    return words;
}

LauncherChoice choose_launcher(const std::string& asked, const Site& site) {
    std::string why_not;
    for (const Known& known : kKnown) {
        const bool wanted = asked == known.word;
        if (asked != "auto" && !wanted) continue;
        // Outside an allocation srun would ask for one and wait.
        if (known.kind == RemoteLauncher::srun && !site.allocation && !wanted) continue;
        // Who names a remote shell wants it used, and the others know nothing of it.
        const bool is_passed_over = site.own_shell && known.kind != RemoteLauncher::srun &&
                                    known.kind != RemoteLauncher::ssh;
        if (is_passed_over && !wanted) continue;
        LauncherChoice choice;
        choice.kind = known.kind;
        choice.program = find_launcher(known, site);
        if (choice.program.empty() && uses_own_shell(known.kind, site)) {
            choice.reason = "ISTHMUS_REMOTE_SHELL: there is no program " + site.remote_shell +
                            " that can be run; it is to start the PEs of other hosts";
            return choice;
        }
        if (choice.program.empty()) continue;
        if (complete(choice, site)) {
            choice.reason = wanted                               ? "asked for"
                            : known.kind == RemoteLauncher::srun ? "within an allocation of Slurm"
                            : uses_own_shell(known.kind, site)   ? "ISTHMUS_REMOTE_SHELL is set"
                            : known.kind == RemoteLauncher::ssh
                                ? "no other launcher is here"
                                : "the first of mpiexec.hydra, prterun and mpirun that is here";
            return choice;
        }
        why_not += "; " + choice.reason;
    }
    LauncherChoice none;
    none.reason =
        (asked == "auto"   ? "no launcher for several hosts was found (srun within an allocation, "
                             "mpiexec.hydra, prterun, Open MPI's mpirun, ssh); install one (Debian: "
                             "openssh-client, mpich or openmpi-bin)"
         : why_not.empty() ? "launcher " + asked + " was not found in PATH"
                           : "launcher " + asked + " cannot be used") +
        why_not;
    return none;
}

std::string who_may_hear(const LauncherChoice& choice) {
    const bool is_clear = choice.kind == RemoteLauncher::hydra ||
                          choice.kind == RemoteLauncher::prterun ||
                          choice.kind == RemoteLauncher::mpirun;
    if (choice.program.empty() || !is_clear) return "";
    return "it talks to other hosts in clear, and --launcher ssh does not";
}

std::vector<std::string> handover_command(const RunOptions& options, const LauncherChoice& choice,
                                          const std::vector<std::string>& forwarded,
                                          std::string& error) {
    Words words{choice.program};
    switch (choice.kind) {
        case RemoteLauncher::srun: say_to_slurm(options, choice, words, error); break;
        case RemoteLauncher::hydra: say_to_hydra(options, choice, words, error); break;
        case RemoteLauncher::prterun:
        case RemoteLauncher::mpirun:
            say_to_open_mpi(options, choice, forwarded, words, error);
            break;
        case RemoteLauncher::ssh: break;  // understands all there is
    }
    const bool understands =
        choice.kind == RemoteLauncher::mpirun || choice.kind == RemoteLauncher::prterun;
    if (understands)
        words.insert(words.end(), options.foreign.begin(), options.foreign.end());
    else if (!options.foreign.empty())
        error = options.foreign[0] + " cannot be said to " + choice.program;
    if (options.grace_given)
        error = "--grace cannot be said to " + choice.program + ", which has its own";
    words.insert(words.end(), options.command.begin(), options.command.end());
    return words;
}

namespace {

// Slurm knows its own hosts, and who names another way to reach them knows that.
bool has_own_way(RemoteLauncher kind) {
    const auto any_set = [](std::initializer_list<const char*> names) {
        return std::any_of(names.begin(), names.end(),
                           [](const char* name) { return std::getenv(name) != nullptr; });
    };
    switch (kind) {
        case RemoteLauncher::srun: return true;
        case RemoteLauncher::hydra:
            return any_set({"HYDRA_LAUNCHER", "HYDRA_LAUNCHER_EXEC", "HYDRA_BOOTSTRAP"});
        case RemoteLauncher::prterun:
        case RemoteLauncher::mpirun:
            return any_set({"OMPI_MCA_plm_rsh_agent", "PRTE_MCA_plm_ssh_agent", "OMPI_MCA_plm",
                            "PRTE_MCA_plm"});
        case RemoteLauncher::ssh: return !value(Setting::remote_shell).text.empty();
    }
    return true;
}

// What ssh has to say of a host.
AskOfHost configuration_of(const Site& site) {
    return [&site, ssh = site.find("ssh")](const std::string& host) {
        return ssh.empty() ? std::string() : site.ask({ssh, "-G", host});
    };
}

// What the others call this host, if it is to be said: an address, where the user names no network.
std::string own_address(const RunOptions& options, const Site& site) {
    if (options.hosts.empty() || std::getenv("HYDRA_IFACE")) return "";
    return address_for(options.hosts, kReachSeconds, configuration_of(site));
}

// Empty, or a line for each host that cannot be reached.
std::string problems_of_hosts(const RunOptions& options, const LauncherChoice& choice,
                              const Site& site) {
    if (options.hosts.empty() || has_own_way(choice.kind)) return "";
    const std::string ssh = site.find("ssh");
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    const bool by_name = choice.address.empty() && !std::getenv("HYDRA_IFACE");
    // Hydra waits without end for what a login that is refused, or asked about, would have started,
    // and for hosts that do not find back.
    const auto port = std::make_shared<OpenPort>();
    // With ports of the user's own choice, or a network of his, another port says nothing.
    const bool tries_port = port->number() != 0 && !std::getenv("HYDRA_IFACE") &&
                            !std::getenv("MPIEXEC_PORT_RANGE") && !std::getenv("MPIEXEC_PORTRANGE");
    const std::string place = by_name ? name : choice.address;
    const auto login = [=, name = std::string(name)](const std::string& host) {
        Words words{ssh,
                    "-n",
                    "-x",
                    "-o",
                    "BatchMode=yes",
                    "-o",
                    "ConnectTimeout=10",
                    "-o",
                    "ServerAliveInterval=5",
                    host};
        const auto ask = [&](const Words& question) {
            Words asked = words;
            asked.push_back(quote(question));
            return run_program(asked);
        };
        const ProgramRun run = ask(by_name ? ask_for_name(name) : Words{"true"});
        std::string problem = why_no_login(run.status, run.output, host);
        if (problem.empty() && by_name) problem = why_no_way_back(run.status, name);
        if (!problem.empty() || !tries_port) return problem;
        return why_no_connection(ask(ask_to_connect(place, port->number())).status, place);
    };
    const bool waits = choice.kind == RemoteLauncher::hydra && !ssh.empty();
    const AskOfHost configuration = configuration_of(site);
    std::string text;
    for (const std::string& line : unreachable(options.hosts, kReachSeconds, configuration,
                                               waits ? AskOfHost(login) : AskOfHost()))
        text += (text.empty() ? "" : "\nisthmus: ") + line;
    return text;
}

int become_launcher(const RunOptions& options, const LauncherChoice& choice, const Words& words) {
    for (const std::string& entry : options.environment) {
        const auto equals = entry.find('=');
        setenv(entry.substr(0, equals).c_str(), entry.c_str() + equals + 1, 1);
    }
    std::vector<char*> pointers;
    for (const std::string& word : words)
        pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    execv(pointers[0], pointers.data());
    say(("isthmus: cannot run " + choice.program + ": " + std::strerror(errno) + "\n").c_str());
    return kStatusNotExecutable;
}

}  // namespace

int hand_over(const RunOptions& options, const std::string& library_folder,
              const std::string& tool) {
    const Site site = Site::here(library_folder);
    LauncherChoice choice = choose_launcher(options.launcher, site);
    if (choice.program.empty()) return refuse(choice.reason);
    if (choice.kind == RemoteLauncher::hydra) choice.address = own_address(options, site);
    const bool own = choice.kind == RemoteLauncher::ssh;
    if (own && options.hosts.empty()) return refuse("by ssh on which hosts? --hosts names them");
    std::string error;
    const Words words = handover_command(options, choice, variables_to_forward(options), error);
    if (!own && !error.empty()) return refuse(error);
    if (const std::string problem = problem_of_settings(options); !problem.empty())
        return refuse(problem);
    if (const std::string problem = problem_of_roads(options, ""); !problem.empty())
        return refuse(problem);
    if (options.dry_run) {
        const std::string why = options.split_directory.empty()
                                    ? ""
                                    : make_split_directory(options.split_directory, false);
        if (!why.empty()) return refuse("--split " + options.split_directory + ": " + why);
        const std::string shown = own ? describe_remote_start(options, tool) +
                                            describe_settings(options) + describe_inherited(options)
                                      : quote(with_variables(options.environment, words)) + "\n";
        std::fputs(shown.c_str(), stdout);
        return 0;
    }
    if (const std::string problem = problems_of_hosts(options, choice, site); !problem.empty())
        return refuse(problem);
    if (choice.kind == RemoteLauncher::hydra) {
        const Program program = find_program(options.command[0], options.working_directory);
        const std::string warning =
            warn_of_foreign_program(program.path, options.command, options.pes, Numbering::pmi1);
        if (!warning.empty()) say(("isthmus: " + warning + "\n").c_str());
    }
    if (!options.split_directory.empty()) {
        const std::string why = make_split_directory(options.split_directory, true);
        if (!why.empty()) return refuse("--split " + options.split_directory + ": " + why);
    }
    return own ? run_on_hosts(options, tool) : become_launcher(options, choice, words);
}

}  // namespace isthmus::launch
