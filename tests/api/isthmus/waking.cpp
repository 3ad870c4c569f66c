// What wakes a sleeping waiter at once, and what does not (the list in isthmus/event.h). Two PEs;
// run with waits that sleep from the beginning and look for themselves only every 1.2 s.
#include <isthmus.hpp>

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "check.h"

namespace {

constexpr std::uint64_t kOffset = 64;
std::int64_t in_static;

struct Way {
    const char* name;
    bool wakes;
    std::function<void()> write;  // makes the word at kOffset, or in_static, 1 at PE 1
};

std::vector<Way> ways(const isthmus_segment& there) {
    static std::int64_t one = 1;
    static std::int64_t before;
    static std::int32_t before32;
    static const isthmus_point2d flat = {0, 0, 8, 1};
    static const isthmus_point3d deep = {0, 0, 0, 8, 1, 1};
    static const isthmus_range range = {&one, kOffset, 8};
    const isthmus_segment* const s = &there;
    const isthmus::global_ptr<std::int64_t> word(&in_static, 1);
    return {
        {"put", true, [=] { OK(isthmus_put(&one, s, kOffset, 8, nullptr)); }},
        {"put_strided", true,
         [=] { OK(isthmus_put_strided(&one, 8, s, kOffset, 8, 8, 1, nullptr)); }},
        {"put_block2d", true,
         [=] { OK(isthmus_put_block2d(&one, &flat, s, kOffset, &flat, 1, 8, 1, nullptr)); }},
        {"put_block3d", true,
         [=] { OK(isthmus_put_block3d(&one, &deep, s, kOffset, &deep, 1, 8, 1, 1, nullptr)); }},
        {"put_list", true, [=] { OK(isthmus_put_list(&range, 1, s, nullptr)); }},
        {"poke", true, [=] { OK(isthmus_poke(s, kOffset, 1)); }},
        {"poke32", true, [=] { OK(isthmus_poke32(s, kOffset, 1)); }},
        {"postadd", true, [=] { OK(isthmus_postadd(s, kOffset, 1)); }},
        {"postor32", true, [=] { OK(isthmus_postor32(s, kOffset, 1)); }},
        {"fetchadd", true, [=] { OK(isthmus_fetchadd(s, kOffset, 1, &before, nullptr)); }},
        {"fetchmax32", true, [=] { OK(isthmus_fetchmax32(s, kOffset, 1, &before32, nullptr)); }},
        {"swap", true, [=] { OK(isthmus_swap(s, kOffset, 1, &before, nullptr)); }},
        {"compare_swap", true,
         [=] { OK(isthmus_compare_swap(s, kOffset, 0, 1, &before, nullptr)); }},
        {"symmetric_put", true,
         [=] { OK(isthmus_symmetric_put(&in_static, &one, 8, 1, nullptr)); }},
        {"put to a global_ptr", true,
         [=] { isthmus::put(std::span<const std::int64_t>(&one, 1), word).or_fail(); }},
        {"assignment", false, [=] { *word = 1; }},
        {"global_atomic", false, [=] { isthmus::global_atomic<std::int64_t>(word).fetch_add(1); }},
    };
}

}  // namespace

int main() {
    const isthmus::job job;
    const bool waits = isthmus::pe() == 1;
    isthmus::segment mine;
    if (waits) mine = isthmus::segment::create(7, 4096).or_fail();
    isthmus_segment there;
    OK(isthmus_segment_clone(&there, 7, 20));
    for (const Way& way : ways(there)) {
        auto* const word = reinterpret_cast<std::int64_t*>(there.base + kOffset);
        if (waits) *word = in_static = 0;
        isthmus::barrier();
        if (waits) {
            isthmus_event events[2];
            OK(isthmus_event_arm(&events[0], word, ISTHMUS_EQ, 1));
            OK(isthmus_event_arm(&events[1], &in_static, ISTHMUS_EQ, 1));
            std::size_t which = 2;
            const double begun = seconds_now(CLOCK_MONOTONIC);
            OK(isthmus_event_wait_any(events, 2, &which, 20));
            const double waited = seconds_now(CLOCK_MONOTONIC) - begun;
            // What comes over the network may wake by its coming.
            if (way.wakes != (waited < 0.9) && (way.wakes || !has_far_pes())) {
                std::fprintf(stderr, "%s: noticed after %.3f s\n", way.name, waited);
                CHECK(false);
            }
        } else {
            // Of a far PE nobody sees whether it sleeps.
            if (is_far(&there)) usleep(50'000);
            while (!is_far(&there) && __atomic_load_n(there.sleepers, __ATOMIC_RELAXED) == 0)
                usleep(1000);
            usleep(10'000);
            way.write();
        }
        isthmus::barrier();
    }
    OK(isthmus_segment_destroy(&there));
    return 0;
}
