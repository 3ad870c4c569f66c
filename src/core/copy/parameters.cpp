#include "core/copy/parameters.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/settings.hpp"
#include "core/copy/recent.hpp"

namespace isthmus {
namespace {

constexpr std::array<const char*, static_cast<std::size_t>(Way::count)> kWayNames{
    "upwards", "claimed",         "alternating", "alternating-claimed",
    "string",  "streamed-narrow", "streamed"};

constexpr std::string_view kFormat = "3";

bool parse(std::string_view text, std::size_t& bytes) {
    if (text == "never") {
        bytes = kNeverCopied;
        return true;
    }
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, bytes);
    return error == std::errc{} && rest == end && bytes <= std::size_t{1} << 40;
}
bool parse(std::string_view text, Way& way) {
    const auto found = std::find(kWayNames.begin(), kWayNames.end(), text);
    way = static_cast<Way>(found - kWayNames.begin());
    return found != kWayNames.end();
}
bool parse(std::string_view text, bool& flag) {
    flag = text == "1";
    return text == "1" || text == "0";
}

std::string to_text(std::size_t bytes) {
    return bytes == kNeverCopied ? "never" : std::to_string(bytes);
}
std::string to_text(Way way) {
    return way_name(way);
}
std::string to_text(bool flag) {
    return flag ? "1" : "0";
}

// One visitor for both ways.
template <typename Parameters, typename Visit>
void for_each_field(Parameters& parameters, Visit&& visit) {
    visit("turn", parameters.turn);
    visit("outer_from", parameters.outer_from);
    visit("beyond_from", parameters.beyond_from);
    visit("reuse", parameters.reuse);
    visit("inner", parameters.inner);
    visit("outer", parameters.outer);
    visit("beyond", parameters.beyond);
    visit("fresh", parameters.fresh);
    visit("shun_alias", parameters.shun_alias);
    visit("narrow", parameters.narrow);
}

// Takes "name = value" off the text; false if it does not begin with that.
bool take_line(std::string_view& text, std::string_view name, std::string_view& value) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return false;
    const std::string_view line = text.substr(0, end);
    constexpr std::string_view kBetween = " = ";
    if (!line.starts_with(name) || !line.substr(name.size()).starts_with(kBetween)) return false;
    value = line.substr(name.size() + kBetween.size());
    text.remove_prefix(end + 1);
    return true;
}

// What the loops can live with. A fresh block is one that was not met: it cannot alternate.
bool is_legal(const CopyParameters& parameters) {
    constexpr std::size_t kLeast = 1024;
    return parameters.turn >= kLeast && parameters.turn <= parameters.outer_from &&
           parameters.outer_from <= parameters.beyond_from && !is_alternating(parameters.fresh);
}

}  // namespace

const char* way_name(Way way) {
    return kWayNames[static_cast<std::size_t>(way)];
}

CopyParameters standard_parameters(const Caches& caches) {
    const std::size_t level1 = caches.level1 ? caches.level1 : std::size_t{32} << 10;
    const std::size_t level2 =
        std::max(caches.level2 ? caches.level2 : std::size_t{1} << 20, 2 * level1);
    CopyParameters parameters;
    // Source and dest, and a little of what the program has.
    parameters.turn = level1 / 32 * 15;
    parameters.outer_from = level2 / 2;
    // What copies leave in the last level is of use while source and dest fit there.
    parameters.beyond_from = std::max((level2 + caches.level3) / 4 * 3, level2 / 2 * 3);
    // Longer memory would be luck, and what the rest of the program moves meanwhile is not seen.
    parameters.reuse = std::min((level2 + caches.level3) / 2, Recent::kSpan);
    return parameters;
}

std::string parameters_text(const CopyParameters& parameters, std::string_view processor) {
    std::string text = "format = " + std::string(kFormat) + "\nprocessor = ";
    text += processor;
    text += '\n';
    for_each_field(parameters, [&](const char* name, const auto& value) {
        text += std::string(name) + " = " + to_text(value) + "\n";
    });
    return text;
}

std::optional<CopyParameters> parse_parameters(std::string_view text, std::string_view processor) {
    std::string_view value;
    if (!take_line(text, "format", value) || value != kFormat) return {};
    if (!take_line(text, "processor", value) || value != processor) return {};
    CopyParameters parameters;
    bool good = true;
    for_each_field(parameters, [&](const char* name, auto& field) {
        good = good && take_line(text, name, value) && parse(value, field);
    });
    if (!good || !text.empty() || !is_legal(parameters)) return {};
    return parameters;
}

std::string describe_parameters(const CopyParameters& parameters) {
    std::string text = "from " + format_size(parameters.turn) + " " + way_name(parameters.inner) +
                       ", from " + format_size(parameters.outer_from) + " " +
                       way_name(parameters.outer);
    if (parameters.beyond_from != kNeverCopied)
        text += ", from " + format_size(parameters.beyond_from) + " " + way_name(parameters.beyond);
    return text + "; not met among the last " + format_size(parameters.reuse) + ": " +
           way_name(parameters.fresh) + (parameters.shun_alias ? "; aliases downwards" : "");
}

}  // namespace isthmus
