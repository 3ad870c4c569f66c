// How large the symmetric heap is: the setting, cut to what fits if nobody asked. The library
// decides by it at initialisation; `isthmus info` and `isthmus doctor` say what it will decide.
#pragma once

#include <cstdint>
#include <string>

namespace isthmus {

struct HeapChoice {
    std::uint64_t bytes = 0;    // for the user, in whole pages; the library's part comes on top
    std::uint64_t largest = 0;  // that a slot of the window has room for
    std::string cut_by;         // what made it smaller than the setting; empty if nothing did

    // Asked for, and more than fits: initialisation ends the job.
    bool is_refused() const { return bytes > largest; }
};

// For each PE of a job of `pes` on this host.
HeapChoice choose_heap(int pes);

}  // namespace isthmus
