// The one line that a launcher hands to a PE: ISTHMUS_BOOTSTRAP=local:FILE:PE:PES.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "core/job/job_layout.hpp"

namespace isthmus {

struct LocalBootstrap {
    int file = -1;  // inherited descriptor of the job file
    int me = -1;
    int pes = 0;
};

inline std::string bootstrap_text(const LocalBootstrap& bootstrap) {
    return "local:" + std::to_string(bootstrap.file) + ":" + std::to_string(bootstrap.me) + ":" +
           std::to_string(bootstrap.pes);
}

// False unless the text is just what bootstrap_text() writes for a PE that can be.
inline bool parse_bootstrap(std::string_view text, LocalBootstrap& bootstrap) {
    LocalBootstrap read;
    for (int* const number : {&read.file, &read.me, &read.pes}) {
        const std::string_view separator = number == &read.file ? "local:" : ":";
        if (!text.starts_with(separator)) return false;
        text.remove_prefix(separator.size());
        const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
        if (error != std::errc{} || *number < 0 || (text[0] == '0' && rest != text.data() + 1) ||
            text[0] == '-')
            return false;
        text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    }
    if (!text.empty() || read.me >= read.pes || read.pes > kMaxPes) return false;
    bootstrap = read;
    return true;
}

}  // namespace isthmus
