// A claim and what was measured of it: one row of the report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace isthmus::bench {

// What a value must be: at most, at least or exactly a bound; or nothing, if the bound is the peer
// and there is none: the row then only reports.
struct Must {
    enum class Sense : unsigned char { none, at_most, at_least, equal };
    Sense sense = Sense::none;
    double bound = 0;

    bool met_by(double value) const {
        switch (sense) {
            case Sense::none: break;
            case Sense::at_most: return value <= bound;
            case Sense::at_least: return value >= bound;
            case Sense::equal: return value == bound;
        }
        return true;
    }
    std::string text() const;
};
inline Must at_most(double bound) {
    return {Must::Sense::at_most, bound};
}
inline Must at_least(double bound) {
    return {Must::Sense::at_least, bound};
}
inline Must equal_to(double bound) {
    return {Must::Sense::equal, bound};
}

// A row that lacks its bound does not hold: what was not compared has not been shown.
//
// `ours` is empty if it could not be measured; the row then does not hold and `reason` says why.
// `peer_value` is empty if there was no peer to measure.
struct Row {
    std::string claim;
    std::optional<double> ours;
    std::string unit;
    Must must;
    std::string peer;
    std::optional<double> peer_value;
    std::optional<double> goal;
    std::string spread;  // how far the batches lie apart, in words
    std::string method;
    std::string reason;
    // What the bound was to come from and is not there.
    std::string lacks;
    // What the row needs that this machine is not: it is then not measured, and does not fail.
    std::string waits;
    // Place in a figure to be drawn; no figure: none.
    std::string figure;
    std::string series;
    double x = 0;
    std::string category;  // instead of x, where the figure has bars

    bool only_reports() const { return ours && must.sense == Must::Sense::none && lacks.empty(); }
    bool holds() const { return ours ? lacks.empty() && must.met_by(*ours) : !waits.empty(); }
};

nlohmann::ordered_json to_json(const Row& row);

// Aligned columns; the rows that do not hold are marked and repeated below with their reason.
std::string table(const std::vector<Row>& rows);

// Three significant digits, without an exponent.
std::string number_text(double value);

}  // namespace isthmus::bench
