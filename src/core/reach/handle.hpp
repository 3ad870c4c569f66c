// Far operations that are waited for one by one, in any number: handles from a pool, each of one
// operation (transport::Completion), for faces whose programs hold handles as words.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/reach/far.hpp"
#include "transport/transport.hpp"

namespace isthmus::far {

struct Handle {
    transport::Completion completion;
    std::uint64_t word = 0;  // for a get of one: its room
    Handle* next = nullptr;  // in the pool
};

// A new one, to be given to an operation and then to test() or await(). Ends the job if there is no
// memory.
Handle& take_handle(const char* routine);
// Of memory of a far PE, in use until the operation is complete. `bytes` may not be 0.
Handle& begin_put(void* dest, const void* source, std::size_t bytes, int pe, const char* routine);
Handle& begin_get(Handle& handle, void* dest, const void* source, std::size_t bytes, int pe,
                  const char* routine);
// All that was issued before, to this PE or to every (transport::Channel::kAll).
Handle& begin_quiet(int pe, const char* routine);

// In checked mode: whether this is one that has been taken and not given back.
bool is_taken_handle(const Handle* handle);

// Whether it is complete; then it is back in the pool.
bool test(Handle& handle);
// Waits for it; it is still the caller's.
void await(Handle& handle);
void give_back(Handle& handle);

}  // namespace isthmus::far
