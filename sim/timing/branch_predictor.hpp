// Branch prediction: a table of two-bit counters (by address, or by address and history), a branch
// target buffer and a return address stack. It only ever answers one question: was this one
// predicted?
#pragma once

#include <cstdint>
#include <vector>

#include "sim/timing/timing_model.hpp"

namespace isthmus::sim {

struct BranchStatistics {
    std::uint64_t branches = 0, jumps = 0, mispredicted = 0;
};

class BranchPredictor {
  public:
    explicit BranchPredictor(const MachineDescription::Branch& b)
        : kind_(static_cast<BranchPredictorKind>(b.predictor)),
          counters_(b.entries, 1),
          targets_(b.target_entries),
          stack_(b.return_stack),
          history_mask_((std::uint64_t{1} << b.history_bits) - 1) {}

    /// Learns the outcome. Returns true if fetch had gone the right way.
    bool resolve(const RetiredInstruction& i) {
        const std::uint64_t fall_through = i.pc + i.length;
        const bool taken = i.next_pc != fall_through;
        Target& target = targets_[(i.pc >> 1) & (targets_.size() - 1)];
        const bool target_known = target.pc == i.pc && target.next == i.next_pc;
        bool correct = true;
        switch (i.kind) {
            case TimingClass::branch: {
                ++statistics_.branches;
                const bool predicted = predict(i);
                train(i, taken);
                correct = predicted == taken && (!taken || target_known);
                break;
            }
            case TimingClass::return_jump:
                ++statistics_.jumps;
                correct = depth_ != 0 && stack_[top_] == i.next_pc;
                if (depth_ != 0) {
                    top_ = (top_ + stack_.size() - 1) % stack_.size();
                    --depth_;
                }
                break;
            default:
                ++statistics_.jumps;
                correct = target_known;
                if (i.kind == TimingClass::call) {
                    top_ = (top_ + 1) % stack_.size();
                    stack_[top_] = fall_through;
                    if (depth_ < stack_.size()) ++depth_;
                }
                break;
        }
        if (taken) target = {i.pc, i.next_pc};
        statistics_.mispredicted += !correct;
        return correct;
    }
    const BranchStatistics& statistics() const { return statistics_; }

  private:
    struct Target {
        std::uint64_t pc = ~std::uint64_t{0}, next = 0;
    };
    std::uint8_t& counter(std::uint64_t pc) {
        const std::uint64_t history = kind_ == BranchPredictorKind::gshare ? history_ : 0;
        return counters_[((pc >> 1) ^ history) & (counters_.size() - 1)];
    }
    bool predict(const RetiredInstruction& i) {
        // Static: backward taken, forward not. The direction is known only for taken branches; a
        // branch that falls through is judged by the target it last had.
        if (kind_ == BranchPredictorKind::fixed) {
            const Target& target = targets_[(i.pc >> 1) & (targets_.size() - 1)];
            if (i.next_pc != i.pc + i.length) return i.next_pc < i.pc;
            return target.pc == i.pc && target.next < i.pc;
        }
        return counter(i.pc) >= 2;
    }
    void train(const RetiredInstruction& i, bool taken) {
        std::uint8_t& c = counter(i.pc);
        if (taken && c < 3) ++c;
        if (!taken && c > 0) --c;
        history_ = ((history_ << 1) | taken) & history_mask_;
    }

    BranchPredictorKind kind_;
    std::vector<std::uint8_t> counters_;
    std::vector<Target> targets_;
    std::vector<std::uint64_t> stack_;
    std::size_t top_ = 0, depth_ = 0;
    std::uint64_t history_ = 0, history_mask_;
    BranchStatistics statistics_;
};

}  // namespace isthmus::sim
