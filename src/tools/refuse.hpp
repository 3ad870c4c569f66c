// What a command of the tool says of a command line that it does not understand.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/edit_distance.hpp"
#include "base/error.hpp"

namespace isthmus::tools {

// Returns the exit status.
inline int refuse_arguments(const CLI::App& app, const CLI::ParseError& error) {
    std::string text = app.get_name() + ": " + error.what();
    const std::vector<std::string> unknown = app.remaining();
    if (!unknown.empty()) {
        std::vector<std::string> names;
        for (const CLI::Option* const option : app.get_options())
            names.push_back(option->get_name());
        const std::vector<std::string_view> known(names.begin(), names.end());
        text += did_you_mean(unknown.front(), known);
    }
    say((text + "\n").c_str());
    return 2;
}

}  // namespace isthmus::tools
