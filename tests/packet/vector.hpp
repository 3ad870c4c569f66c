// The vectors of the format, as tests take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace isthmus::packet::test {

struct Vector {
    std::string name;
    bool is_datagram = false;
    std::vector<std::byte> bytes;
    std::string verdict;
    std::string receiver_verdict;               // if the verdict is "accepted"
    std::map<std::string, std::int64_t> known;  // what the receiver knows, or of the connection
    nlohmann::json fields;
};

struct Vectors {
    std::vector<Vector> list;
    std::map<std::string, std::pair<int, std::string>> causes;  // number and action
    std::vector<std::byte> key;
};

// Of the file that the build names.
const Vectors& vectors();
std::vector<std::byte> from_hex(const std::string& text);

}  // namespace isthmus::packet::test
