#include "core/job/road.hpp"

namespace isthmus::far {

bool present = false;
bool served_by_calls = false;
transport::Transport* road = nullptr;

namespace {

__thread bool serving = false;

}  // namespace

Serving::Serving() {
    serving = true;
}

Serving::~Serving() {
    serving = false;
}

void progress() {
    if (road && !serving) road->progress();
}

void progress_by_call() {
    thread_local std::uint32_t calls = 0;
    if (++calls % 16 == 0) progress();
}

bool sleep() {
    constexpr std::uint64_t kMillisecond = 1'000'000;
    return road && !serving && road->sleep(kMillisecond);
}

std::uint64_t ask_state(int pe) {
    return road ? road->ask_state(pe) : 0;
}

}  // namespace isthmus::far
