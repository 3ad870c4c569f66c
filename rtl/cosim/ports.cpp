// The accesses of a checked core's data port beside those of the reference; an atomic operation has
// two of them, a read and a write.
#include <cinttypes>
#include <cstdio>

#include "cosim/checked_core.hpp"

namespace isthmus::rtl {
namespace {

constexpr u32 kAtomicOpcode = 0x2f;
constexpr u32 kLoadReserved = 2, kStoreConditional = 3;  // bits 31 to 27

std::string hex(u64 value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%" PRIx64, value);
    return text;
}

}  // namespace

// Each access of the reference stands next among those that the ports have shown, and no other.
bool CheckedCore::check_ports(const Retirement& core, const step::Record& own) {
    const bool failed = own.trapped && (own.cause == 5 || own.cause == 7) && !core.remote;
    if (own.has_remote) {
        remote_access_.reset();
        if (own.remote.name_space == 0) {
            if (events_.empty() || events_.front().kind != Event::kOwnRemote)
                return differ("no remote access of the own memory was on the port");
            events_.pop_front();
        }
    }
    if ((own.instruction & 0x7f) == kAtomicOpcode) return check_atomic(own);
    if (own.memory.size == 0 && !failed) return true;
    return check_access(own, own.memory.writes != 0, failed);
}

bool CheckedCore::check_access(const step::Record& own, bool write, bool failed) {
    if (events_.empty() || events_.front().kind != Event::kData)
        return differ("the access of " + hex(own.pc) + " was not on the data port");
    const Event event = events_.front();
    events_.pop_front();
    if (event.error != failed)
        return differ("the answer of memory to " + hex(own.pc) + " was ignored");
    const u64 address = own.trapped ? own.tval : own.memory.address;
    const unsigned lane = address % lane_bytes_;
    if (event.address != address - lane)
        return differ("data port: address " + hex(event.address) + ", reference " + hex(address));
    if (own.trapped) return true;
    const unsigned bytes = ((1u << own.memory.size) - 1) << lane;
    if (event.write != write || event.be != bytes)
        return differ("data port: " + std::string(event.write ? "write" : "read") + " of lanes " +
                      hex(event.be) + ", reference " + (write ? "write" : "read") + " of " +
                      hex(bytes));
    if (event.write) {
        u64 written = event.data[0] >> 8 * lane;
        if (own.memory.size < 8) written &= (u64{1} << 8 * own.memory.size) - 1;
        if (written != own.memory.written)
            return differ("data port: written " + hex(written) + ", reference " +
                          hex(own.memory.written));
    }
    return true;
}

// Of what ends memory has answered an access with an error, for no reason that the reference knows.
bool CheckedCore::access_failed() const {
    if (events_.empty()) return false;
    const bool second = events_[0].lock && !events_[0].error && events_.size() > 1;
    const Event& event = events_[second ? 1 : 0];
    return event.error && there(event.address, lane_bytes_);
}

// A store-conditional that fails may have read: then it is the last that was, as an atomic
// operation waits for the end of what is in front of it, and the next access is not locked.
bool CheckedCore::check_atomic(const step::Record& own) {
    const u32 operation = own.instruction >> 27;
    const bool failed = own.trapped && (own.cause == 5 || own.cause == 7);
    if (own.trapped && !failed) return true;
    if (operation == kLoadReserved) return check_access(own, false, failed);
    const auto is_read = [&] {
        return !events_.empty() && events_.front().kind == Event::kData && events_.front().lock &&
               !events_.front().write;
    };
    if (operation == kStoreConditional && own.memory.size == 0 && !failed) {
        if (!is_read()) return true;
        if (events_.front().error) return differ("the answer of memory to an sc was ignored");
        if (events_.front().address != own.sources[0].value / lane_bytes_ * lane_bytes_)
            return differ("an sc has read elsewhere");
        events_.pop_front();
        return true;
    }
    if (!is_read()) return differ("an atomic operation has not read, or not locked");
    if (failed && events_.front().error) return check_access(own, false, true);
    if (!check_access(own, false, false)) return false;
    if (!events_.empty() && events_.front().kind == Event::kForeignWrite)
        return differ("somebody has come between what an atomic operation reads and writes");
    return check_access(own, true, failed);
}

}  // namespace isthmus::rtl
