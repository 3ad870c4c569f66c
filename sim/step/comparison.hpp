// What a core says it did beside what the hart did, and the report where they differ.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/step/stepped_hart.hpp"

namespace isthmus::sim {

class Comparison {
  public:
    explicit Comparison(SteppedHart& hart) : hart_(&hart) {}

    /// The bits of what differs (ISTHMUS_STEP_SAYS_...).
    unsigned compare(const isthmus_step_record& core, unsigned says);
    const std::string& report() const { return report_; }
    /// The hart's state has been set from outside: the core's is taken to be the same again.
    void restart() { follows_ = false; }

  private:
    static constexpr std::size_t kHistory = 8;
    struct Past {
        std::uint64_t order, pc;
        std::uint32_t instruction;
    };
    /// The core's register files as far as it has told of them.
    struct Files {
        std::array<std::uint64_t, 32> x{}, f{}, e{};
        std::array<std::uint64_t, 32>& of(unsigned file) {
            return file == ISTHMUS_STEP_F ? f : file == ISTHMUS_STEP_E ? e : x;
        }
    };

    void follow(const isthmus_step_record& core, unsigned says);
    void differ(unsigned bit, const std::string& what, const std::string& core,
                const std::string& reference);
    void compare_number(unsigned says, unsigned bit, const char* what, std::uint64_t core,
                        std::uint64_t reference);
    void compare_sources(const isthmus_step_record& core);
    void compare_writes(const isthmus_step_record& core);
    void compare_csrs(const isthmus_step_record& core, bool all);
    void compare_memory(const isthmus_step_record& core);
    void compare_remote(const isthmus_step_record& core);
    void write_report(const isthmus_step_record& core, unsigned says);
    void write_state();
    std::string text(std::uint64_t value) const;
    std::uint64_t as_register(unsigned file, std::uint64_t value) const;

    SteppedHart* hart_;
    Files core_;
    bool follows_ = false;
    std::array<Past, kHistory> past_{};
    std::uint64_t compared_ = 0;
    unsigned found_ = 0;
    std::string differences_, report_;
};

}  // namespace isthmus::sim
