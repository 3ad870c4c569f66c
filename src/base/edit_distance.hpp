// How far apart two names are: for "did you mean".
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace isthmus {

// Letters to insert, to drop or to replace, and neighbours to swap.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
    // Of the first i letters of `a` and the first j of `b`; the rows before, and the one before.
    std::vector<std::size_t> earlier(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        earlier.swap(above);
        above.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] =
                std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], earlier[j - 2] + 1);
        }
    }
    return row[b.size()];
}

// What was probably meant: the nearest, if a third of the letters at most is wrong, and no more
// than three; else nothing.
inline std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known) {
    std::string_view found;
    std::size_t least = std::min<std::size_t>(3, word.size() / 3) + 1;
    for (const std::string_view each : known) {
        const std::size_t distance = edit_distance(word, each);
        if (distance >= least) continue;
        least = distance;
        found = each;
    }
    return found;
}

// "; did you mean --prefix?", or nothing.
inline std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
    const std::string_view meant = nearest(word, known);
    return meant.empty() ? "" : "; did you mean " + std::string(meant) + "?";
}

}  // namespace isthmus
