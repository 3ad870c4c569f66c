#include "base/road_list.hpp"

#include <charconv>

namespace isthmus {
namespace {

// What stands before the next `separator`, or all; takes both off.
std::string_view take_part(std::string_view& text, char separator) {
    const auto end = text.find(separator);
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return part;
}

// It becomes part of a file's name.
bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= 32 &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
               std::string_view::npos;
}

bool parse_number(std::string_view text, int& number) {
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && rest == end && number >= 0;
}

// "4", "2-3".
bool parse_range(std::string_view text, std::pair<int, int>& range) {
    const auto dash = text.find('-');
    if (!parse_number(text.substr(0, dash), range.first)) return false;
    range.second = range.first;
    return dash == std::string_view::npos ||
           (parse_number(text.substr(dash + 1), range.second) && range.second >= range.first);
}

bool parse_road(std::string_view text, RoadEntry& road) {
    const bool says_where = text.find(':') != std::string_view::npos;
    road.name = take_part(text, ':');
    if (!is_name(road.name)) return false;
    if (!says_where) return true;
    // What ends with a separator has an empty part behind it.
    if (text.empty() || text.back() == '+') return false;
    while (!text.empty()) {
        std::string_view part = take_part(text, '+');
        if (part.starts_with('@')) {
            part.remove_prefix(1);
            if (part.empty()) return false;
            road.hosts.emplace_back(part);
        } else if (!parse_range(part, road.pes.emplace_back())) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool parse_roads(std::string_view text, std::vector<RoadEntry>& roads) {
    roads.clear();
    if (text.empty() || text.back() == ',') return false;
    while (!text.empty()) {
        if (!parse_road(take_part(text, ','), roads.emplace_back())) return false;
    }
    return true;
}

}  // namespace isthmus
