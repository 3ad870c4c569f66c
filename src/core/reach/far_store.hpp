// What programs store by straight away between hosts: isthmus_window.store32 and store64
// (isthmus/window.h), of memory that they know to lie in the heap.
#pragma once

#include "isthmus/window.h"

namespace isthmus::far {

// Any time, in any job: find out what the address is. The native interface has them, and sets them
// before the program has begun.
struct StoresByAddress {
    decltype(isthmus_window.store32) store32 = nullptr;
    decltype(isthmus_window.store64) store64 = nullptr;
};
void set_stores_by_address(const StoresByAddress& stores);

// Where the express way is open, until close_stores().
void open_stores();
void close_stores();

}  // namespace isthmus::far
