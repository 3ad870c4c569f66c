// What is wrong with a call, and with the memory that it names.
#pragma once

#include "api/kernel/face.hpp"

namespace isthmus::kernel_face {

// 0 if the call may be made; notes it. `flags`: those that it may have.
int check_call(const isthmus_kernel_call& call, unsigned flags, const char* routine);
int check_payload(std::uint64_t bytes, const char* routine);

// 0 if `right` (ISTHMUS_READ or ISTHMUS_WRITE) is given to this kernel on the bytes of the other's
// segment, or of its own.
int check_range(int kernel, std::uint64_t offset, std::uint64_t bytes, unsigned right,
                const char* routine);
// The same of pieces; adds their bytes up.
int check_pieces(int kernel, const isthmus_kernel_blocks& blocks, unsigned right,
                 std::uint64_t& bytes, const char* routine);
int check_pieces(int kernel, const isthmus_kernel_range* ranges, std::size_t count, unsigned right,
                 std::uint64_t& bytes, const char* routine);
// Of both sides, which have so many.
int check_totals(std::uint64_t source, std::uint64_t dest, const char* routine);

}  // namespace isthmus::kernel_face
