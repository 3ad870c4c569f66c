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

// Some milliseconds, and memory of 8 MB until it returns. Each figure is of
// several short bursts that take turns with those of the other ways. First the width
// of the vectors, if there are two (`narrower.copy` may be null), then all ways of the faster.
CopyMeasurement measure_copies(const ChosenCopy& widest, const ChosenCopy& narrower,
                               const Caches& caches);

// Of the times of several bursts. In the caches the least: what else runs on the machine makes them
// longer only. From memory the median: a few are short where the memory happens to be idle, by
// more than one way differs from another.
double time_that_counts(std::vector<double> times, bool cold);

// The choice that follows from the figures: a way replaces the standard one if it is clearly
// faster. Apart for its tests.
CopyParameters choose_by_figures(const CopyParameters& standard, const Caches& caches,
                                 const std::vector<CopyFigure>& figures);
bool are_plausible(const std::vector<CopyFigure>& figures);

}  // namespace isthmus
