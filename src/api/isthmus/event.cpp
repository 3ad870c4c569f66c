// Events (isthmus/event.h).
#include "core/wait/event.hpp"

#include "api/isthmus/export.hpp"
#include "core/wait/in_handler.hpp"
#include "core/wait/status.hpp"

using namespace isthmus;
using namespace isthmus::native;

namespace {

template <typename Word>
int arm(Event* event, const Word* address, int condition, Word value, const char* routine) {
    constexpr unsigned width = sizeof(Word);
    if (condition < ISTHMUS_EQ || condition > ISTHMUS_LE)
        return refuse(ISTHMUS_ARGUMENT, routine, "condition ", condition,
                      " is none of EQ NE GT GE LT LE");
    if (!address || reinterpret_cast<std::uintptr_t>(address) % width != 0)
        return address
                   ? refuse(ISTHMUS_ARGUMENT, routine, "the address is not a multiple of ", width)
                   : refuse(ISTHMUS_ARGUMENT, routine, "the address is null");
    *event = make_event(address, condition, value);
    return ISTHMUS_OK;
}

const char* begin_wait(Routine waits) {
    const char* routine = begin(waits);
    if (is_wait_in_handler()) refuse_wait_in_handler(routine);
    return routine;
}

int timed_out(const char* routine, double timeout) {
    return refuse(ISTHMUS_TIMEOUT, routine, "not true within ", seconds_text(timeout));
}

}  // namespace

ISTHMUS_API int isthmus_event_arm(isthmus_event* event, const int64_t* address,
                                  isthmus_condition condition, int64_t value) {
    return arm(event, address, condition, value, "isthmus_event_arm");
}

ISTHMUS_API int isthmus_event_arm32(isthmus_event* event, const int32_t* address,
                                    isthmus_condition condition, int32_t value) {
    return arm(event, address, condition, value, "isthmus_event_arm32");
}

ISTHMUS_API int isthmus_event_test_slow(const isthmus_event* event) {
    return is_true_narrow(*event);
}

ISTHMUS_API int isthmus_event_wait_slow(const isthmus_event* event, double timeout) {
    if (is_true(*event)) return ISTHMUS_OK;
    begin_wait(Routine::native_event_wait);
    return wait_for_event(*event, deadline_after(timeout), Routine::native_event_wait)
               ? ISTHMUS_OK
               : timed_out("isthmus_event_wait_for", timeout);
}

ISTHMUS_API int isthmus_event_wait_all(const isthmus_event* events, size_t count, double timeout) {
    const char* routine = begin_wait(Routine::native_event_wait_all);
    const std::uint64_t deadline = deadline_after(timeout);
    for (std::size_t i = 0; i < count; ++i) {
        if (is_true(events[i])) continue;
        if (!wait_for_event(events[i], deadline, Routine::native_event_wait_all))
            return timed_out(routine, timeout);
    }
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_event_wait_any(const isthmus_event* events, size_t count, size_t* index,
                                       double timeout) {
    const char* routine = begin_wait(Routine::native_event_wait_any);
    if (count == 0) return refuse(ISTHMUS_ARGUMENT, routine, "no events are given");
    return wait_for_any_event(events, count, *index, deadline_after(timeout),
                              Routine::native_event_wait_any)
               ? ISTHMUS_OK
               : timed_out(routine, timeout);
}
