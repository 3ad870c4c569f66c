// Several checked cores: with a network between them that is a delay and nothing else, or nodes of
// gates with their mesh.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cosim/checked_core.hpp"

namespace isthmus::rtl {

class CoreMachine final : public RemoteSide {
  public:
    CoreMachine(const CoreKind& kind, unsigned nodes, u64 memory_bytes,
                const Disturbance& disturbance);

    void load_elf(const std::string& path);
    /// Until all have an exit code, `cycles` are over, or a difference; the latter is false.
    bool run(u64 cycles);
    /// Until so many instructions have ended on all together.
    bool run_instructions(u64 instructions, u64 cycles);

    const std::string& report() const { return report_; }
    unsigned nodes() const { return static_cast<unsigned>(cores_.size()); }
    CheckedCore& core(unsigned node) { return *cores_[node]; }
    bool finished() const;
    u64 retired() const;
    /// Both memories of every node, behind a run.
    bool memory_equal();

    Answer serve(unsigned from, const RemoteAccess& access) override;
    u64 latency() override { return 8 + random_() % 8; }
    bool locked() const override;
    std::string taken(unsigned from, unsigned id, const RemoteAccess& access) override;
    std::string arrives(unsigned at, unsigned source, unsigned id, const WordAccess& word) override;
    std::string answered(unsigned from, unsigned id, const Answer& answer) override;

  private:
    /// What an access finds and leaves, if it is done now.
    struct Effect {
        Answer answer;
        u64 target = 0, data[2] = {};
        bool writes = false;
    };
    Effect effect_of(unsigned from, const RemoteAccess& access);

    // The mesh (mesh.cpp).
    void place_nodes(const CoreKind& kind, u64 memory_bytes);
    void connect_nodes();
    struct UnderWay {
        RemoteAccess access;
        Effect effect;
        bool there = false, seen = false;
        unsigned written = 0;  // bytes
        u64 order = 0;         // in which its node has asked
    };
    std::string first_arrival(unsigned source, UnderWay& mine);
    std::vector<std::vector<UnderWay>> under_way_;  // by the node that has asked, and number
    u64 asked_ = 0;
    std::vector<Links> links_;
    unsigned columns_ = 0;

    std::vector<std::unique_ptr<CheckedCore>> cores_;
    std::mt19937_64 random_;
    std::string report_;
};

}  // namespace isthmus::rtl
