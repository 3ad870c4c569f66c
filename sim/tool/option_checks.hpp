// What options of the commands take, beyond what their types say.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace isthmus::sim {

/// CLI11 takes -1 for the greatest unsigned number. Added last, it comes before other transforms.
inline CLI::Validator not_negative() {
    return {[](std::string& text) {
                return text.starts_with('-') ? "is negative: " + text : std::string();
            },
            "", "not negative"};
}

inline CLI::Validator environment_variable() {
    return {[](std::string& text) {
                const auto equals = text.find('=');
                return equals == 0 || equals == std::string::npos ? "is not NAME=VALUE: " + text
                                                                  : std::string();
            },
            "", "environment variable"};
}

}  // namespace isthmus::sim
