#include "sim/step/parameters.hpp"

#include <charconv>
#include <set>
#include <stdexcept>
#include <string>

#include "sim/hart/address_space.hpp"

namespace isthmus::sim {
namespace {

struct Word {
    std::string_view name, value;

    [[noreturn]] void fail(const std::string& why) const {
        throw std::invalid_argument("parameter " + std::string(name) + "=" + std::string(value) +
                                    ": " + why);
    }
    static bool number(std::string_view text, std::uint64_t& out) {
        const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
        if (hexadecimal) text.remove_prefix(2);
        const auto [end, error] =
            std::from_chars(text.data(), text.data() + text.size(), out, hexadecimal ? 16 : 10);
        return error == std::errc() && end == text.data() + text.size();
    }
    std::uint64_t number() const {
        std::uint64_t out = 0;
        if (!number(value, out)) fail("not a number of 64 bits, decimal or 0x...");
        return out;
    }
    /// True for the first of two words.
    bool choice(std::string_view yes, std::string_view no) const {
        if (value != yes && value != no)
            fail("legal are " + std::string(yes) + " and " + std::string(no));
        return value == yes;
    }
    MemoryRange range() const {
        const auto colon = value.find(':');
        MemoryRange out;
        if (colon == std::string_view::npos || !number(value.substr(0, colon), out.start) ||
            !number(value.substr(colon + 1), out.size))
            fail("not start:size in bytes, decimal or 0x...");
        if (out.start % kPageSize != 0 || out.size % kPageSize != 0 || out.size == 0 ||
            out.size > std::uint64_t{1} << 46 || out.start + (out.size - 1) < out.start)
            fail("start and size are multiples of 4096, the size 4096..2^46, the end below 2^64");
        return out;
    }
};

void apply(const Word& word, StepParameters& to) {
    if (word.name == "isa") {
        try {
            to.isa = parse_isa(word.value);
        } catch (const std::invalid_argument& error) {
            word.fail(error.what());
        }
        to.hart.xlen = to.isa.xlen;
    } else if (word.name == "profile") {
        to.hart.profile = word.choice("a", "b") ? Profile::a : Profile::b;
    } else if (word.name == "strict_e") {
        to.hart.strict_e = word.choice("yes", "no");
    } else if (word.name == "misaligned") {
        to.hart.trap_misaligned = word.choice("trap", "done");
    } else if (word.name == "modes") {
        if (word.value != "m" && word.value != "mu" && word.value != "msu")
            word.fail("legal are m, mu and msu");
        to.hart.user_mode = word.value != "m";
        to.hart.supervisor_mode = word.value == "msu";
    } else if (word.name == "accessed") {
        using enum HartOptions::SetsAccessed;
        if (word.value != "svade" && word.value != "svadu" && word.value != "hardware")
            word.fail("legal are svade, svadu and hardware");
        to.hart.sets_accessed = word.value == "svade"   ? svade
                                : word.value == "svadu" ? svadu
                                                        : hardware;
    } else if (word.name == "interrupts") {
        to.takes_interrupts = word.choice("own", "told");
    } else if (word.name == "counters") {
        to.counters_of_core = word.choice("core", "own");
    } else if (word.name == "illegal_tval") {
        to.illegal_tval = word.choice("word", "zero");
    } else if (word.name == "breakpoint_tval") {
        to.breakpoint_tval = word.choice("pc", "zero");
    } else if (word.name == "misa") {
        to.hart.misa = word.number();
    } else if (word.name == "mvendorid") {
        to.hart.mvendorid = word.number();
    } else if (word.name == "marchid") {
        to.hart.marchid = word.number();
    } else if (word.name == "mimpid") {
        to.hart.mimpid = word.number();
    } else if (word.name == "mhartid") {
        to.hart_id = word.number();
    } else if (word.name == "reset_pc") {
        to.reset_pc = word.number();
    } else if (word.name == "mtvec") {
        to.mtvec = word.number();
    } else if (word.name == "mtvec_mask") {
        to.hart.mtvec_mask = word.number();
        if ((to.hart.mtvec_mask & 2) != 0) word.fail("bit 1 is reserved and stays 0");
    } else if (word.name == "interrupt_bits") {
        to.hart.interrupt_bits = word.number();
        if ((to.hart.interrupt_bits & 0xf555) != 0)
            word.fail("bits 3, 7, 11 and from 16 on can be there, with modes=msu 1, 5 and 9, too");
    } else if (word.name == "nmi_vector") {
        to.nmi_vector = word.number();
    } else if (word.name == "memory") {
        const MemoryRange range = word.range();
        for (const MemoryRange& other : to.memory) {
            if (range.start <= other.start + (other.size - 1) &&
                other.start <= range.start + (range.size - 1))
                word.fail("it overlaps another range of memory");
        }
        to.memory.push_back(range);
    } else {
        word.fail(
            "unknown; known are isa profile strict_e misaligned modes accessed interrupts counters "
            "illegal_tval breakpoint_tval misa mvendorid marchid mimpid mhartid reset_pc mtvec "
            "mtvec_mask "
            "interrupt_bits nmi_vector memory");
    }
}

}  // namespace

StepParameters StepParameters::parse(std::string_view words) {
    constexpr std::string_view kBlanks = " \t\r\n";
    StepParameters parameters;
    std::set<std::string_view> seen;
    for (;;) {
        words.remove_prefix(std::min(words.find_first_not_of(kBlanks), words.size()));
        if (words.empty()) break;
        const std::string_view text = words.substr(0, words.find_first_of(kBlanks));
        words.remove_prefix(text.size());
        const auto equals = text.find('=');
        if (equals == std::string_view::npos)
            throw std::invalid_argument("parameter '" + std::string(text) + "': not name=value");
        const Word word{text.substr(0, equals), text.substr(equals + 1)};
        if (word.name != "memory" && !seen.insert(word.name).second)
            word.fail("it stands there twice");
        apply(word, parameters);
    }
    if (parameters.memory.empty())
        parameters.memory.push_back({0x80000000, std::uint64_t{256} << 20});
    // What supervisor mode has beside its registers comes and goes with it.
    parameters.isa.extensions.set(Extension::Supervisor, parameters.hart.supervisor_mode);
    if (parameters.hart.supervisor_mode && !parameters.isa.extensions.has(Extension::Zicsr))
        throw std::invalid_argument("parameter modes=msu: supervisor mode needs zicsr");
    if (parameters.hart.supervisor_mode && !seen.contains("interrupt_bits"))
        parameters.hart.interrupt_bits = 0xaaa;
    if (!parameters.hart.supervisor_mode && (parameters.hart.interrupt_bits & 0x222) != 0)
        throw std::invalid_argument(
            "parameter interrupt_bits: bits 1, 5 and 9 are supervisor mode's (modes=msu)");
    // An instruction's address has to be one that the hart can have.
    const std::uint64_t low = parameters.isa.extensions.has(Extension::C) ? 1 : 3;
    const std::uint64_t top = parameters.isa.xlen == Xlen::k32 ? 0xffffffff : ~std::uint64_t{0};
    const auto check = [&](std::string_view name, std::uint64_t value, std::uint64_t zero) {
        if ((value & zero) != 0 || value > top)
            throw std::invalid_argument("parameter " + std::string(name) + "=" +
                                        std::to_string(value) +
                                        ": no address of an instruction on this hart");
    };
    check("reset_pc", parameters.reset_pc, low);
    check("nmi_vector", parameters.nmi_vector, low);
    check("mtvec", parameters.mtvec, 2);
    for (const MemoryRange& range : parameters.memory) {
        if (range.start + (range.size - 1) > top)
            throw std::invalid_argument(
                "parameter memory: a range ends above the addresses of rv32");
    }
    parameters.hart.translate = false;
    return parameters;
}

}  // namespace isthmus::sim
