// The memory controller of one node: one channel, one rank of DDR4, open pages, scheduled
// first-ready first-come-first-served.
//
// The controller is driven by time: advance(limit) issues every command that is due up to `limit`.
// What it decides at a clock depends on requests that have arrived by then only, so callers may
// advance in any steps. Before a request is queued the controller advances to its arrival.
//
// Rules of the scheduler: the command that can issue first goes first; of two that can issue in the
// same clock a column command goes before a row command, then the older request. A row is not
// closed while a request in the window hits it, unless the oldest request has waited
// `starvation_clocks`. Writes are posted: they wait until write_high are queued or no read waits,
// and are drained down to write_low. A read of a waiting write is served from the queue. Refresh of
// all banks every tREFI.
//
// A line that a burst does not hold takes several, from one row. They are column commands of one
// request, which others may come between; the last one completes it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/machine/machine.hpp"

namespace isthmus::sim {

enum class DramCommand : std::uint8_t { activate, precharge, precharge_all, read, write, refresh };

/// Default observer of commands: none. A test's observer checks every timing rule.
struct NoDramObserver {
    /// A command at memory clock `clock`; bank counts over all groups, group = bank % bank_groups.
    void command(DramCommand, unsigned /*bank*/, std::uint64_t /*row*/, std::uint64_t /*clock*/) {}
};

struct DramStatistics {
    std::uint64_t reads = 0, writes = 0, merged_writes = 0, forwarded_reads = 0;
    std::uint64_t row_hits = 0, activates = 0, precharges = 0, refreshes = 0;
    std::uint64_t read_clocks = 0;  ///< sum over reads, arrival to last data
};

/// A read whose data is (or will be) complete.
struct DramCompletion {
    std::uint32_t tag;
    Cycle when;
};

template <class Observer = NoDramObserver>
class DramController {
  public:
    explicit DramController(const MachineDescription& machine, Observer observer = {})
        : t_(machine.memory),
          core_mhz_(machine.core.clock_mhz),
          line_bytes_(machine.directory.line_bytes),
          lines_in_row_(t_.row_bytes / line_bytes_),
          bursts_(static_cast<std::uint16_t>((line_bytes_ + kBusBytes * t_.burst - 1) /
                                             (kBusBytes * t_.burst))),
          banks_(t_.bank_groups * t_.banks_per_group),
          next_refresh_(t_.t_refi),
          observer_(std::move(observer)) {
        activates_.fill(0);
    }

    /// Queues a read of the line at physical `address`; a DramCompletion with `tag` follows.
    void read(std::uint64_t address, Cycle now, std::uint32_t tag) {
        const Request request = decode(address, now, tag);
        advance_clock(request.arrival);
        ++statistics_.reads;
        for (const Request& write : writes_) {
            if (write.bank == request.bank && write.row == request.row &&
                write.column == request.column) {
                ++statistics_.forwarded_reads;
                completions_.push_back({tag, core_cycle(request.arrival + 1)});
                return;
            }
        }
        reads_.push_back(request);
    }
    /// Queues a write of the line. Posted: nothing follows.
    void write(std::uint64_t address, Cycle now) {
        const Request request = decode(address, now, 0);
        advance_clock(request.arrival);
        ++statistics_.writes;
        for (Request& write : writes_) {
            if (write.bank == request.bank && write.row == request.row &&
                write.column == request.column) {
                write.bursts = request.bursts;
                ++statistics_.merged_writes;
                return;
            }
        }
        writes_.push_back(request);
    }

    /// Issues all commands due up to core cycle `limit`; stops at the first completion if
    /// `until_completion`.
    void advance(Cycle limit, bool until_completion = false) {
        const std::uint64_t last = limit * t_.clock_mhz / core_mhz_;
        while (!(until_completion && !completions_.empty())) {
            if (!issue_next(last)) break;
        }
    }

    /// Completions since the caller last cleared the list. Times may lie in the future, never out
    /// of reach of a caller that advances before it moves on.
    std::vector<DramCompletion>& completions() { return completions_; }
    bool busy() const { return !reads_.empty() || !writes_.empty(); }
    /// A core cycle before which no waiting request can make progress; kNever if none waits.
    Cycle next_event() const { return busy() ? core_cycle(clock_) : kNever; }
    const DramStatistics& statistics() const { return statistics_; }
    Observer& observer() { return observer_; }

    std::uint64_t memory_clock(Cycle cycle) const {
        return (cycle * t_.clock_mhz + core_mhz_ - 1) / core_mhz_;
    }
    Cycle core_cycle(std::uint64_t clock) const {
        return (clock * core_mhz_ + t_.clock_mhz - 1) / t_.clock_mhz;
    }

  private:
    struct Request {
        std::uint64_t arrival, row;
        std::uint32_t tag;
        std::uint16_t bank, column;
        std::uint16_t bursts;  // that have not been asked for
        bool opened;           // an activate was needed
    };
    struct Bank {
        std::uint64_t row = 0, next_activate = 0, next_precharge = 0, next_column = 0;
        bool open = false;
    };
    struct Candidate {
        std::uint64_t clock = ~std::uint64_t{0};
        DramCommand command = DramCommand::refresh;
        std::size_t index = 0;
    };
    static constexpr std::size_t kMaxBanks = 64, kMaxGroups = 8;
    static constexpr std::uint64_t kBusBytes = 16;  // a clock: 64 bits, two transfers

    Request decode(std::uint64_t address, Cycle now, std::uint32_t tag) const {
        // Neighbouring lines fall into different bank groups, then fill the row, then change the
        // bank.
        std::uint64_t line = (address - t_.base) / line_bytes_;
        const std::uint64_t group = line % t_.bank_groups;
        line /= t_.bank_groups;
        const std::uint64_t column = line % lines_in_row_;
        line /= lines_in_row_;
        const std::uint64_t bank = line % t_.banks_per_group * t_.bank_groups + group;
        return {std::max(memory_clock(now), std::uint64_t{0}),
                line / t_.banks_per_group,
                tag,
                static_cast<std::uint16_t>(bank),
                static_cast<std::uint16_t>(column),
                bursts_,
                false};
    }

    void advance_clock(std::uint64_t arrival) {
        if (arrival == 0) return;
        while (issue_next(arrival - 1)) {
        }
    }

    bool issue_next(std::uint64_t last) {
        if (!busy() && next_refresh_ > last) return false;
        const bool writing = write_mode();
        std::vector<Request>& queue = writing ? writes_ : reads_;
        Candidate best = choose(queue, writing);
        if (best.clock >= next_refresh_) {
            best = refresh_step();
            if (best.clock > last) return false;
            issue_refresh(best);
            return true;
        }
        if (best.clock > last) return false;
        issue(queue, best);
        return true;
    }

    bool write_mode() {
        if (writes_.size() >= t_.write_high) draining_ = true;
        if (writes_.size() <= t_.write_low) draining_ = false;
        return draining_ || reads_.empty();
    }

    Candidate choose(const std::vector<Request>& queue, bool writing) const {
        Candidate best;
        if (queue.empty()) return best;
        std::size_t window = std::min<std::size_t>(queue.size(), t_.queue_entries);
        const bool starving = clock_ > queue[0].arrival + t_.starvation_clocks;
        if (starving || t_.scheduler == static_cast<std::uint64_t>(DramScheduler::fcfs)) window = 1;
        std::uint64_t hit_banks = 0, row_command_banks = 0;
        for (std::size_t i = 0; i < window; ++i) {
            const Bank& bank = state_[queue[i].bank];
            if (bank.open && bank.row == queue[i].row)
                hit_banks |= std::uint64_t{1} << queue[i].bank;
        }
        const auto offer = [&](std::uint64_t earliest, DramCommand command, std::size_t i) {
            const std::uint64_t clock = std::max({earliest, clock_, queue[i].arrival});
            const bool column = command == DramCommand::read || command == DramCommand::write;
            const bool best_column =
                best.command == DramCommand::read || best.command == DramCommand::write;
            if (clock < best.clock || (clock == best.clock && column && !best_column))
                best = {clock, command, i};
        };
        for (std::size_t i = 0; i < window; ++i) {
            const Request& request = queue[i];
            const Bank& bank = state_[request.bank];
            const std::uint64_t mask = std::uint64_t{1} << request.bank;
            const std::size_t group = request.bank % t_.bank_groups;
            if (bank.open && bank.row == request.row) {
                const std::uint64_t bus = writing ? next_write_[group] : next_read_[group];
                offer(std::max(bank.next_column, bus),
                      writing ? DramCommand::write : DramCommand::read, i);
                continue;
            }
            if ((row_command_banks & mask) != 0)
                continue;  // the oldest request of a bank decides its row
            row_command_banks |= mask;
            if (bank.open) {
                if ((hit_banks & mask) == 0) offer(bank.next_precharge, DramCommand::precharge, i);
            } else {
                offer(std::max(
                          {bank.next_activate, next_activate_[group], activates_[activate_slot_]}),
                      DramCommand::activate, i);
            }
        }
        return best;
    }

    void issue(std::vector<Request>& queue, const Candidate& c) {
        Request& request = queue[c.index];
        Bank& bank = state_[request.bank];
        const std::size_t group = request.bank % t_.bank_groups;
        observer_.command(c.command, request.bank, request.row, c.clock);
        clock_ = c.clock + 1;
        switch (c.command) {
            case DramCommand::activate:
                ++statistics_.activates;
                request.opened = true;
                bank.open = true;
                bank.row = request.row;
                bank.next_column = c.clock + t_.t_rcd;
                bank.next_precharge = c.clock + t_.t_ras;
                for (std::size_t g = 0; g < t_.bank_groups; ++g) {
                    const std::uint64_t gap = g == group ? t_.t_rrd_l : t_.t_rrd_s;
                    next_activate_[g] = std::max(next_activate_[g], c.clock + gap);
                }
                // A fifth activate waits for the first of the last four plus tFAW.
                activates_[activate_slot_] = c.clock + t_.t_faw;
                activate_slot_ = (activate_slot_ + 1) % activates_.size();
                return;
            case DramCommand::precharge: close(bank, c.clock); return;
            case DramCommand::read:
                for (std::size_t g = 0; g < t_.bank_groups; ++g) {
                    const std::uint64_t gap = g == group ? t_.t_ccd_l : t_.t_ccd_s;
                    next_read_[g] = std::max(next_read_[g], c.clock + gap);
                    // The bus turns round: read data must be over, and two clocks, before write
                    // data.
                    const std::uint64_t turn = t_.cl + t_.burst + 2;
                    const std::uint64_t wait = turn > t_.cwl ? turn - t_.cwl : 1;
                    next_write_[g] = std::max(next_write_[g], c.clock + wait);
                }
                bank.next_precharge = std::max(bank.next_precharge, c.clock + t_.t_rtp);
                if (request.bursts != 1) break;
                completions_.push_back({request.tag, core_cycle(c.clock + t_.cl + t_.burst)});
                statistics_.read_clocks += c.clock + t_.cl + t_.burst - request.arrival;
                break;
            default:
                for (std::size_t g = 0; g < t_.bank_groups; ++g) {
                    const std::uint64_t gap = g == group ? t_.t_ccd_l : t_.t_ccd_s;
                    next_write_[g] = std::max(next_write_[g], c.clock + gap);
                    const std::uint64_t turn = g == group ? t_.t_wtr_l : t_.t_wtr_s;
                    next_read_[g] = std::max(next_read_[g], c.clock + t_.cwl + t_.burst + turn);
                }
                bank.next_precharge =
                    std::max(bank.next_precharge, c.clock + t_.cwl + t_.burst + t_.t_wr);
                break;
        }
        if (--request.bursts != 0) return;
        if (!request.opened) ++statistics_.row_hits;
        queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(c.index));
    }

    /// The next command on the way to a refresh: close all rows, then refresh.
    Candidate refresh_step() const {
        Candidate step{std::max(clock_, next_refresh_), DramCommand::refresh, 0};
        for (std::size_t b = 0; b < banks_; ++b) {
            if (state_[b].open) step.command = DramCommand::precharge_all;
        }
        for (std::size_t b = 0; b < banks_; ++b) {
            const Bank& bank = state_[b];
            if (step.command == DramCommand::refresh)
                step.clock = std::max(step.clock, bank.next_activate);
            if (step.command == DramCommand::precharge_all && bank.open) {
                step.clock = std::max(step.clock, bank.next_precharge);
            }
        }
        return step;
    }

    void issue_refresh(const Candidate& c) {
        observer_.command(c.command, 0, 0, c.clock);
        clock_ = c.clock + 1;
        for (std::size_t b = 0; b < banks_; ++b) {
            if (c.command == DramCommand::precharge_all) {
                if (state_[b].open) close(state_[b], c.clock);
            } else {
                state_[b].next_activate = c.clock + t_.t_rfc;
            }
        }
        if (c.command == DramCommand::refresh) {
            ++statistics_.refreshes;
            next_refresh_ += t_.t_refi;
        }
    }

    void close(Bank& bank, std::uint64_t clock) {
        ++statistics_.precharges;
        bank.open = false;
        bank.next_activate = std::max(bank.next_activate, clock + t_.t_rp);
    }

    const MachineDescription::Memory t_;
    const std::uint64_t core_mhz_, line_bytes_, lines_in_row_;
    const std::uint16_t bursts_;  // of a line
    const std::size_t banks_;
    std::uint64_t clock_ = 0, next_refresh_;
    std::array<Bank, kMaxBanks> state_{};
    std::array<std::uint64_t, kMaxGroups> next_activate_{}, next_read_{}, next_write_{};
    std::array<std::uint64_t, 4> activates_;  // when each of the last four activates stops counting
    std::size_t activate_slot_ = 0;
    bool draining_ = false;
    std::vector<Request> reads_, writes_;
    std::vector<DramCompletion> completions_;
    DramStatistics statistics_;
    [[no_unique_address]] Observer observer_;
};

}  // namespace isthmus::sim
