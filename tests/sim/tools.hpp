// Helpers for tests that run other programs.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace isthmus::sim::test {

/// A directory of this process that is removed with the object.
class Scratch {
  public:
    Scratch() {
        char pattern[] = "/tmp/isthmus-sim-XXXXXX";
        path_ = mkdtemp(pattern);
    }
    ~Scratch() {
        std::error_code ignored;
        if (!std::getenv("ISTHMUS_TEST_KEEP")) std::filesystem::remove_all(path_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

inline void write_file(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
}

inline std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Result {
    int status = -1;  // exit status, or 128 + signal
    std::string output;
};

/// Runs a shell command; output holds its stdout and stderr. It inherits no other open file: what
/// started the test must not change the numbers a program sees.
inline Result run(const std::string& command) {
    Result result;
    close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (!pipe) return result;
    char buffer[4096];
    while (const std::size_t n = fread(buffer, 1, sizeof buffer, pipe))
        result.output.append(buffer, n);
    const int status = pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

/// Compiles a static Linux program that may use the intrinsics.
inline Result compile_linux(const Scratch& scratch, const std::string& text,
                            const std::string& program) {
    write_file(scratch / "linux.c", text);
    return run(std::string(ISTHMUS_TEST_GCC) + " -O1 -static -I" ISTHMUS_TEST_INCLUDE " -o " +
               program + " " + (scratch / "linux.c"));
}

/// A suite of tests that all run one static Linux program, of the text that its class gives.
class WithProgram : public testing::Test {
  protected:
    explicit WithProgram(const char* text) : text_(text) {}
    void SetUp() override {
        if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
        const Result built = compile_linux(scratch, text_, program);
        ASSERT_EQ(built.status, 0) << built.output;
    }
    Scratch scratch;
    const std::string program = scratch / "p";

  private:
    const char* text_;
};

/// Assembles and links a bare-metal program whose text is whole, in one segment at 0x80000000.
inline Result assemble_bare(const Scratch& scratch, const std::string& text,
                            const std::string& program) {
    write_file(scratch / "bare.s", text);
    return run(std::string(ISTHMUS_TEST_AS) + " -march=rv64gc " + (scratch / "bare.s") + " -o " +
               (scratch / "bare.o") + " && riscv64-linux-gnu-ld -N -Ttext=0x80000000 -o " +
               program + " " + (scratch / "bare.o"));
}

}  // namespace isthmus::sim::test
