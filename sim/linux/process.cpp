// How a process begins and how it ends.
#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {
namespace {

std::uint64_t host_nanoseconds() {
    return static_cast<std::uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

}  // namespace

Process::Process(Machine& machine, Node& node)
    : machine_(machine), node_(node), trace_(std::getenv("ISTHMUS_SIM_STRACE") != nullptr) {
    for (int fd = 0; fd < 3; ++fd)
        files_[fd] = {fd, std::make_shared<OpenFile>()};
    limits_[kLimitOfStack].now = kStackSize;
    if (machine.options().host_clock) node.clock = host_nanoseconds;
}

Process::~Process() {
    for (const auto& [guest, file] : files_) {
        if (file.host > 2) close(file.host);
    }
    for (const auto& [id, opening] : openings_) {
        if (opening.host >= 0) close(opening.host);
    }
    if (working_directory_ != AT_FDCWD) close(working_directory_);
    for (const FileMap& map : file_maps_)
        close(map.file);
}

void Process::boot() {
    Program program = machine_.program();
    if (program.xlen != Xlen::k64)
        throw std::runtime_error(
            program.path + ": is a 32-bit Linux program; only bare-metal programs may be RV32");
    AddressSpace& memory = node_.memory;
    std::uint64_t end = 0;
    for (const Segment& segment : program.segments) {
        const std::uint64_t start = segment.address & kPageMask;
        const std::uint64_t stop = up(segment.address + segment.memory_size);
        if (stop > kLinuxSharedBase || stop <= start)
            throw std::runtime_error(program.path + ": has a segment outside the lower 64 GiB");
        if (memory.is_free(start, stop - start)) {
            memory.map(start, stop - start, kRead | kWrite, program.path);
        } else {
            // Two segments may share a page.
            for (std::uint64_t page = start; page < stop; page += kPageSize) {
                if (memory.is_free(page, kPageSize))
                    memory.map(page, kPageSize, kRead | kWrite, program.path);
            }
        }
        memory.write(segment.address, segment.data.data(), segment.data.size(), 0);
        end = std::max(end, stop);
    }
    for (const Segment& segment : program.segments) {
        const std::uint64_t start = segment.address & kPageMask;
        std::uint8_t rights = (segment.readable ? kRead : 0) | (segment.writable ? kWrite : 0) |
                              (segment.executable ? kExecute : 0);
        memory.protect(start, up(segment.address + segment.memory_size) - start, rights);
    }
    break_start_ = break_ = end + kPageSize;
    const std::uint64_t shared = std::max(up(machine_.options().shared_bytes), kPageSize);
    memory.map(kLinuxSharedBase, shared + kPageSize, kRead | kWrite, "shared");
    machine_.set_shared_region(kLinuxSharedBase, shared);
    memory.map(kLinuxStackTop - kStackSize, kStackSize, kRead | kWrite, "stack");

    const std::uint32_t return_code[2] = {0x08b00893, 0x00000073};  // li a7, 139; ecall
    memory.map(kSignalReturn, kPageSize, kRead | kWrite, "return from handlers");
    memory.write(kSignalReturn, return_code, sizeof return_code);
    memory.protect(kSignalReturn, kPageSize, kRead | kExecute);

    // Strings from the top, then the vectors below, 16-byte aligned, as the ABI wants them at
    // entry.
    std::uint64_t top = kLinuxStackTop;
    const auto push_string = [&](const std::string& text) {
        top -= text.size() + 1;
        memory.write(top, text.c_str(), text.size() + 1);
        return top;
    };
    std::vector<std::uint64_t> words;
    const auto& arguments = machine_.options().arguments;
    words.push_back(arguments.size());
    for (const std::string& argument : arguments)
        words.push_back(push_string(argument));
    words.push_back(0);
    for (const std::string& variable : machine_.options().environment)
        words.push_back(push_string(variable));
    words.push_back(0);
    const std::uint64_t name = push_string(program.path);
    top = (top - 16) & ~std::uint64_t{15};
    const std::uint64_t random[2] = {0x9e3779b97f4a7c15ull ^ machine_.options().seed,
                                     0xbf58476d1ce4e5b9ull};
    memory.write(top, random, sizeof random);
    const std::pair<std::uint64_t, std::uint64_t> auxiliary[] = {
        {AT_PHDR, program.header_address},
        {AT_PHENT, program.header_size},
        {AT_PHNUM, program.header_count},
        {AT_PAGESZ, kPageSize},
        {AT_ENTRY, program.entry},
        {AT_UID, 1000},
        {AT_EUID, 1000},
        {AT_GID, 1000},
        {AT_EGID, 1000},
        {AT_HWCAP, 0x112d},  // the letters I M A F D C
        {AT_CLKTCK, 100},
        {AT_SECURE, 0},
        {AT_RANDOM, top},
        {AT_EXECFN, name},
        {AT_NULL, 0}};
    for (const auto& [key, value] : auxiliary) {
        words.push_back(key);
        words.push_back(value);
    }
    top = (top - 8 * words.size()) & ~std::uint64_t{15};
    memory.write(top, words.data(), 8 * words.size());

    RdmaNic::map(node_, machine_.options().nodes, kLinuxSharedBase, shared);

    Hart& hart = machine_.add_hart(node_, true);
    RdmaNic::watch(hart);
    resume(hart.id);
    hart.pc = program.entry;
    hart.x[2] = top;
    hart.clock = [this] { return now(false); };
}

void Process::serve(Node& node, Hart& hart) {
    if (hart.stop == Stop::system_call) {
        const std::uint64_t number = hart.x[17];
        const std::uint64_t before[6] = {hart.x[10], hart.x[11], hart.x[12],
                                         hart.x[13], hart.x[14], hart.x[15]};
        blocked_ = false;
        ring_timers();
        const std::int64_t result = call(hart, number, before);
        if (!blocked_) hart.x[10] = static_cast<std::uint64_t>(result);
        if (trace_) {
            char line[200];
            std::snprintf(
                line, sizeof line,
                "[node %u hart %u] call %lu (0x%lx, 0x%lx, 0x%lx, 0x%lx) = %ld%s\n", node.id,
                hart.id, static_cast<unsigned long>(number), static_cast<unsigned long>(before[0]),
                static_cast<unsigned long>(before[1]), static_cast<unsigned long>(before[2]),
                static_cast<unsigned long>(before[3]), static_cast<long>(result),
                blocked_ ? " (waits)" : "");
            machine_.complain(line);
        }
        if (!node_.exited) deliver();
        return;
    }
    if (hart.stop == Stop::host_call) return nic_.ring(machine_, node_, hart);
    FileMap* const map = hart.trap.name_space == 0 ? file_map(hart.trap.value) : nullptr;
    if (signal_of(hart.trap.cause) == kSigSegv && map != nullptr &&
        !is_there(*map, hart.trap.value) && follow_file(*map) && is_there(*map, hart.trap.value))
        return;  // others have made the file longer: the access is made again
    if (!handle_fault(hart)) crash(hart);
}

void Process::crash(Hart& hart) {
    machine_.complain("isthmus-sim: node " + std::to_string(node_.id) + ": " +
                      Machine::describe_trap(node_, hart.trap) + "\n" +
                      machine_.report(node_, hart));
    end(128 + signal_of_fault(hart));
}

// What the program held open is nobody's then; other nodes may wait for it.
void Process::end(int code) {
    close_files(0, ~std::uint32_t{0}, 0);
    machine_.exit_node(node_, code);
}

}  // namespace isthmus::sim::linux_abi

namespace isthmus::sim {

void boot_linux(Machine& machine, Node& node) {
    // A broken pipe is the program's affair: it gets the error and a signal of its own.
    std::signal(SIGPIPE, SIG_IGN);
    auto process = std::make_unique<linux_abi::Process>(machine, node);
    process->boot();
    node.environment = std::move(process);
}

}  // namespace isthmus::sim
