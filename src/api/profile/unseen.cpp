#include "api/profile/unseen.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "api/profile/description.hpp"
#include "base/error.hpp"

namespace isthmus::profile {
namespace {

const void* module_of(const void* routine) {
    Dl_info place{};
    return routine && dladdr(routine, &place) != 0 ? place.dli_fbase : nullptr;
}

}  // namespace

void tell_unseen() {
    const void* const own = module_of(reinterpret_cast<const void*>(&tell_unseen));
    std::string first;
    std::size_t count = 0;
    for (const Title& title : kTitles) {
        const void* const called = module_of(dlsym(RTLD_DEFAULT, title.routine));
        if (!called || called == own) continue;
        const std::string passed_on = std::string("p") + title.routine;
        if (module_of(dlsym(RTLD_DEFAULT, passed_on.c_str())) == own) continue;
        // It is not counted anyhow; without it there is a word at the end.
        if (title.routine == std::string_view("shmem_finalize")) continue;
        if (count++ == 0) first = title.routine;
    }
    if (count == 0) return;
    const std::string more = count == 1 ? "" : " and " + std::to_string(count - 1) + " more";
    say_from("shmem_init", "the program itself defines " + first + more +
                               ", in front of what counts: these calls are not counted; define "
                               "them in a library (docs/tracing.md)");
}

}  // namespace isthmus::profile
