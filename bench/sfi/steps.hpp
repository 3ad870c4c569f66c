// Instructions counted by single steps: a program that marks calls (programs/marks.h) under
// programs/step.cpp.
#pragma once

#include "harness/run.hpp"

namespace isthmus::bench {

// Samples of one case.
struct Samples {
    std::vector<double> before;  // to the provider's call; all of it if there is none
    std::vector<double> hash;    // of these, those of the seal's hash, libsodium's
    std::vector<double> fabric;  // libfabric's
    std::vector<double> own;     // the library's, wherever it is called from
    std::vector<double> whole;   // the library's and libfabric's
};
using Cases = std::map<std::string, Samples>;
using Environment = std::vector<std::pair<std::string, std::string>>;

// Between hosts: the window is forbidden.
inline const Environment kByOfi{{"ISTHMUS_TRANSPORT", "ofi"}, {"SHMEM_SYMMETRIC_SIZE", "64M"}};

// Adds what a program has marked. Without success `reason` says why.
void step_through(const Run& run, const std::string& program, int pes,
                  const Environment& environment, Cases& cases, std::string& reason);

Row row_of(const std::string& claim, const std::string& peer, std::optional<double> value);
// Of calls that are all alike, or of those that wait for an answer and look for it again and again
// until it is there: the one that had to look least is what the call itself takes.
enum class Take : unsigned char { median, least };
void fill(Row& row, const std::vector<double>& samples, Take take = Take::median);

}  // namespace isthmus::bench
