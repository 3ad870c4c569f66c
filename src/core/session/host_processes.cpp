#include "core/session/host_processes.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/fnv1a.hpp"
#include "base/process_stat.hpp"
#include "base/process_tree.hpp"
#include "core/job/end_times.hpp"

namespace isthmus {
namespace {

std::string read_all(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Ended, stopped, or held by a debugger. One whose number is not known does not.
bool rests(pid_t process) {
    if (process <= 0) return false;
    const os::ProcessStat facts = os::facts_of(process);
    return !os::is_alive(facts) || facts.state == 'T' || facts.state == 't';
}

// Of an environment as the kernel keeps it.
std::string_view value_in(std::string_view environment, std::string_view variable) {
    while (!environment.empty()) {
        const std::string_view entry = environment.substr(0, environment.find('\0'));
        if (entry.starts_with(variable) && entry.substr(variable.size()).starts_with('='))
            return entry.substr(variable.size() + 1);
        environment.remove_prefix(std::min(entry.size() + 1, environment.size()));
    }
    return {};
}

// What a manager tells a process of PMIx; null under another one.
const char* own_namespace() {
    return std::getenv("PMIX_RANK") ? std::getenv("PMIX_NAMESPACE") : nullptr;
}

// Which PE of this job a process was started as, be it the program or a shell around it; -1: none,
// or nobody may know.
int rank_of(pid_t process) {
    const std::string environment = read_all(os::in_proc(process, "environ"));
    const char* const space = own_namespace();
    if (space && value_in(environment, "PMIX_NAMESPACE") != space) return -1;
    const std::string rank(value_in(environment, space ? "PMIX_RANK" : "PMI_RANK"));
    return rank.empty() ? -1 : std::atoi(rank.c_str());
}

// Started by the manager, but not yet the program that it is to be, and so with the manager's own
// environment, which may be a PE's of an outer job; or nobody may know.
bool is_still_manager(pid_t process, pid_t manager) {
    std::error_code error;
    const auto of = [&](pid_t each) {
        return std::filesystem::read_symlink(os::in_proc(each, "exe"), error);
    };
    const auto program = of(process);
    return error || program == of(manager);
}

// Under PMIx: of another job, or a tool of the manager's, which has its environment. A process may
// have written over its own; then it may be a PE.
bool is_no_pe(pid_t process, pid_t manager) {
    const char* const space = own_namespace();
    if (!space) return false;
    const std::string environment = read_all(os::in_proc(process, "environ"));
    if (const auto found = value_in(environment, "PMIX_NAMESPACE"); !found.empty())
        return found != space;
    const std::string first = environment.substr(0, environment.find('\0'));
    return first.find('=') != first.npos &&
           read_all(os::in_proc(manager, "environ")).starts_with(first + '\0');
}

// Whose process that is, of all that it may act as; nobody may know: it may be this user's.
bool is_another_users(pid_t process) {
    std::ifstream file(os::in_proc(process, "status"));
    for (std::string word; file >> word;) {
        if (word != "Uid:") continue;
        std::array<uid_t, 4> users{};
        for (uid_t& user : users)
            file >> user;
        return file && std::find(users.begin(), users.end(), geteuid()) == users.end();
    }
    return false;
}

// By PMI-1 a PE and what is around it speak with the manager by a socket that they have from their
// beginning, whose number stands in their environment: what does not have it, or no longer, never
// comes. Where this PE knows of none, or nobody may look, a process may have one.
bool may_have_managers_socket(pid_t process) {
    if (!std::getenv("PMI_FD")) return true;
    const std::string environment = read_all(os::in_proc(process, "environ"));
    const std::string number(value_in(environment, "PMI_FD"));
    if (number.empty()) return false;
    struct stat facts {};
    if (stat(os::in_proc(process, ("fd/" + number).c_str()).c_str(), &facts) == 0)
        return S_ISSOCK(facts.st_mode);
    return errno != ENOENT;
}

std::vector<pid_t> all_processes() {
    std::vector<pid_t> all;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
    while (const dirent* const entry = folder ? readdir(folder.get()) : nullptr) {
        if (const pid_t process = std::atoi(entry->d_name); process > 0) all.push_back(process);
    }
    return all;
}

// The program of a PE, as this one, or with this library: what it has started is its own affair.
bool is_program(pid_t process) {
    std::error_code error;
    const auto program = std::filesystem::read_symlink(os::in_proc(process, "exe"), error);
    if (!error && program == std::filesystem::read_symlink(os::in_proc(getpid(), "exe"), error))
        return true;
    return os::has_library(process);
}

// Names are the network namespace's, numbers of processes the PID namespace's.
std::uint64_t number_of_pid_namespace() {
    struct stat facts {};
    return stat("/proc/self/ns/pid", &facts) == 0 ? facts.st_ino : 0;
}

// Of this user; 0 if the kernel does not say which.
std::optional<pid_t> process_with_name(const std::string& name) {
    const Descriptor asks(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address;
    const socklen_t bytes = name_socket(name.c_str(), address);
    if (connect(asks.file(), reinterpret_cast<const sockaddr*>(&address), bytes) != 0)
        return std::nullopt;
    const PeerProcess holder = peer_of(asks.file());
    if (!holder.is_of_this_user()) return std::nullopt;
    return holder.process;
}

// A PE's process within shells and tools around it, as far as each has one child that was told the
// same; else 0.
pid_t innermost(pid_t process, int rank) {
    for (;;) {
        if (is_program(process)) return process;
        std::vector<pid_t> within = os::children_of(process);
        std::erase_if(within, [&](pid_t child) { return rank_of(child) != rank; });
        if (within.empty()) return process;
        if (within.size() != 1) return 0;
        process = within.front();
    }
}

// Shells and tools around this PE have been told what it was, too. By PMI-1 that is its rank and a
// descriptor; the manager's process may itself be a PE's of an outer job.
// Returns the last one of them, the manager's child.
pid_t find_own_child(int me) {
    const char* const file = std::getenv("PMI_FD");
    const auto is_around = [&](pid_t process) {
        if (rank_of(process) != me) return false;
        return own_namespace() ||
               (file && value_in(read_all(os::in_proc(process, "environ")), "PMI_FD") == file);
    };
    pid_t child = getpid();
    for (pid_t process = getppid(); process > 1 && is_around(process);) {
        child = process;
        process = os::facts_of(process).parent;
    }
    return child;
}

// 0: not known, and then no process is judged by its children. In a PID namespace of its own a PE
// has that one's first process for a parent, and one that was left behind has the system's. Or
// /proc numbers processes as another namespace does.
pid_t find_manager_of(pid_t child, int me) {
    std::error_code error;
    if (std::filesystem::read_symlink("/proc/self", error) != std::to_string(getpid())) return 0;
    const pid_t parent = os::facts_of(child).parent;
    return parent > 1 && rank_of(parent) != me ? parent : 0;
}

}  // namespace

HostProcesses::HostProcesses(std::vector<int> ranks, int me, std::uint64_t job)
    : ranks_(std::move(ranks)),
      me_(me),
      job_(job),
      child_(find_own_child(me)),
      manager_(ranks_.size() < 2 ? 0 : find_manager_of(child_, me)) {}

std::string HostProcesses::name_of(int rank, std::uint64_t job) {
    return "came-" + std::to_string(geteuid()) + "-" + std::to_string(job) + "-" +
           std::to_string(rank);
}

// Of those that see the same manager, so that one that sees none keeps nobody from looking.
std::string HostProcesses::name_of_looker(std::size_t turn) const {
    return "looks-" + std::to_string(geteuid()) + "-" + std::to_string(job_) + "-" +
           std::to_string(ranks_.front()) + "-" + text_of_manager(manager_) + "-" +
           std::to_string(turn);
}

// Everybody can take one: then a line says less, or more of them look.
Descriptor HostProcesses::take_name(const std::string& name) {
    Descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address;
    const socklen_t bytes = name_socket(name.c_str(), address);
    if (bind(made.file(), reinterpret_cast<const sockaddr*>(&address), bytes) != 0 ||
        listen(made.file(), SOMAXCONN) != 0)
        return Descriptor();
    return made;
}

// Nobody answers there, and each PE asks until it knows: only others fill what waits to be
// answered, and then it is not known whose name it is.
std::optional<pid_t> HostProcesses::holder_of(const std::string& name) {
    if (const auto known = taken_.find(name); known != taken_.end()) return known->second;
    const std::optional<pid_t> holder = process_with_name(name);
    if (holder) taken_.emplace(name, *holder);
    return holder;
}

// One of PMIx's may have started several jobs.
std::string HostProcesses::text_of_manager(pid_t manager) {
    std::uint64_t number = number_of_pid_namespace();
    if (const char* const space = own_namespace())
        number = fnv1a(space, std::strlen(space), number);
    return std::to_string(manager) + "-" + std::to_string(number);
}

std::string HostProcesses::name_of_end(pid_t manager) {
    return "told-" + std::to_string(geteuid()) + "-" + text_of_manager(manager);
}

pid_t HostProcesses::find_manager(int me) {
    return find_manager_of(find_own_child(me), me);
}

bool HostProcesses::is_end_told(pid_t manager) {
    // 0: of another PID namespace, and so of another job.
    return manager != 0 && process_with_name(name_of_end(manager)).value_or(0) != 0;
}

Descriptor HostProcesses::tell_end(pid_t manager) {
    return manager != 0 ? take_name(name_of_end(manager)) : Descriptor();
}

Descriptor HostProcesses::come(int rank, std::uint64_t job) {
    return take_name(name_of(rank, job));
}

pid_t HostProcesses::process_of(int rank) {
    if (const auto told = known_.find(rank); told != known_.end()) return told->second;
    return holder_of(name_of(rank)).value_or(0);
}

// Each holds the name of its turn to the end, so that who goes on after a stop is the one again.
bool HostProcesses::is_chosen() {
    if (ranks_.size() < 2) return true;
    for (std::size_t turn = 0; turn < ranks_.size(); ++turn) {
        const std::string name = name_of_looker(turn);
        if (turn_.file() < 0) {
            turn_ = take_name(name);
            my_turn_ = turn;
        }
        if (turn_.file() >= 0 && turn == my_turn_) return true;
        const bool is_known = taken_.contains(name);
        const std::optional<pid_t> holder = holder_of(name);
        if (!holder) return true;
        // It has come; if it ends nobody may have asked for that yet.
        if (const int rank = is_known ? -1 : rank_of(*holder); rank >= 0)
            taken_.emplace(name_of(rank), *holder);
        // Where the manager is not seen no process is judged.
        if (manager_ == 0 || !rests(*holder)) return false;
        // Another one may have taken it since.
        if (!os::is_alive(os::facts_of(*holder))) taken_.erase(name);
    }
    return false;
}

std::vector<int> HostProcesses::late() {
    std::vector<int> late;
    for (const int rank : ranks_) {
        if (rank != me_ && !is_taken(name_of(rank))) late.push_back(rank);
    }
    return late;
}

// A shell may start its PE in the background and exit. By PMI-1 the environment does not say whose
// job it is: another one's process is told another size, is another user's, has another manager,
// with the same program, has no socket of one, or began before this job's manager, itself or what
// it comes from: who is left behind is given to one of the manager's own ancestors. What none of
// that tells may be of this one.
std::set<int> HostProcesses::find_living() const {
    std::set<int> above;
    for (pid_t process = manager_; process > 0 && above.insert(process).second;)
        process = os::facts_of(process).parent;
    const os::ProcessStat of_manager = os::facts_of(manager_);
    const std::string manager = of_manager.name;
    const auto is_older = [&](pid_t process) {
        for (; process > 1 && !above.contains(process); process = os::facts_of(process).parent) {
            if (os::facts_of(process).began < of_manager.began) return true;
        }
        return false;
    };
    const auto is_of_this_job = [&](pid_t process, int rank) {
        if (own_namespace()) return true;
        if (is_another_users(process) || is_older(process)) return false;
        const char* const size = std::getenv("PMI_SIZE");
        if (size && value_in(read_all(os::in_proc(process, "environ")), "PMI_SIZE") != size)
            return false;
        if (!may_have_managers_socket(process)) return false;
        while (process > 1 && process != manager_ && rank_of(process) == rank)
            process = os::facts_of(process).parent;
        return process == manager_ || os::facts_of(process).name != manager;
    };
    std::set<int> living;
    for (const pid_t process : all_processes()) {
        const int rank = rank_of(process);
        if (rank >= 0 && !above.contains(process) && os::is_alive(os::facts_of(process)) &&
            is_of_this_job(process, rank))
            living.insert(rank);
    }
    return living;
}

// One that had come, whatever lives around it. A manager that ends a job ends those of a host one
// after the other. It may have ended before this PE has asked who it is.
bool HostProcesses::has_gone(int rank, double now) {
    if (rank == me_) return false;
    const pid_t process = process_of(rank);
    const bool is_expected = std::find(expected_.begin(), expected_.end(), rank) != expected_.end();
    const bool is_gone = process > 0 ? !os::is_alive(os::facts_of(process))
                                     : is_expected && is_free_name(name_of(rank).c_str());
    if (!is_gone) gone_.erase(rank);
    return is_gone && now - gone_.emplace(rank, now).first->second >= end_times::kHandedOn;
}

std::vector<int> HostProcesses::ended(double now) {
    if (manager_ == 0) return {};
    const os::ProcessStat manager = os::facts_of(manager_);
    if (!os::is_alive(manager) || manager.state == 'T') changed_ = now;
    std::set<int> there{me_};
    const std::vector<pid_t> children = os::children_of(manager_);
    // The kernel may not tell, or not all.
    if (std::find(children.begin(), children.end(), child_) == children.end()) return {};
    for (const pid_t process : children) {
        if (!os::is_alive(os::facts_of(process))) continue;
        const auto [place, is_new] = seen_.emplace(process, -1);
        const bool has_begun = !is_still_manager(process, manager_);
        const int rank = rank_of(process);
        if (has_begun && rank >= 0) place->second = rank;  // the number may be another's by now
        there.insert({rank, place->second});
        const bool is_known = has_begun && (place->second >= 0 || is_no_pe(process, manager_));
        if (is_new || !is_known) changed_ = now;
    }
    std::set<int> known;
    for (const auto& [process, rank] : seen_)
        known.insert(rank);
    std::vector<int> ended;
    for (const int rank : ranks_) {
        if (!there.contains(rank) &&
            (known.contains(rank) || now - changed_ > end_times::kSettled) &&
            !is_taken(name_of(rank)))
            ended.push_back(rank);
    }
    // Twice: one that is left behind by another meanwhile may be missed.
    for (int looks = 0; looks < 2 && !ended.empty(); ++looks) {
        const std::set<int> living = find_living();
        std::erase_if(ended, [&](int rank) { return living.contains(rank); });
    }
    for (const int rank : ranks_) {
        if (has_gone(rank, now)) ended.push_back(rank);
    }
    std::sort(ended.begin(), ended.end());
    return ended;
}

std::vector<int> HostProcesses::stopped(double now, double longest) {
    std::map<pid_t, double> still;
    std::vector<int> stopped;
    found_stopped_.clear();
    const os::ProcessStat manager = os::facts_of(manager_);
    if (manager_ != 0 && os::is_alive(manager) && manager.state != 'T') {
        for (const pid_t child : os::children_of(manager_)) {
            const int rank = rank_of(child);
            if (rank == me_ || std::find(ranks_.begin(), ranks_.end(), rank) == ranks_.end() ||
                is_still_manager(child, manager_))
                continue;
            const pid_t came = process_of(rank);
            const pid_t process = came > 0 ? came : innermost(child, rank);
            if (os::facts_of(process).state != 'T') continue;
            const auto before = stopped_.find(process);
            const double since = before != stopped_.end() ? before->second : now;
            still.emplace(process, since);
            if (now - since <= longest) continue;
            stopped.push_back(rank);
            found_stopped_.push_back(process);
        }
    }
    stopped_ = std::move(still);
    return stopped;
}

}  // namespace isthmus
