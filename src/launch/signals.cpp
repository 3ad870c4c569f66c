#include "launch/signals.hpp"

#include <cctype>
#include <cstring>

namespace isthmus::launch {

std::string describe_signal(int signal) {
    const char* const name = sigabbrev_np(signal);
    if (!name) return "signal " + std::to_string(signal);
    std::string description = sigdescr_np(signal);
    // "Segmentation fault" reads better small within a line; "CPU time limit exceeded" does not.
    if (description.size() > 1 && !std::isupper(static_cast<unsigned char>(description[1])))
        description[0] =
            static_cast<char>(std::tolower(static_cast<unsigned char>(description[0])));
    return std::string("SIG") + name + " (" + description + ")";
}

sigset_t handled_signals() {
    sigset_t handled;
    sigemptyset(&handled);
    for (const SignalRule& rule : kSignalRules) {
        struct sigaction present {};
        sigaction(rule.signal, nullptr, &present);
        if (present.sa_handler != SIG_IGN) sigaddset(&handled, rule.signal);
    }
    return handled;
}

SignalUse use_of(int signal) {
    for (const SignalRule& rule : kSignalRules)
        if (rule.signal == signal) return rule.use;
    return SignalUse::pass;
}

}  // namespace isthmus::launch
