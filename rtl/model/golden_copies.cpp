// What the golden model knows of prefetched copies: a read that a copy answers must see memory as
// it was when the read was sent, or later, and behind all writes of its origin that it may not
// pass.
#include <algorithm>
#include <array>
#include <cstring>

#include "model/golden.hpp"

namespace isthmus::rtl {

namespace {
constexpr std::uint64_t kLost = ~std::uint64_t{0};
}

// The next read of a stream, or a write close to where one is.
Packet Golden::stream_request(unsigned origin, unsigned& target, bool posted, bool read) {
    static constexpr std::int64_t kSteps[] = {8, 16, 64, 64, 128, 192, 1024, -8, -64, -256};
    Stream& s = streams_[origin][random_() % streams_[origin].size()];
    const std::uint64_t begin = origin % kAtomicSlice * slice();
    const auto inside = [&](std::uint64_t offset) {
        return offset >= begin && offset < begin + slice();
    };
    if (s.left == 0 || !inside(s.offset)) {
        s.target = target;
        s.step = kSteps[random_() % std::size(kSteps)];
        s.offset = begin + random_() % (slice() / 8) * 8;
        if (s.step % 64 == 0 && random_() & 1) s.offset &= ~std::uint64_t{63};
        const unsigned room = 16 - static_cast<unsigned>(s.offset % 64 / 4);
        s.dwords = s.step % 64 == 0 ? 1 + static_cast<unsigned>(random_()) % room : 2;
        s.left = 4 + random_() % 30;
    }
    target = s.target;
    Packet p;
    std::uint64_t offset = s.offset;
    if (read) {
        p.command = command::kRead | command::kDwords | (random_() & 1 ? 8 : 0);
        p.count = s.dwords - 1;
        s.offset += static_cast<std::uint64_t>(s.step);
        --s.left;
    } else {
        // Where the stream has been, is, or will be.
        offset +=
            static_cast<std::uint64_t>(s.step * (static_cast<std::int64_t>(random_() % 24) - 4));
        if (!inside(offset)) offset = s.offset;
        p.command = (posted ? command::kPostedWrite : command::kWrite) | command::kDwords;
        p.count = static_cast<unsigned>(random_()) % (16 - static_cast<unsigned>(offset % 64 / 4));
        p.data.resize(p.count + 1);
        for (auto& word : p.data)
            word = static_cast<std::uint32_t>(random_());
    }
    p.address = map_.local(target, offset);
    return p;
}

bool Golden::may_be_copy(const Packet& read) {
    return read.is_read() && read.has_dwords() && read.address % 8 == 0;
}

std::uint64_t Golden::write_sent(unsigned target, const Packet& write, bool posted) {
    write_times_.push_back(0);
    const std::uint64_t number = write_times_.size() - 1;
    open_writes_[key(target, write.address >> 6)].push_back({number, posted});
    return number;
}

void Golden::write_lost(unsigned target, const Packet& write, std::uint64_t number) {
    write_times_[number] = kLost;
    const auto open = open_writes_.find(key(target, write.address >> 6));
    std::erase_if(open->second, [&](const OpenWrite& w) { return w.number == number; });
    if (open->second.empty()) open_writes_.erase(open);
}

void Golden::write_arrived(unsigned target, const Packet& write, std::uint64_t number) {
    write_lost(target, write, number);
    const std::uint64_t now = network_.now();
    write_times_[number] = now;
    std::array<std::uint32_t, 16> before, after;
    const std::uint8_t* line = network_.node(target).line(write.address);
    std::memcpy(before.data(), line, 64);
    std::array<std::uint8_t, 64> changed;
    std::memcpy(changed.data(), line, 64);
    write_line(write, changed.data());
    std::memcpy(after.data(), changed.data(), 64);
    for (unsigned i = 0; i < 16; ++i) {
        if (before[i] == after[i]) continue;
        auto& values = history_[key(target, (write.address & ~std::uint64_t{63}) + 4 * i)];
        if (values.empty()) values.push_back({0, before[i]});
        values.push_back({now, after[i]});
        if (values.size() < 16) continue;
        // What no open read may see any more. A host has no more than its tags open at a time.
        std::uint64_t oldest = now;
        for (const auto& [id, request] : requests_)
            oldest = std::min(oldest, request.begun);
        while (values.size() > 1 && values[1].since < oldest)
            values.erase(values.begin());
    }
}

void Golden::judge_copy(const Request& request, const Packet& answer) {
    ++copies;
    std::uint64_t from = request.begun;
    const auto wrong = [&](const std::string& what) {
        fail("node " + std::to_string(request.origin) + ": a copy of " +
             std::to_string(request.target) + "'s memory at " +
             std::to_string(request.packet.address) + " answers a read " + what);
    };
    for (const std::uint64_t number : request.behind) {
        if (write_times_[number] == 0) return wrong("that must be behind a write on its way");
        if (write_times_[number] != kLost) from = std::max(from, write_times_[number]);
    }
    for (std::size_t i = 0; i < answer.data.size(); ++i) {
        const auto found = history_.find(key(request.target, request.packet.address + 4 * i));
        if (found == history_.end()) {
            std::uint32_t is;
            std::memcpy(&is,
                        network_.node(request.target).line(request.packet.address) +
                            (request.packet.address & 63) + 4 * i,
                        4);
            if (answer.data[i] != is) return wrong("with what never was there");
            continue;
        }
        const auto& values = found->second;
        bool ok = false;
        for (std::size_t v = 0; v < values.size(); ++v)
            ok = ok || (values[v].value == answer.data[i] &&
                        (v + 1 == values.size() || values[v + 1].since >= from));
        if (!ok) return wrong("with older data than it may see");
    }
}

}  // namespace isthmus::rtl
