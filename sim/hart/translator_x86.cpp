// The translator for x86-64: regions of hot code, see region_x86.hpp.
#include <memory>

#include "sim/hart/region_x86.hpp"

namespace isthmus::sim {
namespace {

using namespace asmjit;

class X86Translator final : public Translator {
  public:
    explicit X86Translator(const Fallback* fallbacks) : fallbacks_(fallbacks) {}

    const void* translate(const Block& head) override {
        CodeHolder code;
        code.init(runtime_->environment());
        x86::Assembler assembler(&code);
        x86_64::Region region(assembler, fallbacks_, head);
        if (region.empty()) return nullptr;
        region.emit();
        void* entry = nullptr;
        if (runtime_->add(&entry, &code) != kErrorOk) return nullptr;
        return entry;
    }
    void clear() override { runtime_ = std::make_unique<JitRuntime>(); }

  private:
    const Fallback* fallbacks_;
    std::unique_ptr<JitRuntime> runtime_ = std::make_unique<JitRuntime>();
};

}  // namespace

std::unique_ptr<Translator> make_translator(const Fallback* fallbacks) {
    return std::make_unique<X86Translator>(fallbacks);
}

}  // namespace isthmus::sim
