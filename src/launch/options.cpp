#include "launch/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>

#include "base/edit_distance.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/settings.hpp"
#include "core/job/job_layout.hpp"
#include "launch/cluster_options.hpp"
#include "launch/empty_options.hpp"
#include "launch/handover.hpp"

namespace isthmus::launch {
namespace {

// Options as users know them from oshrun, mpirun, mpiexec and srun. `ours` is empty for those that
// have no meaning on one host; `values` of them are dropped with the option.
struct Spelling {
    const char* given;
    const char* ours;
    int values;
};
constexpr Spelling kSpellings[] = {
    {"-n", "-n", 1},
    {"-np", "-n", 1},
    {"--np", "-n", 1},
    {"--n", "-n", 1},
    {"--pes", "-n", 1},
    {"-c", "-n", 1},
    {"--ntasks", "-n", 1},
    {"--bind", "--bind", 1},
    {"--bind-to", "--bind", 1},
    {"-bind-to", "--bind", 1},
    {"--cpu-bind", "--bind", 1},
    {"--show-binding", "--show-binding", 0},
    {"--report-bindings", "--show-binding", 0},
    {"-report-bindings", "--show-binding", 0},
    {"--prefix", "--prefix", 0},
    {"--tag-output", "--prefix", 0},
    {"-tag-output", "--prefix", 0},
    {"-l", "--prefix", 0},
    {"--label", "--prefix", 0},
    {"-prepend-rank", "--prefix", 0},
    {"--split", "--split", 1},
    {"--output-filename", "--split", 1},
    {"-output-filename", "--split", 1},
    {"--timeout", "--timeout", 1},
    {"-timeout", "--timeout", 1},
    {"--grace", "--grace", 1},
    {"--env", "--env", 1},
    {"-x", "--env", 1},
    {"--wdir", "--wdir", 1},
    {"-wdir", "--wdir", 1},
    {"-wd", "--wdir", 1},
    {"--wd", "--wdir", 1},
    {"-C", "--wdir", 1},
    {"--chdir", "--wdir", 1},
    {"--hosts", "--hosts", 1},
    {"-hosts", "--hosts", 1},
    {"--host", "--hosts", 1},
    {"-host", "--hosts", 1},
    {"-H", "--hosts", 1},
    {"--hostfile", "--hostfile", 1},
    {"-hostfile", "--hostfile", 1},
    {"--machinefile", "--hostfile", 1},
    {"-machinefile", "--hostfile", 1},
    {"-f", "--hostfile", 1},
    {"--per-host", "--per-host", 1},
    {"-ppn", "--per-host", 1},
    {"--ppn", "--per-host", 1},
    {"-npernode", "--per-host", 1},
    {"--npernode", "--per-host", 1},
    {"--ntasks-per-node", "--per-host", 1},
    {"--cluster", "--cluster", 1},
    {"--launcher", "--launcher", 1},
    {"--dry-run", "--dry-run", 0},
    {"--gdb", "--gdb", 1},
    {"--valgrind", "--valgrind", 1},
    {"--stats", "--stats", 0},
    {"--trace", "--trace", 1},
    {"--oversubscribe", "", 0},  // more PEs than cores is always allowed
    {"-oversubscribe", "", 0},
    {"--overcommit", "", 0},
    {"--use-hwthread-cpus", "", 0},  // any processor may be used
    {"--allow-run-as-root", "", 0},  // nobody is refused
    {"-allow-run-as-root", "", 0},
    {"--map-by", "", 1},  // on one host --bind says all there is to say
    {"-map-by", "", 1},
    {"--rank-by", "", 1},
    {"--mca", "", 2},  // parts of Open MPI
    {"-mca", "", 2},
    {"--pmixmca", "", 2},
    {"-genvall", "", 0},  // the environment always goes to the PEs
    {"-envall", "", 0},
    {"-q", "", 0},  // the launcher says nothing unless something is wrong
    {"--quiet", "", 0},
    {"-quiet", "", 0},
    {"-h", "--help", 0},
    {"--help", "--help", 0},
    {"-help", "--help", 0},
};

const Spelling* find_spelling(const std::string& word) {
    for (const Spelling& spelling : kSpellings)
        if (word == spelling.given) return &spelling;
    return nullptr;
}

// The program and its arguments are not options that CLI11 knows of.
class RunFormatter : public CLI::Formatter {
  public:
    std::string make_usage(const CLI::App* app, std::string) const override {
        return std::string("\nUsage: ")
            .append(app->get_name())
            .append(" [-n N] [OPTIONS] PROGRAM [ARGUMENTS...]\n");
    }
};

constexpr const char* kDescription =
    "Runs N copies of a program as the PEs of one job: on this host, or with --hosts on several, "
    "through\n"
    "the launcher that is installed for that, or by ssh.\n\n"
    "Each PE gets its number, and memory that all PEs share, from the launcher; no file, no port\n"
    "and no daemon is involved, and nothing remains when the job has ended, however it ends. A\n"
    "program that is no Isthmus program may be run as well.\n";

constexpr const char* kFooter =
    "Standard input goes to PE 0; the others read from /dev/null.\n"
    "Signals: INT, TERM, HUP and QUIT go to the PEs and end the job (what is left after --grace\n"
    "seconds is killed); USR1, USR2, WINCH, TSTP and CONT go to the PEs.\n"
    "A PE that dies, or that exits with another status than 0, ends the job at once.\n\n"
    "Exit status: 0 if all PEs exited with 0; k after shmem_global_exit(k); else that of the "
    "first\n"
    "PE that exited with another status than 0, or 128 + the number of the signal that killed it\n"
    "or the launcher. 2: wrong command line, 124: --timeout, 125: the launcher itself failed,\n"
    "126: the program cannot be executed, 127: it was not found.\n\n"
    "Spellings of other launchers (-np, --bind-to, --tag-output, -x, ...) are understood;\n"
    "--oversubscribe, --allow-run-as-root, --map-by and --mca have no meaning on one host and are\n"
    "ignored.\n";

// Names of others for what has another name here, or more than one meaning elsewhere.
constexpr struct {
    const char* given;
    const char* meant;
} kForeign[] = {
    {"-N", "-n (PEs in all), --per-host (PEs a host) or --hosts"},
    {"-p", "-n (PEs in all)"},
    {"--nprocs", "-n"},
    {"--num-pes", "-n"},
    {"--npes", "-n"},
    {"--procs", "-n"},
    {"--nodes", "--hosts"},
    {"--nodelist", "--hosts"},
    {"-w", "--hosts"},
};

// "unknown option --prefx; did you mean --prefix?"
std::string describe_unknown(const std::string& word) {
    const std::string option = word.substr(0, word.find('='));
    for (const auto& foreign : kForeign) {
        if (option == foreign.given)
            return "unknown option " + word + "; did you mean " + foreign.meant + "?";
    }
    std::vector<std::string_view> known;
    for (const Spelling& spelling : kSpellings)
        known.emplace_back(spelling.given);
    return "unknown option " + word + did_you_mean(option, known);
}

ParseResult refuse(const std::string& name, const std::string& what) {
    say((name + ": " + what + " (" + name + " --help explains)\n").c_str());
    return ParseResult::error;
}

// What the environment says, where the command line is silent. Empty, or what is wrong with it.
std::string apply_settings(RunOptions& options) {
    const auto problems = read_settings();
    for (const Setting setting : {Setting::bind, Setting::prefix, Setting::launcher}) {
        const char* const name = description(setting).name;
        // Other settings concern the PEs, and PE 0 judges them.
        for (const SettingProblem& problem : problems)
            if (problem.message.starts_with(std::string("setting ") + name + "="))
                return problem.message;
    }
    parse_bind_mode(value(Setting::bind).text, options.bind);
    options.prefix = flag(Setting::prefix);
    options.launcher = value(Setting::launcher).text;
    return "";
}

CLI::Validator seconds(double least, const std::string& expected) {
    return {[=](std::string& text) {
                char* end = nullptr;
                const double number = std::strtod(text.c_str(), &end);
                const bool right =
                    end != text.c_str() && *end == '\0' && number >= least && number <= 1e9;
                return right ? std::string() : text + ": expected " + expected;
            },
            ""};
}

std::string check_environment(std::vector<std::string>& entries) {
    for (std::string& entry : entries) {
        const auto equals = entry.find('=');
        if (equals == 0) return "--env " + entry + ": expected NAME=VALUE or NAME";
        if (equals != std::string::npos) continue;
        // As `mpirun -x NAME`: pass on what is set here, which happens anyway.
        const char* const present = std::getenv(entry.c_str());
        if (!present) return "--env " + entry + ": " + entry + " is not set; expected NAME=VALUE";
        entry.append("=").append(present);
    }
    return "";
}

// `whole`: of a job that may have several hosts.
std::string parse_count(const std::string& option, const std::string& text, bool whole,
                        int& count) {
    const int most = whole ? kMaxPes : kMaxHostPes;
    char* end = nullptr;
    const long number = std::strtol(text.c_str(), &end, 10);
    if (*end != '\0' || number < 1 || number > most)
        return option + " " + text + ": the number of PEs of a " + (whole ? "job" : "host") +
               " must be 1.." + std::to_string(most);
    count = static_cast<int>(number);
    return "";
}

// Which PE runs under a tool. Empty, or what is wrong.
std::string choose_tool(const std::string& option, const std::string& text,
                        const RunOptions& options, int& pe) {
    if (options.elsewhere) return option + ": only where all PEs are on this host";
    char* end = nullptr;
    const long number = std::strtol(text.c_str(), &end, 10);
    if (*end != '\0' || number < 0 || number >= options.pes)
        return option + " " + text + ": there is no such PE; the job has PEs 0.." +
               std::to_string(options.pes - 1);
    pe = static_cast<int>(number);
    return "";
}

// Where the job runs. Empty, or what is wrong.
std::string choose_hosts(const std::string& list, const std::string& file, const std::string& each,
                         RunOptions& options) {
    if (!list.empty() && !file.empty()) return "--hosts and --hostfile exclude each other";
    int per_host = 0;
    std::string problem = each.empty() ? "" : parse_count("--per-host", each, false, per_host);
    if (problem.empty() && !list.empty()) problem = parse_hosts(list, options.hosts);
    if (problem.empty() && !file.empty()) problem = read_host_file(file, options.hosts);
    if (!problem.empty()) return problem;
    if (options.hosts.empty()) {
        options.elsewhere = in_allocation_of_hosts();
        if (options.elsewhere || per_host == 0) return "";
        // One host: this one.
        if (options.pes == 0) options.pes = per_host;
        return options.pes > per_host ? "--per-host " + each + ": there is one host, and -n says " +
                                            std::to_string(options.pes)
                                      : "";
    }
    problem = place_pes(options.hosts, per_host, options.pes);
    if (problem.empty() && options.pes > kMaxPes)
        problem =
            std::to_string(options.pes) + " PEs: a job has at most " + std::to_string(kMaxPes);
    options.elsewhere = !are_here(options.hosts);
    if (problem.empty() && !options.elsewhere && options.pes > kMaxHostPes)
        problem = std::to_string(options.pes) + " PEs: one host has at most " +
                  std::to_string(kMaxHostPes);
    return problem;
}

// The same by a description, behind --env. Empty, or what is wrong.
std::string choose_cluster(const std::string& file, const CLI::App& app, RunOptions& options) {
    for (const char* const other : {"-n", "--hosts", "--hostfile", "--per-host"}) {
        if (app.count(other) != 0)
            return std::string("--cluster and ") + other +
                   " exclude each other: the description says which kernels run where";
    }
    Cluster cluster;
    std::string problem = read_cluster(file, cluster);
    if (problem.empty()) options.cluster = describe(cluster);
    if (problem.empty() && !(problem = apply_cluster(cluster, options)).empty())
        problem = file + ": " + problem;
    return problem;
}

}  // namespace

std::vector<std::string> normalise_arguments(const std::vector<std::string>& arguments,
                                             std::vector<std::string>& command,
                                             std::vector<std::string>& foreign) {
    std::vector<std::string> normal;
    std::size_t i = 0;
    while (i < arguments.size()) {
        std::string word = arguments[i];
        if (word == "--") {
            ++i;
            break;
        }
        if (word.size() < 2 || word[0] != '-') break;
        ++i;
        std::string attached;
        bool has_attached = false;
        if (const auto equals = word.find('='); word.starts_with("--") && equals != word.npos) {
            attached = word.substr(equals + 1);
            word.resize(equals);
            has_attached = true;
        } else if (word.starts_with("-n") && word.find_first_not_of("0123456789", 2) == word.npos &&
                   word.size() > 2) {  // -n4
            attached = word.substr(2);
            word = "-n";
            has_attached = true;
        }
        const Spelling* const spelling = find_spelling(word);
        if (!spelling) {  // CLI11 will say so
            normal.push_back(arguments[i - 1]);
            continue;
        }
        const bool keep = *spelling->ours != '\0';
        if (keep) normal.emplace_back(spelling->ours);
        int values = spelling->values;
        const bool matters = !keep && values > 0;  // --map-by, --mca
        if (matters) foreign.push_back(arguments[i - 1]);
        if (has_attached && (keep || values > 0)) {
            if (keep) normal.push_back(attached);
            --values;
        }
        for (; values > 0 && i < arguments.size(); --values, ++i) {
            if (keep) normal.push_back(arguments[i]);
            if (matters) foreign.push_back(arguments[i]);
        }
    }
    command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
    return normal;
}

ParseResult parse_run_options(const std::string& name, const std::vector<std::string>& arguments,
                              RunOptions& options) {
    if (const std::string problem = apply_settings(options); !problem.empty())
        return refuse(name, problem);
    std::string pes;
    std::string bind;
    CLI::App app(kDescription);
    app.name(name);
    app.formatter(std::make_shared<RunFormatter>());
    app.footer(kFooter);
    // As a short option of CLI11 it would take whatever is glued to it: -host.
    app.set_help_flag("--help", "Print this help message and exit; also -h");
    app.add_option("-n", pes,
                   "Number of PEs, 1 to 256 a host; more than cores is fine. Not given: one a "
                   "processor that may be used")
        ->type_name("N");
    app.add_option("--bind", bind,
                   "What each PE is bound to. auto: an equal share of the cores if there are "
                   "enough, else nothing. Standard: ISTHMUS_BIND, else auto")
        ->type_name("auto|none|core|thread|socket");
    app.add_flag("--show-binding", options.show_binding,
                 "Print where each PE may run, and why, on standard error");
    app.add_flag("--prefix", options.prefix,
                 "Begin each line of output with its PE, as \"[3] \"; lines stay whole");
    app.add_option("--split", options.split_directory,
                   "Write the output of PE p to DIR/pe-p.out instead; DIR is made if need be")
        ->type_name("DIR");
    app.add_option("--env", options.environment, "Set a variable for the PEs; may be repeated")
        ->type_name("NAME=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("--wdir", options.working_directory, "Run the PEs in this directory")
        ->type_name("DIR");
    app.add_option("--timeout", options.timeout_seconds,
                   "End the job after this time, with exit status 124")
        ->type_name("SECONDS")
        ->check(seconds(std::numeric_limits<double>::min(), "seconds, more than 0"));
    app.add_option("--grace", options.grace_seconds,
                   "How long PEs may take to end once the job ends, before they are killed. "
                   "Standard: 0.5")
        ->type_name("SECONDS")
        ->check(seconds(0, "seconds, 0 or more"));

    std::string hosts;
    std::string host_file;
    std::string each;
    app.add_option("--hosts", hosts,
                   "Run the job on these hosts, by srun, mpiexec.hydra, prterun, mpirun or ssh; "
                   "also host:PEs")
        ->type_name("H1,H2,...");
    app.add_option("--hostfile", host_file,
                   "The same from a file: host, host:PEs or host slots=PEs")
        ->type_name("FILE");
    app.add_option("--per-host", each,
                   "PEs of each host; of a file's hosts not more than their numbers")
        ->type_name("N");
    std::string cluster;
    app.add_option("--cluster", cluster,
                   "Run the kernels of a program on the nodes that this description names")
        ->type_name("FILE");
    app.add_option("--launcher", options.launcher,
                   "Which launcher starts the PEs of several hosts. Standard: ISTHMUS_LAUNCHER, "
                   "else auto")
        ->type_name("auto|srun|hydra|prterun|mpirun|ssh")
        ->check(CLI::IsMember(launcher_words()));
    app.add_flag("--dry-run", options.dry_run,
                 "Print what would be started where, and run nothing");

    std::string debugged;
    std::string memory_checked;
    app.add_option("--gdb", debugged,
                   "Run this PE under gdb, which gets standard input; the others wait for it in "
                   "shmem_init")
        ->type_name("PE");
    app.add_option("--valgrind", memory_checked, "Run this PE under valgrind, the others as usual")
        ->type_name("PE");
    app.add_flag("--stats", options.stats,
                 "Count calls and bytes of a program that was compiled as usual (ISTHMUS_STATS)");
    app.add_option("--trace", options.trace_file,
                   "Write each call to this file, for Perfetto, likewise (ISTHMUS_TRACE)")
        ->type_name("FILE");

    std::vector<std::string> ours =
        normalise_arguments(arguments, options.command, options.foreign);
    try {
        app.parse(std::vector<std::string>(ours.rbegin(), ours.rend()));
    } catch (const CLI::CallForHelp&) {
        std::fputs(app.help().c_str(), stdout);
        return ParseResult::help;
    } catch (const CLI::ExtrasError&) {
        const std::string word = app.remaining().front();
        return refuse(name,
                      word.starts_with('-') ? describe_unknown(word) : "unexpected value " + word);
    } catch (const CLI::ParseError& error) {
        return refuse(name, error.what());
    }
    if (const std::string wrong = problem_of_empty_options(app); !wrong.empty())
        return refuse(name, wrong);
    options.grace_given = app.count("--grace") != 0;
    if (app.count("-n") != 0) {
        const bool whole = !hosts.empty() || !host_file.empty() || in_allocation_of_hosts();
        if (const std::string problem = parse_count("-n", pes, whole, options.pes);
            !problem.empty())
            return refuse(name, problem);
    }
    if (const std::string wrong = check_environment(options.environment); !wrong.empty())
        return refuse(name, wrong);
    if (const std::string wrong = app.count("--cluster") != 0
                                      ? choose_cluster(cluster, app, options)
                                      : choose_hosts(hosts, host_file, each, options);
        !wrong.empty())
        return refuse(name, wrong);
    if (options.pes == 0 && !options.elsewhere)
        options.pes = std::min(os::usable_processors(), kMaxHostPes);
    std::string problem;
    if (app.count("--gdb") != 0) problem = choose_tool("--gdb", debugged, options, options.gdb_pe);
    if (problem.empty() && app.count("--valgrind") != 0)
        problem = choose_tool("--valgrind", memory_checked, options, options.valgrind_pe);
    if (problem.empty() && options.gdb_pe >= 0 && options.gdb_pe == options.valgrind_pe)
        problem = "--gdb and --valgrind name the same PE";
    if (!problem.empty()) return refuse(name, problem);
    if (options.gdb_pe >= 0) options.prefix = false;     // its prompt is no line
    bind.resize(std::min(bind.find(':'), bind.size()));  // core:overload-allowed
    if (!bind.empty() && !parse_bind_mode(bind, options.bind))
        return refuse(name, "--bind " + bind + ": must be auto, none, core, thread or socket");
    if (!options.split_directory.empty()) options.prefix = false;
    if (options.command.empty() || options.command.front().empty())
        return refuse(name, "which program?");
    return ParseResult::run;
}

}  // namespace isthmus::launch
