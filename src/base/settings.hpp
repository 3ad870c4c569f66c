// The table of settings: every environment variable that Isthmus reads, once, as data.
// From it come the parser, `isthmus info`, SHMEM_INFO, docs/settings.md and the check for
// misspelt names.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace isthmus {

enum class SettingKind : std::uint8_t {
    flag,        // 0 or 1; unset and empty are 0
    number,      // a count
    seconds,     // decimal fraction allowed
    size,        // bytes, with k M G T (powers of 1024) or a percentage of memory
    text,        // as it stands
    percent,     // 1 to 100
    processors,  // a list such as 0-3,8; empty: any
    choice,      // one of the words in `choices`
    roads,       // a list as base/road_list.hpp reads it
    presence     // set to anything is true (the standard's SHMEM_INFO, SHMEM_VERSION, SHMEM_DEBUG)
};

// refused: it is set, and names what a program with more rights than its caller must not be told.
enum class SettingOrigin : std::uint8_t { standard, environment, refused };

struct SettingDescription {
    const char* name;
    const char* old_name;  // deprecated alias (SMA_*), or nullptr
    SettingKind kind;
    const char* standard_value;  // what holds when it is not set
    const char* choices;         // "a|b|c" for kind choice, else nullptr
    const char* category;        // memory, launch, checks, diagnosis, waiting, hosts
    const char* help;
    // Of the same setting in other libraries, taken where neither of ours is set.
    std::array<const char*, 2> names_elsewhere{};
    // In the order in which they win; null where there is none.
    constexpr std::array<const char*, 4> names() const {
        return {name, old_name, names_elsewhere[0], names_elsewhere[1]};
    }
};

// Order is that of the table in settings.cpp.
enum class Setting : std::uint8_t {
    symmetric_size,
    version,
    info,
    debug,
    check,
    delay,
    delay_microseconds,
    stall_seconds,
    spin,
    bind,
    prefix,
    launcher,
    remote_shell,
    stats,
    stats_file,
    trace,
    huge_pages,
    arena_size,
    clone_seconds,
    sleep_milliseconds,
    wake_milliseconds,
    aggregator_ring,
    outstanding,
    core_size,
    transport,
    nodes,
    loop_seed,
    loop_delay,
    fabric,
    packet_address,
    packet_protocol,
    packet_seal,
    progress,
    progress_processors,
    progress_percent,
    detect_seconds,
    join_seconds,
    tuning,
    count
};

const SettingDescription& description(Setting setting);
// One that is read for it.
bool is_name_of(Setting setting, std::string_view name);

// A value as read from the environment. Parsed when first asked for; thread-safe after the first
// call of read_settings().
struct SettingValue {
    std::string text;
    SettingOrigin origin = SettingOrigin::standard;
    const char* read_from = nullptr;  // the variable's name, if it is set
};

struct SettingProblem {
    std::string message;  // complete sentence, without "isthmus:"
};

// Reads the whole table from the environment. Problems are values that do not parse and variables
// named ISTHMUS_* or SHMEM_* that the table does not know (with the nearest name that it does).
// Texts name files and libraries, and libraries of roads load more: a program with more rights than
// its caller takes none.
std::vector<SettingProblem> read_settings();

const SettingValue& value(Setting setting);
bool flag(Setting setting);
std::uint64_t number(Setting setting);
double seconds(Setting setting);
// Bytes; a percentage is of `memory` bytes.
std::uint64_t size(Setting setting, std::uint64_t memory);

// "20m", "3.1M", ".5g", "50%" as the standard has it: one multiplier, what follows it is ignored.
// False if there is no number or it is negative.
bool parse_size(std::string_view text, std::uint64_t memory, std::uint64_t& bytes);

// 1610612736 -> "1.5 GiB".
std::string format_size(std::uint64_t bytes);

}  // namespace isthmus
