// The parameters of this process: settled at its first long copy. From the file that ISTHMUS_TUNING
// names, or the one that was kept for this processor; else measured, by one process of the user's,
// and kept; else from the sizes of the caches.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/copy/measure.hpp"
#include "core/copy/parameters.hpp"

namespace isthmus {

struct CopyStory {
    CopyParameters parameters;
    bool given = false;     // they were found in a file
    std::string reason;     // where they come from
    std::string processor;  // what they are kept by
    std::string file;       // where; empty: nowhere
    std::string refused;    // why not, of a file that ISTHMUS_TUNING names
};

// What there is, by the constructor of copy.cpp: data, since the loops themselves ask for
// parameters.
struct AvailableLoops {
    ChosenCopy widest;
    ChosenCopy narrower;
};
extern AvailableLoops copy_available __attribute__((visibility("hidden")));
const ChosenCopy& loops_of(const CopyParameters& parameters);

// The loops in use: use_loops of choose.hpp.
extern ChosenCopy copy_loops __attribute__((visibility("hidden")));

// Finds the parameters, without measuring and without writing anything.
CopyStory find_parameters();
// The same; measures and keeps it if nothing was kept, unless another process does just that.
CopyStory find_or_measure();
// Measures anew and keeps it, whatever is there.
CopyStory tune_copies(CopyMeasurement& measurement);
// Settles by what was found in a file, if nothing is settled yet.
bool settle_by(const CopyStory& story);
// "64-byte vectors; from 22.5 KiB string, ...: measured ..." For `isthmus info`.
std::string describe_copies(const CopyStory& story);

// ---- implementation

extern std::atomic<const CopyParameters*> copy_parameters_settled
    __attribute__((visibility("hidden")));
[[gnu::cold, gnu::noinline]] const CopyParameters& settle_parameters();

inline const CopyParameters& settled_parameters() {
    // Acquire: pairs with the release in settle_parameters.
    const CopyParameters* const settled = copy_parameters_settled.load(std::memory_order_acquire);
    return settled ? *settled : settle_parameters();
}

}  // namespace isthmus
