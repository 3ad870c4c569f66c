// Compiles and runs a program, as a user would.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "launch/program_run.hpp"
#include "tools/checks.hpp"
#include "tools/place.hpp"

namespace isthmus::tools {

using launch::first_line_of;
using launch::ProgramRun;
using launch::run_program;

namespace {

namespace fs = std::filesystem;

class TemporaryDirectory {
  public:
    TemporaryDirectory() {
        std::string name = (fs::temp_directory_path(error_) / "isthmus-doctor-XXXXXX").string();
        if (mkdtemp(name.data())) path_ = name;
    }
    ~TemporaryDirectory() {
        if (!path_.empty()) fs::remove_all(path_, error_);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string path_;
    std::error_code error_;
};

// The line that says most: compilers and linkers begin with where, and follow with what.
std::string telling_line_of(const std::string& text) {
    for (const char* word : {"error:", "undefined reference", "cannot "}) {
        const auto at = text.find(word);
        if (at == std::string::npos) continue;
        const auto begin = text.rfind('\n', at) + 1;
        return text.substr(begin, text.find('\n', at) - begin);
    }
    return first_line_of(text);
}

// Each PE writes to the next and checks what the previous one wrote.
constexpr const char* kProgram = R"(#include <shmem.h>
#include <stdio.h>
static int from = -1;
int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pes = shmem_n_pes();
    int* heap = shmem_malloc(sizeof *heap);
    *heap = -1;
    shmem_barrier_all();
    shmem_int_p(&from, me, (me + 1) % pes);
    shmem_int_p(heap, me, (me + 1) % pes);
    shmem_barrier_all();
    int right = from == (me + pes - 1) % pes && *heap == from;
    if (!right) printf("PE %d got %d and %d\n", me, from, *heap);
    shmem_finalize();
    return !right;
}
)";

}  // namespace

std::vector<Check> check_compiler_and_job(int pes) {
    Check compiler{"compiler", Verdict::ok, "", ""};
    Check job{"job", Verdict::ok, "", ""};
    const Place place = find_place();
    const TemporaryDirectory directory;
    if (directory.path().empty()) {
        compiler.verdict = job.verdict = Verdict::warn;
        compiler.finding = job.finding =
            std::string("no temporary directory: ") + std::strerror(errno);
        compiler.advice = job.advice = "set TMPDIR to a directory that can be written";
        return {compiler, job};
    }
    const std::string source = directory.path() + "/trial.c";
    const std::string program = directory.path() + "/trial";
    std::ofstream(source) << kProgram;
    const ProgramRun compiled = run_program({place.bin + "/oshcc", "-O2", source, "-o", program});
    if (compiled.status != 0) {
        compiler.verdict = job.verdict = Verdict::fail;
        compiler.finding = "oshcc cannot compile a program: " + telling_line_of(compiled.output);
        compiler.advice = "install a C compiler (apt-get install gcc), or name one in OSHCC_CC";
        job.finding = "not run: there is no program";
        return {compiler, job};
    }
    compiler.finding = first_line_of(run_program({place.bin + "/oshcc", "--version"}).output);
    const ProgramRun ran = run_program(
        {place.bin + "/isthmus", "run", "--timeout", "20", "-n", std::to_string(pes), program});
    job.finding = "a program on " + std::to_string(pes) + " PEs ";
    if (ran.status == 0) {
        job.finding += "ran and its puts arrived";
    } else {
        job.verdict = Verdict::fail;
        job.finding +=
            "ended with status " + std::to_string(ran.status) + ": " + first_line_of(ran.output);
        job.advice = "the message and the checks above should tell why";
        if (ran.status == 126)
            job.advice = "the temporary directory forbids executing: set TMPDIR to another";
    }
    return {compiler, job};
}

}  // namespace isthmus::tools
