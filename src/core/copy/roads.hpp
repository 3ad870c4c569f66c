// How a block's road follows from the parameters: apart from the loops, whose files are compiled
// for other processors and so include as little as can be.
#pragma once

#include "core/copy/loops_x86.hpp"
#include "core/copy/parameters.hpp"

namespace isthmus {

// The road of a way, for one block.
Road road_of(Way way, bool shun_alias, const void* dest, const void* source);
// The road of a block of at least copy_looks_from bytes that is part of an operation of `whole`.
Road choose_road_by(const CopyParameters& parameters, std::size_t whole, const void* dest,
                    const void* source, std::size_t bytes);

}  // namespace isthmus
