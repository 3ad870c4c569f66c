// The program micro: one operation again and again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "xbgas/machine.hpp"

namespace isthmus::bench {

// Operations on one word of 8 bytes that are compared, as micro calls them.
struct WordOperation {
    const char* name;
    const char* claim;
    const char* category;  // in figure 3
};
inline constexpr WordOperation kWordOperations[] = {
    {"put", "8-byte put", "put"},
    {"get", "8-byte get", "get"},
    {"atomic_add", "8-byte atomic add", "add"},
    {"fetch_add", "8-byte atomic fetch-and-add", "fetch-add"},
    {"swap", "8-byte atomic swap", "swap"},
    {"compare_swap", "8-byte atomic compare-and-swap", "compare-swap"}};

inline constexpr const char* kFigure3 = "Fig. 3: instructions saved, operations on 8 bytes";
inline constexpr const char* kFigure11 = "Fig. 11: instructions of a broadcast to 6 nodes by bytes";
inline constexpr const char* kFigure11Ratios = "Fig. 11: times fewer instructions of a broadcast";

// Sizes of the paper's figure 11, thinned out.
inline constexpr int kBroadcastBytes[] = {8, 64, 512, 4096, 32768};

// Of figure 3: how much an operation saves, in per cent, in words of `claim`.
Row saving_row(std::string claim, double percent, const char* method, const char* series,
               const char* category);

// Arguments of the program; `each`: an operation is complete before the next begins.
std::vector<std::string> micro(const std::string& operation, int bytes, int count,
                               bool each = false);

// Instructions of one operation, those of the loop around it subtracted; of a collective, at all
// nodes together.
std::optional<double> operation_instructions(SimulatedMachine& machine, Road road, int nodes,
                                             const std::string& operation, int bytes, int count);

}  // namespace isthmus::bench
