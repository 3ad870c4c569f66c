// The atomic unit by itself: fetch-and-adds on different words, one offered in each cycle. The link
// brings one every six cycles; here nothing but the unit sets the pace. Then with a host and a
// network that take what they are given when they like: no answer goes before its write back has.
#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <random>

#include "Vatomic_unit.h"
#include "model/coverage.hpp"
#include "model/packet.hpp"

using namespace isthmus::rtl;

namespace {

constexpr unsigned kCount = 8192, kWords = 512, kLatency = 30;

struct Operand {
    unsigned slot;
    std::uint64_t value;
};
struct Word {
    std::uint64_t due;
    unsigned slot;
    std::uint64_t address;
};

unsigned row_of(std::uint64_t address) {
    return (address >> 6 ^ address >> 12 ^ address >> 18) % 64;
}

struct Outcome {
    bool ok;
    double rate;  // answers a cycle
};

Outcome run(bool stalls) {
    VerilatedContext context;
    std::mt19937 random(1);
    Vatomic_unit unit(&context);
    std::map<std::uint64_t, std::uint64_t> memory, expected;
    std::map<unsigned, std::uint64_t> old_of;  // by the origin's tag
    std::deque<Operand> operands;
    std::deque<Word> words;
    std::array<unsigned, 64> locks{};  // words under way, by row; what the unit says must agree
    unsigned started = 0, written = 0, answered = 0, expected_locks = 0;
    std::uint64_t first = 0, last = 0, cycle = 0;
    bool ok = true;
    const auto edge = [&] {
        unit.clk_i = 1;
        unit.eval();
        unit.clk_i = 0;
        unit.eval();
        ++cycle;
    };
    unit.rst_ni = 0;
    unit.write_ready_i = unit.read_ready_i = unit.answer_ready_i = 1;
    edge();
    edge();
    unit.rst_ni = 1;
    while (answered < kCount && cycle < 8 * kCount) {
        // Some of the time the one, the other or both take nothing for a while, so that either
        // queue fills.
        const unsigned pause = stalls ? cycle / 128 % 4 : 0;
        unit.write_ready_i = !(pause & 1) && !(stalls && random() % 4 == 0);
        unit.answer_ready_i = !(pause & 2) && !(stalls && random() % 4 == 0);
        // Words 8 B apart; behind the last one the first again.
        const std::uint64_t address = 0x40000 + started % kWords * 8, delta = 1 + started % 7;
        const unsigned row = row_of(address), word_of_row = (address >> 3) % 8;
        unit.lock_row_i = unit.start_row_i = row;
        unit.header_i[0] = 1 << 6 | command::kAtomic;
        unit.header_i[1] = (started % 1024) << 16;
        unit.header_i[2] = static_cast<std::uint32_t>(address);
        unit.header_i[3] = 0;
        unit.start_i = 0;
        unit.operand_valid_i = !operands.empty();
        if (!operands.empty()) {
            unit.operand_slot_i = unit.operand_tag_i = operands.front().slot;
            unit.operand_count_i = 1;
            unit.operand_i = operands.front().value;
            unit.operand_last_i = 1;
        }
        const bool word = !words.empty() && words.front().due <= cycle;
        unit.word_valid_i = word;
        if (word) {
            unit.word_slot_i = words.front().slot;
            unit.word_i = memory[words.front().address];
            words.pop_front();
        }
        unit.eval();
        if (unit.unlock_o & 512) locks[unit.unlock_o >> 3 & 63] &= ~(1U << (unit.unlock_o & 7));
        ok = ok && (cycle <= 2 || unit.locked_o == expected_locks);
        expected_locks = locks[row];
        const bool locked = locks[row] >> word_of_row & 1;
        const bool start = started < kCount && unit.slot_valid_o && !locked;
        const unsigned slot = unit.slot_o;
        unit.start_i = start;
        unit.eval();
        if (unit.operand_valid_i && unit.operand_ready_o) operands.pop_front();
        if (start) {
            operands.push_back({slot, delta});
            old_of[started % 1024] = expected[address];
            expected[address] += delta;
            locks[row] |= 1U << word_of_row;
            ++started;
        }
        if (unit.read_valid_o) {
            const Packet read = decode(&unit.read_o[0]);
            words.push_back({cycle + kLatency, read.tag, read.address});
        }
        // The write back of an answer went in a cycle before this one.
        ok = ok && (!unit.answer_valid_o || answered < written);
        if (unit.write_valid_o && unit.write_ready_i) {
            ++written;
            memory[decode(&unit.write_o[0]).address] =
                unit.write_o[3] | std::uint64_t{unit.write_o[4]} << 32;
        }
        if (unit.answer_valid_o && unit.answer_ready_i) {
            const unsigned tag = unit.answer_o[1] >> 16 & 1023;
            const std::uint64_t old = unit.answer_o[4] | std::uint64_t{unit.answer_o[5]} << 32;
            ok = ok && old == old_of[tag];
            if (answered++ == 0) first = cycle;
            last = cycle;
        }
        edge();
    }
    ok = ok && answered == kCount && memory == expected;
    unit.final();
    keep_counts(context);
    return {ok, (answered - 1) / static_cast<double>(last - first)};
}

}  // namespace

int main() {
    const Outcome fast = run(false), held = run(true);
    std::printf("atomics of different words, a cycle, the unit by itself   %.3f  >= 0.990 %s\n",
                fast.rate, fast.ok ? "" : "(wrong)");
    std::printf("the same with pauses of the host and the network          %.3f %s\n", held.rate,
                held.ok ? "" : "(wrong)");
    return fast.ok && held.ok && fast.rate >= 0.99 ? 0 : 1;
}
