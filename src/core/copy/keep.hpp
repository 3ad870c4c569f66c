// Where a measurement is kept: a file of the user's, one a processor model. Nothing that is read
// there is trusted, and nothing fails if it cannot be written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace isthmus {

// $XDG_CACHE_HOME/isthmus or $HOME/.cache/isthmus; empty if neither is an absolute path, or if the
// program runs with rights that its caller does not have.
std::string cache_folder();
std::string kept_file(const std::string& folder, std::string_view processor);

// The text of a file of the user's own, or of root's, that others cannot write; why not, in
// `problem`: empty if there is no such file.
std::optional<std::string> read_kept(const std::string& path, std::string& problem);
// Makes the folders, and the file as a whole or not at all.
bool write_kept(const std::string& path, std::string_view text);

// Held by the one process that measures; others do without. Ends with the process.
class MeasureLock {
  public:
    explicit MeasureLock(const std::string& path);
    ~MeasureLock();
    MeasureLock(const MeasureLock&) = delete;
    MeasureLock& operator=(const MeasureLock&) = delete;
    explicit operator bool() const { return file_ >= 0; }

  private:
    int file_ = -1;
};

}  // namespace isthmus
