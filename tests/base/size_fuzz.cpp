// The parser of sizes: never beyond its bytes, never a value that its own text does not allow.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/settings.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    constexpr std::uint64_t kUntouched = 0xfeedfacecafebeef;
    constexpr std::uint64_t kMemory = std::uint64_t{16} << 30;
    std::uint64_t bytes = kUntouched;
    if (!isthmus::parse_size(text, kMemory, bytes)) {
        if (bytes != kUntouched) std::abort();
        return 0;
    }
    if (bytes >= std::uint64_t{1} << 63) std::abort();
    // The same text means the same again, and says so in words of a bounded length.
    std::uint64_t again = 0;
    if (!isthmus::parse_size(text, kMemory, again) || again != bytes) std::abort();
    if (isthmus::format_size(bytes).size() > 12) std::abort();
    return 0;
}
