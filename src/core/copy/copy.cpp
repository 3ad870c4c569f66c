#include "core/copy/copy.hpp"

#include "core/copy/choose.hpp"
#include "core/copy/settle.hpp"
#include "isthmus/window.h"

namespace isthmus {
namespace {

[[gnu::constructor]] void choose() {
    copy_available = {widest_copy(), narrower_copy()};
    use_loops(copy_available.widest);
}

}  // namespace

void use_loops(const ChosenCopy& loops) {
    copy_loops = loops;
    copy_long = loops.copy;
    copy_part = loops.copy_part;
    isthmus_window.copy = loops.copy_any;
}

void copy_before_choice(void* dest, const void* source, std::size_t bytes) {
    std::memcpy(dest, source, bytes);
}
void copy_part_before_choice(std::size_t, void* dest, const void* source, std::size_t bytes) {
    std::memcpy(dest, source, bytes);
}
constinit LongCopy copy_long = copy_before_choice;
constinit PartCopy copy_part = copy_part_before_choice;

const char* copy_loop_name() {
    return copy_loops.name;
}

}  // namespace isthmus
