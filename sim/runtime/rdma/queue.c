#include "../runtime.h"

struct road_state road_state;

__attribute__((noinline)) void isthmus_post_with_room(uint64_t what, const void* remote,
                                                      uint64_t local) {
    while (road_state.posted - road_state.done > kRoadDepth - kRoadSignal)
        road_take();
    road_state.limit += kRoadSignal;
    road_state.signaled = road_state.posted + 1;
    road_write(road_state.posted, what | kRoadSignaled, remote, local);
}

__attribute__((noinline)) uint64_t isthmus_spin_completion(void) {
    struct road_completion* const next = &road_state.completions[road_state.taken % kRoadDepth];
    uint64_t done;
    while ((done = next->done) <= road_state.done)
        isthmus_pause();
    __asm__ volatile("fence r, r" ::: "memory");
    ++road_state.taken;
    road_state.done = done;
    return next->value;
}

void isthmus_post_pieces(uint64_t opcode, int pe, const void* remote, const void* local,
                         size_t bytes) {
    for (size_t piece; bytes != 0; bytes -= piece) {
        piece = bytes < kRoadLongest ? bytes : kRoadLongest;
        road_post(opcode, pe, piece, remote, (uint64_t)local);
        remote = (const char*)remote + piece;
        local = (const char*)local + piece;
    }
}
void isthmus_put_pieces(int pe, void* to, const void* from, size_t bytes) {
    isthmus_post_pieces(kRoadWrite, pe, to, from, bytes);
}
