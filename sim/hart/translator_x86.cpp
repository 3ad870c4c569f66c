// The translator for x86-64: regions of hot code, see region_x86.hpp.
#include <deque>
#include <memory>
#include <vector>

#include "sim/hart/region_x86.hpp"

namespace isthmus::sim {
namespace {

using namespace asmjit;

class X86Translator final : public Translator {
  public:
    X86Translator(const Fallback* fallbacks, const BlockCache& blocks)
        : fallbacks_(fallbacks), blocks_(blocks) {}

    std::size_t translate(Block& head, Hart& hart, const void* handler) override {
        if (entry() == nullptr) return 0;
        CodeHolder code;
        code.init(runtime_->environment());
        x86::Assembler assembler(&code);
        x86_64::Region region(assembler, stubs_, fallbacks_, accesses_, blocks_, head, hart);
        if (region.blocks().empty()) return 0;
        region.emit();
        void* start = nullptr;
        if (runtime_->add(&start, &code) != kErrorOk) return 0;
        // Where the host keeps code from being written to, accesses learn nothing.
        if (!runtime_->allocator()->hasOption(JitAllocatorOptions::kUseDualMapping))
            region.place(code, static_cast<std::byte*>(start));
        for (Block* block : region.blocks()) {
            block->native =
                static_cast<const std::byte*>(start) + code.labelOffset(region.entry(*block));
            block->insns[0].handler = handler;
        }
        return region.blocks().size();
    }
    TranslatedCode entry() override {
        if (stubs_.enter == 0) emit_stubs();
        return reinterpret_cast<TranslatedCode>(stubs_.enter);
    }
    void clear() override {
        stubs_ = {};
        accesses_.clear();
        runtime_ = std::make_unique<JitRuntime>();
    }

  private:
    void emit_stubs() {
        CodeHolder code;
        code.init(runtime_->environment());
        x86::Assembler assembler(&code);
        x86_64::Stubs<Label> labels = x86_64::emit_stubs(assembler);
        void* start = nullptr;
        if (runtime_->add(&start, &code) != kErrorOk) return;
        std::vector<std::uint64_t> places;
        labels.for_each([&](const Label& label) {
            places.push_back(reinterpret_cast<std::uint64_t>(start) + code.labelOffset(label));
        });
        stubs_.for_each(
            [&, next = places.begin()](std::uint64_t& place) mutable { place = *next++; });
    }

    const Fallback* fallbacks_;
    const BlockCache& blocks_;
    std::deque<x86_64::Access> accesses_;  // of the code
    std::unique_ptr<JitRuntime> runtime_ = std::make_unique<JitRuntime>();
    x86_64::Stubs<std::uint64_t> stubs_;
};

}  // namespace

std::unique_ptr<Translator> make_translator(const Fallback* fallbacks, const BlockCache& blocks) {
    return std::make_unique<X86Translator>(fallbacks, blocks);
}

}  // namespace isthmus::sim
