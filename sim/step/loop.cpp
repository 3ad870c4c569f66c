#include "sim/hart/execute.hpp"
#include "sim/step/observer.hpp"

namespace isthmus::sim {

namespace {

template <unsigned kXlen>
HandlerTable handlers() {
    HandlerTable table;
    execute<kXlen, StepObserver>(nullptr, nullptr, 0, &table.labels);
    return table;
}

}  // namespace

void prepare_steps(Hart& hart) {
    hart.blocks.set_handlers(hart.options().xlen == Xlen::k32 ? handlers<32>() : handlers<64>());
    hart.blocks.set_limit(1);
}

Stop step_once(Hart& hart, StepObserver& observer) {
    return hart.options().xlen == Xlen::k32 ? execute<32, StepObserver>(&hart, &observer, 1)
                                            : execute<64, StepObserver>(&hart, &observer, 1);
}

}  // namespace isthmus::sim
