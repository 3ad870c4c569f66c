#include "core/session/alike.hpp"

#include <string>

#include "base/error.hpp"
#include "base/fnv1a.hpp"
#include "base/settings.hpp"
#include "core/job/job.hpp"

namespace isthmus {
namespace {

constexpr Setting kAlike[kAlikeSettings] = {Setting::check, Setting::delay, Setting::transport,
                                            Setting::nodes};

bool is_text(Setting setting) {
    return setting == Setting::transport || setting == Setting::nodes;
}

// A number that others can be compared with.
std::uint64_t as_number(Setting setting) {
    if (setting == Setting::check) return job.checked ? 1 : 0;  // SHMEM_DEBUG turns it on as well
    const std::string& text = value(setting).text;
    return is_text(setting) ? fnv1a(text.data(), text.size()) : number(setting);
}

}  // namespace

AlikeSettings alike_settings() {
    AlikeSettings settings{};
    for (std::size_t i = 0; i < kAlikeSettings; ++i)
        settings[i] = as_number(kAlike[i]);
    return settings;
}

AlikeSettings settings_of(const PeStatus& status) {
    AlikeSettings settings{};
    for (std::size_t i = 0; i < kAlikeSettings; ++i)
        settings[i] = status.settings[i].load(std::memory_order_relaxed);
    return settings;
}

void set_settings(PeStatus& status, const AlikeSettings& settings) {
    for (std::size_t i = 0; i < kAlikeSettings; ++i)
        status.settings[i].store(settings[i], std::memory_order_relaxed);
}

void compare_settings(int pe) {
    const AlikeSettings mine = settings_of(job.status());
    const AlikeSettings theirs = settings_of(job.header->pe[pe]);
    for (std::size_t i = 0; i < kAlikeSettings; ++i) {
        if (mine[i] == theirs[i]) continue;
        const std::string name = description(kAlike[i]).name;
        const std::string& text = value(kAlike[i]).text;
        const std::string here = !is_text(kAlike[i]) ? std::to_string(mine[i])
                                 : text.empty()      ? "not set"
                                                     : text;
        const std::string there = is_text(kAlike[i]) ? "another" : std::to_string(theirs[i]);
        fail("shmem_init", name + " is " + here + " here and " + there + " at PE " +
                               std::to_string(pe) + "; set it alike everywhere");
    }
}

}  // namespace isthmus
