// Operations on PEs that the window does not reach. Everything here is behind a failed test of the
// window: a job on one host never comes here.
//
// Addresses are this PE's own, as everywhere above: what is at `address` here, at PE `pe`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/window.hpp"
#include "transport/transport.hpp"

namespace isthmus {

// The PE is one of the job and its memory is mapped here. Where the window's test succeeds this is
// true; in checked mode, and where hosts do not hold an aligned power of two of PEs, it is true for
// others as well.
bool is_near(int pe);

namespace far {

using transport::Atomic;
using transport::AtomicKind;

// True if the job has PEs that are not near.
extern bool present __attribute__((visibility("hidden")));

// Collective, at initialisation and finalisation. `open` loads the transport that the settings name
// and ends the job with a message if it cannot be had.
void open();
void close();
// What the transport does and how, for people; empty without one.
const char* description();

// Each ends the job with a message if the memory is not symmetric.
void put(void* dest, const void* source, std::size_t bytes, int pe, const char* routine);
void get(void* dest, const void* source, std::size_t bytes, int pe, const char* routine);
std::uint64_t fetch_atomic(const void* word, int pe, const Atomic& atomic, const char* routine);
void post_atomic(void* word, int pe, const Atomic& atomic, const char* routine);
void put_signal(void* dest, const void* source, std::size_t bytes, std::uint64_t* word,
                const Atomic& signal, int pe, const char* routine);
// Do nothing without far PEs.
void fence();
void quiet();
// Helps the transport along where no thread does. From the waits.
void progress();

}  // namespace far

// For what runs at set-up or between teams that reach across hosts: by the window if the PE is
// near, else by the transport.
void fetch_from(void* dest, const void* source, std::size_t bytes, int pe);
void store_to(void* dest, const void* source, std::size_t bytes, int pe);

}  // namespace isthmus
