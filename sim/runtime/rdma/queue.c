#include "../runtime.h"

struct isthmus_road_state isthmus_road_state;

__attribute__((noinline)) void isthmus_post_with_room(uint64_t what, const void* remote,
                                                      uint64_t local) {
    while (isthmus_road_state.posted - isthmus_road_state.done > kRoadDepth - kRoadSignal)
        isthmus_road_take();
    isthmus_road_state.limit += kRoadSignal;
    isthmus_road_state.signaled = isthmus_road_state.posted + 1;
    isthmus_road_write(isthmus_road_state.posted, what | kRoadSignaled, remote, local);
}

__attribute__((noinline)) uint64_t isthmus_spin_completion(void) {
    struct isthmus_road_completion* const next =
        &isthmus_road_state.completions[isthmus_road_state.taken % kRoadDepth];
    uint64_t done;
    /* Without pauses, whose end it would wait for: xBGAS goes on in the cycle of the answer. */
    while ((done = next->done) <= isthmus_road_state.done) {
    }
    __asm__ volatile("fence r, r" ::: "memory");
    ++isthmus_road_state.taken;
    isthmus_road_state.done = done;
    return next->value;
}

void isthmus_post_pieces(uint64_t opcode, int pe, const void* remote, const void* local,
                         size_t bytes) {
    for (size_t piece; bytes != 0; bytes -= piece) {
        piece = bytes < kRoadLongest ? bytes : kRoadLongest;
        isthmus_road_post(opcode, pe, piece, remote, (uint64_t)local);
        remote = (const char*)remote + piece;
        local = (const char*)local + piece;
    }
}
void isthmus_put_pieces(int pe, void* to, const void* from, size_t bytes) {
    isthmus_post_pieces(kRoadWrite, pe, to, from, bytes);
}
