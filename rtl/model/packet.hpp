// HyperTransport packets of the host side, as the C++ world sees them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace isthmus::rtl {

enum Channel : unsigned { kPosted = 0, kNonPosted = 1, kResponse = 2, kChannels = 3 };

namespace command {
inline constexpr unsigned kFlush = 0b000010;
inline constexpr unsigned kWrite = 0b001000;  // non-posted
inline constexpr unsigned kPostedWrite = 0b101000;
inline constexpr unsigned kRead = 0b010000;
inline constexpr unsigned kDwords = 0b000100;  // of writes and reads
inline constexpr unsigned kReadResponse = 0b110000;
inline constexpr unsigned kTargetDone = 0b110011;
inline constexpr unsigned kBroadcast = 0b111010;
inline constexpr unsigned kFence = 0b111100;
inline constexpr unsigned kAtomic = 0b111101;
}  // namespace command

enum class Error : unsigned { none = 0, data = 1, target_abort = 2, master_abort = 3 };

// A packet: fields that a kind does not have are zero. `data` holds its dwords.
struct Packet {
    unsigned command = 0;
    unsigned count = 0;
    unsigned tag = 0;  // UnitID and SrcTag
    std::uint64_t address = 0;
    bool pass_posted = false;
    unsigned sequence = 0;
    Error error = Error::none;
    std::vector<std::uint32_t> data;

    bool is_write() const { return (command & 0b011000) == 0b001000; }
    bool is_read() const { return (command & 0b110000) == 0b010000; }
    bool has_dwords() const { return (command & command::kDwords) != 0; }
    bool is_response() const {
        return command == command::kReadResponse || command == command::kTargetDone;
    }
    bool has_data() const {
        return is_write() || command == command::kAtomic || command == command::kReadResponse;
    }
    unsigned dwords() const { return has_data() ? count + 1 : 0; }
    unsigned beats() const { return (dwords() + 1) / 2; }
    // Dwords of the response to it.
    unsigned response_dwords() const {
        if (command == command::kAtomic) return count == 5 ? 4 : 2;
        if (!is_read()) return 0;
        return has_dwords() ? count + 1 : 1;
    }
};

// 96 bits of command.
std::array<std::uint32_t, 3> encode(const Packet& packet);
Packet decode(const std::uint32_t* words);

// Writes the packet's bytes into a line of 64 B; reads its answer from one.
void write_line(const Packet& packet, std::uint8_t* line);
std::vector<std::uint32_t> read_line(const Packet& packet, const std::uint8_t* line);

}  // namespace isthmus::rtl
