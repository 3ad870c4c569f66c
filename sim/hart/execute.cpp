#include "sim/hart/execute.hpp"

namespace isthmus::sim {

namespace {

/// The interpreter's own semantics, one instruction at a time.
template <bool (*kOperation)(Context<64, NoObserver>&, const Insn&)>
bool fall_back(Hart* hart, const Insn* insn) {
    NoObserver nobody;
    Context<64, NoObserver> context(*hart, nobody);
    return kOperation(context, *insn);
}

constexpr Fallback kFallbacks[kOpCount] = {
#define ISTHMUS_SIM_OP(id, ...) fall_back<Semantics<64, NoObserver>::id>,
#include "isthmus/sim/isa/ops.inc"
#undef ISTHMUS_SIM_OP
};

}  // namespace

const Fallback* rv64_fallbacks() {
    return kFallbacks;
}

template Stop run<NoObserver>(Hart&, NoObserver&, std::int64_t);

}  // namespace isthmus::sim
