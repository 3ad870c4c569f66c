// JSON whose values know the line that they stand in, so that what is wrong with one can be said
// with it. The words are read by nlohmann-json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace isthmus::launch {

struct LinedJson {
    enum class Kind : unsigned char { null, boolean, number, other_number, text, list, object };
    Kind kind = Kind::null;
    int line = 1;
    std::int64_t number = 0;  // other_number: one that is not whole, or too large
    std::string text;
    std::vector<LinedJson> elements;
    std::vector<std::string> names;  // of an object's elements; one may come twice
};

// Empty, or what is wrong: "3: ...", with the line.
std::string parse_lined_json(std::string_view text, LinedJson& value);

// "a list", "a number"
const char* kind_name(LinedJson::Kind kind);

}  // namespace isthmus::launch
