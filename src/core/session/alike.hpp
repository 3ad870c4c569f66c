// Settings that choose how PEs meet: where they differ, each waits for what the others never do.
#pragma once

#include <array>
#include <cstdint>

#include "core/job/job_layout.hpp"

namespace isthmus {

using AlikeSettings = std::array<std::uint64_t, kAlikeWords>;

// As this PE has read them.
AlikeSettings alike_settings();
AlikeSettings settings_of(const PeStatus& status);
void set_settings(PeStatus& status, const AlikeSettings& settings);

// Ends the job if that PE has read others than this one.
void compare_settings(int pe);

}  // namespace isthmus
