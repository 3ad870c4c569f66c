// What PEs of other hosts write, on its way to our own output: as it is, with each line's PE, or to
// a file of each PE.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "launch/options.hpp"
#include "launch/output.hpp"

namespace isthmus::launch {

class FarOutput {
  public:
    explicit FarOutput(const RunOptions& options);
    ~FarOutput();
    FarOutput(const FarOutput&) = delete;
    FarOutput& operator=(const FarOutput&) = delete;

    // With --split; what went wrong, or empty.
    std::string open_split_files();
    void pass_on(int pe, std::string_view bytes, bool is_error);
    void announce(const std::string& line) { errors_.append(line + "\n"); }
    // Lines without their end.
    void finish_lines();

    void add_to(std::vector<pollfd>& polled) const;
    void write_some();
    bool empty() const { return output_.empty() && errors_.empty(); }
    bool congested() const { return output_.congested() || errors_.congested(); }
    // errno of standard output, 0 while it can be written.
    int failure() const { return output_.broken() ? output_.failure() : 0; }

  private:
    struct Pe {
        std::unique_ptr<LineCutter> lines[2];  // of output and errors, with --prefix
        int split = -1;                        // the file of --split
    };

    const RunOptions& options_;
    std::vector<Pe> pes_;
    OutputQueue output_{STDOUT_FILENO};
    OutputQueue errors_{STDERR_FILENO};
};

}  // namespace isthmus::launch
