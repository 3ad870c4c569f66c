#include "base/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/edit_distance.hpp"
#include "base/lasting.hpp"
#include "base/os.hpp"
#include "base/processors.hpp"
#include "base/road_list.hpp"

namespace isthmus {
namespace {

constexpr std::array kTable{
    SettingDescription{"SHMEM_SYMMETRIC_SIZE",
                       "SMA_SYMMETRIC_SIZE",
                       SettingKind::size,
                       "50%",
                       nullptr,
                       "memory",
                       "Size of the symmetric heap of each PE: bytes, with k, M, G or T, or a "
                       "percentage of memory. Reserved, not occupied: pages count when touched.",
                       // Open MPI's and Cray's.
                       {"SHMEM_SYMMETRIC_HEAP_SIZE", "XT_SYMMETRIC_HEAP_SIZE"}},
    SettingDescription{"SHMEM_VERSION", "SMA_VERSION", SettingKind::presence, "", nullptr,
                       "diagnosis", "Print the library's version at start."},
    SettingDescription{"SHMEM_INFO", "SMA_INFO", SettingKind::presence, "", nullptr, "diagnosis",
                       "Print all settings at start."},
    SettingDescription{"SHMEM_DEBUG", "SMA_DEBUG", SettingKind::presence, "", nullptr, "diagnosis",
                       "Print what the library does at start and end; turns ISTHMUS_CHECK on."},
    SettingDescription{
        "ISTHMUS_CHECK", nullptr, SettingKind::flag, "0", nullptr, "checks",
        "Check every call: addresses, blocks of the symmetric heap, which get guards, overlaps, "
        "threads, and that all PEs call collectives alike (checking.md). Words, and blocks of a "
        "known length of up to 64 bytes, stay inlined, with checks of their own."},
    SettingDescription{
        "ISTHMUS_DELAY", nullptr, SettingKind::number, "0", nullptr, "checks",
        "Not 0: what the standard lets come late comes late, also on one host, and "
        "what it lets overtake overtakes, drawn by this number. A program that lacks "
        "a fence or a quiet fails with some of the numbers."},
    SettingDescription{"ISTHMUS_DELAY_MICROSECONDS", nullptr, SettingKind::number, "2000", nullptr,
                       "checks", "The longest that ISTHMUS_DELAY keeps an operation back."},
    SettingDescription{
        "ISTHMUS_STALL_SECONDS", nullptr, SettingKind::seconds, "30", nullptr, "waiting",
        "A wait without progress for this long prints who waits for what. 0: never."},
    SettingDescription{"ISTHMUS_SPIN", nullptr, SettingKind::number, "2000", nullptr, "waiting",
                       "Polls of a wait before it gives its core to others; with more PEs than "
                       "cores it gives way at once."},
    SettingDescription{"ISTHMUS_BIND", nullptr, SettingKind::choice, "auto",
                       "auto|none|core|thread|socket", "launch",
                       "What each PE is bound to. auto: an equal share of the cores if there are "
                       "enough, else none."},
    SettingDescription{"ISTHMUS_PREFIX", nullptr, SettingKind::flag, "0", nullptr, "launch",
                       "Begin each line of output with its PE."},
    SettingDescription{"ISTHMUS_LAUNCHER", nullptr, SettingKind::choice, "auto",
                       "auto|srun|hydra|prterun|mpirun|ssh", "launch",
                       "What `isthmus run --hosts` hands a job of several hosts over to. auto: "
                       "srun within an allocation of Slurm, else ssh if ISTHMUS_REMOTE_SHELL is "
                       "set, else the first that is installed, else ssh. By ssh it starts the PEs "
                       "itself."},
    SettingDescription{"ISTHMUS_REMOTE_SHELL", nullptr, SettingKind::text, "", nullptr, "launch",
                       "How the launcher ssh reaches a host: words to which the host and a command "
                       "are added. ssh, never asking for a password, if not set."},
    SettingDescription{"ISTHMUS_STATS", nullptr, SettingKind::flag, "0", nullptr, "diagnosis",
                       "Count calls and bytes of each routine and between each pair of PEs "
                       "(program compiled with oshcc -profile; others: isthmus run --stats)."},
    SettingDescription{"ISTHMUS_STATS_FILE", nullptr, SettingKind::text, "", nullptr, "diagnosis",
                       "Where the counts go, as JSON; a table on standard error if not set."},
    SettingDescription{"ISTHMUS_TRACE", nullptr, SettingKind::text, "", nullptr, "diagnosis",
                       "File for a trace that Perfetto opens (program compiled with oshcc "
                       "-profile; others: isthmus run --trace)."},
    SettingDescription{"ISTHMUS_HUGE_PAGES", nullptr, SettingKind::flag, "0", nullptr, "memory",
                       "Ask the kernel for huge pages in the symmetric heap."},
    SettingDescription{"ISTHMUS_ARENA_SIZE", nullptr, SettingKind::size, "25%", nullptr, "memory",
                       "Room of each PE for segments and queues whose memory the library provides. "
                       "Reserved, not occupied."},
    SettingDescription{
        "ISTHMUS_CLONE_SECONDS", nullptr, SettingKind::seconds, "60", nullptr, "waiting",
        "How long a clone waits for a segment or queue to be published. 0: not at all."},
    SettingDescription{"ISTHMUS_SLEEP_MILLISECONDS", nullptr, SettingKind::number, "10", nullptr,
                       "waiting",
                       "An event or queue waited for longer than this sleeps until it is woken."},
    SettingDescription{
        "ISTHMUS_WAKE_MILLISECONDS", nullptr, SettingKind::number, "10", nullptr, "waiting",
        "A sleeping waiter looks by itself this often, for stores that wake nobody."},
    SettingDescription{"ISTHMUS_AGGREGATOR_RING", nullptr, SettingKind::size, "256k", nullptr,
                       "memory",
                       "Ring of an aggregator between each pair of PEs; bounds what is "
                       "outstanding."},
    SettingDescription{
        "ISTHMUS_OUTSTANDING", nullptr, SettingKind::number, "0", nullptr, "waiting",
        "Cells of 64 bytes that may be taken in a queue, or in an aggregator's ring, "
        "before whoever sends more is held back; a message of up to 48 bytes takes "
        "one. One message may always be under way. 0: as many as the ring has."},
    SettingDescription{"ISTHMUS_CORE_SIZE", nullptr, SettingKind::size, "16M", nullptr, "diagnosis",
                       "How much of this PE's symmetric heap, from its beginning, a core dump "
                       "holds. What a dump holds is occupied when it is written, touched or not."},
    SettingDescription{
        "ISTHMUS_TRANSPORT", nullptr, SettingKind::roads, "auto", nullptr, "hosts",
        "auto: the window between PEs of one host; between hosts packets, or libfabric where "
        "ISTHMUS_FABRIC is set or each host has a network that it drives, such as InfiniBand. "
        "ofi: libfabric between all PEs, as if each were a host of its own. loop: the "
        "same by sockets of one host, late and out of order on purpose, for tests. "
        "packet: packets over TCP or UDP, without libfabric. "
        "Several, with the PEs or hosts that each leads to: ofi,loop:2-3+6,ofi:@node7."},
    SettingDescription{"ISTHMUS_NODES", nullptr, SettingKind::text, "", nullptr, "hosts",
                       "PEs of each node, such as 2,2, where one machine is to be several: the "
                       "window reaches those of the own node, ISTHMUS_TRANSPORT the others. One "
                       "node if not set."},
    SettingDescription{"ISTHMUS_LOOP_SEED", nullptr, SettingKind::number, "1", nullptr, "hosts",
                       "What the road loop draws its delays from."},
    SettingDescription{"ISTHMUS_LOOP_DELAY", nullptr, SettingKind::number, "200", nullptr, "hosts",
                       "The longest that the road loop keeps a message back, in microseconds."},
    SettingDescription{"ISTHMUS_FABRIC", nullptr, SettingKind::text, "", nullptr, "hosts",
                       "libfabric's provider, such as tcp;ofi_rxm; the best one if not set."},
    SettingDescription{"ISTHMUS_PACKET_ADDRESS", nullptr, SettingKind::text, "", nullptr, "hosts",
                       "Where the road packet reaches this host: an address, a network such as "
                       "10.1.0.0/16, or an interface, for IPv6 with /6 behind it. The first one "
                       "that other hosts reach if not set."},
    SettingDescription{
        "ISTHMUS_PACKET_PROTOCOL", nullptr, SettingKind::choice, "tcp", "tcp|udp", "hosts",
        "What carries packets: tcp, or udp, datagrams with a hash each, for networks "
        "that lose much. The same at all PEs."},
    SettingDescription{
        "ISTHMUS_PACKET_SEAL", nullptr, SettingKind::flag, "1", nullptr, "hosts",
        "What packets carry over TCP is hashed with a key, so that nobody on the way "
        "can change it. 0: long transfers are faster, for networks that nobody else "
        "writes to. The same at all PEs."},
    SettingDescription{
        "ISTHMUS_PROGRESS", nullptr, SettingKind::flag, "1", nullptr, "hosts",
        "A thread serves this PE's memory to other hosts while the program computes. "
        "0: only calls of the library that move data, wait, test or order do (not "
        "shmem_addr_accessible, nor loads by shmem_ptr), and nobody is given up for silence."},
    SettingDescription{"ISTHMUS_PROGRESS_PROCESSORS", nullptr, SettingKind::processors, "", nullptr,
                       "hosts",
                       "Where that thread may run: a list such as 3 or 0-3,8. Any if not set, "
                       "whatever its PE is bound to."},
    SettingDescription{"ISTHMUS_PROGRESS_PERCENT", nullptr, SettingKind::percent, "100", nullptr,
                       "hosts",
                       "Most of a processor that this thread may use, over some milliseconds. What "
                       "comes when it has used that waits, or is served by calls of the library."},
    SettingDescription{"ISTHMUS_DETECT_SECONDS", nullptr, SettingKind::seconds, "30", nullptr,
                       "hosts",
                       "Another host that is silent for this long has failed, and the job ends. 0: "
                       "never."},
    SettingDescription{
        "ISTHMUS_JOIN_SECONDS", nullptr, SettingKind::seconds, "300", nullptr, "hosts",
        "A job ends if not all of its processes have called shmem_init this long after "
        "the first. 0: it waits for ever."},
    SettingDescription{
        "ISTHMUS_TUNING", nullptr, SettingKind::text, "auto", nullptr, "memory",
        "What long copies go by. auto: what was measured on this processor, once, in some "
        "milliseconds, kept in the user's cache folder. off: the sizes of the caches alone. Else "
        "the name of a file in the form of those kept."},
};
static_assert(kTable.size() == static_cast<std::size_t>(Setting::count));

// Names that begin like ours and are not ours to judge: handed from the launcher to the PEs.
constexpr std::array kInternal{"ISTHMUS_BOOTSTRAP", "ISTHMUS_STARTED", "ISTHMUS_STACK_LIMIT"};

Lasting<std::array<SettingValue, kTable.size()>> values_read;
constinit std::array<SettingValue, kTable.size()>& values = *values_read;

bool one_of(const char* choices, std::string_view word) {
    std::string_view rest = choices;
    while (!rest.empty()) {
        const auto bar = rest.find('|');
        if (rest.substr(0, bar) == word) return true;
        if (bar == std::string_view::npos) break;
        rest.remove_prefix(bar + 1);
    }
    return false;
}

bool parse_decimal(std::string_view text, double& result) {
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, result);
    return error == std::errc{} && rest == end && std::isfinite(result) && result >= 0;
}

// Empty if the text is a value of that kind, else what would be.
std::string expected_form(const SettingDescription& setting, std::string_view text) {
    double decimal = 0;
    std::uint64_t bytes = 0;
    switch (setting.kind) {
        case SettingKind::flag: return text.empty() || text == "0" || text == "1" ? "" : "0 or 1";
        case SettingKind::number:
            return parse_decimal(text, decimal) && decimal == std::floor(decimal) && decimal < 1e9
                       ? ""
                       : "a whole number, 0 or more, below 10^9";
        case SettingKind::seconds: return parse_decimal(text, decimal) ? "" : "seconds, 0 or more";
        case SettingKind::size:
            return parse_size(text, 1, bytes) ? "" : "bytes such as 512M, 1.5G or 50%";
        case SettingKind::percent:
            return parse_decimal(text, decimal) && decimal >= 1 && decimal <= 100 ? "" : "1 to 100";
        case SettingKind::processors: {
            cpu_set_t processors;
            return text.empty() || parse_processors(text, processors)
                       ? ""
                       : "a list of processors such as 3 or 0-3,8";
        }
        case SettingKind::roads: {
            std::vector<RoadEntry> roads;
            return parse_roads(text, roads)
                       ? ""
                       : "roads such as ofi, or ofi,loop:2-3+6 (docs/transport.md)";
        }
        case SettingKind::choice: return one_of(setting.choices, text) ? "" : setting.choices;
        case SettingKind::text:
        case SettingKind::presence: return "";
    }
    return "";
}

// A variable set to nothing is as if not set, but where nothing is a value.
bool means_something_empty(SettingKind kind) {
    return kind == SettingKind::flag || kind == SettingKind::text ||
           kind == SettingKind::processors || kind == SettingKind::presence;
}

bool has_name(const SettingDescription& setting, std::string_view name) {
    const auto names = setting.names();
    return std::any_of(names.begin(), names.end(),
                       [&](const char* each) { return each && name == each; });
}

bool is_known(std::string_view name) {
    return std::any_of(kTable.begin(), kTable.end(),
                       [&](const SettingDescription& s) { return has_name(s, name); }) ||
           std::any_of(kInternal.begin(), kInternal.end(),
                       [&](const char* internal) { return name == internal; });
}

// How far a name is from the setting's, or from the one that it had before.
std::size_t distance_to(std::string_view name, const SettingDescription& setting) {
    const std::size_t distance = edit_distance(name, setting.name);
    return setting.old_name ? std::min(distance, edit_distance(name, setting.old_name)) : distance;
}

// Unknown ISTHMUS_* names are always reported; SHMEM_* and SMA_* names belong to other libraries as
// well, so only one that nearly is ours is.
void check_name(std::string_view name, std::vector<SettingProblem>& problems) {
    const bool ours = name.starts_with("ISTHMUS_");
    const bool others = name.starts_with("SHMEM_") || name.starts_with("SMA_");
    if ((!ours && !others) || is_known(name)) return;
    const auto nearest = std::min_element(
        kTable.begin(), kTable.end(),
        [&](const auto& a, const auto& b) { return distance_to(name, a) < distance_to(name, b); });
    // A slip of one in four letters behind the prefix.
    const std::size_t prefix = name.find('_') + 1;
    const bool close =
        distance_to(name, *nearest) <= std::min<std::size_t>(3, (name.size() - prefix) / 4);
    if (!ours && !close) return;
    std::string message = "setting " + std::string(name) + " is not known";
    if (close) message += std::string("; did you mean ") + nearest->name + "?";
    problems.push_back({message + (close ? "" : ";") + " `isthmus info` lists all settings"});
}

// Files and libraries; and roads, whose libraries load what they find in the environment.
bool names_what_is_loaded(SettingKind kind) {
    return kind == SettingKind::text || kind == SettingKind::roads;
}

}  // namespace

const SettingDescription& description(Setting setting) {
    return kTable[static_cast<std::size_t>(setting)];
}

bool is_name_of(Setting setting, std::string_view name) {
    return has_name(description(setting), name);
}

std::vector<SettingProblem> read_settings() {
    std::vector<SettingProblem> problems;
    for (std::size_t i = 0; i < kTable.size(); ++i) {
        const SettingDescription& setting = kTable[i];
        values[i] = {setting.standard_value, SettingOrigin::standard, nullptr};
        for (const char* name : setting.names()) {
            const char* found = name ? std::getenv(name) : nullptr;
            if (!found || (*found == '\0' && !means_something_empty(setting.kind))) continue;
            if (const auto form = expected_form(setting, found); !form.empty()) {
                problems.push_back({std::string("setting ") + name + "=" + found +
                                    " is not valid: expected " + form});
            } else if (names_what_is_loaded(setting.kind) && os::has_more_rights_than_caller()) {
                values[i] = {setting.standard_value, SettingOrigin::refused, name};
            } else {
                values[i] = {found, SettingOrigin::environment, name};
            }
            break;
        }
    }
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view line = *entry;
        check_name(line.substr(0, line.find('=')), problems);
    }
    return problems;
}

const SettingValue& value(Setting setting) {
    return values[static_cast<std::size_t>(setting)];
}

bool flag(Setting setting) {
    const SettingValue& v = value(setting);
    return description(setting).kind == SettingKind::presence
               ? v.origin == SettingOrigin::environment
               : v.text == "1";
}

std::uint64_t number(Setting setting) {
    return static_cast<std::uint64_t>(seconds(setting));
}

double seconds(Setting setting) {
    double result = 0;
    parse_decimal(value(setting).text, result);
    return result;
}

std::uint64_t size(Setting setting, std::uint64_t memory) {
    std::uint64_t bytes = 0;
    parse_size(value(setting).text, memory, bytes);
    return bytes;
}

bool parse_size(std::string_view text, std::uint64_t memory, std::uint64_t& bytes) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
        text.remove_prefix(1);
    // Not strtod: the program may have set a locale with another decimal point.
    double number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || !std::isfinite(number) || number < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    double factor = 1;
    switch (text.empty() ? '\0' : text.front()) {
        case 'k':
        case 'K': factor = 0x1p10; break;
        case 'm':
        case 'M': factor = 0x1p20; break;
        case 'g':
        case 'G': factor = 0x1p30; break;
        case 't':
        case 'T': factor = 0x1p40; break;
        case '%': factor = static_cast<double>(memory) / 100; break;
        case '\0': break;
        default: return false;
    }
    const double product = std::ceil(number * factor);
    if (product >= 0x1p63) return false;
    bytes = static_cast<std::uint64_t>(product);
    return true;
}

std::string format_size(std::uint64_t bytes) {
    constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double scaled = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (scaled >= 1023.95 && unit + 1 < kUnits.size()) {
        scaled /= 1024;
        ++unit;
    }
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, scaled == std::floor(scaled) ? "%.0f %s" : "%.1f %s",
                  scaled, kUnits[unit]);
    return buffer;
}

}  // namespace isthmus
