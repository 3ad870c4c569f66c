// Programs of the machine (ELF): taken, or refused by a std::runtime_error. An input whose first
// byte is odd changes bytes of a small whole program, three bytes a change: where (2), and what.
#include <elf.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "sim/hart/elf.hpp"

using namespace isthmus::sim;

namespace {

// Header, one segment, and sections for symbols, their names and .xbgas.
template <class Header, class ProgramHeader, class SectionHeader, class Symbol>
std::string whole_program(unsigned char elf_class) {
    struct {
        Header header;
        ProgramHeader part;
        SectionHeader sections[4];
        Symbol symbols[3];
        char names[32];
        char profile[16];
    } file;
    std::memset(&file, 0, sizeof file);
    const auto offset = [&](const void* field) {
        return static_cast<unsigned>(static_cast<const char*>(field) -
                                     reinterpret_cast<const char*>(&file));
    };
    std::memcpy(file.header.e_ident, ELFMAG, SELFMAG);
    file.header.e_ident[EI_CLASS] = elf_class;
    file.header.e_ident[EI_DATA] = ELFDATA2LSB;
    file.header.e_type = ET_EXEC;
    file.header.e_machine = EM_RISCV;
    file.header.e_entry = 0x10000;
    file.header.e_phoff = offset(&file.part);
    file.header.e_phentsize = sizeof file.part;
    file.header.e_phnum = 1;
    file.header.e_shoff = offset(file.sections);
    file.header.e_shentsize = sizeof(SectionHeader);
    file.header.e_shnum = 4;
    file.header.e_shstrndx = 2;
    file.part.p_type = PT_LOAD;
    file.part.p_vaddr = 0x10000;
    file.part.p_filesz = sizeof file;
    file.part.p_memsz = sizeof file + 64;
    file.part.p_flags = PF_R | PF_X;
    constexpr char kNames[] = "\0main\0_Z4loopi\0.xbgas";
    std::memcpy(file.names, kNames, sizeof kNames);
    std::memcpy(file.profile, "profile b", 10);
    file.sections[1].sh_type = SHT_SYMTAB;
    file.sections[1].sh_link = 2;
    file.sections[1].sh_offset = offset(file.symbols);
    file.sections[1].sh_size = sizeof file.symbols;
    file.sections[2].sh_type = SHT_STRTAB;
    file.sections[2].sh_offset = offset(file.names);
    file.sections[2].sh_size = sizeof file.names;
    file.sections[3].sh_type = SHT_PROGBITS;
    file.sections[3].sh_name = 15;
    file.sections[3].sh_offset = offset(file.profile);
    file.sections[3].sh_size = sizeof file.profile;
    for (int i = 1; i < 3; ++i) {
        file.symbols[i].st_name = i == 1 ? 1 : 6;
        file.symbols[i].st_info = STT_FUNC;
        file.symbols[i].st_shndx = 1;
        file.symbols[i].st_value = 0x10000 + 8u * static_cast<unsigned>(i);
        file.symbols[i].st_size = 8;
    }
    return {reinterpret_cast<const char*>(&file), sizeof file};
}

std::string changed_program(const std::uint8_t* changes, std::size_t size, bool narrow) {
    std::string bytes =
        narrow ? whole_program<Elf32_Ehdr, Elf32_Phdr, Elf32_Shdr, Elf32_Sym>(ELFCLASS32)
               : whole_program<Elf64_Ehdr, Elf64_Phdr, Elf64_Shdr, Elf64_Sym>(ELFCLASS64);
    for (std::size_t i = 0; i + 3 <= size; i += 3)
        bytes[(changes[i] | changes[i + 1] << 8) % bytes.size()] =
            static_cast<char>(changes[i + 2]);
    return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const bool changes = size > 0 && (data[0] & 1) != 0;
    // The untouched program must be taken: otherwise the changes change nothing that is read.
    if (size == 1 && changes) {
        const Program program = Program::parse(changed_program(nullptr, 0, data[0] & 2), "whole");
        if (!program.symbol("main") || !program.for_profile_b) __builtin_trap();
    }
    const std::string bytes = changes ? changed_program(data + 1, size - 1, data[0] & 2)
                                      : std::string(reinterpret_cast<const char*>(data), size);
    try {
        Program program = Program::parse(bytes, "fuzz");
        program.describe(program.entry);
        for (const auto& [address, symbol] : program.symbols())
            program.describe(address + symbol.size);
        program.move(0x1000);
        program.profile("auto");
    } catch (const std::runtime_error&) {
        // What is wrong has been said.
    }
    return 0;
}
