#include "vector.hpp"

#include <fstream>

namespace isthmus::packet::test {

std::vector<std::byte> from_hex(const std::string& text) {
    std::vector<std::byte> bytes(text.size() / 2);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::byte>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
    return bytes;
}

const Vectors& vectors() {
    static const Vectors all = [] {
        std::ifstream file(ISTHMUS_PACKET_VECTORS);
        const nlohmann::json data = nlohmann::json::parse(file);
        Vectors found;
        found.key = from_hex(data["key"]);
        for (const auto& [name, cause] : data["causes"].items())
            found.causes[name] = {cause[0], cause[1]};
        for (const nlohmann::json& line : data["vectors"]) {
            Vector one;
            one.name = line["name"];
            one.is_datagram = line["what"] == "datagram";
            one.bytes = from_hex(line["bytes"]);
            one.verdict = line["verdict"];
            one.receiver_verdict = line.value("receiver_verdict", "");
            one.fields = line.value("fields", nlohmann::json{});
            const nlohmann::json& all_known = data[one.is_datagram ? "connection" : "receiver"];
            for (const auto& [name, value] : all_known.items())
                one.known[name] = value;
            const nlohmann::json own = line.value("known", nlohmann::json::object());
            for (const auto& [name, value] : own.items())
                one.known[name] = value;
            found.list.push_back(std::move(one));
        }
        return found;
    }();
    return all;
}

}  // namespace isthmus::packet::test
