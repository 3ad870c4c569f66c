// Backtraces that clients ask for by gasnet_tools.h: the C library's, or by a function of theirs.
// Beside the face, as the other tools; a PE that dies has its own report.
#include <execinfo.h>
#include <gasnet_tools.h>

#include <array>
#include <cstdlib>
#include <string_view>

#define ISTHMUS_API extern "C" __attribute__((visibility("default")))

// Of the client, if it has one.
#pragma weak gasnett_backtrace_user

namespace {

constexpr std::string_view kLibrary = "EXECINFO";

// 0: it is written.
int write_by(std::string_view way, int fd) {
    if (way == kLibrary) {
        std::array<void*, 128> frames{};
        const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
        if (count <= 0) return 1;
        backtrace_symbols_fd(frames.data(), count, fd);
        return 0;
    }
    const gasnett_backtrace_type_t* const client = &gasnett_backtrace_user;
    return client && client->name && way == client->name ? client->fnp(fd) : 1;
}

int write_if_enabled(int fd) {
    return gasnett_getenv_yesno_withdefault("GASNET_BACKTRACE", 0) ? gasnett_print_backtrace(fd)
                                                                   : 1;
}

}  // namespace

// In the order that GASNET_BACKTRACE_TYPE says, until one succeeds.
ISTHMUS_API int gasnett_print_backtrace(int fd) {
    const gasnett_backtrace_type_t* const client = &gasnett_backtrace_user;
    const char* const order = std::getenv("GASNET_BACKTRACE_TYPE");
    if (!order) {
        if (write_by(kLibrary, fd) == 0) return 0;
        return client && client->name ? write_by(client->name, fd) : 1;
    }
    for (std::string_view left = order; !left.empty();) {
        const std::size_t end = left.find(',');
        if (write_by(left.substr(0, end), fd) == 0) return 0;
        left = end == std::string_view::npos ? std::string_view() : left.substr(end + 1);
    }
    return 1;
}
// A definition in braces: with `extern` in front of it, compilers warn of its value.
extern "C" {
__attribute__((visibility("default"))) int (*gasnett_print_backtrace_ifenabled)(int fd) =
    write_if_enabled;
}
