// The table of settings, one variable at a time: the first byte chooses it, what follows is its
// value.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/settings.hpp"

using namespace isthmus;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const auto setting = static_cast<Setting>(*data % static_cast<std::uint8_t>(Setting::count));
    const SettingDescription& row = description(setting);
    const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
    setenv(row.name, text.c_str(), 1);
    const std::vector<SettingProblem> problems = read_settings();
    const bool taken = value(setting).origin == SettingOrigin::environment;
    // A value is taken, refused with a sentence, or empty.
    if (taken && !problems.empty()) std::abort();
    if (!taken && problems.empty() && text.c_str()[0] != '\0') std::abort();
    constexpr std::uint64_t kMemory = std::uint64_t{16} << 30;
    switch (row.kind) {
        case SettingKind::flag:
        case SettingKind::presence: flag(setting); break;
        case SettingKind::number:
        case SettingKind::percent: number(setting); break;
        case SettingKind::seconds:
            if (!(seconds(setting) >= 0)) std::abort();
            break;
        case SettingKind::size: isthmus::size(setting, kMemory); break;
        case SettingKind::text:
        case SettingKind::processors:
        case SettingKind::choice:
        case SettingKind::roads: break;
    }
    unsetenv(row.name);
    return 0;
}
