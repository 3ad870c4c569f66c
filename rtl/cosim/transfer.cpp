// Bulk transfers of a checked core: one instruction, many accesses of both ports.
#include <bit>
#include <cinttypes>
#include <cstdio>

#include "cosim/checked_core.hpp"

namespace isthmus::rtl {
namespace {

constexpr u64 kMostBytes = u64{1} << 26;  // of a transfer that is followed

std::string hex(u64 value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%" PRIx64, value);
    return text;
}

unsigned element_of(u32 insn) {
    return 1u << (insn >> 12 & 3);
}
bool to_local(u32 insn) {
    return (insn >> 25 & 3) == 3;
}

}  // namespace

// What the core says of it is in its registers.
bool CheckedCore::is_transfer(const Retirement& core) const {
    return core.remote && (core.rvfi.insn & 0x7f) == 0x5b;
}

isthmus_step_remote CheckedCore::transfer_of(const Retirement& core) const {
    const step::Rvfi& r = core.rvfi;
    isthmus_step_remote remote{};
    remote.kind = to_local(r.insn) ? ISTHMUS_STEP_BULK_LOAD : ISTHMUS_STEP_BULK_STORE;
    remote.size = u8(element_of(r.insn));
    remote.name_space = core.e_read[0].value;
    remote.address = r.rs2_rdata;
    remote.local = r.rs1_rdata;
    remote.count = core.rs3_rdata;
    return remote;
}

// The reference moves the local side by itself; of the remote one it is told what was found, and
// where it ended.
void CheckedCore::prepare_transfer(const Retirement& core) {
    const step::Rvfi& r = core.rvfi;
    const isthmus_step_remote transfer = transfer_of(core);
    if (transfer.name_space == 0) return;
    std::vector<u8> found;
    for (const Piece& piece : pieces_) {
        if (piece.access.kind != kRemoteLoad || piece.answer.fault) continue;
        const auto* const bytes = reinterpret_cast<const u8*>(piece.answer.value);
        found.insert(found.end(), bytes, bytes + (u64{1} << piece.access.size));
    }
    const bool ended_there = r.trap && (pieces_.empty() || pieces_.back().answer.fault);
    if (ended_there) {
        if (!found.empty()) hart_.write_memory(transfer.local, found.data(), found.size());
        return hart_.inject_remote_fault(pieces_.empty() ? transfer.address
                                                         : pieces_.back().access.address);
    }
    if (!to_local(r.insn)) return hart_.inject_remote(0, 0);
    const u64 total = transfer.count * transfer.size;
    if (transfer.count > kMostBytes)
        throw std::runtime_error("a transfer of " + std::to_string(transfer.count) +
                                 " elements is too long to be followed");
    // Where the local side has ended it, the rest was not read.
    if (r.trap) found.resize(total);
    hart_.inject_remote_bytes(found.data(), found.size());
}

// Pieces go one behind the other: read where they come from, written where they go. One that failed
// comes once more, byte by byte, and the last one is the whole's end, or the byte that failed.
bool CheckedCore::check_transfer(const Retirement& core, const step::Record& own) {
    const isthmus_step_remote transfer = transfer_of(core);
    const bool load = to_local(core.rvfi.insn);
    const auto local_piece = [&](Event& event) {
        while (!events_.empty() && events_.front().kind == Event::kForeignWrite)
            follow_one_write();
        if (events_.empty() || events_.front().kind != Event::kData || !events_.front().bulk)
            return false;
        event = events_.front();
        events_.pop_front();
        return true;
    };
    u64 done = 0, failed_at = 0;
    bool failed = false, failed_here = false;
    unsigned failed_size = 0;
    std::size_t next = 0;
    const u64 mask = kind_->xlen == 64 ? ~u64{0} : 0xffffffff;
    // One side of a piece: true if it was done.
    const auto remote_side = [&](unsigned size, u64& data, std::string& wrong) {
        if (next == pieces_.size()) {
            wrong = "a piece has no remote access";
            return false;
        }
        const Piece& piece = pieces_[next++];
        const u64 at = (transfer.address + done) & mask;
        if (piece.access.address != at || piece.access.space != transfer.name_space ||
            piece.access.kind != (load ? kRemoteLoad : kRemoteStore))
            wrong = "remote piece at " + hex(piece.access.address) + ", not " + hex(at);
        else if (!load && (1u << piece.access.size) != size)
            wrong = "remote piece of another size than the local one";
        const u64 low =
            piece.access.size == 3 ? ~u64{0} : (u64{1} << (8u << piece.access.size)) - 1;
        if (load)
            data = piece.answer.value[0] & low;
        else if (wrong.empty() && (piece.access.data[0] & low) != data)
            wrong = "remote piece at " + hex(at) + ": " + hex(piece.access.data[0] & low) +
                    ", local memory has " + hex(data);
        failed = piece.answer.fault;
        failed_here = false;
        failed_at = at;
        failed_size = 1u << piece.access.size;
        return !failed && wrong.empty();
    };
    const auto local_side = [&](unsigned size, u64& data, std::string& wrong) {
        Event event{};
        if (!local_piece(event)) {
            wrong = "a piece has no local access";
            return false;
        }
        const u64 at = (transfer.local + done) & mask;
        const unsigned lane = at % lane_bytes_, bytes = unsigned(std::popcount(event.be));
        if (event.address != at - lane || event.write != load ||
            event.be != ((1u << bytes) - 1) << lane || (load && bytes != size))
            wrong = "local piece at " + hex(event.address) + " of lanes " + hex(event.be) +
                    ", not at " + hex(at);
        const u64 low = bytes == 8 ? ~u64{0} : (u64{1} << 8 * bytes) - 1;
        const u64 there = event.data[0] >> 8 * lane & low;
        if (!load)
            data = there;
        else if (wrong.empty() && !event.error && there != data)
            wrong = "local piece at " + hex(at) + ": " + hex(there) + ", remote memory has " +
                    hex(data);
        failed = event.error;
        failed_here = true;
        failed_at = at;
        failed_size = bytes;
        return !failed && wrong.empty();
    };
    const bool begins = !pieces_.empty() || (!events_.empty() && events_.front().bulk);
    std::string wrong;
    while (wrong.empty() && begins) {
        u64 data = 0;
        unsigned size = 0;
        bool moved = load ? remote_side(0, data, wrong) : local_side(0, data, wrong);
        size = failed_size;
        if (moved) moved = load ? local_side(size, data, wrong) : remote_side(size, data, wrong);
        if (!wrong.empty()) break;
        if (moved) done += size;
        if (!moved && failed_size == 1) break;
        if (moved && done == transfer.count * transfer.size) break;
    }
    if (wrong.empty() && next != pieces_.size()) wrong = "remote accesses behind the end";
    if (wrong.empty() && !own.trapped && done != transfer.count * transfer.size)
        wrong = std::to_string(done) + " bytes were moved";
    if (wrong.empty() && own.trapped && begins && (!failed || failed_at != own.tval))
        wrong = "it ended at " + hex(failed_at) + ", the trap says " + hex(own.tval);
    if (wrong.empty() && own.trapped && begins && (own.cause == 7) != (load == failed_here))
        wrong = "it ended at the other side";
    pieces_.clear();
    remote_access_.reset();
    return wrong.empty() || differ("bulk transfer at " + hex(own.pc) + ": " + wrong);
}

}  // namespace isthmus::rtl
