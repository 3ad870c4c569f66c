#pragma once

#include <string>

namespace isthmus {

// Vendor, family, model and stepping: what a measurement is kept by.
std::string processor_name();

}  // namespace isthmus
