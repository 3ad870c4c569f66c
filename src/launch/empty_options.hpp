// An option that was given nothing is most often a variable of a script that is not set.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

namespace isthmus::launch {

// Which of the options that were given is empty, and what that may mean; or nothing.
inline std::string problem_of_empty_options(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
        const auto& values = option->results();
        const bool takes_value = option->get_expected_max() > 0;
        if (takes_value && std::find(values.begin(), values.end(), "") != values.end())
            return option->get_name() + " is empty: is a variable not set that it was given?";
    }
    return "";
}

}  // namespace isthmus::launch
