#include "core/reach/handle.hpp"

#include "base/known_objects.hpp"
#include "base/lasting.hpp"
#include "base/pool.hpp"
#include "core/job/job.hpp"
#include "core/wait/status.hpp"

namespace isthmus::far {
namespace {

Lasting<Pool<Handle>> handles;

Lasting<KnownObjects> taken;  // in checked mode

}  // namespace

Handle& take_handle(const char* routine) {
    return whole(routine, []() -> Handle& {
        Handle& handle = handles->take();
        if (job.checked) taken->add(&handle);
        return handle;
    });
}

void give_back(Handle& handle) {
    if (job.checked) taken->remove(&handle);
    handles->give_back(handle);
}

bool is_taken_handle(const Handle* handle) {
    return taken->contains(handle);
}

Handle& begin_put(void* dest, const void* source, std::size_t bytes, int pe, const char* routine) {
    const transport::Place place = place_of(dest, bytes, routine);
    Handle& handle = take_handle(routine);
    const OnRoad on_road(routine);
    road->begin_put(pe, place, source, bytes, handle.completion);
    return handle;
}

Handle& begin_get(Handle& handle, void* dest, const void* source, std::size_t bytes, int pe,
                  const char* routine) {
    const OnRoad on_road(routine);
    road->begin_get(pe, dest, place_of(source, bytes, routine), bytes, handle.completion);
    return handle;
}

Handle& begin_quiet(int pe, const char* routine) {
    Handle& handle = take_handle(routine);
    const OnRoad on_road(routine);
    road->begin_quiet(pe, handle.completion);
    return handle;
}

bool test(Handle& handle) {
    {
        const OnRoad on_road("a test");
        if (!road->test(handle.completion)) return false;
    }
    give_back(handle);
    return true;
}

void await(Handle& handle) {
    const OnRoad on_road("a wait");
    road->await(handle.completion);
}

}  // namespace isthmus::far
