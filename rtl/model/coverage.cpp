#include "model/coverage.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include <verilated.h>
#include <verilated_cov.h>

namespace isthmus::rtl {

// A file for each model of each process; coverage.py adds them up.
void keep_counts(VerilatedContext& context) {
    static std::atomic<unsigned> models{0};
    const char* folder = std::getenv("ISTHMUS_RTL_COUNTS");
    if (folder == nullptr) return;
    const std::string name = std::to_string(getpid()) + "-" + std::to_string(models++) + ".dat";
    context.coveragep()->write((std::string(folder) + "/" + name).c_str());
}

}  // namespace isthmus::rtl
