// What gasnet_tools.h does not do in place: the environment, numbers, the machine. It needs no
// session, and stands beside the face, which it does not use.
#include <gasnet_tools.h>

#include <sys/mman.h>
#include <sys/resource.h>

#include <cctype>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"

#define ISTHMUS_API extern "C" __attribute__((visibility("default")))

using namespace isthmus;

namespace {

constexpr const char* kUnits = "kMGTPE";

// 1024 to the power of the unit, from 1; 0: it is none.
int power_of(char unit) {
    const int upper = std::toupper(static_cast<unsigned char>(unit));
    for (int i = 0; kUnits[i]; ++i) {
        if (std::toupper(static_cast<unsigned char>(kUnits[i])) == upper) return i + 1;
    }
    return 0;
}

bool is_number(const char* text) {
    char* end = nullptr;
    std::strtod(text, &end);
    return end != text;
}

void display(const char* name, const char* value, int is_default) {
    if (!gasnett_verboseenv()) return;
    say(Text("isthmus: ", name, "=", value, is_default ? "  (default)\n" : "\n").c_str());
}

}  // namespace

ISTHMUS_API double gasnett_tick_granularityus(void) {
    timespec resolution{};
    clock_getres(CLOCK_MONOTONIC, &resolution);
    return static_cast<double>(resolution.tv_nsec) / 1000;
}
ISTHMUS_API double gasnett_tick_overheadus(void) {
    constexpr int kReads = 1000;
    const gasnett_tick_t begin = gasnett_ticks_now();
    gasnett_tick_t last = begin;
    for (int i = 0; i < kReads; ++i)
        last = gasnett_ticks_now();
    return static_cast<double>(last - begin) / kReads / 1000;
}

extern "C" uint64_t isthmus_gasnett_ticks_now(void);
ISTHMUS_API uint64_t isthmus_gasnett_ticks_now(void) {
    return gasnett_ticks_now();
}
ISTHMUS_API int64_t gasnett_gettimeofday_us(void) {
    timeval now{};
    gettimeofday(&now, nullptr);
    return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_usec;
}

ISTHMUS_API void gasnett_flush_streams(void) {
    std::fflush(nullptr);
}
ISTHMUS_API void gasnett_close_streams(void) {
    gasnett_flush_streams();
    for (std::FILE* stream : {stdin, stdout, stderr})
        std::fclose(stream);
}

ISTHMUS_API char* gasnett_getenv(const char* name) {
    return std::getenv(name);
}
ISTHMUS_API const char* gasnett_getenv_withdefault(const char* name, const char* otherwise) {
    const char* const text = std::getenv(name);
    return text ? text : otherwise;
}
ISTHMUS_API int gasnett_getenv_yesno_withdefault(const char* name, int otherwise) {
    const char* const text = std::getenv(name);
    if (!text || !*text) return otherwise;
    const int first = std::toupper(static_cast<unsigned char>(*text));
    if (first == 'Y' || first == 'T' || first == '1') return 1;
    return first == 'N' || first == 'F' || first == '0' ? 0 : otherwise;
}
ISTHMUS_API int64_t gasnett_parse_int(const char* text, uint64_t mem_multiplier) {
    char* end = nullptr;
    // Hexadecimal and octal numbers as C has them; with a point, decimal.
    const std::string written(text);
    double value = written.find('.') != std::string::npos
                       ? std::strtod(text, &end)
                       : static_cast<double>(std::strtoll(text, &end, 0));
    if (written.find('.') == std::string::npos && mem_multiplier == 0)
        return std::strtoll(text, nullptr, 0);
    while (*end == ' ')
        ++end;
    if (const int power = power_of(*end); *end && power != 0) {
        for (int i = 0; i < power; ++i)
            value *= 1024;
    } else if (*end != 'B' && *end != 'b' && mem_multiplier != 0) {
        value *= static_cast<double>(mem_multiplier);
    }
    return static_cast<std::int64_t>(value);
}
ISTHMUS_API int64_t gasnett_getenv_int_withdefault(const char* name, int64_t otherwise,
                                                   uint64_t mem_multiplier) {
    const char* const text = std::getenv(name);
    return text && is_number(text) ? gasnett_parse_int(text, mem_multiplier) : otherwise;
}
ISTHMUS_API double gasnett_getenv_dbl_withdefault(const char* name, double otherwise) {
    const char* const text = std::getenv(name);
    return text && is_number(text) ? std::strtod(text, nullptr) : otherwise;
}
// The largest unit of which it is a whole number.
ISTHMUS_API char* gasnett_format_number(int64_t number, char* text, size_t size, int is_memory) {
    int power = 0;
    while (is_memory && number != 0 && number % 1024 == 0 && power < 4) {
        number /= 1024;
        ++power;
    }
    const char* const space = is_memory ? " " : "";
    const char unit[] = {power ? kUnits[power - 1] : '\0', '\0'};
    std::snprintf(text, size, "%lld%s%s%s", static_cast<long long>(number), space, unit,
                  is_memory ? "B" : "");
    return text;
}
ISTHMUS_API int gasnett_verboseenv(void) {
    return gasnett_getenv_yesno_withdefault("GASNET_VERBOSEENV", 0);
}
ISTHMUS_API void gasnett_envint_display(const char* name, int64_t value, int is_default,
                                        int is_memory) {
    char text[32];
    display(name, gasnett_format_number(value, text, sizeof text, is_memory), is_default);
}
ISTHMUS_API void gasnett_envstr_display(const char* name, const char* value, int is_default) {
    display(name, value, is_default);
}
ISTHMUS_API void gasnett_envdbl_display(const char* name, double value, int is_default) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    display(name, text, is_default);
}

ISTHMUS_API const char* gasnett_gethostname(void) {
    static const std::string name = host_name();
    return name.c_str();
}
ISTHMUS_API int gasnett_cpu_count(void) {
    return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}
ISTHMUS_API uint64_t gasnett_getPhysMemSz(int) {
    return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}
ISTHMUS_API int gasnett_isLittleEndian(void) {
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}
ISTHMUS_API void gasnett_fatalerror(const char* format, ...) {
    char sentence[512];
    va_list list;
    va_start(list, format);
    std::vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    say((speaker_prefix() + sentence + "\n").c_str());
    std::abort();
}
ISTHMUS_API void gasnett_killmyprocess(int code) {
    _exit(code);
}
ISTHMUS_API int gasnett_maximize_rlimit(int resource, const char*) {
    rlimit limit{};
    const auto which = static_cast<__rlimit_resource>(resource);
    if (getrlimit(which, &limit) != 0) return 0;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(which, &limit) == 0;
}
ISTHMUS_API int gasnett_maximize_rlimits(void) {
    int all = 1;
    for (const int resource :
         {RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_DATA, RLIMIT_STACK, RLIMIT_RSS, RLIMIT_AS})
        all &= gasnett_maximize_rlimit(resource, nullptr);
    return all;
}
ISTHMUS_API void* gasnett_mmap(uintptr_t size) {
    void* const memory =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) gasnett_fatalerror("gasnett_mmap: no memory for %zu bytes", size);
    return memory;
}
ISTHMUS_API int gasnett_nsleep(uint64_t nanoseconds) {
    timespec left{static_cast<time_t>(nanoseconds / 1'000'000'000),
                  static_cast<long>(nanoseconds % 1'000'000'000)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
    return 0;
}
ISTHMUS_API const char* gasnett_exe_name(void) {
    return program_invocation_name;
}
ISTHMUS_API const char* gasnett_release_version_str(void) {
    return "2025.8.0";
}
ISTHMUS_API uint64_t gasnett_release_version(void) {
    return 2025'08'0000;
}
ISTHMUS_API const char* gasnett_performance_warning_str(void) {
    return "";
}

ISTHMUS_API uint64_t gasnett_checksum(const void* bytes, int count) {
    const auto* const at = static_cast<const unsigned char*>(bytes);
    std::uint64_t sum = 0;
    for (int i = 0; i < count; ++i)
        sum = (sum << 8 | sum >> 56) ^ at[i];
    return sum;
}
ISTHMUS_API size_t gasnett_count0s(const void* source, size_t bytes) {
    const auto* const at = static_cast<const unsigned char*>(source);
    std::size_t zeros = 0;
    for (std::size_t i = 0; i < bytes; ++i)
        zeros += at[i] == 0;
    return zeros;
}
ISTHMUS_API size_t gasnett_count0s_copy(void* dest, const void* source, size_t bytes) {
    std::memcpy(dest, source, bytes);
    return gasnett_count0s(dest, bytes);
}
