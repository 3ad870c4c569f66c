// The translator for x86-64: regions of hot code, see region_x86.hpp.
#include <memory>

#include "sim/hart/region_x86.hpp"

namespace isthmus::sim {
namespace {

using namespace asmjit;

class X86Translator final : public Translator {
  public:
    X86Translator(const Fallback* fallbacks, const BlockCache& blocks)
        : fallbacks_(fallbacks), blocks_(blocks) {}

    const void* translate(const Block& head, Hart& hart) override {
        CodeHolder code;
        code.init(runtime_->environment());
        x86::Assembler assembler(&code);
        x86_64::Region region(assembler, fallbacks_, blocks_, head, hart);
        if (region.empty()) return nullptr;
        region.emit();
        void* start = nullptr;
        if (runtime_->add(&start, &code) != kErrorOk) return nullptr;
        return static_cast<const std::byte*>(start) + code.labelOffset(region.entry());
    }
    TranslatedCode entry() override {
        if (entry_ != nullptr) return entry_;
        CodeHolder code;
        code.init(runtime_->environment());
        x86::Assembler assembler(&code);
        x86_64::emit_entry(assembler);
        if (runtime_->add(&entry_, &code) != kErrorOk) entry_ = nullptr;
        return entry_;
    }
    void clear() override {
        entry_ = nullptr;
        runtime_ = std::make_unique<JitRuntime>();
    }

  private:
    const Fallback* fallbacks_;
    const BlockCache& blocks_;
    std::unique_ptr<JitRuntime> runtime_ = std::make_unique<JitRuntime>();
    TranslatedCode entry_ = nullptr;
};

}  // namespace

std::unique_ptr<Translator> make_translator(const Fallback* fallbacks, const BlockCache& blocks) {
    return std::make_unique<X86Translator>(fallbacks, blocks);
}

}  // namespace isthmus::sim
