// Gets of shapes from far PEs: rows that are near each other there share reads.
#pragma once

#include <cstdint>

#include "core/copy/geometry.hpp"
#include "core/wait/event.hpp"

namespace isthmus::far {

// Rows on both sides; `from` as an address of this PE.
struct Rows {
    char* to;
    Pitch to_pitch;
    const char* from;
    Pitch from_pitch;
    Shape shape;  // not empty; its extent does not overflow
};

// Rows at the far PE follow each other upwards and may overlap. With an event it returns when the
// reads are under way, and writes it; what does not fit into the room for that is waited for.
void get_rows(Rows rows, int pe, Event* event, const char* routine);

}  // namespace isthmus::far
