#include "core/session/alike.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "base/fnv1a.hpp"
#include "base/settings.hpp"
#include "core/job/job.hpp"

namespace isthmus {
namespace {

// A number takes one word. A text takes four: its beginning for people, and a hash of all of it.
constexpr std::size_t kTextWords = 4;
constexpr std::size_t kTold = (kTextWords - 1) * sizeof(std::uint64_t);

struct Place {
    Setting setting;
    std::size_t word;
};
constexpr Place kPlaces[] = {{Setting::check, 0},
                             {Setting::delay, 1},
                             {Setting::transport, 2},
                             {Setting::nodes, 2 + kTextWords}};
static_assert(kAlikeWords == 2 + 2 * kTextWords);

bool is_text(Setting setting) {
    return setting == Setting::transport || setting == Setting::nodes;
}

void write_text(const std::string& text, std::uint64_t* words) {
    std::memcpy(words, text.data(), std::min(text.size(), kTold));
    words[kTextWords - 1] = fnv1a(text.data(), text.size());
}

std::string text_in(const std::uint64_t* words) {
    char told[kTold];
    std::memcpy(told, words, sizeof told);
    const std::string text(told, strnlen(told, sizeof told));
    const bool is_whole = fnv1a(text.data(), text.size()) == words[kTextWords - 1];
    return text.empty() ? "not set" : text + (is_whole ? "" : "...");
}

// A text that is told whole, and that its hash is not of. No PE writes that.
bool is_damaged(const std::uint64_t* words) {
    char told[kTold];
    std::memcpy(told, words, sizeof told);
    const std::size_t length = strnlen(told, sizeof told);
    return length < kTold && fnv1a(told, length) != words[kTextWords - 1];
}

std::uint64_t as_number(Setting setting) {
    if (setting == Setting::check) return job.checked ? 1 : 0;  // SHMEM_DEBUG turns it on as well
    return number(setting);
}

}  // namespace

AlikeSettings alike_settings() {
    AlikeSettings settings{};
    for (const auto& [setting, word] : kPlaces) {
        if (is_text(setting))
            write_text(value(setting).text, &settings[word]);
        else
            settings[word] = as_number(setting);
    }
    return settings;
}

AlikeSettings settings_of(const PeStatus& status) {
    AlikeSettings settings{};
    for (std::size_t i = 0; i < kAlikeWords; ++i)
        settings[i] = status.settings[i].load(std::memory_order_relaxed);
    return settings;
}

void set_settings(PeStatus& status, const AlikeSettings& settings) {
    for (std::size_t i = 0; i < kAlikeWords; ++i)
        status.settings[i].store(settings[i], std::memory_order_relaxed);
}

void compare_settings(int pe) {
    const AlikeSettings mine = settings_of(job.status());
    const AlikeSettings theirs = settings_of(job.header->pe[pe]);
    for (const auto& [setting, word] : kPlaces) {
        const std::size_t words = is_text(setting) ? kTextWords : 1;
        if (std::equal(&mine[word], &mine[word] + words, &theirs[word])) continue;
        if (is_text(setting) && is_damaged(&theirs[word]))
            fail("shmem_init", std::string("what PE ") + std::to_string(pe) + " has told of its " +
                                   description(setting).name + " was changed on its way here");
        const auto told = [setting = setting, word = word](const AlikeSettings& settings) {
            return is_text(setting) ? text_in(&settings[word]) : std::to_string(settings[word]);
        };
        fail("shmem_init", description(setting).name + (" is " + told(mine)) + " here and " +
                               told(theirs) + " at PE " + std::to_string(pe) +
                               "; set it alike everywhere");
    }
}

}  // namespace isthmus
