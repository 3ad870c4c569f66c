#include "sim/timing/core_timing.hpp"

#include <utility>

#include "sim/timing/network_interface.hpp"

namespace isthmus::sim {

CoreTiming::CoreTiming(const MachineDescription& machine, MemorySystem& memory,
                       NetworkInterface& nic)
    : misses_(machine.core.load_misses),
      core_(machine.core),
      l1_data_hit_(machine.l1_data.hit_cycles),
      l1_instruction_hit_(machine.l1_instruction.hit_cycles),
      memory_(memory),
      nic_(nic),
      predictor_(machine.branch),
      instruction_tlb_(machine.mmu.l1_instruction_entries, machine.mmu.l1_instruction_ways),
      data_tlb_(machine.mmu.l1_data_entries, machine.mmu.l1_data_ways),
      second_tlb_(machine.mmu.l2_entries, machine.mmu.l2_ways),
      mmu_(machine.mmu) {
    latency_[static_cast<std::size_t>(TimingClass::integer)] = 1;
    latency_[static_cast<std::size_t>(TimingClass::multiply)] = core_.multiply_cycles;
    latency_[static_cast<std::size_t>(TimingClass::floating)] = core_.float_cycles;
}

void CoreTiming::lose_until(Cycle cycle, StallCause cause) {
    if (cycle <= issue_) return;
    statistics_.stalls[static_cast<std::size_t>(cause)] += cycle - issue_;
    issue_ = cycle;
}

bool CoreTiming::block(StallCause cause) {
    blocked_ = was_blocked_ = true;
    block_cause_ = cause;
    return false;
}

bool CoreTiming::defer() {
    deferred_until_ = issue_;
    return false;
}

bool CoreTiming::retire_slow(const RetiredInstruction& i) {
    current_ = i;
    stage_ = Stage::fetch;
    issue_ = next_issue_;
    was_blocked_ = false;
    return proceed();
}

bool CoreTiming::proceed() {
    switch (stage_) {
        case Stage::fetch:
            if (!fetch()) return false;
            stage_ = Stage::operands;
            [[fallthrough]];
        case Stage::operands:
            if (!take_operands()) return false;
            stage_ = Stage::accesses;
            access_index_ = 0;
            line_offset_ = 0;
            value_ready_ = 0;
            value_pending_ = false;
            [[fallthrough]];
        case Stage::accesses:
            if (!start_accesses()) return false;
            stage_ = Stage::remote;
            [[fallthrough]];
        case Stage::remote:
            if (!start_remote()) return false;
            finish();
            [[fallthrough]];
        case Stage::idle: break;
    }
    return !blocked_ && next_issue_ < limit_;
}

bool CoreTiming::fetch() {
    const std::uint64_t mask = memory_.line_bytes() - 1;
    const std::uint64_t first = current_.pc & ~mask,
                        last = (current_.pc + current_.length - 1) & ~mask;
    for (std::uint64_t base = first;; base = last) {
        if (base != fetch_base_) {
            if (!fetch_pending_) {
                if (issue_ >= limit_) return defer();
                std::uint64_t physical = base;
                if (fetch_view_.table != 0 &&
                    (!translate(fetch_view_, TranslationSource::Access::fetch, physical) ||
                     issue_ >= limit_))
                    return blocked_ ? false : defer();
                if (base != fetch_base_ + mask + 1)
                    lose_until(issue_ + l1_instruction_hit_ - 1, StallCause::fetch);
                fetch_ready_ = issue_;
                const std::uint64_t line = memory_.line_of(physical);
                if (!memory_.read_hit(MemorySystem::kInstruction, line)) {
                    fetch_ready_ =
                        memory_.fill(MemorySystem::kInstruction, line, false, issue_, kFetchTag);
                    fetch_pending_ = true;
                }
            }
            if (fetch_ready_ == kNever) return block(StallCause::fetch);
            fetch_pending_ = false;
            lose_until(fetch_ready_, StallCause::fetch);
            fetch_base_ = base;
            fetch_span_ =
                mask - 2;  // a four-byte instruction that begins below this ends in the line
        }
        if (base == last) break;
    }
    was_blocked_ = false;
    return true;
}

bool CoreTiming::take_operands() {
    const bool fenced = was_blocked_ && block_cause_ == StallCause::fence;
    const Cycle ready = operands_ready(current_);
    if (ready == kNever) return block(StallCause::operand);
    lose_until(ready, StallCause::operand);
    was_blocked_ = false;
    if (fenced) lose_until(last_remote_done_, StallCause::fence);
    switch (current_.kind) {
        case TimingClass::divide: lose_until(divider_free_, StallCause::unit); break;
        case TimingClass::float_divide: lose_until(float_divider_free_, StallCause::unit); break;
        case TimingClass::fence: return order(current_.fence >> 4, current_.fence & 0xf);
        case TimingClass::remote:
            return !has_remote_ || !remote_.release || complete(kFenceReads | kFenceWrites);
        default: break;
    }
    return true;
}

bool CoreTiming::order(std::uint8_t predecessors, std::uint8_t successors) {
    // With both kinds behind it nearly everything would wait: the pipeline does.
    if ((successors & kFenceReads) != 0 && (successors & kFenceWrites) != 0)
        return complete(predecessors);
    if (successors != 0)
        put_behind(predecessors, (successors & kFenceReads) != 0 ? kFenceReads : kFenceWrites);
    return true;
}

void CoreTiming::put_behind(std::uint8_t predecessors, std::uint8_t successors) {
    const bool reads = (predecessors & kFenceReads) != 0,
               writes = (predecessors & kFenceWrites) != 0;
    Predecessors& before = successors == kFenceReads ? before_reads_ : before_writes_;
    if (reads) before.reads = next_ticket_;
    if (writes) before.writes = next_ticket_;
    for (Miss& miss : misses_) {
        if (miss.used && miss.ready > issue_ &&
            ((reads && miss.loads) || (writes && miss.stores != 0)))
            miss.followers |= successors;
    }
    fenced_ |= successors;
    watches_ = true;
}

bool CoreTiming::is_behind_fence(std::uint8_t accesses) {
    accesses &= fenced_;
    const auto waits = [&](std::uint8_t kind, const Predecessors& before) {
        return (accesses & kind) != 0 && nic_.core_has(before.reads, before.writes);
    };
    Cycle ready = was_behind_fence_ ? last_remote_done_ : 0;
    bool held = waits(kFenceReads, before_reads_) || waits(kFenceWrites, before_writes_);
    for (const Miss& miss : misses_) {
        if (!miss.used || (miss.followers & accesses) == 0) continue;
        held |= miss.ready == kNever;
        ready = std::max(ready, miss.ready);
    }
    if (held) {
        was_behind_fence_ = true;
        block(StallCause::fence);
        return true;
    }
    was_behind_fence_ = false;
    fenced_ &= static_cast<std::uint8_t>(~accesses);
    for (Miss& miss : misses_)
        miss.followers &= fenced_;
    watches_ = !loads_.empty() || fenced_ != 0;
    issue_ = next_issue_;
    lose_until(ready, StallCause::fence);
    next_issue_ = issue_;
    return next_issue_ >= limit_;
}

bool CoreTiming::complete(std::uint8_t predecessors) {
    const bool reads = (predecessors & kFenceReads) != 0,
               writes = (predecessors & kFenceWrites) != 0;
    if ((reads && nic_.reads_of_core() != 0) || (writes && nic_.writes_of_core() != 0))
        return block(StallCause::fence);
    for (const Miss& miss : misses_) {
        if (!miss.used || !((reads && miss.loads) || (writes && miss.stores != 0))) continue;
        if (miss.ready == kNever) return block(StallCause::fence);
        lose_until(miss.ready, StallCause::fence);
    }
    return true;
}

bool CoreTiming::start_accesses() {
    const std::uint64_t mask = memory_.line_bytes() - 1;
    for (; access_index_ < access_count_; ++access_index_, line_offset_ = 0) {
        Access& access = accesses_[access_index_];
        if (access.view.table != 0) {
            const auto how = access.kind == AccessKind::load ? TranslationSource::Access::load
                                                             : TranslationSource::Access::store;
            if (!translate(access.view, how, access.address)) return false;
            access.view = {};
        }
        const std::uint64_t first = access.address & ~mask;
        const std::uint64_t lines = ((access.address + access.bytes - 1 - first) / (mask + 1)) + 1;
        for (; line_offset_ < lines; ++line_offset_) {
            if (!start_line(memory_.line_of(first + line_offset_ * (mask + 1)), access.kind))
                return false;
        }
    }
    return true;
}

bool CoreTiming::start_line(std::uint64_t line, AccessKind kind) {
    if (issue_ >= limit_) return defer();
    const bool store = kind == AccessKind::store;
    const bool write = store || kind == AccessKind::atomic;
    const bool hit = write ? memory_.write_hit(line) : memory_.read_hit(MemorySystem::kData, line);
    Miss* miss = find_miss(line);
    if (store && (!hit || miss != nullptr) && !take_store_slot()) return false;
    if (!hit) {
        const bool upgrade = miss != nullptr;  // asked for reading, now wanted for writing
        if (!upgrade) {
            miss = take_miss();
            if (miss == nullptr) return false;
            *miss = Miss{};
            miss->used = true;
            miss->line = line;
        }
        const Cycle ready = memory_.fill(MemorySystem::kData, line, write, issue_,
                                         static_cast<std::uint32_t>(miss - misses_.data()));
        miss->ready = std::max(miss->ready, ready);
        miss->awaiting += ready == kNever;
        misses_until_ = std::max(misses_until_, miss->ready);
    }
    if (store) {
        if (miss != nullptr) ++miss->stores;
        return true;
    }
    if (miss != nullptr) {
        miss->loads = true;
        miss->stores += write;  // an atomic is both
    }
    const Cycle ready = std::max(issue_ + l1_data_hit_, miss != nullptr ? miss->ready : 0);
    if (ready == kNever) {
        miss->waiters[current_.destination >> 6] |= bit(current_.destination);
        value_pending_ = true;
    } else {
        value_ready_ = std::max(value_ready_, ready);
    }
    return true;
}

bool CoreTiming::start_remote() {
    if (!has_remote_) return true;
    if (issue_ >= limit_) return defer();
    if (!nic_.can_start()) return block(StallCause::nic_slots);
    if (!may_overtake(remote_)) return block(StallCause::remote);
    if (was_blocked_) lose_until(last_remote_done_, block_cause_);
    if (remote_.is_overlapping()) {
        loads_.push_back(remote_);
        watches_ = true;
        for (const RegisterId reg : remote_.results)
            under_way_.set(reg, reg != 0);
    }
    nic_.start(remote_, next_ticket_ - 1, issue_);
    limit_ = issue_ + 1;
    sent_ = true;
    return true;
}

bool CoreTiming::may_overtake(const RemoteOperation& operation) const {
    if (loads_.empty()) return true;
    if (operation.writes() && operation.kind != RemoteKind::bulk_get) return false;
    if (operation.is_overlapping() && loads_.size() >= core_.remote_loads) return false;
    return std::ranges::none_of(loads_, [&](const RemoteOperation& load) {
        return load.name_space == operation.name_space &&
               (load.address < operation.address
                    ? operation.address - load.address < load.bytes
                    : load.address - operation.address < operation.bytes);
    });
}

bool CoreTiming::must_wait(TimingClass kind, const std::array<RegisterId, 4>& registers) {
    RegisterSet wanted;
    if (kind == TimingClass::system) {
        wanted = under_way_;
    } else {
        for (const RegisterId reg : registers)
            wanted.set(reg, under_way_[reg]);
        // The e-register that belongs to an address register is in no field of its own.
        if (kind == TimingClass::remote) {
            for (unsigned reg = 64; reg < kRegisters; ++reg)
                wanted.set(reg, under_way_[reg]);
        }
    }
    if (wanted.none()) return false;
    awaited_ = wanted;
    block(StallCause::remote);
    return true;
}

bool CoreTiming::pause(Cycle cycles) {
    if (stage_ != Stage::idle) {
        pause_cycles_ = cycles;
        return false;
    }
    statistics_.stalls[static_cast<std::size_t>(StallCause::service)] += cycles - 1;
    next_issue_ += cycles - 1;
    return !blocked_ && next_issue_ < limit_;
}

std::optional<Ticket> CoreTiming::post(const RemoteOperation& operation, Cycle when) {
    if (!nic_.can_start()) return {};
    nic_.start(operation, next_ticket_, when);
    sent_ = true;
    return next_ticket_++;
}

void CoreTiming::finish() {
    ++statistics_.instructions[static_cast<std::size_t>(current_.kind)];
    next_issue_ = issue_ + 1;
    Cycle latency = 1;
    const auto lose = [&](Cycle cycles, StallCause cause) {
        statistics_.stalls[static_cast<std::size_t>(cause)] += cycles;
        next_issue_ += cycles;
    };
    switch (current_.kind) {
        case TimingClass::multiply: latency = core_.multiply_cycles; break;
        case TimingClass::floating: latency = core_.float_cycles; break;
        case TimingClass::divide:
            latency = core_.divide_cycles;
            divider_free_ = issue_ + latency;
            break;
        case TimingClass::float_divide:
            latency = core_.float_divide_cycles;
            float_divider_free_ = issue_ + latency;
            break;
        case TimingClass::system: lose(core_.system_cycles - 1, StallCause::unit); break;
        case TimingClass::branch:
        case TimingClass::jump:
        case TimingClass::call:
        case TimingClass::return_jump:
            if (!predictor_.resolve(current_))
                lose(core_.mispredict_cycles, StallCause::mispredict);
            break;
        default: break;
    }
    Cycle ready = issue_ + latency;
    if (value_pending_) {
        ready = kNever;
    } else if (value_ready_ != 0) {
        ready = value_ready_;
    }
    ready_[current_.destination] = ready;
    ready_[0] = 0;
    if (has_remote_ && remote_.blocking) {
        awaits_remote_ = true;
        block(remote_.acquire ? StallCause::fence : StallCause::remote);
    }
    if (pause_cycles_ != 0) lose(std::exchange(pause_cycles_, 0) - 1, StallCause::service);
    access_count_ = 0;
    has_remote_ = false;
    deferred_until_ = 0;
    stage_ = Stage::idle;
    take_fetch_view();
}

bool CoreTiming::resume(Cycle limit) {
    limit_ = limit;
    sent_ = false;
    if (blocked_ || waiting_for_service_) return false;
    if (stage_ != Stage::idle) return proceed();
    return next_issue_ < limit_;
}

void CoreTiming::service_done(Cycle when, bool ended) {
    if (!std::exchange(waiting_for_service_, false) || ended) return;
    // What the service does is seen at the end of the window, but its time counts from where it was
    // asked for, so that windows leave no trace in it.
    issue_ = next_issue_;
    lose_until(std::max(when, next_issue_ + service_cycles_), StallCause::service);
    next_issue_ = issue_;
}

void CoreTiming::line_arrived(std::uint32_t tag, Cycle when) {
    blocked_ = awaits_remote_ || awaited_.any();
    if (tag == kFetchTag) {
        fetch_ready_ = when;
        return;
    }
    if (tag == kWalkTag) {
        walk_ready_ = when;
        return;
    }
    Miss& miss = misses_[tag];
    if (--miss.awaiting != 0) return;
    miss.ready = when;
    misses_until_ = 0;
    for (const Miss& other : misses_) {
        if (other.used) misses_until_ = std::max(misses_until_, other.ready);
    }
    for (unsigned word = 0; word < 2; ++word) {
        for (std::uint64_t left = std::exchange(miss.waiters[word], 0); left != 0;
             left &= left - 1) {
            const auto reg = word * 64 + static_cast<unsigned>(std::countr_zero(left));
            if (reg != 0) ready_[reg] = when;
        }
    }
}

void CoreTiming::remote_done(const RemoteOperation& operation, Cycle when) {
    last_remote_done_ = when;
    if (awaits_remote_ && operation.blocking) {
        awaits_remote_ = false;
        issue_ = next_issue_;
        lose_until(when, block_cause_);
        next_issue_ = issue_;
    }
    if (operation.is_overlapping()) {
        std::erase_if(
            loads_, [&](const RemoteOperation& load) { return load.results == operation.results; });
        watches_ = !loads_.empty() || fenced_ != 0;
        const bool awaited = awaited_.any();
        for (const RegisterId reg : operation.results) {
            under_way_.reset(reg);
            awaited_.reset(reg);
        }
        if (awaited && awaited_.none()) {
            issue_ = next_issue_;
            lose_until(when, StallCause::remote);
            next_issue_ = issue_;
        }
    }
    blocked_ = awaits_remote_ || awaited_.any();
}

CoreTiming::Miss* CoreTiming::find_miss(std::uint64_t line) {
    for (Miss& miss : misses_) {
        if (!miss.used) continue;
        if (miss.ready <= issue_) {
            miss.used = false;
        } else if (miss.line == line) {
            return &miss;
        }
    }
    return nullptr;
}

CoreTiming::Miss* CoreTiming::take_miss() {
    Miss* first = nullptr;
    for (Miss& miss : misses_) {
        if (!miss.used || miss.ready <= issue_) return &miss;
        if (miss.ready != kNever && (first == nullptr || miss.ready < first->ready)) first = &miss;
    }
    if (first == nullptr) {
        block(StallCause::miss_slots);
        return nullptr;
    }
    lose_until(first->ready, StallCause::miss_slots);
    return first;
}

unsigned CoreTiming::stores_waiting() const {
    unsigned sum = 0;
    for (const Miss& miss : misses_) {
        if (miss.used && miss.ready > issue_) sum += miss.stores;
    }
    return sum;
}

bool CoreTiming::take_store_slot() {
    while (stores_waiting() >= core_.store_buffer) {
        Cycle first = kNever;
        for (const Miss& miss : misses_) {
            if (miss.used && miss.ready > issue_ && miss.stores != 0)
                first = std::min(first, miss.ready);
        }
        if (first == kNever) return block(StallCause::store_buffer);
        lose_until(first, StallCause::store_buffer);
    }
    return true;
}

}  // namespace isthmus::sim
