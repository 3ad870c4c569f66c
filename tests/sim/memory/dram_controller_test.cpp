#include "sim/memory/dram_controller.hpp"

#include <gtest/gtest.h>

#include <map>

#include "sim/machine/random.hpp"

namespace isthmus::sim {
namespace {

struct Command {
    DramCommand command;
    unsigned bank;
    std::uint64_t row, clock;
};
struct Recorder {
    std::vector<Command>* log;
    void command(DramCommand c, unsigned bank, std::uint64_t row, std::uint64_t clock) {
        log->push_back({c, bank, row, clock});
    }
};

/// Checks a command log against the DDR4 rules, pair by pair, knowing nothing of the controller.
class RuleChecker {
  public:
    explicit RuleChecker(const MachineDescription& m) : t_(m.memory) {}

    void check(const std::vector<Command>& log) {
        for (std::size_t i = 0; i < log.size(); ++i) {
            const Command& now = log[i];
            if (i > 0) {
                ASSERT_GT(now.clock, log[i - 1].clock) << "two commands in one clock";
            }
            apply(now);
            // Pairs further apart than this cannot break a rule (tRFC is the longest).
            for (std::size_t j = i; j-- > 0 && now.clock - log[j].clock <= t_.t_rfc;)
                pair(log[j], now);
            if (testing::Test::HasFatalFailure()) return;
        }
    }

  private:
    bool same_group(const Command& a, const Command& b) const {
        return a.bank % t_.bank_groups == b.bank % t_.bank_groups;
    }
    static bool is_close(const Command& c, unsigned bank) {
        return c.command == DramCommand::precharge_all ||
               (c.command == DramCommand::precharge && c.bank == bank);
    }

    void pair(const Command& a, const Command& b) {
        using enum DramCommand;
        const std::uint64_t gap = b.clock - a.clock;
        const bool same_bank = a.bank == b.bank;
        const auto at_least = [&](std::uint64_t rule, const char* name) {
            ASSERT_GE(gap, rule) << name << " at clock " << b.clock << ", bank " << a.bank
                                 << " then " << b.bank;
        };
        if (a.command == activate && b.command == activate) {
            at_least(same_group(a, b) ? t_.t_rrd_l : t_.t_rrd_s, "tRRD");
            if (same_bank) at_least(t_.t_ras + t_.t_rp, "tRC");
        }
        if (a.command == activate && same_bank && (b.command == read || b.command == write))
            at_least(t_.t_rcd, "tRCD");
        if (a.command == activate && is_close(b, a.bank)) at_least(t_.t_ras, "tRAS");
        if (a.command == read && is_close(b, a.bank)) at_least(t_.t_rtp, "tRTP");
        if (a.command == write && is_close(b, a.bank)) at_least(t_.cwl + t_.burst + t_.t_wr, "tWR");
        if (is_close(a, b.bank) && b.command == activate) at_least(t_.t_rp, "tRP");
        if (is_close(a, a.bank) && b.command == refresh) at_least(t_.t_rp, "tRP before refresh");
        if (a.command == refresh && b.command != refresh) at_least(t_.t_rfc, "tRFC");
        if (a.command == read && b.command == read)
            at_least(same_group(a, b) ? t_.t_ccd_l : t_.t_ccd_s, "tCCD");
        if (a.command == write && b.command == write)
            at_least(same_group(a, b) ? t_.t_ccd_l : t_.t_ccd_s, "tCCD");
        if (a.command == write && b.command == read) {
            at_least(t_.cwl + t_.burst + (same_group(a, b) ? t_.t_wtr_l : t_.t_wtr_s), "tWTR");
        }
        if (a.command == read && b.command == write) {
            ASSERT_GE(b.clock + t_.cwl, a.clock + t_.cl + t_.burst)
                << "data bus used by two at clock " << b.clock;
        }
    }

    void apply(const Command& c) {
        switch (c.command) {
            case DramCommand::activate:
                ASSERT_FALSE(open_.contains(c.bank))
                    << "activate of an open bank, clock " << c.clock;
                open_[c.bank] = c.row;
                activates_.push_back(c.clock);
                if (activates_.size() > 4) {
                    ASSERT_GE(c.clock - activates_[activates_.size() - 5], t_.t_faw)
                        << "tFAW at clock " << c.clock;
                }
                break;
            case DramCommand::precharge:
                ASSERT_TRUE(open_.contains(c.bank))
                    << "precharge of a closed bank, clock " << c.clock;
                open_.erase(c.bank);
                break;
            case DramCommand::precharge_all: open_.clear(); break;
            case DramCommand::refresh:
                ASSERT_TRUE(open_.empty()) << "refresh with open rows, clock " << c.clock;
                refreshes_++;
                // Up to one interval late is the controller's promise (JEDEC allows eight).
                ASSERT_LT(c.clock, (refreshes_ + 1) * t_.t_refi);
                ASSERT_GE(c.clock, refreshes_ * t_.t_refi);
                break;
            default:
                ASSERT_TRUE(open_.contains(c.bank) && open_[c.bank] == c.row)
                    << "column of a closed row, clock " << c.clock;
        }
    }

    const MachineDescription::Memory t_;
    std::map<unsigned, std::uint64_t> open_;
    std::vector<std::uint64_t> activates_;
    std::uint64_t refreshes_ = 0;
};

/// Addresses that lie in the given group, bank within the group, row, column.
std::uint64_t address_of(const MachineDescription& m, std::uint64_t group, std::uint64_t bank,
                         std::uint64_t row, std::uint64_t column) {
    const std::uint64_t columns = m.memory.row_bytes / m.directory.line_bytes;
    const std::uint64_t line =
        ((row * m.memory.banks_per_group + bank) * columns + column) * m.memory.bank_groups + group;
    return m.memory.base + line * m.directory.line_bytes;
}

Cycle read_latency(DramController<>& dram, std::uint64_t address, Cycle now) {
    dram.completions().clear();
    dram.read(address, now, 1);
    dram.advance(now + 100000, true);
    EXPECT_EQ(dram.completions().size(), 1u);
    return dram.completions().at(0).when - now;
}

// By hand, in memory clocks: closed bank tRCD + CL + burst; row hit CL + burst; other row tRP +
// tRCD + CL + burst. A 2000 MHz core sees ceil(clocks * 2000 / 1200) cycles from an arrival on a
// common edge.
TEST(DramController, UnloadedLatenciesMatchHandCalculation) {
    const MachineDescription m = table3();
    DramController<> dram(m);
    const auto cycles = [&](std::uint64_t clocks) { return (clocks * 2000 + 1199) / 1200; };
    const auto& t = m.memory;
    EXPECT_EQ(read_latency(dram, address_of(m, 0, 0, 5, 0), 0), cycles(t.t_rcd + t.cl + t.burst));
    EXPECT_EQ(read_latency(dram, address_of(m, 0, 0, 5, 9), 1000), cycles(t.cl + t.burst));
    EXPECT_EQ(read_latency(dram, address_of(m, 0, 0, 6, 0), 2000),
              cycles(t.t_rp + t.t_rcd + t.cl + t.burst));
    EXPECT_EQ(dram.statistics().row_hits, 1u);
    // A read of a waiting write comes from the queue.
    dram.write(address_of(m, 1, 0, 1, 0), 3000);
    EXPECT_EQ(read_latency(dram, address_of(m, 1, 0, 1, 0), 3000), cycles(1));
    EXPECT_EQ(dram.statistics().forwarded_reads, 1u);
}

class DramLines : public testing::TestWithParam<std::uint64_t> {};

// Streaming reads over all bank groups run at the data bus: 64 bytes each tCCD_S, or a line that is
// shorter.
TEST_P(DramLines, StreamAtBusBandwidth) {
    MachineDescription m = table3();
    m.directory.line_bytes = GetParam();
    DramController<> dram(m);
    const std::uint64_t lines = 2000;
    Cycle now = 0;
    std::uint64_t issued = 0, done = 0;
    Cycle last = 0;
    while (done < lines) {
        while (issued < lines && issued - done < 24) {
            dram.read(m.memory.base + issued * m.directory.line_bytes, now, 0);
            ++issued;
        }
        dram.advance(++now);
        for (const DramCompletion& c : dram.completions())
            last = std::max(last, c.when);
        done += dram.completions().size();
        dram.completions().clear();
    }
    const double clocks = static_cast<double>(last) * 1200 / 2000;
    const std::uint64_t columns = lines * std::max<std::uint64_t>(m.directory.line_bytes / 64, 1);
    EXPECT_LT(clocks, 1.10 * static_cast<double>(columns * m.memory.t_ccd_s));
    EXPECT_GE(clocks, static_cast<double>(columns * m.memory.t_ccd_s));
    EXPECT_EQ(dram.statistics().reads, lines);
    EXPECT_LE(dram.statistics().row_hits, lines);
}

INSTANTIATE_TEST_SUITE_P(Lines, DramLines, testing::Values(16u, 64u, 128u, 256u));

// A line of 256 bytes is four bursts of 64 from one row; the last has its end.
TEST(DramController, ALongLineTakesSeveralBursts) {
    MachineDescription m = table3();
    m.directory.line_bytes = 256;
    std::vector<Command> log;
    DramController<Recorder> dram(m, Recorder{&log});
    const auto& t = m.memory;
    dram.read(address_of(m, 0, 0, 5, 0), 0, 1);
    dram.advance(1000);
    ASSERT_EQ(dram.completions().size(), 1u);
    EXPECT_EQ(dram.completions()[0].when,
              ((t.t_rcd + 3 * t.t_ccd_l + t.cl + t.burst) * 2000 + 1199) / 1200);
    dram.write(address_of(m, 0, 0, 5, 1), 1000);
    dram.advance(2000);
    ASSERT_EQ(log.size(), 9u);
    EXPECT_EQ(log[4].command, DramCommand::read);
    EXPECT_EQ(log[5].command, DramCommand::write);
    EXPECT_EQ(dram.statistics().row_hits, 1u);
    EXPECT_EQ(dram.statistics().activates, 1u);
    EXPECT_EQ(dram.statistics().read_clocks, t.t_rcd + 3 * t.t_ccd_l + t.cl + t.burst);
    EXPECT_FALSE(dram.busy());
}

struct Load {
    double write_share, locality, gap;
};

class DramRules : public testing::TestWithParam<std::tuple<Load, std::uint64_t, std::uint64_t>> {};

TEST_P(DramRules, NoCommandBreaksATimingRule) {
    const auto& [load, scheduler, line_bytes] = GetParam();
    MachineDescription m = table3();
    m.directory.line_bytes = line_bytes;
    m.memory.scheduler = scheduler;
    std::vector<Command> log;
    DramController<Recorder> dram(m, Recorder{&log});
    Random random(3);
    Cycle now = 0;
    std::uint32_t tag = 0;
    std::vector<Cycle> arrival;
    std::uint64_t reads = 0, completed = 0, row = 0;
    for (int i = 0; i < 20000; ++i) {
        now += static_cast<Cycle>(load.gap * 2 * static_cast<double>(random.below(1000)) / 1000);
        if (!random.chance(load.locality)) row = random.below(64);
        const std::uint64_t address =
            address_of(m, random.below(4), random.below(4), row, random.below(8192 / line_bytes));
        if (random.chance(load.write_share)) {
            dram.write(address, now);
        } else {
            dram.read(address, now, tag++);
            arrival.push_back(now);
            ++reads;
        }
        if (random.chance(0.3)) dram.advance(now + random.below(4));
        for (const DramCompletion& c : dram.completions()) {
            ASSERT_GT(c.when, arrival[c.tag]);
            ++completed;
        }
        dram.completions().clear();
    }
    dram.advance(now + 100'000'000);
    completed += dram.completions().size();
    EXPECT_EQ(completed, reads);
    EXPECT_FALSE(dram.busy());
    RuleChecker checker(m);
    checker.check(log);
    const DramStatistics& s = dram.statistics();
    std::uint64_t columns = 0;
    for (const Command& c : log)
        columns += c.command == DramCommand::read || c.command == DramCommand::write;
    const std::uint64_t lines = s.reads + s.writes - s.merged_writes - s.forwarded_reads;
    EXPECT_GE(columns, lines * (line_bytes / 64));
    // A write that meets another one half written begins anew.
    EXPECT_LE(columns, (lines + s.merged_writes) * (line_bytes / 64));
    if (line_bytes == 64) {
        EXPECT_EQ(columns, lines);
    }
}

INSTANTIATE_TEST_SUITE_P(Loads, DramRules,
                         testing::Combine(testing::Values(Load{0.0, 0.0, 2}, Load{0.3, 0.5, 8},
                                                          Load{0.5, 0.9, 4}, Load{0.5, 0.1, 30},
                                                          Load{1.0, 0.3, 6}, Load{0.2, 0.5, 400}),
                                          testing::Values(0ull, 1ull),
                                          testing::Values(64ull, 256ull)));

// What FR-FCFS is for: two streams of rows in the same banks, interleaved.
TEST(DramController, FirstReadyBeatsFirstCome) {
    Cycle finished[2];
    for (std::uint64_t scheduler : {0, 1}) {
        MachineDescription m = table3();
        m.memory.scheduler = scheduler;
        DramController<> dram(m);
        for (std::uint64_t i = 0; i < 32; ++i)
            dram.read(address_of(m, i / 2 % 4, 0, i % 2, i), 0, 0);
        dram.advance(1'000'000);
        Cycle last = 0;
        for (const DramCompletion& c : dram.completions())
            last = std::max(last, c.when);
        finished[scheduler] = last;
    }
    EXPECT_LT(finished[1] * 2, finished[0]);
}

// Writes wait behind reads until write_high of them do; then they go, down to write_low.
TEST(DramController, ManyWritesGoBeforeReads) {
    const MachineDescription m = table3();
    for (const std::uint64_t writes : {m.memory.write_high - 1, m.memory.write_high}) {
        std::vector<Command> log;
        DramController<Recorder> dram(m, Recorder{&log});
        for (std::uint64_t i = 0; i < 128; ++i)
            dram.read(address_of(m, 0, 0, 0, i), 0, 0);
        for (std::uint64_t i = 0; i < writes; ++i)
            dram.write(address_of(m, 1, 0, 0, i), 0);
        dram.advance(1'000'000);
        std::string order;  // of the columns
        for (const Command& c : log) {
            if (c.command == DramCommand::read) order += 'r';
            if (c.command == DramCommand::write) order += 'w';
        }
        const auto drained = static_cast<std::size_t>(m.memory.write_high - m.memory.write_low);
        const auto left = static_cast<std::size_t>(m.memory.write_low);
        EXPECT_EQ(order,
                  writes < m.memory.write_high
                      ? std::string(128, 'r') + std::string(writes, 'w')
                      : std::string(drained, 'w') + std::string(128, 'r') + std::string(left, 'w'));
    }
}

// A stream of row hits must not starve a request for another row of the same bank.
TEST(DramController, OldRequestsAreNotStarved) {
    const MachineDescription m = table3();
    DramController<> dram(m);
    dram.read(address_of(m, 0, 0, 0, 0), 0, 1);
    dram.advance(200);
    dram.completions().clear();
    dram.read(address_of(m, 0, 0, 1, 0), 200, 7);
    Cycle served = 0;
    for (Cycle now = 200; now < 20000 && served == 0; now += 6) {
        dram.read(address_of(m, 0, 0, 0, now % 128), now, 2);
        dram.advance(now);
        for (const DramCompletion& c : dram.completions()) {
            if (c.tag == 7) served = c.when;
        }
        dram.completions().clear();
    }
    EXPECT_GT(served, 0u);
    EXPECT_LT(served, 200 + (m.memory.starvation_clocks + 200) * 2000 / 1200);
}

// The same requests give the same times, however the caller divides time.
TEST(DramController, StepsOfTheCallerDoNotMatter) {
    const MachineDescription m = table3();
    std::vector<std::map<std::uint32_t, Cycle>> results;
    for (Cycle step : {1, 7, 1000000}) {
        DramController<> dram(m);
        Random random(9);
        Cycle now = 0;
        std::map<std::uint32_t, Cycle> when;
        for (std::uint32_t i = 0; i < 3000; ++i) {
            const Cycle next = now + random.below(60);
            for (; now < next && step < 1000; now = std::min(next, now + step))
                dram.advance(now);
            now = next;
            const std::uint64_t address =
                address_of(m, random.below(4), random.below(4), random.below(8), random.below(128));
            if (random.chance(0.3)) {
                dram.write(address, now);
            } else {
                dram.read(address, now, i);
            }
        }
        dram.advance(now + 10'000'000);
        for (const DramCompletion& c : dram.completions())
            when[c.tag] = c.when;
        results.push_back(when);
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
}

}  // namespace
}  // namespace isthmus::sim
