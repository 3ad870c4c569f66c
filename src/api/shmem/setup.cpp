// Library setup, exit and query routines (9.1), threads (9.2).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include "api/shmem/export.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/settings.hpp"
#include "core/collective.hpp"
#include "core/heap.hpp"
#include "core/job.hpp"
#include "core/wait.hpp"

namespace isthmus::shmem {
namespace {

std::mutex setup;            // init and finalize may be called by several threads
int initializations = 0;     // calls of init not yet matched by finalize
int thread_level = SHMEM_THREAD_SINGLE;
bool exit_handler_installed = false;

void leave() {
    barrier_world();
    release_teams();
    detach_job();
    initializations = 0;
}

// A program that returns from main without shmem_finalize: 1.2 and older allow it, and a clean
// exit then waits for the others. An exit with an error must not.
void at_exit(int status, void*) {
    const std::lock_guard lock(setup);
    if (initializations == 0 || !attached() || window.pes == 0) return;
    if (status == 0) leave();
}

void print_start_information() {
    if (job.me != 0) return;
    if (flag(Setting::version)) say("isthmus: " SHMEM_VENDOR_STRING ", OpenSHMEM 1.6\n");
    if (flag(Setting::info)) {
        for (int i = 0; i < static_cast<int>(Setting::count); ++i) {
            const auto setting = static_cast<Setting>(i);
            say((std::string("isthmus: ") + description(setting).name + "=" + value(setting).text +
                 "  (" + (value(setting).read_from ? "environment" : "default") + ")  " +
                 description(setting).help + "\n")
                    .c_str());
        }
    }
    if (flag(Setting::debug))
        say(("isthmus: " + std::to_string(job.pes) + " PEs, heap " +
             format_size(job.heap.size - kInternalSize) + " each, static data " +
             format_size(job.data.size) + "\n")
                .c_str());
}

void enter(int level) {
    const std::lock_guard lock(setup);
    if (initializations++ != 0) return;
    thread_level = level;
    attach_job();
    create_first_teams();
    if (!exit_handler_installed) on_exit(at_exit, nullptr);
    exit_handler_installed = true;
    print_start_information();
}

}  // namespace
}  // namespace isthmus::shmem

using namespace isthmus;
using namespace isthmus::shmem;

ISTHMUS_API void pshmem_init(void) { enter(SHMEM_THREAD_SINGLE); }

ISTHMUS_API int pshmem_init_thread(int requested, int* provided) {
    const int level = requested < SHMEM_THREAD_SINGLE     ? SHMEM_THREAD_SINGLE
                      : requested > SHMEM_THREAD_MULTIPLE ? SHMEM_THREAD_MULTIPLE
                                                          : requested;
    enter(level);
    if (provided) *provided = thread_level;
    return 0;
}

ISTHMUS_API void pshmem_finalize(void) {
    require_running("shmem_finalize");
    const std::lock_guard lock(setup);
    note(Routine::finalize);
    if (initializations > 1) {
        --initializations;
        return;
    }
    leave();
}

ISTHMUS_API void pshmem_global_exit(int status) {
    // Buffered output of this PE is the user's last word; the other PEs are ended where they are.
    std::fflush(nullptr);
    end_job(status);
}

ISTHMUS_API int pshmem_my_pe(void) {
    if (window.pes == 0) require_running("shmem_my_pe");
    return static_cast<int>(window.me);
}

ISTHMUS_API int pshmem_n_pes(void) {
    if (window.pes == 0) require_running("shmem_n_pes");
    return static_cast<int>(window.pes);
}

ISTHMUS_API int pshmem_pe_accessible(int pe) {
    require_running("shmem_pe_accessible");
    return pe >= 0 && pe < job.pes;
}

ISTHMUS_API int pshmem_addr_accessible(const void* addr, int pe) {
    require_running("shmem_addr_accessible");
    return pe >= 0 && pe < job.pes && why_not_symmetric(addr, 1).empty();
}

ISTHMUS_API void pshmem_info_get_version(int* major, int* minor) {
    *major = SHMEM_MAJOR_VERSION;
    *minor = SHMEM_MINOR_VERSION;
}

ISTHMUS_API void pshmem_info_get_name(char* name) {
    static_assert(sizeof SHMEM_VENDOR_STRING <= SHMEM_MAX_NAME_LEN);
    std::strcpy(name, SHMEM_VENDOR_STRING);
}

ISTHMUS_API void pshmem_query_initialized(int* initialized) {
    const std::lock_guard lock(setup);
    *initialized = initializations != 0;
}

ISTHMUS_API void pshmem_query_thread(int* provided) {
    require_running("shmem_query_thread");
    *provided = thread_level;
}

// Without the profiling library there is nothing to control.
ISTHMUS_API void pshmem_pcontrol(int, ...) {}

SHMEM_TABLE_SETUP(ISTHMUS_ALIAS)
ISTHMUS_API void shmem_global_exit(int status)
    __attribute__((weak, noreturn, alias("pshmem_global_exit")));
ISTHMUS_API void shmem_pcontrol(int level, ...) __attribute__((weak, alias("pshmem_pcontrol")));

// Names from before 1.2. start_pes may be called again and again, and is never matched.
ISTHMUS_API void start_pes(int) {
    int initialized = 0;
    pshmem_query_initialized(&initialized);
    if (!initialized) enter(SHMEM_THREAD_SINGLE);
}
ISTHMUS_API int _my_pe(void) { return pshmem_my_pe(); }
ISTHMUS_API int _num_pes(void) { return pshmem_n_pes(); }
ISTHMUS_API __attribute__((weak)) int my_pe(void) { return pshmem_my_pe(); }
ISTHMUS_API __attribute__((weak)) int num_pes(void) { return pshmem_n_pes(); }
