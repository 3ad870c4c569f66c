#include "transport/road_needs.hpp"

#include <fstream>
#include <iterator>
#include <string_view>

#include "transport/transport.hpp"

namespace isthmus::transport {

std::string road_needs(const std::string& module) {
    std::ifstream file(module, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const std::string_view mark = ISTHMUS_ROAD_NEEDS;
    const std::size_t at = bytes.find(mark);
    return at == std::string::npos ? "" : bytes.c_str() + at + mark.size();
}

}  // namespace isthmus::transport
