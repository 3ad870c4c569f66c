#include "options.hpp"

#include <getopt.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>

namespace heat {

const char* const kUsage =
    "usage: heat --input PICTURE [options]\n"
    "  --input FILE       PNG or PGM; brightness is the temperature at the start\n"
    "  --output FILE      PNG of the temperature at the end       (heat.png)\n"
    "  --iterations N     time steps at most                      (2000)\n"
    "  --tolerance R      stop when the residual is R or less     (0: never)\n"
    "  --grey             16 bit grey output instead of heat colours\n"
    "  --field FILE       also write the numbers: doubles, row by row\n"
    "  --help             this text\n"
    "The residual is the root mean square of the change in one step; it is looked at every 50\n"
    "steps.\n";

namespace {

constexpr long kMostIterations = 1'000'000'000;

long iterations_from(const char* text) {
    char* end = nullptr;
    errno = 0;
    const long value = std::strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < 0 || value > kMostIterations)
        throw UsageError(std::string("--iterations ") + text + ": expected a number 0.." +
                         std::to_string(kMostIterations));
    return value;
}

double tolerance_from(const char* text) {
    char* end = nullptr;
    const double value = std::strtod(text, &end);
    if (end == text || *end != '\0' || !std::isfinite(value) || value < 0)
        throw UsageError(std::string("--tolerance ") + text + ": expected a number >= 0");
    return value;
}

}  // namespace

Options parse_options(int argc, char** argv) {
    constexpr option kLong[] = {{"input", required_argument, nullptr, 'i'},
                                {"output", required_argument, nullptr, 'o'},
                                {"iterations", required_argument, nullptr, 'n'},
                                {"tolerance", required_argument, nullptr, 't'},
                                {"field", required_argument, nullptr, 'f'},
                                {"grey", no_argument, nullptr, 'g'},
                                {"help", no_argument, nullptr, 'h'},
                                {nullptr, 0, nullptr, 0}};
    Options options;
    opterr = 0;  // one PE of many speaks, not getopt at each
    for (int letter = 0;
         (letter = getopt_long(argc, argv, ":i:o:n:t:f:gh", kLong, nullptr)) != -1;) {
        switch (letter) {
            case 'i': options.input = optarg; break;
            case 'o': options.output = optarg; break;
            case 'n': options.iterations = iterations_from(optarg); break;
            case 't': options.tolerance = tolerance_from(optarg); break;
            case 'f': options.field = optarg; break;
            case 'g': options.colours = Colours::grey; break;
            case 'h': options.help = true; break;
            case ':': throw UsageError(std::string(argv[optind - 1]) + " needs a value");
            default: throw UsageError(std::string(argv[optind - 1]) + " is no option of heat");
        }
    }
    if (optind < argc) throw UsageError(std::string("unexpected argument ") + argv[optind]);
    if (options.input.empty() && !options.help) throw UsageError("--input is missing");
    return options;
}

}  // namespace heat
