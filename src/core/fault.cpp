#include "core/fault.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <bit>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "core/heap.hpp"
#include "core/job.hpp"
#include "core/program_data.hpp"
#include "core/window.hpp"

namespace isthmus {
namespace {

struct sigaction previous_segv;
struct sigaction previous_bus;

std::string hexadecimal(std::uintptr_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "%#zx", static_cast<std::size_t>(value));
    return text;
}

enum class Access { unknown, load, store };

struct Fault {
    std::uintptr_t address;
    const void* instruction;
    Access access;
};

Fault read_fault(const siginfo_t* info, const void* context) {
    const auto* machine = &static_cast<const ucontext_t*>(context)->uc_mcontext;
    Fault fault{reinterpret_cast<std::uintptr_t>(info->si_addr), nullptr, Access::unknown};
#if defined(__x86_64__)
    fault.instruction = reinterpret_cast<const void*>(machine->gregs[REG_RIP]);
    // Bit 1 of the page fault's error code: it was a write. Not given for addresses outside the
    // 47 bits, which raise another exception.
    if (info->si_code != SI_KERNEL)
        fault.access = (machine->gregs[REG_ERR] & 2) ? Access::store : Access::load;
#elif defined(__aarch64__)
    fault.instruction = reinterpret_cast<const void*>(machine->pc);
#endif
    return fault;
}

// "shmem_putmem" if the instruction is in this library, else "a put in main+0x1f of ./prog".
std::string describe_place(const Fault& fault) {
    const char* kind = fault.access == Access::store  ? "a put or atomic"
                       : fault.access == Access::load ? "a get or atomic"
                                                      : "a put, get or atomic";
    Dl_info place{};
    if (!dladdr(fault.instruction, &place) || !place.dli_fname) return kind;
    Dl_info own{};
    dladdr(reinterpret_cast<const void*>(&catch_faults), &own);
    const bool inside = own.dli_fbase == place.dli_fbase;
    const char* symbol = place.dli_sname;
    if (inside && symbol)
        return std::strncmp(symbol, "pshmem_", 7) == 0 ? symbol + 1 : symbol;
    if (inside) {
        const Routine routine = job.status().routine.load(std::memory_order_relaxed);
        return routine == Routine::none ? kind : routine_name(routine);
    }
    std::string function = symbol ? symbol : program_function(fault.instruction);
    if (!function.empty()) return std::string(kind) + " in " + function;
    const char* base = std::strrchr(place.dli_fname, '/');
    return std::string(kind) + " at " + (base ? base + 1 : place.dli_fname) + "+" +
           hexadecimal(reinterpret_cast<std::uintptr_t>(fault.instruction) -
                       reinterpret_cast<std::uintptr_t>(place.dli_fbase));
}

bool is_mapped(std::uintptr_t address) {
    FILE* maps = std::fopen("/proc/self/maps", "re");
    if (!maps) return false;
    bool found = false;
    char line[512];
    while (!found && std::fgets(line, sizeof line, maps)) {
        unsigned long begin = 0;
        unsigned long end = 0;
        if (std::sscanf(line, "%lx-%lx", &begin, &end) == 2)
            found = address >= begin && address < end;
    }
    std::fclose(maps);
    return found;
}

std::string legal_ranges() {
    std::string text = "symmetric memory here is the heap " + hexadecimal(heap.range().begin) + ".." +
                       hexadecimal(heap.range().end());
    if (job.data.size != 0)
        text += " and static data " + hexadecimal(job.data.begin) + ".." + hexadecimal(job.data.end());
    else
        text += std::string("; static data is not symmetric: ") + job.data_note;
    return text;
}

// A slot, and the local address that it would have come from.
struct Reading {
    int pe;
    std::uintptr_t local;
    const void* address() const { return reinterpret_cast<const void*>(local); }
};

Reading read_slot(std::uintptr_t slot, std::uintptr_t fault) {
    return {static_cast<int>(slot ^ window.me), fault - (slot << window.shift)};
}

bool is_symmetric(const Reading& reading) {
    return job.heap.contains(reading.address()) ||
           (job.data.size != 0 && job.data.contains(reading.address()));
}

// What lies just past this PE's symmetric memory; empty if nothing of it is near.
std::string past_the_end(const Reading& reading) {
    const std::string where =
        "address " + hexadecimal(reading.local) + " at PE " + std::to_string(reading.pe) + " is past the end of the ";
    if (reading.local >= job.heap.end() && reading.local < heap_base() + window_stride())
        return where + "symmetric heap (" + heap.describe(reading.address()) + ")";
    if (job.data.size != 0 && reading.local >= job.data.end() &&
        reading.local - job.data.end() < (1 << 20))
        return where + "static data (last variable " +
               program_variable(reinterpret_cast<const void*>(job.data.end() - 1)) + ")";
    return "";
}

// What this PE must have passed so that slot arithmetic came out at the fault; empty if the fault
// has nothing to do with the window. The exact readings come before the guesses: a missing PE's
// slot, then the end of a range, then private memory.
std::string explain(const Fault& fault) {
    const std::uintptr_t slots = std::bit_ceil(window.pes);
    for (std::uintptr_t slot = 1; slot < slots; ++slot) {
        const Reading reading = read_slot(slot, fault.address);
        if (reading.pe >= job.pes && is_symmetric(reading))
            return "pe " + std::to_string(reading.pe) + " is out of range 0.." +
                   std::to_string(job.pes - 1);
    }
    for (std::uintptr_t slot = 0; slot < slots; ++slot) {
        const Reading reading = read_slot(slot, fault.address);
        if (reading.pe >= job.pes) continue;
        if (const std::string what = past_the_end(reading); !what.empty())
            return what + "; " + legal_ranges();
    }
    for (std::uintptr_t slot = 1; slot < slots; ++slot) {
        const Reading reading = read_slot(slot, fault.address);
        if (reading.pe < job.pes && is_mapped(reading.local))
            return "address " + hexadecimal(reading.local) + " for PE " +
                   std::to_string(reading.pe) +
                   " is not symmetric: it is private memory of this PE; " + legal_ranges();
    }
    return "";
}

// An address outside the 47 bits faults without telling which it was; slot arithmetic on a stack
// address is the usual cause.
std::string explain_without_address(const Fault& fault) {
    Dl_info place{};
    Dl_info own{};
    dladdr(reinterpret_cast<const void*>(&catch_faults), &own);
    const bool inside = dladdr(fault.instruction, &place) && place.dli_fbase == own.dli_fbase;
    if (!inside && window.limit == 0) return "";
    return "the address is not symmetric (a variable on the stack?); " + legal_ranges();
}

void handle(int signal, siginfo_t* info, void* context) {
    const Fault fault = read_fault(info, context);
    std::string what;
    if (window.pes > 1 && info->si_code > 0)
        what = info->si_code == SI_KERNEL ? explain_without_address(fault) : explain(fault);
    if (!what.empty()) fail(describe_place(fault), what);
    // Not ours: as if we had never been here. The instruction runs again and faults again.
    sigaction(signal, signal == SIGSEGV ? &previous_segv : &previous_bus, nullptr);
}

void install(int signal, struct sigaction& previous) {
    sigaction(signal, nullptr, &previous);
    if (previous.sa_handler != SIG_DFL || (previous.sa_flags & SA_SIGINFO)) return;
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

}  // namespace

void catch_faults() {
    install(SIGSEGV, previous_segv);
    install(SIGBUS, previous_bus);
}

}  // namespace isthmus
