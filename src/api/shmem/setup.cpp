// Library setup, exit and query routines (9.1), threads (9.2).
#include <algorithm>
#include <cstring>

#include "api/shmem/export.hpp"
#include "api/shmem/turn.hpp"
#include "core/job/job.hpp"
#include "core/job/private_memory.hpp"
#include "core/job/shown_window.hpp"
#include "core/session/departure.hpp"
#include "core/session/session.hpp"
#include "core/wait/wait.hpp"

using namespace isthmus;
using namespace isthmus::shmem;

static void enter(int level) {
    enter_session(level);
    show_window();
}

ISTHMUS_API void pshmem_init(void) {
    check_thread_if_running("shmem_init");
    enter(SHMEM_THREAD_SINGLE);
}

ISTHMUS_API int pshmem_init_thread(int requested, int* provided) {
    check_thread_if_running("shmem_init_thread");
    enter(std::clamp(requested, SHMEM_THREAD_SINGLE, SHMEM_THREAD_MULTIPLE));
    if (provided) *provided = session_thread_level();
    return 0;
}

ISTHMUS_API void pshmem_finalize(void) {
    if (has_finalized()) return advise("shmem_finalize", "called again; once is enough");
    require_running("shmem_finalize");
    if (job.checked && session_count() == 1) tell_held_locks("shmem_finalize");
    note(Routine::finalize);
    const Turn turn(isthmus_team_world, Routine::finalize);
    leave_session();
}

// For the profiling library, whose counts are gathered when a PE leaves: it must not meet those who
// are in another routine, nor wait for them.
ISTHMUS_API void isthmus_leave_together(int exits) {
    if (!exits) note(Routine::finalize);
    leave_together(exits ? Departure::exit : Departure::finalize);
}

ISTHMUS_API void pshmem_global_exit(int status) {
    check_thread_if_running("shmem_global_exit");
    exit_job(status);
}

// What a PE was it also knows behind its last session.
static void require_number(const char* routine) {
    if (window.limit == 0 && !does_caller_pass() && (window.pes == 0 || session_count() != 0))
        [[unlikely]]
        require_running(routine);
}

ISTHMUS_API int pshmem_my_pe(void) {
    require_number("shmem_my_pe");
    return static_cast<int>(window.me);
}

ISTHMUS_API int pshmem_n_pes(void) {
    require_number("shmem_n_pes");
    return static_cast<int>(window.pes);
}

ISTHMUS_API int pshmem_pe_accessible(int pe) {
    require_running("shmem_pe_accessible");
    return pe >= 0 && pe < job.pes;
}

ISTHMUS_API int pshmem_addr_accessible(const void* addr, int pe) {
    require_running("shmem_addr_accessible");
    return pe >= 0 && pe < job.pes && is_symmetric(addr, 1);
}

ISTHMUS_API void pshmem_info_get_version(int* major, int* minor) {
    check_thread_if_running("shmem_info_get_version");
    *major = SHMEM_MAJOR_VERSION;
    *minor = SHMEM_MINOR_VERSION;
}

ISTHMUS_API void pshmem_info_get_name(char* name) {
    check_thread_if_running("shmem_info_get_name");
    static_assert(sizeof SHMEM_VENDOR_STRING <= SHMEM_MAX_NAME_LEN);
    std::memcpy(name, SHMEM_VENDOR_STRING, sizeof SHMEM_VENDOR_STRING);
}

ISTHMUS_API void pshmem_query_initialized(int* initialized) {
    check_thread_if_running("shmem_query_initialized");
    *initialized = session_count() != 0;
}

ISTHMUS_API void pshmem_query_thread(int* provided) {
    require_running("shmem_query_thread");
    *provided = session_thread_level();
}

// Without the profiling library there is nothing to control.
ISTHMUS_API void pshmem_pcontrol(int, ...) {
    check_thread_if_running("shmem_pcontrol");
}

SHMEM_TABLE_SETUP(ISTHMUS_ALIAS)
ISTHMUS_API void shmem_global_exit(int status)
    __attribute__((weak, noreturn, alias("pshmem_global_exit")));
ISTHMUS_API void shmem_pcontrol(int level, ...) __attribute__((weak, alias("pshmem_pcontrol")));

// Names from before 1.2. start_pes may be called again and again, and is never matched.
ISTHMUS_API __attribute__((weak)) void start_pes(int) {
    check_thread_if_running("start_pes");
    if (session_count() == 0) enter(SHMEM_THREAD_SINGLE);
}
ISTHMUS_API __attribute__((weak)) int _my_pe(void) {
    return pshmem_my_pe();
}
ISTHMUS_API __attribute__((weak)) int _num_pes(void) {
    return pshmem_n_pes();
}
ISTHMUS_API __attribute__((weak)) int my_pe(void) {
    return pshmem_my_pe();
}
ISTHMUS_API __attribute__((weak)) int num_pes(void) {
    return pshmem_n_pes();
}
