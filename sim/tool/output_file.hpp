// What the commands write on request, to files and to standard output: all of it, or a message says
// so.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace isthmus::sim {

/// Of the last error, if there was one.
inline std::string reason() {
    return errno != 0 ? std::string(": ") + std::strerror(errno) : std::string();
}

/// Prints behind what has been printed. Throws std::runtime_error if any of it did not get out;
/// `option` is what asked for it.
inline void print(const std::string& text, const std::string& option = "") {
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
        std::fflush(stdout) == 0 && std::ferror(stdout) == 0)
        return;
    const std::string why = reason();
    throw std::runtime_error("standard output cannot be written" +
                             (option.empty() ? "" : " (" + option + ")") + why);
}

class OutputFile {
  public:
    /// Opens the file at once, so that what cannot be written is refused before a long run. Without
    /// a path it is none, "-" is standard output. Throws std::runtime_error.
    OutputFile(std::string path, const char* option) : path_(std::move(path)), option_(option) {
        if (path_.empty() || path_ == "-") return;
        errno = 0;
        file_.open(path_);
        if (!file_) fail();
        // At the place of the error, where its reason is known.
        file_.exceptions(std::ios::badbit | std::ios::failbit);
    }
    explicit operator bool() const { return !path_.empty(); }
    /// Calls `writer` with a stream and closes the file. Throws std::runtime_error if not
    /// everything could be written.
    template <typename Writer>
    void write(const Writer& writer) {
        if (path_ == "-") {
            std::ostringstream text;
            writer(static_cast<std::ostream&>(text));
            return print(text.str(), option_);
        }
        errno = 0;
        try {
            writer(static_cast<std::ostream&>(file_));
            file_.close();
        } catch (const std::ios_base::failure&) {
            fail();
        }
    }

  private:
    [[noreturn]] void fail() const {
        throw std::runtime_error(path_ + ": cannot be written (" + option_ + ")" + reason());
    }

    std::string path_;
    const char* option_;
    std::ofstream file_;
};

}  // namespace isthmus::sim
