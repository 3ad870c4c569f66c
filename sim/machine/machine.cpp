#include "sim/machine/machine.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "src/base/edit_distance.hpp"

namespace isthmus::sim {

namespace {

using Json = nlohmann::ordered_json;

std::string at(std::string_view origin, std::size_t line) {
    return std::string(origin) + ":" + std::to_string(line) + ": ";
}

const Parameter* find_parameter(std::string_view path) {
    for (const Parameter& p : parameters()) {
        if (p.path == path) return &p;
    }
    return nullptr;
}

bool known_section(std::string_view name) {
    return std::ranges::any_of(parameters(), [&](const Parameter& p) {
        return p.path.substr(0, p.path.find('.')) == name;
    });
}

/// What may have been meant by a key that there is not: a name that is near, or what there is.
std::string unknown_key(std::string_view path) {
    const auto dot = path.find('.');
    const std::string_view section = path.substr(0, dot);
    const bool in_section = known_section(section);
    std::string_view best = "name";
    std::set<std::string_view> names{best};
    std::string listed;
    for (const Parameter& p : parameters()) {
        const std::string_view owner = p.path.substr(0, p.path.find('.'));
        const bool fresh = names.insert(owner).second;
        names.insert(p.path);
        // A section's key was meant, not the section.
        if (in_section ? owner == section : fresh)
            listed += (listed.empty() ? "" : ", ") +
                      std::string(in_section ? p.path.substr(owner.size() + 1) : owner);
    }
    names.erase(path);
    for (const std::string_view name : names) {
        if (edit_distance(path, name) < edit_distance(path, best)) best = name;
    }
    const std::string text = "unknown key \"" + std::string(path) + "\"; ";
    if (3 * edit_distance(path, best) <= path.size())
        return text + "the nearest known key is \"" + std::string(best) + "\"";
    return text + (in_section ? "the keys of " + std::string(section) : "the sections") + " are " +
           listed;
}

std::string legal(const Parameter& p) {
    if (!p.choices.empty()) {
        std::string out;
        for (std::string_view choice : p.choices)
            out += (out.empty() ? "\"" : ", \"") + std::string(choice) + "\"";
        return "one of " + out;
    }
    return (p.power_of_two ? "a power of two in " : "a whole number in ") +
           std::to_string(p.minimum) + ".." + std::to_string(p.maximum) +
           (p.unit.empty() ? "" : " " + std::string(p.unit));
}

/// Checks one value against its row; `text` is the value as the user wrote it.
void store_number(MachineDescription& machine, const Parameter& p, std::uint64_t value,
                  const std::string& where) {
    if (!p.choices.empty() || value < p.minimum || value > p.maximum ||
        (p.power_of_two && !std::has_single_bit(value))) {
        throw MachineError(where + std::string(p.path) + " = " + std::to_string(value) +
                           " must be " + legal(p));
    }
    p.member(machine) = value;
}

void store_word(MachineDescription& machine, const Parameter& p, std::string_view word,
                const std::string& where) {
    const auto found = std::ranges::find(p.choices, word);
    if (found == p.choices.end()) {
        throw MachineError(where + std::string(p.path) + " = \"" + std::string(word) +
                           "\" must be " + legal(p));
    }
    p.member(machine) = static_cast<std::uint64_t>(found - p.choices.begin());
}

/// Hands the characters to the parser and counts the lines it has taken: the only way to learn
/// where a key stands.
class LineCounter {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    LineCounter(const char* position, std::size_t* line) : position_(position), line_(line) {}
    reference operator*() const { return *position_; }
    LineCounter& operator++() {
        if (*position_ == '\n') ++*line_;
        ++position_;
        return *this;
    }
    LineCounter operator++(int) {
        LineCounter before = *this;
        ++*this;
        return before;
    }
    bool operator==(const LineCounter& other) const { return position_ == other.position_; }

  private:
    const char* position_;
    std::size_t* line_;
};

/// Receives the parser's events and fills the description.
class Reader : public nlohmann::json_sax<Json> {
  public:
    Reader(std::string_view origin, const std::size_t* line) : origin_(origin), line_(line) {}

    MachineDescription machine;

    bool start_object(std::size_t) override {
        if (depth_ == 1 && !known_section(section_))
            fail("\"" + key_path() + "\" is not a section");
        if (depth_ == 2) fail(key_path() + " must be " + legal_here() + ", not an object");
        ++depth_;
        return true;
    }
    bool end_object() override {
        --depth_;
        key_.clear();
        return true;
    }
    bool start_array(std::size_t) override { return wrong("an array"); }
    bool end_array() override { return true; }
    bool null() override { return wrong("null"); }
    bool boolean(bool) override { return wrong("true or false"); }
    bool number_float(double, const std::string& text) override { return wrong(text.c_str()); }
    bool number_integer(std::int64_t value) override {
        return wrong(std::to_string(value).c_str());
    }
    bool binary(Json::binary_t&) override { return wrong("binary"); }
    bool number_unsigned(std::uint64_t value) override {
        const Parameter& p = parameter_here(std::to_string(value));
        store_number(machine, p, value, at(origin_, key_line_));
        return true;
    }
    bool string(std::string& value) override {
        if (depth_ == 1 && section_ == "name") {
            machine.name = value;
            return true;
        }
        const Parameter& p = parameter_here("\"" + value + "\"");
        if (p.choices.empty()) fail(key_path() + " = \"" + value + "\" must be " + legal(p));
        store_word(machine, p, value, at(origin_, key_line_));
        return true;
    }
    bool key(std::string& value) override {
        key_line_ = *line_;
        (depth_ == 1 ? section_ : key_) = value;
        if (depth_ == 1) key_.clear();
        const std::string path = key_path();
        const bool known = depth_ == 1 ? (value == "name" || known_section(value))
                                       : find_parameter(path) != nullptr;
        if (!known) fail(unknown_key(path));
        const auto [first, fresh] = seen_.emplace(path, key_line_);
        if (!fresh)
            fail("key \"" + path + "\" stands twice, first in line " +
                 std::to_string(first->second));
        return true;
    }
    bool parse_error(std::size_t, const std::string&,
                     const nlohmann::detail::exception& error) override {
        throw MachineError(at(origin_, *line_) + "not JSON: " + error.what());
    }

    void require_all() const {
        std::string missing;
        if (!seen_.contains("name")) missing = "name";
        for (const Parameter& p : parameters()) {
            if (!seen_.contains(std::string(p.path)))
                missing += (missing.empty() ? "" : ", ") + std::string(p.path);
        }
        if (!missing.empty()) {
            throw MachineError(
                std::string(origin_) + ": missing: " + missing +
                "; a description names every parameter (start from sim/machine/table3.json)");
        }
    }

  private:
    std::string key_path() const { return key_.empty() ? section_ : section_ + "." + key_; }
    [[noreturn]] void fail(const std::string& text) const {
        throw MachineError(at(origin_, key_line_) + text);
    }
    std::string legal_here() const {
        const Parameter* p = find_parameter(key_path());
        if (p != nullptr) return legal(*p);
        return section_ == "name" && depth_ == 1 ? "a string" : "an object";
    }
    bool wrong(const char* what) const {
        if (depth_ == 0) throw MachineError(at(origin_, 1) + "a machine description is one object");
        fail(key_path() + " = " + what + " must be " + legal_here());
    }
    const Parameter& parameter_here(const std::string& value) const {
        if (depth_ != 2) wrong(value.c_str());
        return *find_parameter(key_path());
    }

    std::string_view origin_;
    const std::size_t* line_;
    std::size_t key_line_ = 1;
    int depth_ = 0;
    std::string section_, key_;
    std::map<std::string, std::size_t> seen_;
};

void check_cache(const MachineDescription& m, const char* name,
                 const MachineDescription::Cache& cache, std::string_view origin) {
    const std::uint64_t per_way = m.directory.line_bytes * cache.ways;
    if (cache.bytes % per_way != 0 || !std::has_single_bit(cache.bytes / per_way)) {
        throw MachineError(std::string(origin) + ": " + name + ": " + std::to_string(cache.bytes) +
                           " bytes in " + std::to_string(cache.ways) + " ways of " +
                           std::to_string(m.directory.line_bytes) +
                           "-byte lines do not make a power-of-two number of sets; change " + name +
                           ".bytes or " + name + ".ways");
    }
}

}  // namespace

std::uint64_t MachineDescription::namespace_table_base() const {
    return memory.base + memory_bytes() - nlb.table_entries * 32;
}

void check_machine(const MachineDescription& m, std::string_view file) {
    std::string origin(file);
    for (const std::string& setting : m.settings)
        origin += (origin.size() == file.size() ? " with --set " : " --set ") + setting;
    const auto require = [&](bool holds, const std::string& text) {
        if (!holds) throw MachineError(origin + ": " + text);
    };
    require(m.nodes() <= 1024, "mesh.width x mesh.height = " + std::to_string(m.nodes()) +
                                   " nodes; the limit is 1024");
    check_cache(m, "l1_instruction", m.l1_instruction, origin);
    check_cache(m, "l1_data", m.l1_data, origin);
    check_cache(m, "l2", m.l2, origin);
    const auto check_tlb = [&](const char* name, std::uint64_t entries, std::uint64_t ways) {
        require(
            ways <= entries && entries % ways == 0 && std::has_single_bit(entries / ways),
            std::string("mmu.") + name + "_entries / mmu." + name + "_ways must be a power of two");
    };
    check_tlb("l1_instruction", m.mmu.l1_instruction_entries, m.mmu.l1_instruction_ways);
    check_tlb("l1_data", m.mmu.l1_data_entries, m.mmu.l1_data_ways);
    check_tlb("l2", m.mmu.l2_entries, m.mmu.l2_ways);
    check_tlb("target", m.mmu.target_entries, m.mmu.target_ways);
    require(m.l2.bytes >= m.l1_instruction.bytes + m.l1_data.bytes,
            "l2.bytes must hold both first-level caches: the second level is inclusive");
    require(
        m.memory.write_low < m.memory.write_high && m.memory.write_high <= m.memory.queue_entries,
        "memory.write_low < memory.write_high <= memory.queue_entries must hold");
    require(m.memory.row_bytes >= m.directory.line_bytes,
            "memory.row_bytes must hold a directory.line_bytes line");
    require(m.memory.t_rrd_l >= m.memory.t_rrd_s && m.memory.t_ccd_l >= m.memory.t_ccd_s &&
                m.memory.t_wtr_l >= m.memory.t_wtr_s,
            "memory: a same-group time (_l) must not be below the other-group time (_s)");
    require(m.memory.t_ccd_s >= m.memory.burst, "memory.t_ccd_s must not be below memory.burst");
    require(m.memory.t_refi >
                m.memory.t_rfc + m.memory.t_rp + m.memory.t_ras + m.memory.cwl + m.memory.t_wr,
            "memory.t_refi must leave time between refreshes");
    require(m.memory.base % (m.memory_bytes()) == 0,
            "memory.base must be a multiple of the memory's size");
    require(
        m.memory_bytes() >= m.memory.bank_groups * m.memory.banks_per_group * m.memory.row_bytes,
        "memory.mebibytes must hold one row of every bank");
    require(m.nlb.table_entries >= 2 * m.nodes(),
            "nlb.table_entries must be at least twice the number of nodes (" +
                std::to_string(2 * m.nodes()) + ")");
    require(m.nlb.table_entries * 32 <= m.memory_bytes() / 2,
            "nlb.table_entries * 32 must fit in half the memory");
    require(m.network.virtual_channels % m.network.message_classes == 0,
            "network.virtual_channels must be a multiple of network.message_classes");
    const auto flits = [&](std::uint64_t bits) {
        return std::to_string((bits + m.network.flit_bits - 1) / m.network.flit_bits) +
               " flits of network.flit_bits = " + std::to_string(m.network.flit_bits);
    };
    require(m.network.header_flits * m.network.flit_bits >= 32,
            "network.header_flits must hold type and length, 32 bits: " + flits(32));
    require(m.network.address_flits == 0 || m.network.address_flits * m.network.flit_bits >= 64,
            "network.address_flits must be 0 or hold an address of 64 bits: " + flits(64));
}

MachineDescription parse_machine(std::string_view text, std::string_view origin) {
    std::size_t line = 1;
    Reader reader(origin, &line);
    const LineCounter first(text.data(), &line), last(text.data() + text.size(), &line);
    Json::sax_parse(first, last, &reader);
    reader.require_all();
    return std::move(reader.machine);
}

MachineDescription load_machine(const std::string& file) {
    std::ifstream in(file);
    if (!in && file == kTable3Name) return table3();
    if (!in)
        throw MachineError(
            "machine description \"" + file +
            "\" cannot be read; \"table3.json\" alone, where there is no such file, is "
            "the machine of Table III");
    std::ostringstream text;
    text << in.rdbuf();
    return parse_machine(text.str(), file);
}

MachineDescription table3() {
    return parse_machine(table3_text(), "sim/machine/table3.json");
}

void set_parameter(MachineDescription& machine, std::string_view assignment) {
    const auto equals = assignment.find('=');
    if (equals == std::string_view::npos) {
        throw MachineError("setting \"" + std::string(assignment) + "\": write section.key=value");
    }
    const std::string_view path = assignment.substr(0, equals),
                           value = assignment.substr(equals + 1);
    const std::string where = "setting \"" + std::string(assignment) + "\": ";
    const Parameter* p = find_parameter(path);
    if (p == nullptr) {
        throw MachineError(where + unknown_key(path));
    }
    if (p->choices.empty()) {
        std::uint64_t number = 0;
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), number);
        if (error != std::errc{} || end != value.data() + value.size()) {
            throw MachineError(where + std::string(path) + " must be " + legal(*p));
        }
        store_number(machine, *p, number, where);
    } else {
        store_word(machine, *p, value, where);
    }
    machine.settings.emplace_back(assignment);
}

Json machine_to_json(const MachineDescription& machine) {
    MachineDescription copy = machine;
    Json out;
    out["name"] = machine.name;
    for (const Parameter& p : parameters()) {
        const auto dot = p.path.find('.');
        Json& entry = out[std::string(p.path.substr(0, dot))][std::string(p.path.substr(dot + 1))];
        const std::uint64_t value = p.member(copy);
        if (p.choices.empty()) {
            entry = value;
        } else {
            entry = p.choices[value];
        }
    }
    return out;
}

}  // namespace isthmus::sim
