// `isthmus doctor`: will a job run here, and if not, why not and what to do.
#pragma once

#include <string>
#include <vector>

namespace isthmus::tools {

int doctor_command(const std::vector<std::string>& arguments);

}  // namespace isthmus::tools
