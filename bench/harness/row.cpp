#include "harness/row.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace isthmus::bench {

std::string number_text(double value) {
    char text[48];
    const double magnitude = std::fabs(value);
    const bool whole = value == std::floor(value) && magnitude < 1e7;
    const int digits = whole || magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : magnitude >= 1 ? 2 : 3;
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

std::string Must::text() const {
    if (sense == Sense::none) return "-";
    const char* const sign = sense == Sense::at_most    ? "<= "
                             : sense == Sense::at_least ? ">= "
                                                        : "= ";
    return sign + number_text(bound);
}

nlohmann::ordered_json to_json(const Row& row) {
    const auto optional = [](const std::optional<double>& value) {
        return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
    };
    nlohmann::ordered_json json{
        {"claim", row.claim},
        {"ours", optional(row.ours)},
        {"unit", row.unit},
        {"must", row.lacks.empty() ? row.must.text() : "?"},
        {"peer",
         row.peer.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(row.peer)},
        {"peer_value", optional(row.peer_value)},
        {"holds", row.waits.empty() && !row.only_reports() ? nlohmann::ordered_json(row.holds())
                                                           : nlohmann::ordered_json(nullptr)},
        {"bound", row.must.sense == Must::Sense::none ? nlohmann::ordered_json(nullptr)
                                                      : nlohmann::ordered_json(row.must.bound)},
    };
    if (row.goal) json["goal"] = *row.goal;
    if (!row.spread.empty()) json["spread"] = row.spread;
    if (!row.method.empty()) json["method"] = row.method;
    if (!row.reason.empty()) json["reason"] = row.reason;
    if (!row.lacks.empty()) json["lacks"] = row.lacks;
    if (!row.waits.empty()) json["waits"] = row.waits;
    if (!row.figure.empty()) {
        json["figure"] = row.figure;
        json["series"] = row.series;
        if (row.category.empty())
            json["x"] = row.x;
        else
            json["category"] = row.category;
    }
    return json;
}

std::string table(const std::vector<Row>& rows) {
    constexpr std::size_t kColumns = 6;
    using Line = std::vector<std::string>;
    std::vector<Line> lines{{"claim", "ours", "must", "peer", "unit", "holds"}};
    for (const Row& row : rows) {
        lines.push_back({row.claim, row.ours ? number_text(*row.ours) : "-",
                         row.lacks.empty() ? row.must.text() : "?",
                         row.peer_value ? number_text(*row.peer_value) : "-", row.unit,
                         !row.waits.empty()   ? "waits"
                         : row.only_reports() ? "-"
                         : row.holds()        ? "yes"
                                              : "NO"});
    }
    std::size_t widths[kColumns] = {};
    for (const Line& line : lines) {
        for (std::size_t i = 0; i < kColumns; ++i)
            widths[i] = std::max(widths[i], line[i].size());
    }
    std::string text;
    for (const Line& line : lines) {
        for (std::size_t i = 0; i < kColumns; ++i) {
            const std::string fill(widths[i] - line[i].size(), ' ');
            const bool number = i >= 1 && i <= 3;
            text += number ? fill + line[i] : line[i] + fill;
            text += i + 1 < kColumns ? "  " : "\n";
        }
    }
    std::size_t failed = 0;
    std::size_t waiting = 0;
    std::size_t reporting = 0;
    std::string wait;
    for (const Row& row : rows) {
        if (!row.waits.empty()) {
            ++waiting;
            wait = row.waits;
        }
        if (row.only_reports()) ++reporting;
        if (row.holds()) continue;
        if (failed++ == 0) text += "\n";
        text += "does not hold: " + row.claim;
        if (!row.lacks.empty())
            text += ": no bound: " + row.lacks;
        else if (!row.reason.empty())
            text += ": " + row.reason;
        text += "\n";
    }
    const std::size_t claims = rows.size() - waiting - reporting;
    text +=
        "\n" + std::to_string(claims - failed) + " of " + std::to_string(claims) + " claims hold\n";
    if (reporting != 0)
        text += std::to_string(reporting) + (reporting == 1 ? " row has" : " rows have") +
                " no bound and only report" + (reporting == 1 ? "s\n" : "\n");
    if (waiting != 0)
        text += std::to_string(waiting) + (waiting == 1 ? " row waits" : " rows wait") + ": " +
                wait + "\n";
    return text;
}

}  // namespace isthmus::bench
