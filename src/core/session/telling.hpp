// What is told of one PE, with places that may differ where others do the same: a group of PEs
// tells the lowest and the highest of each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace isthmus {

class Telling {
  public:
    Telling() = default;
    Telling(const char* words) { say(words); }
    Telling(const std::string& words) { say(words); }

    Telling& say(std::string_view words);
    Telling& tell_signed(std::int64_t value);     // "-3"; "-3 to 5"
    Telling& tell_unsigned(std::uint64_t value);  // "3"; "3 to 5"
    Telling& tell_address(const void* address);   // "0x10"; "0x10 to 0x20"
    Telling& tell_beyond(std::uint64_t bytes);    // "", "+8 bytes"; "+0 to 8 bytes"
    // Of several values a group tells no more than that they differ.
    Telling& tell_list(const std::string& values);

    // Whether both say the same but for what may differ.
    bool is_like(const Telling& other) const;
    // Of one that is like this one.
    void widen_to(const Telling& other);
    std::string text() const;

  private:
    enum class Kind : std::uint8_t { words, signed_number, unsigned_number, address, beyond, list };
    struct Part {
        Kind kind = Kind::words;
        std::string words;
        std::uint64_t least = 0;
        std::uint64_t most = 0;
    };
    static std::string text_of(Kind kind, std::uint64_t value);
    static std::string text_of(const Part& part);
    Telling& add(Kind kind, std::uint64_t value);
    std::vector<Part> parts_;
};

}  // namespace isthmus
