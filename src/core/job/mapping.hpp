// What the kernel has mapped in this process, and with which rights.
#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>

#include "base/text.hpp"
#include "core/job/job.hpp"
namespace isthmus {

struct Mapping {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char rights[5] = "----";  // as in /proc/self/maps: rwx, then p(rivate) or s(hared)
};

// One look at a time: the mappings may change between two.
class Mappings {
  public:
    // `by_text`: reads the whole list as text, whose length grows with the number of mappings, even
    // where the kernel (from Linux 6.11 on) answers a question for one address.
    explicit Mappings(bool by_text = false);
    Mappings(const Mappings&) = delete;
    Mappings& operator=(const Mappings&) = delete;
    ~Mappings();
    // 0, or why the list cannot be read, as errno has it.
    int error() const { return error_; }
    // The mapping that holds `address`, else the first one above it; false if there is none, or the
    // list cannot be read. Addresses only grow from call to call.
    bool find(std::uintptr_t address, Mapping& mapping);

  private:
    bool ask(std::uintptr_t address, Mapping& mapping);
    bool read(std::uintptr_t address, Mapping& mapping);
    std::FILE* list_;
    int error_;
    bool by_text_;
    Mapping last_read_;
};

// Why the pages of [begin, begin + size) cannot be adopted: not mapped throughout, not both
// readable and writable, or shared already. Empty if they can; `executable` are then those of them
// that may be executed as well.
Text why_not_adoptable(std::uintptr_t begin, std::uint64_t size, Mappings& mappings,
                       std::vector<Range>& executable);

}  // namespace isthmus
