#include <cpuid.h>

#include <cstdio>

#include "core/copy/processor.hpp"

namespace isthmus {

std::string processor_name() {
    unsigned int top = 0, vendor[3] = {};
    __get_cpuid(0, &top, &vendor[0], &vendor[2], &vendor[1]);
    unsigned int signature = 0, ebx = 0, ecx = 0, edx = 0;
    __get_cpuid(1, &signature, &ebx, &ecx, &edx);
    char text[48];
    std::snprintf(text, sizeof text, "%.12s %08x", reinterpret_cast<const char*>(vendor),
                  signature);
    return text;
}

}  // namespace isthmus
