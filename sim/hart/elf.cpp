#include "sim/hart/elf.hpp"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

namespace isthmus::sim {
namespace {

struct Elf32 {
    using Header = Elf32_Ehdr;
    using ProgramHeader = Elf32_Phdr;
    using SectionHeader = Elf32_Shdr;
    using Symbol = Elf32_Sym;
};
struct Elf64 {
    using Header = Elf64_Ehdr;
    using ProgramHeader = Elf64_Phdr;
    using SectionHeader = Elf64_Shdr;
    using Symbol = Elf64_Sym;
};

/// Reads structures out of bytes that nobody has checked.
class Reader {
  public:
    Reader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

    [[noreturn]] void fail(const std::string& what) const {
        throw std::runtime_error(name_ + ": " + what);
    }

    bool has(std::uint64_t offset, std::uint64_t size) const {
        return offset <= bytes_.size() && size <= bytes_.size() - offset;
    }
    std::string_view slice(std::uint64_t offset, std::uint64_t size, const char* what) const {
        if (!has(offset, size))
            fail(std::string(what) + " lies outside the file of " + std::to_string(bytes_.size()) +
                 " bytes");
        return bytes_.substr(offset, size);
    }
    template <class T>
    T get(std::uint64_t offset, const char* what) const {
        T value;
        std::memcpy(&value, slice(offset, sizeof(T), what).data(), sizeof(T));
        return value;
    }

  private:
    std::string_view bytes_;
    const std::string& name_;
};

template <class E>
void read_symbols(const Reader& reader, const typename E::Header& header,
                  std::multimap<std::uint64_t, Program::Symbol>& symbols) {
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const auto section = reader.get<typename E::SectionHeader>(
            header.e_shoff + std::uint64_t{i} * sizeof(typename E::SectionHeader),
            "a section header");
        if (section.sh_type != SHT_SYMTAB || section.sh_link >= header.e_shnum) continue;
        const auto strings = reader.get<typename E::SectionHeader>(
            header.e_shoff + std::uint64_t{section.sh_link} * sizeof(typename E::SectionHeader),
            "a section header");
        const std::string_view names =
            reader.slice(strings.sh_offset, strings.sh_size, "the string table");
        const std::string_view table =
            reader.slice(section.sh_offset, section.sh_size, "the symbol table");
        for (std::size_t at = 0; at + sizeof(typename E::Symbol) <= table.size();
             at += sizeof(typename E::Symbol)) {
            typename E::Symbol symbol;
            std::memcpy(&symbol, table.data() + at, sizeof symbol);
            const unsigned type = symbol.st_info & 15;
            if (symbol.st_name == 0 || symbol.st_name >= names.size() ||
                symbol.st_shndx == SHN_UNDEF)
                continue;
            if (type != STT_NOTYPE && type != STT_OBJECT && type != STT_FUNC) continue;
            std::string_view name = names.substr(symbol.st_name);
            name = name.substr(0, name.find('\0'));
            if (name.empty() || name.front() == '$' || name.starts_with(".L")) continue;
            symbols.emplace(symbol.st_value,
                            Program::Symbol{std::string(name), symbol.st_size, type == STT_FUNC,
                                            symbol.st_shndx != SHN_ABS});
        }
    }
}

/// Section .xbgas: strings that xbgas.h and xbgas.inc leave there.
template <class E>
void read_profiles(const Reader& reader, const typename E::Header& header, Program& program) {
    using Section = typename E::SectionHeader;
    const auto section = [&](unsigned index) {
        return reader.get<Section>(header.e_shoff + std::uint64_t{index} * sizeof(Section),
                                   "a section header");
    };
    if (header.e_shstrndx >= header.e_shnum) return;
    const Section strings = section(header.e_shstrndx);
    // A program runs without the names of its sections.
    if (!reader.has(strings.sh_offset, strings.sh_size)) return;
    const std::string_view names =
        reader.slice(strings.sh_offset, strings.sh_size, "the string table");
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const Section one = section(i);
        if (one.sh_name >= names.size() || one.sh_type != SHT_PROGBITS) continue;
        const std::string_view name = names.substr(one.sh_name);
        if (name.substr(0, name.find('\0')) != ".xbgas") continue;
        const std::string_view text = reader.slice(one.sh_offset, one.sh_size, "section .xbgas");
        program.for_profile_a |= text.find("profile a") != std::string_view::npos;
        program.for_profile_b |= text.find("profile b") != std::string_view::npos;
    }
}

template <class E>
void read_program(const Reader& reader, Program& program,
                  std::multimap<std::uint64_t, Program::Symbol>& symbols) {
    const auto header = reader.get<typename E::Header>(0, "the header");
    if (header.e_machine != EM_RISCV)
        reader.fail("is for machine " + std::to_string(header.e_machine) + ", not RISC-V (243)");
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
        reader.fail("is no executable; link it first");
    if (header.e_phentsize != sizeof(typename E::ProgramHeader))
        reader.fail("has program headers of a wrong size");
    if (header.e_type == ET_DYN && header.e_entry == 0)
        reader.fail("is a shared library, not a program");
    program.entry = header.e_entry;
    program.position_independent = header.e_type == ET_DYN;
    program.header_count = header.e_phnum;
    program.header_size = header.e_phentsize;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        const auto part = reader.get<typename E::ProgramHeader>(
            header.e_phoff + std::uint64_t{i} * sizeof(typename E::ProgramHeader),
            "a program header");
        if (part.p_type == PT_INTERP) reader.fail("is dynamically linked; link it with -static");
        if (part.p_type != PT_LOAD || part.p_memsz == 0) continue;
        if (part.p_filesz > part.p_memsz)
            reader.fail("has a segment larger in the file than in memory");
        const std::string_view bytes = reader.slice(part.p_offset, part.p_filesz, "a segment");
        // Physical addresses: where a bare-metal loader would put it. Static Linux programs have
        // both alike.
        Segment segment;
        segment.address = part.p_vaddr;
        segment.memory_size = part.p_memsz;
        segment.data.resize(bytes.size());
        // One of zeros only has no bytes, and no place to copy them to.
        std::ranges::transform(bytes, segment.data.begin(), [](char c) {
            return static_cast<decltype(segment.data)::value_type>(c);
        });
        segment.readable = part.p_flags & PF_R;
        segment.writable = part.p_flags & PF_W;
        segment.executable = part.p_flags & PF_X;
        if (header.e_phoff >= part.p_offset && header.e_phoff < part.p_offset + part.p_filesz)
            program.header_address = part.p_vaddr + (header.e_phoff - part.p_offset);
        program.segments.push_back(std::move(segment));
    }
    if (program.segments.empty()) reader.fail("has nothing to load");
    read_symbols<E>(reader, header, symbols);
    read_profiles<E>(reader, header, program);
}

}  // namespace

Program Program::load(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + ": cannot be opened");
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return parse(bytes, path);
}

Program Program::parse(std::string_view bytes, const std::string& name) {
    Program program;
    program.path = name;
    const Reader reader(bytes, program.path);
    const std::string_view ident =
        reader.slice(0, std::min<std::size_t>(bytes.size(), EI_NIDENT), "the header");
    if (ident.size() < EI_NIDENT || std::memcmp(ident.data(), ELFMAG, SELFMAG) != 0)
        reader.fail("is no ELF file");
    if (ident[EI_DATA] != ELFDATA2LSB) reader.fail("is not little-endian");
    if (ident[EI_CLASS] == ELFCLASS64) {
        read_program<Elf64>(reader, program, program.symbols_);
    } else if (ident[EI_CLASS] == ELFCLASS32) {
        program.xlen = Xlen::k32;
        read_program<Elf32>(reader, program, program.symbols_);
    } else {
        reader.fail("is neither 32-bit nor 64-bit ELF");
    }
    return program;
}

std::optional<std::uint64_t> Program::symbol(const std::string& name) const {
    for (const auto& [address, symbol] : symbols_) {
        if (symbol.name == name) return address;
    }
    return std::nullopt;
}

Profile Program::profile(std::string_view asked) const {
    if (for_profile_a && for_profile_b)
        throw std::runtime_error(path +
                                 ": has parts for both xBGAS encodings, profile a and profile b; "
                                 "build all of it for one");
    const bool says_other = asked == "a" ? for_profile_b : asked == "b" && for_profile_a;
    if (says_other)
        throw std::runtime_error(path + ": is built for xBGAS profile " +
                                 (for_profile_a ? "a" : "b") + ", not for --profile " +
                                 std::string(asked) + "; leave the option out");
    return asked == "a" || for_profile_a ? Profile::a : Profile::b;
}

std::string Program::describe(std::uint64_t address) const {
    auto at = symbols_.upper_bound(address);
    const Symbol* best = nullptr;
    std::uint64_t base = 0;
    // The nearest symbol at or below; a function wins over a plain label of the same place.
    while (at != symbols_.begin()) {
        --at;
        if (!at->second.is_place) continue;
        if (best && at->first != base) break;
        if (!best || (at->second.is_function && !best->is_function)) {
            best = &at->second;
            base = at->first;
        }
    }
    if (!best || (best->size != 0 && address - base >= best->size) || address - base > 0x100000)
        return "";
    std::string name = best->name;
    if (name.starts_with("_Z")) {
        int status = 0;
        const std::unique_ptr<char, decltype(&std::free)> plain(
            abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
        if (plain) name = plain.get();
    }
    if (address == base) return name;
    char text[32];
    std::snprintf(text, sizeof text, "+0x%lx", static_cast<unsigned long>(address - base));
    return name + text;
}

void Program::move(std::uint64_t bias) {
    entry += bias;
    if (header_address) header_address += bias;
    for (Segment& segment : segments)
        segment.address += bias;
    std::multimap<std::uint64_t, Symbol> moved;
    for (auto& [address, symbol] : symbols_)
        moved.emplace(address + bias, std::move(symbol));
    symbols_ = std::move(moved);
}

}  // namespace isthmus::sim
