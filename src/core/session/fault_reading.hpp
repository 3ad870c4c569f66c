// What a fault's address and registers tell: whether slot arithmetic has led there, by which
// address of which PE, or a routine's own side of a transfer, and where the program was. fault.hpp
// catches them.
#pragma once

#include <array>
#include <csignal>
#include <cstdint>
#include <string>

namespace isthmus {

enum class Access { unknown, load, store };

struct Fault {
    std::uintptr_t address;
    bool in_own_thread;  // which completes what the program's routines have begun
    const void* instruction;
    Access access;
    std::array<std::uintptr_t, 16> registers;  // general ones, zero where there are none
    std::uintptr_t stack;                      // where it ended
};

// Of a handler's arguments.
Fault read_fault(const siginfo_t* info, const void* context);

// libfabric is loaded: a fault in it is explained as one.
void note_network_code();
bool is_in_network(const Fault& fault);

// A null pointer that a routine was given, for this PE's own memory: slot 0 changes nothing. In the
// program's code it may be any null pointer of the program's.
bool is_null_in_routine(const Fault& fault);
// The same of a copy that does not begin at its beginning, or an address that is nearly null.
bool is_low_in_routine(const Fault& fault);
// The side of a transfer that is this PE's own.
bool is_own_side(const Fault& fault);
// Checked mode: it was memory when a transfer was looked at before, and is none any more.
bool is_given_back(std::uintptr_t address);
// Of the program's constants, which peers have mapped to be read: a fault there is a store.
bool is_constant(std::uintptr_t address);
// Of such memory, if the fault is in a transfer that the compiler has put into the program, as its
// debugging information tells: "shmem_long_put (model.c:12)"; else empty.
std::string gone_in_inlined(const Fault& fault);
std::string explain_given_back(const Fault& fault);
// Whether slot arithmetic can have led to the fault. Integers and one system call: most faults are
// the program's own, and it may be inside malloc, so nothing here allocates or locks.
bool concerns_window(const Fault& fault, bool address_is_known);

// "shmem_putmem" if that routine was at work (if only in a copy loop of the C library), else
// "a put or atomic in main", "a put or atomic in step of libmodel.so".
std::string describe_place(const Fault& fault);
// What this PE must have passed so that slot arithmetic came out at the fault; empty if the fault
// has nothing to do with the window.
std::string explain(const Fault& fault);
std::string explain_without_address(const Fault& fault);
// What is known, how to know more, what it may have been, and the ways out.
std::string explain_in_network(int signal, const Fault& fault);

}  // namespace isthmus
