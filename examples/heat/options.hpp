// The command line of heat.
#pragma once

#include <stdexcept>
#include <string>

#include "image.hpp"

namespace heat {

struct Options {
    std::string input;
    std::string output = "heat.png";
    std::string field;       // where the computed numbers go, or empty
    long iterations = 2000;  // at most
    double tolerance = 0;    // residual at which to stop; 0: never
    Colours colours = Colours::heat;
    bool help = false;
};

// What is wrong with the command line.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

Options parse_options(int argc, char** argv);

extern const char* const kUsage;

}  // namespace heat
