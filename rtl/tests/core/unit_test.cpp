// The xBGAS unit alone, as a core drives it that is not ours: commit comes when it likes or kills,
// results wait to be taken, words of others are offered. Address management, loads and stores with
// their addresses, data and faults are compared with a model of thirty lines.
//
//     xbgas_unit_test INSTRUCTIONS [START]
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "Vxbgas_unit.h"

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct Bench {
    VerilatedContext context;
    Vxbgas_unit unit{&context};
    std::mt19937_64 random;
    u64 e[32] = {}, done = 0, killed = 0, refused = 0, faults = 0;
    bool ok = true;

    explicit Bench(u64 start) : random(start) {
        unit.rst_ni = 0;
        tick();
        unit.rst_ni = 1;
        tick();
    }
    bool one_of(unsigned n) { return random() % n == 0; }
    void tick() {
        unit.clk_i = 0;
        unit.eval();
        unit.clk_i = 1;
        unit.eval();
        unit.clk_i = 0;
        unit.eval();
        unit.issue_valid_i = unit.commit_valid_i = unit.commit_kill_i = 0;
        unit.mem_ready_i = unit.mem_rvalid_i = unit.mem_err_i = 0;
        unit.remote_ready_i = unit.remote_rvalid_i = unit.remote_err_i = unit.result_ready_i = 0;
        unit.eval();
    }
    void expect(bool condition, const char* what) {
        if (condition || !ok) return;
        ok = false;
        std::printf("instruction %" PRIu64 ": %s\n", done, what);
    }
    void quiet() {
        expect(!unit.mem_valid_o && !unit.remote_valid_o && !unit.result_valid_o,
               "it works on what is not committed");
    }

    void instruction() {
        // eaddi, eaddie, eaddix, eld, esd, ld: the last is none of the unit's.
        const unsigned kind = random() % 6;
        static constexpr u32 kBits[] = {0x607b, 0x507b, 0x7003, 0x3077, 0x307b, 0x3003};
        const unsigned a = random() % 32, b = random() % 32, rd = random() % 32;
        const bool store = kind == 4, load = kind == 3;
        // Aligned where it is local, mostly.
        // What address management gives is 0 every other time: the own memory.
        const bool zero = kind == 1 && one_of(2);
        const u64 x1 = zero ? 0 : random() & (one_of(8) ? ~u64{0} : ~u64{7}), x2 = random();
        const u32 imm = zero ? 0 : static_cast<u32>(random()) & (one_of(8) ? 0xfff : 0xff8);
        const auto offset =
            static_cast<u64>(static_cast<std::int64_t>(static_cast<int>(imm << 20) >> 20));
        u32 word = kBits[kind] | a << 15;
        word |= store ? (imm >> 5) << 25 | b << 20 | (imm & 31) << 7 : imm << 20 | rd << 7;
        unit.issue_valid_i = 1;
        unit.issue_insn_i = word;
        const u64 second = !store && a == (word >> 20 & 31) ? x1 : store && a == b ? x1 : x2;
        for (unsigned i = 0; i < 2; ++i) {
            unit.issue_rs_i[i] = static_cast<u32>(x1 >> 32 * i);
            unit.issue_rs_i[2 + i] = static_cast<u32>(second >> 32 * i);
            unit.issue_rs_i[4 + i] = static_cast<u32>(random());
        }
        const bool at_once = one_of(2), kill = one_of(6);
        if (kind != 5 && at_once) {
            unit.commit_valid_i = 1;
            unit.commit_kill_i = kill;
        }
        unit.eval();
        expect(unit.issue_ready_o, "it is not ready");
        expect(unit.issue_accept_o == (kind != 5), "accept");
        if (kind != 5)
            expect(unit.issue_writeback_o == ((kind == 0 || load) && rd != 0), "writeback");
        quiet();
        tick();
        if (kind == 5) {
            ++refused;
            quiet();
            return;
        }
        if (!at_once) {
            for (unsigned wait = random() % 4; wait > 0; --wait) {
                quiet();
                tick();
            }
            unit.commit_valid_i = 1;
            unit.commit_kill_i = kill;
            unit.eval();
            quiet();
            tick();
        }
        if (kill) {
            ++killed;
            quiet();
            return;
        }
        u64 result = kind == 0 || kind == 2 ? e[a] + offset : x1 + offset;
        bool fault = false;
        unsigned cause = store ? 7 : 5;
        const u64 address = x1 + offset;
        if (load || store) {
            const bool remote = e[a] != 0;
            if (!remote && (address & 7) != 0) {
                fault = true;
                cause = store ? 6 : 4;
            } else {
                access(remote, store, a, address, store ? second : 0, result, fault);
            }
        }
        for (unsigned wait = 0; wait < 20 && !unit.result_valid_o; ++wait)
            tick();
        const unsigned hold = random() % 3;
        for (unsigned i = 0; i <= hold; ++i) {
            unit.result_ready_i = i == hold;
            unit.eval();
            expect(unit.result_valid_o, "no result");
            expect(unit.result_exc_o == fault, "exception");
            if (fault) {
                expect(unit.result_cause_o == cause, "cause");
                expect(unit.result_tval_o == address, "tval");
                expect(!unit.result_write_o, "a fault writes");
            } else {
                const bool writes = (kind == 0 || load) && rd != 0;
                expect(unit.result_write_o == writes, "write");
                if (writes)
                    expect(unit.result_rd_o == rd && unit.result_data_o == result, "result");
            }
            tick();
        }
        quiet();
        faults += fault;
        if (!fault && (kind == 1 || kind == 2) && rd != 0) e[rd] = result;
    }

    void access(bool remote, bool store, unsigned a, u64 address, u64 data, u64& result,
                bool& fault) {
        for (unsigned wait = random() % 4;; --wait) {
            unit.mem_ready_i = !remote && wait == 0;
            unit.remote_ready_i = remote && wait == 0;
            unit.eval();
            expect((remote ? unit.remote_valid_o : unit.mem_valid_o) != 0, "no request");
            expect((remote ? unit.mem_valid_o : unit.remote_valid_o) == 0,
                   "a request of the other kind");
            expect((remote ? unit.remote_addr_o : unit.mem_addr_o) == address, "address");
            if (remote) {
                expect(unit.remote_space_o == e[a], "namespace");
                expect(unit.remote_kind_o == (store ? 1 : 0) && unit.remote_size_o == 3, "kind");
            } else {
                expect(unit.mem_write_o == store && unit.mem_size_o == 3, "kind");
            }
            const u64 sent = remote ? u64{unit.remote_wdata_o[1]} << 32 | unit.remote_wdata_o[0]
                                    : unit.mem_wdata_o;
            if (store) expect(sent == data, "data");
            tick();
            if (wait == 0) break;
        }
        for (unsigned wait = random() % 4; wait > 0; --wait) {
            quiet();
            tick();
        }
        result = random();
        fault = one_of(5);
        // The result is there in the cycle of the answer, and stays if it is not taken.
        if (remote) {
            unit.remote_rvalid_i = 1;
            unit.remote_err_i = fault;
            unit.remote_rdata_i[0] = static_cast<u32>(result);
            unit.remote_rdata_i[1] = static_cast<u32>(result >> 32);
        } else {
            unit.mem_rvalid_i = 1;
            unit.mem_err_i = fault;
            unit.mem_rdata_i = result;
        }
        unit.eval();
        expect(unit.result_valid_o, "no result with the answer");
        tick();
    }
};

}  // namespace

int main(int argc, char** argv) {
    const u64 count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20000;
    Bench bench(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
    for (; bench.done < count && bench.ok; ++bench.done)
        bench.instruction();
    std::printf("%" PRIu64 " instructions: %" PRIu64 " killed, %" PRIu64 " of others, %" PRIu64
                " faults\n",
                bench.done, bench.killed, bench.refused, bench.faults);
    return bench.ok ? 0 : 1;
}
