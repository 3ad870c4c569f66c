// Output of the PEs, line by line, each line beginning with its PE.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace isthmus::launch {

// What is on its way to one of the launcher's own descriptors. Never blocks: a reader that has
// stopped reading must not keep the launcher from ending the job.
class OutputQueue {
  public:
    explicit OutputQueue(int file) : file_(file) {}

    void append(std::string_view text);
    // Writes what the descriptor takes now. A reader that has gone away takes everything.
    void write_some();
    bool empty() const { return pending_.size() == written_; }
    // More than this is on its way: sources should not be read for now.
    bool congested() const { return pending_.size() - written_ > (std::size_t{1} << 20); }
    // Nobody reads any more, or nothing can be written; why, as an errno, 0 if neither.
    bool broken() const { return failure_ != 0; }
    int failure() const { return failure_; }
    int file() const { return file_; }

  private:
    int file_;
    std::string pending_;
    std::size_t written_ = 0;  // of pending_
    int failure_ = 0;
};

// Cuts a stream of bytes into lines and puts the prefix before each. A line ends with \n or \r (a
// progress line that is written over). Lines longer than kLongest are passed on in pieces.
class LineCutter {
  public:
    static constexpr std::size_t kLongest = std::size_t{1} << 20;

    explicit LineCutter(std::string prefix) : prefix_(std::move(prefix)) {}

    void feed(std::string_view bytes, OutputQueue& queue);
    // End of the stream: what is left becomes a line.
    void finish(OutputQueue& queue);

  private:
    std::string prefix_;
    std::string partial_;
    bool after_return_ = false;
    bool within_line_ = false;  // the beginning of this line is out already
};

}  // namespace isthmus::launch
