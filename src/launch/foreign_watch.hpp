// Looks for a while at a process that was started as a PE and has not called on the library: what
// wrappers and scripts run in the end shows in no file.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "launch/linked.hpp"

namespace isthmus::launch {

class ForeignWatch {
  public:
    ForeignWatch() = default;  // looks at nothing
    ForeignWatch(Numbering numbering, std::uint64_t now);
    // When to look next; 0: never again.
    std::uint64_t next() const { return next_; }
    // The same as time that poll() may take.
    int milliseconds_from(std::uint64_t now) const;
    // Looks if it is time. A line for the user, once: of what is there at two looks in a row, since
    // the dynamic linker may not have come to our library at the first.
    std::string look(pid_t process, std::uint64_t now);
    void stop() { next_ = 0; }

  private:
    Numbering numbering_ = Numbering::ours;
    std::uint64_t next_ = 0;
    std::uint64_t last_ = 0;
    bool suspicious_ = false;
};

}  // namespace isthmus::launch
