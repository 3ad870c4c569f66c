// Measures what the sizes of the caches do not tell: which way of copying is fastest here.
#pragma once

#include <string>
#include <vector>

#include "core/copy/choose.hpp"
#include "core/copy/parameters.hpp"

namespace isthmus {

struct CopyFigure {
    // "wide", "narrow", "inner", "ahead", "ahead-downwards", "outer", "fresh"
    const char* where;
    std::size_t bytes;
    Way way;
    double gigabytes;  // a second
};
struct CopyMeasurement {
    bool plausible = false;  // else `parameters` are the standard ones
    CopyParameters parameters;
    std::vector<CopyFigure> figures;
    double milliseconds = 0;
};

// Some milliseconds, and memory of four times the second level until it returns. Each figure is the
// best of several short bursts, so that what else runs on the machine is not in it. First the width
// of the vectors, if there are two (`narrower.copy` may be null), then all ways of the faster.
CopyMeasurement measure_copies(const ChosenCopy& widest, const ChosenCopy& narrower,
                               const Caches& caches);

// The choice that follows from the figures: a way replaces the standard one if it is clearly
// faster. Apart for its tests.
CopyParameters choose_by_figures(const CopyParameters& standard, const Caches& caches,
                                 const std::vector<CopyFigure>& figures);
bool are_plausible(const std::vector<CopyFigure>& figures);

}  // namespace isthmus
