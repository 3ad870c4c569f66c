// FNV-1a, a hash for names and identities: no secret, and no protection against whoever wants two
// things to be taken for one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace isthmus {

inline constexpr std::uint64_t kFnv1aBegin = 0xcbf29ce484222325;

// Of `bytes` behind what `hash` is of.
inline std::uint64_t fnv1a(const void* bytes, std::size_t count, std::uint64_t hash = kFnv1aBegin) {
    for (std::size_t i = 0; i < count; ++i)
        hash = (hash ^ static_cast<const unsigned char*>(bytes)[i]) * 0x100000001b3;
    return hash;
}

}  // namespace isthmus
