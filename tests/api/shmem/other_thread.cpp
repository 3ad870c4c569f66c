// Checked mode: another thread than the one that initialised calls each routine, by the table and
// by the extension's header, and each is refused. PE 0 calls; operands are at the last PE.
#include <fcntl.h>
#include <shmemx.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <type_traits>

#include "base/error.hpp"

extern "C" {
int _my_pe(void);
int _num_pes(void);
}

namespace {

alignas(64) char variables[4096];
sigjmp_buf refused;
int words[2];  // what is said goes through this pipe
const char* calling = "";
int last = 0;  // number of the last PE
int calls = 0;
int bad = 0;

bool claim(int) {
    return true;
}
// A process says once why its job ends, and each routine is to say it here.
[[noreturn]] void end(int) {
    isthmus::set_job_end({claim, end, false});
    siglongjmp(refused, 1);
}

// An operand of that type with which the routine would do no harm.
template <typename T>
T operand() {
    if constexpr (std::is_same_v<T, shmem_ctx_t>)
        return SHMEM_CTX_DEFAULT;
    else if constexpr (std::is_same_v<T, shmem_team_t>)
        return SHMEM_TEAM_WORLD;
    else if constexpr (std::is_pointer_v<T> && std::is_function_v<std::remove_pointer_t<T>>)
        return nullptr;
    else if constexpr (std::is_pointer_v<T>)
        return reinterpret_cast<T>(variables);
    else
        return static_cast<T>(std::is_same_v<T, int> ? last : 1);
}

std::string said() {
    char text[1024];
    const ssize_t bytes = read(words[0], text, sizeof text);
    return {text, bytes > 0 ? static_cast<std::size_t>(bytes) : 0};
}

// Not part of the template below, which is there once for each of the routines.
void expect_refusal(const char* name, void (*call)()) {
    calling = name;
    ++calls;
    if (sigsetjmp(refused, 0) == 0) {
        call();
        std::printf("%s: not refused\n", name);
        ++bad;
    }
    const std::string text = said();
    if (text.find(": called by another thread than the one that initialised, with SHMEM_THREAD_") ==
        std::string::npos) {
        std::printf("%s: said: %s\n", name, text.c_str());
        ++bad;
    }
}

template <typename Call, typename R, typename... Operands>
void expect_refusal(const char* name, Call, R (*)(Operands...)) {
    expect_refusal(name, [] { Call{}(operand<Operands>()...); });
}

#define REFUSED(R, NAME, PARAMETERS)                               \
    expect_refusal(                                                \
        #NAME, [](auto... operands) { return NAME(operands...); }, \
        static_cast<R(*) PARAMETERS>(nullptr));
#define REFUSED_EXTENSION(NAME) \
    expect_refusal(             \
        #NAME, [](auto... operands) { return NAME(operands...); }, &(NAME));

void call_all() {
#define SHMEM_ROUTINE(R, NAME, PARAMETERS, ARGUMENTS) REFUSED(R, shmem_##NAME, PARAMETERS)
#include <isthmus/shmem_routines.inc>
    // Beside the table.
    REFUSED(void, shmem_global_exit, (int))
    REFUSED(void, shmem_pcontrol, (int))
    REFUSED(void, start_pes, (int))
    REFUSED(int, _my_pe, (void))
    REFUSED(int, _num_pes, (void))
    REFUSED(int, my_pe, (void))
    REFUSED(int, num_pes, (void))
    REFUSED(void*, shmalloc, (size_t))
    REFUSED(void, shfree, (void*))
    REFUSED(void*, shrealloc, (void*, size_t))
    REFUSED(void*, shmemalign, (size_t, size_t))
    EXTENSIONS
}

void call_from_thread() {
    const int standard_error = dup(STDERR_FILENO);
    if (pipe2(words, O_NONBLOCK) != 0 || dup2(words[1], STDERR_FILENO) < 0) std::abort();
    isthmus::set_job_end({claim, end, false});
    std::thread(call_all).join();
    dup2(standard_error, STDERR_FILENO);
    std::printf("%d routines, %d are not refused\n", calls, bad);
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    shmem_init_thread(argc > 1 && std::strcmp(argv[1], "funneled") == 0 ? SHMEM_THREAD_FUNNELED
                                                                        : SHMEM_THREAD_SINGLE,
                      &provided);
    last = shmem_n_pes() - 1;
    if (shmem_my_pe() == 0) {
        // Of one that is not refused, and waits.
        std::signal(SIGALRM, [](int) {
            const char* const parts[] = {calling, ": waits\n"};
            for (const char* part : parts)
                [[maybe_unused]] const auto written = write(STDOUT_FILENO, part, std::strlen(part));
            _exit(1);
        });
        alarm(30);
        call_from_thread();
        alarm(0);
    }
    shmem_barrier_all();
    shmem_finalize();
    return bad != 0;
}
