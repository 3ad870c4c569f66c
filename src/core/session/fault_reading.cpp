#include "core/session/fault_reading.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/seen_memory.hpp"
#include "core/job/arena_layout.hpp"
#include "core/job/heap.hpp"
#include "core/job/job.hpp"
#include "core/job/library_data.hpp"
#include "core/job/on_road.hpp"
#include "core/job/private_memory.hpp"
#include "core/job/program_data.hpp"
#include "core/job/window.hpp"
#include "core/reach/far.hpp"
#include "core/session/frame_names.hpp"
#include "core/session/own_code.hpp"
#include "core/session/own_names.hpp"

namespace isthmus {
namespace {

// A thread of the library's has all signals blocked but some (base/blocked_signals.hpp). Who blocks
// all of them blocks those as well, and is not asked here.
bool is_in_own_thread(const ucontext_t& context) {
    constexpr int kOpen[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    if (gettid() == getpid()) return false;
    for (int signal = 1; signal < 32; ++signal) {
        if (signal == SIGKILL || signal == SIGSTOP) continue;
        const bool is_open =
            std::find(std::begin(kOpen), std::end(kOpen), signal) != std::end(kOpen);
        if ((sigismember(&context.uc_sigmask, signal) == 1) == is_open) return false;
    }
    return true;
}

}  // namespace

Fault read_fault(const siginfo_t* info, const void* context) {
    const auto* machine = &static_cast<const ucontext_t*>(context)->uc_mcontext;
    Fault fault{reinterpret_cast<std::uintptr_t>(info->si_addr),
                is_in_own_thread(*static_cast<const ucontext_t*>(context)),
                nullptr,
                Access::unknown,
                {},
                0};
#if defined(__x86_64__)
    fault.instruction = reinterpret_cast<const void*>(machine->gregs[REG_RIP]);
    fault.stack = static_cast<std::uintptr_t>(machine->gregs[REG_RSP]);
    // Bit 1 of the page fault's error code: it was a write. Not given for addresses outside the
    // 47 bits, which raise another exception.
    if (info->si_code != SI_KERNEL)
        fault.access = (machine->gregs[REG_ERR] & 2) ? Access::store : Access::load;
    for (std::size_t i = 0; i < fault.registers.size(); ++i)
        fault.registers[i] = static_cast<std::uintptr_t>(machine->gregs[i]);
#elif defined(__aarch64__)
    fault.instruction = reinterpret_cast<const void*>(machine->pc);
    fault.stack = machine->sp;
#endif
    return fault;
}

namespace {

// The instructions of libfabric, known before any fault: with where it begins, and its file.
Range network_code;

std::uintptr_t network_base = 0;

char network_file[256] = "";

}  // namespace

std::string explain_in_network(int signal, const Fault& fault) {
    const auto at = reinterpret_cast<std::uintptr_t>(fault.instruction) - network_base;
    char text[1024];
    std::snprintf(
        text, sizeof text,
        "libfabric has crashed: %s in its code, in %s; addr2line -f -e %s %#zx names the "
        "function, a debugger what led there. It may be a mistake of libfabric's, a wrong "
        "address that the program gave to a call or, where others than this job's users "
        "reach the ports of its PEs, something that one of them has sent (SECURITY.md, "
        "\"Between hosts\"). ISTHMUS_TRANSPORT=packet goes without libfabric, "
        "ISTHMUS_FABRIC chooses another provider",
        signal == SIGBUS ? "SIGBUS" : "SIGSEGV",
        fault.in_own_thread ? "the progress thread"
        : far::is_marked()  ? "a thread of the program's, within a routine"
                            : "a thread of the program's or of libfabric's own",
        network_file, at);
    return text;
}

constexpr std::uint64_t kNearData = std::uint64_t{1} << 32;  // an index that ran away
constexpr std::uintptr_t kNearNull = 1 << 16;  // a member of a structure that is not there

bool is_null_in_routine(const Fault& fault) {
    return fault.address < kNearNull && is_own_code(fault.instruction);
}

bool is_low_in_routine(const Fault& fault) {
    return fault.address < kNearData && is_own_code(fault.instruction) &&
           !os::is_mapped(reinterpret_cast<const void*>(fault.address), 1);
}

namespace {

// At a routine's work: in this library, or in checked mode in a call or the thread of the road,
// whoever copies.
bool is_in_routine(const Fault& fault) {
    return is_own_code(fault.instruction) ||
           (job.checked && (far::is_marked() || fault.in_own_thread));
}

// Checked mode: a routine's own side of a transfer, memory when it was looked at before.
bool is_gone_in_routine(const Fault& fault) {
    return is_in_routine(fault) && is_given_back(fault.address);
}

// A routine's own side of a transfer that is written, as that of a get, and may only be read.
bool is_read_only_in_routine(const Fault& fault) {
    return fault.access == Access::store && is_in_routine(fault) &&
           !job.heap.contains(reinterpret_cast<const void*>(fault.address)) &&
           os::is_mapped(reinterpret_cast<const void*>(fault.address), 1);
}

}  // namespace

bool is_constant(std::uintptr_t address) {
    return std::any_of(job.constants.begin(), job.constants.end(), [&](const Range& range) {
        return range.contains(reinterpret_cast<const void*>(address));
    });
}

bool is_given_back(std::uintptr_t address) {
    return job.checked && seen_memory.was_seen(address) &&
           !os::is_mapped(reinterpret_cast<const void*>(address), 1);
}

std::string gone_in_inlined(const Fault& fault) {
    if (fault.in_own_thread || is_in_routine(fault) || !is_given_back(fault.address)) return "";
    const ProgramPlace place = place_in_source(fault.instruction);
    return place.inlined.empty() || place.is_library ? "" : place.inlined + place.line;
}

std::string explain_given_back(const Fault& fault) {
    return "address " + hexadecimal(fault.address) +
           " is not memory of this PE any more: it has been given back";
}

bool is_own_side(const Fault& fault) {
    return is_gone_in_routine(fault) || is_read_only_in_routine(fault);
}

namespace {

// Name of the function; empty if it has none. Static functions of the program have one only in the
// executable's own symbol table.
std::string function_at(const void* address, bool in_program) {
    Dl_info place{};
    if (dladdr(address, &place) && place.dli_sname) return place.dli_sname;
    return in_program ? program_function(address) : "";
}

std::string module_name(const void* address) {
    Dl_info place{};
    if (!dladdr(address, &place) || !place.dli_fname) return "an unknown place";
    const char* const slash = std::strrchr(place.dli_fname, '/');
    return slash ? slash + 1 : place.dli_fname;
}

std::string offset_text(const void* address) {
    const void* const base = object_base(address);
    if (!base) return hexadecimal(address);
    return module_name(address) + "+" +
           hexadecimal(reinterpret_cast<std::uintptr_t>(address) -
                       reinterpret_cast<std::uintptr_t>(base));
}

// The frames from the faulting one on: addresses within calls.
class FaultFrames {
  public:
    static constexpr int kMost = 64;

    explicit FaultFrames(const Fault& fault) {
        count_ = backtrace(frames_, kMost);
        while (first_ < count_ && frames_[first_] != fault.instruction)
            ++first_;
    }
    int size() const { return count_ - first_; }
    // A return address may belong to the next line or function already.
    const void* operator[](int i) const {
        return static_cast<const char*>(frames_[first_ + i]) - (i == 0 ? 0 : 1);
    }

  private:
    void* frames_[kMost];
    int count_ = 0;
    int first_ = 0;
};

// " (model.c:12)" where the program has called the routine in which the fault is.
std::string line_of_call(const Fault& fault, std::string_view routine) {
    const FaultFrames frames(fault);
    std::array<const void*, FaultFrames::kMost> calls{};
    for (int i = 0; i < frames.size(); ++i)
        calls[static_cast<std::size_t>(i)] = frames[i];
    return isthmus::line_of_call(calls.data(), frames.size(),
                                 routine.starts_with("shmem") ? Sought::openshmem : Sought::all);
}

}  // namespace

std::string describe_place(const Fault& fault) {
    // The bad pointer may be of either side, and the routine may have jumped to the copy loop.
    const bool own_side = is_own_side(fault);
    if (own_side && job.checked) {
        if (transferring) return transferring + line_of_call(fault, transferring);
        std::string name = function_at(reinterpret_cast<const void*>(transferring_routine), false);
        if (name.starts_with("pshmem_")) name.erase(0, 1);
        if (name.starts_with("shmem_")) return name + line_of_call(fault, name);
    }
    const Access access = own_side || is_low_in_routine(fault) ? Access::unknown : fault.access;
    const std::string kind = access == Access::store  ? "a put or atomic"
                             : access == Access::load ? "a get or atomic"
                                                      : "a put, get or atomic";
    const FaultFrames frames(fault);
    for (int i = 0; i < frames.size(); ++i) {
        const void* const at = frames[i];
        const CodeOf owner = code_of(at);
        std::string function = function_at(at, owner != CodeOf::other);
        if (owner == CodeOf::library) {
            if (function.starts_with("pshmem_")) function.erase(0, 1);
            if (function.starts_with("shmem_")) return function + line_of_call(fault, function);
        }
        const bool is_ours = owner == CodeOf::library || owner == CodeOf::system;
        if (is_ours || is_own_symbol(function)) continue;
        const bool is_program = owner == CodeOf::program;
        const std::string module = is_program ? "" : " of " + module_name(at);
        return kind + (function.empty() ? " at " + offset_text(at) : " in " + function + module) +
               (is_program ? line_in_program(at) : "");
    }
    return kind + " at " + offset_text(fault.instruction);
}

namespace {

bool is_mapped(std::uintptr_t address) {
    return os::is_mapped(reinterpret_cast<const void*>(address), 1);
}

std::string legal_ranges() {
    std::string text = "symmetric memory here is the heap " + hexadecimal(heap.range().begin) +
                       ".." + hexadecimal(heap.range().end());
    if (job.data.size != 0)
        text +=
            " and static data " + hexadecimal(job.data.begin) + ".." + hexadecimal(job.data.end());
    else
        text += std::string("; static data is not symmetric: ") + job.data_note;
    if (*job.constants_note)
        text += std::string("; constants are not symmetric: cannot read /proc/self/exe: ") +
                job.constants_note;
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
    return job.heap.contains(reading.address()) || in_static_data(reading.address());
}

// What lies just past this PE's symmetric memory; empty if nothing of it is near.
std::string past_the_end(const Reading& reading) {
    const std::string where = "address " + hexadecimal(reading.local) + " at PE " +
                              std::to_string(reading.pe) + " is past the end of the ";
    if (reading.local >= job.heap.end() && reading.local < heap_base() + window_stride())
        return where + "symmetric heap (" + describe_in_heap(reading.address()).c_str() + ")";
    const std::uint64_t beyond = reading.local - job.data.end();
    // Further on malloc's memory lies, or nothing.
    if (job.data.size != 0 && reading.local >= job.data.end() &&
        (beyond < 1 << 20 || (beyond < kNearData && !is_mapped(reading.local))))
        return where + "static data (" + std::to_string(beyond) + " bytes beyond it)";
    return "";
}

std::string private_text(const Reading& reading, const Fault& fault) {
    const Text memory = describe_private(reading.address(), fault.stack);
    return memory.empty() ? "private memory of this PE" : memory.c_str();
}

std::string not_symmetric(const Reading& reading, const Fault& fault) {
    const Text variable = library_variable(reading.address());
    return "address " + hexadecimal(reading.local) + " for PE " + std::to_string(reading.pe) +
           " is not symmetric: it is " +
           (variable.empty() ? private_text(reading, fault)
                             : std::string(variable.c_str()) + ", whose variables are private: " +
                                   why_library_is_private(reading.address()).c_str()) +
           "; " + legal_ranges();
}

std::string constant_written(std::uintptr_t address) {
    return "address " + hexadecimal(address) +
           " is a constant of the program, which may be read, not written";
}

// A program's own load or store by the base of a far segment's view.
bool in_arena(const Reading& reading) {
    return job.arena.size != 0 && reading.local - job.arena.begin < arena_room();
}

std::string on_another_host(const Reading& reading) {
    return "address " + hexadecimal(reading.local) + " of PE " + std::to_string(reading.pe) +
           " is on another host, where loads and stores do not lead; use put and get";
}

}  // namespace

// The exact readings come before the guesses: a missing PE's
// slot, then the end of a range, then private memory.
std::string explain(const Fault& fault) {
    if (is_null_in_routine(fault))
        return fault.address == 0 ? "an address that it was given is null"
                                  : "an address, team or context that it was given is null + " +
                                        std::to_string(fault.address);
    if (is_gone_in_routine(fault)) return explain_given_back(fault);
    if (is_read_only_in_routine(fault) && is_constant(fault.address))
        return constant_written(fault.address);
    const auto out_of_range = [](int pe) {
        return "pe " + std::to_string(pe) + " is out of range 0.." + std::to_string(job.pes - 1);
    };
    if (const std::int64_t pe = far::pe_of_fault(fault.address); pe >= 0)
        return out_of_range(static_cast<int>(pe));
    const std::uintptr_t slots = std::bit_ceil(window.pes);
    for (std::uintptr_t slot = 1; slot < slots; ++slot) {
        const Reading reading = read_slot(slot, fault.address);
        if (reading.pe >= job.pes && is_symmetric(reading)) return out_of_range(reading.pe);
        if (reading.pe < job.pes && !is_near(reading.pe) &&
            (is_symmetric(reading) || in_arena(reading)))
            return on_another_host(reading);
    }
    for (std::uintptr_t slot = 0; slot < slots; ++slot) {
        const Reading reading = read_slot(slot, fault.address);
        if (reading.pe >= job.pes) continue;
        if (const std::string what = past_the_end(reading); !what.empty())
            return what + "; " + legal_ranges();
    }
    for (std::uintptr_t slot = 1; slot < slots; ++slot) {
        const Reading reading = read_slot(slot, fault.address);
        if (reading.pe < job.pes && reading.local < kNearNull)
            return "the address for PE " + std::to_string(reading.pe) + " is null" +
                   (reading.local == 0 ? "" : " + " + std::to_string(reading.local));
        if (reading.pe >= job.pes || !is_mapped(reading.local)) continue;
        return is_constant(reading.local) ? constant_written(reading.local)
                                          : not_symmetric(reading, fault);
    }
    if (is_read_only_in_routine(fault))
        return "address " + hexadecimal(fault.address) +
               " is memory of this PE that may be read, not written";
    // A long copy may begin at its end.
    if (is_low_in_routine(fault))
        return "an address that it was given is null, or so low that no memory is there: the fault "
               "is at address " +
               hexadecimal(fault.address);
    return "";
}

namespace {

// Where the registers of the fault may hold an address outside the 47 bits, alone or as base and
// index: what slot arithmetic makes of an address near their end (the stack, a library, a large
// malloc). Such a fault does not tell its address. Calls found(reading) until that is true.
template <typename Found>
bool find_in_registers(const Fault& fault, Found&& found) {
    const std::uintptr_t slots = std::bit_ceil(window.pes);
    const auto try_value = [&](std::uintptr_t value) {
        for (std::uintptr_t slot = 1; slot < slots && (value >> 47) == 1; ++slot) {
            const Reading reading = read_slot(slot, value);
            if (reading.pe < job.pes && is_mapped(reading.local) && found(reading)) return true;
        }
        return false;
    };
    for (const std::uintptr_t base : fault.registers) {
        if (try_value(base)) return true;
        for (const std::uintptr_t index : fault.registers) {
            if ((index & (window_stride() - 1)) == 0 && index != 0 && try_value(base + index))
                return true;
        }
    }
    return false;
}

}  // namespace

std::string explain_without_address(const Fault& fault) {
    std::string text;
    find_in_registers(fault, [&](const Reading& reading) {
        text = not_symmetric(reading, fault);
        return true;
    });
    return text;
}

bool concerns_window(const Fault& fault, bool address_is_known) {
    if (!address_is_known) return find_in_registers(fault, [](const Reading&) { return true; });
    if (far::pe_of_fault(fault.address) >= 0) return true;
    const std::uintptr_t slots = std::bit_ceil(window.pes);
    if (fault.address - heap_base() < slots * window_stride()) return true;
    for (std::uintptr_t slot = 1; slot < slots; ++slot) {
        if (fault.address < slot << window.shift) break;
        const Reading reading = read_slot(slot, fault.address);
        const bool near_data = job.data.size != 0 && reading.local - job.data.end() < kNearData;
        if (is_symmetric(reading) || near_data || reading.local < kNearNull ||
            is_mapped(reading.local))
            return true;
    }
    return false;
}

bool is_in_network(const Fault& fault) {
    return network_code.contains(fault.instruction);
}

void note_network_code() {
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void*) {
            if (!object->dlpi_name || !std::strstr(object->dlpi_name, "/libfabric.so")) return 0;
            network_code = executable_part(*object);
            network_base = object->dlpi_addr;
            std::snprintf(network_file, sizeof network_file, "%s", object->dlpi_name);
            return 1;
        },
        nullptr);
}

}  // namespace isthmus
