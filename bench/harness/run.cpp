#include "harness/run.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace isthmus::bench {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

bool runs(const fs::path& path) {
    return access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::vector<Record> parse_records(const std::string& text) {
    std::vector<Record> records;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        Record record;
        std::istringstream words(line);
        for (std::string word; words >> word;) {
            const auto equals = word.find('=');
            if (equals != std::string::npos)
                record[word.substr(0, equals)] = word.substr(equals + 1);
        }
        if (!record.empty()) records.push_back(std::move(record));
    }
    return records;
}

double number(const Record& record, const std::string& key) {
    const auto found = record.find(key);
    return found == record.end() ? 0 : std::strtod(found->second.c_str(), nullptr);
}

Run::Run(Options options, const std::string& group) : options_(std::move(options)) {
    const fs::path bin = own_folder();
    launcher_ = bin / "isthmus";
    programs_ = bin.parent_path() / "libexec" / "isthmus" / "bench" / group;
    if (!options_.peer) {
        peer_note_ = "not asked for";
        return;
    }
    // Not `oshrun`: that name may be ours.
    const std::string mpirun = find_program("mpirun.openmpi");
    if (!runs(fs::path(programs_) / "peer" / "hello"))
        peer_note_ = "the build found no oshcc of Open MPI (packages openmpi-bin, libopenmpi-dev)";
    else if (mpirun.empty())
        peer_note_ = "no mpirun.openmpi (package openmpi-bin)";
    else
        peer_launcher_ = mpirun;
}

std::string Run::program(Side side, const std::string& name) const {
    return fs::path(programs_) / (side == Side::ours ? "ours" : "peer") / name;
}

Finished Run::job(Side side, int pes, const std::string& name,
                  const std::vector<std::string>& arguments, const std::vector<std::string>& prefix,
                  const std::vector<std::pair<std::string, std::string>>& environment) const {
    Command command;
    command.environment = environment;
    if (side == Side::ours) {
        command.arguments = {launcher_, "run", "-n", std::to_string(pes)};
    } else {
        command.arguments = {
            peer_launcher_, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
            "-n",           std::to_string(pes)};
        // Without the first its finalisation crashes.
        command.environment.emplace_back("OMPI_MCA_opal_common_ucx_opal_mem_hooks", "0");
    }
    auto& words = command.arguments;
    words.insert(words.end(), prefix.begin(), prefix.end());
    words.push_back(program(side, name));
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_command(command);
}

std::vector<Record> Run::records(Side side, int pes, const std::string& name,
                                 const std::vector<std::string>& arguments, std::string& reason,
                                 const std::string& heap) const {
    const Finished finished = job(side, pes, name, arguments, {}, {{"SHMEM_SYMMETRIC_SIZE", heap}});
    if (!finished.succeeded()) {
        reason = name + ": " + finished.last_words();
        return {};
    }
    return parse_records(finished.output);
}

Turns::Turns(const Run& run, std::string what, int quick, int full, double quick_seconds)
    : run_(run),
      what_(std::move(what)),
      turns_(run.options().quick ? quick : full),
      limit_seconds_(run.options().quick ? quick_seconds : 1e9) {}

bool Turns::next() {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    // Another turn takes as long as those before.
    const bool fits = turn_ == 0 || elapsed.count() * (turn_ + 1) / turn_ < limit_seconds_;
    if (turn_ >= turns_ || !fits) return false;
    ++turn_;
    run_.progress(what_ + ", turn " + std::to_string(turn_) + " of " + std::to_string(turns_));
    return true;
}

void Run::progress(const std::string& what) const {
    if (isatty(STDERR_FILENO))
        std::fprintf(stderr, "\r\033[K%s", what.c_str());
    else
        std::fprintf(stderr, "%s\n", what.c_str());
    std::fflush(stderr);
}

void Run::end_progress() const {
    if (isatty(STDERR_FILENO)) std::fputs("\r\033[K", stderr);
}

}  // namespace isthmus::bench
