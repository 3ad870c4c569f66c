// Signals by name, and what the launcher does with each.
#pragma once

#include <csignal>
#include <string>

namespace isthmus::launch {

// "SIGSEGV (segmentation fault)"; "signal 35" for those without a name.
std::string describe_signal(int signal);

// How the launcher treats a signal that it receives itself.
enum class SignalUse : unsigned char {
    pass,     // goes to the PEs and changes nothing else
    end,      // goes to the PEs, and the job ends
    suspend,  // goes to the PEs, and the launcher stops as well
};
struct SignalRule {
    int signal;
    SignalUse use;
};
inline constexpr SignalRule kSignalRules[] = {
    {SIGINT, SignalUse::end},    {SIGTERM, SignalUse::end},  {SIGHUP, SignalUse::end},
    {SIGQUIT, SignalUse::end},   {SIGUSR1, SignalUse::pass}, {SIGUSR2, SignalUse::pass},
    {SIGWINCH, SignalUse::pass}, {SIGCONT, SignalUse::pass}, {SIGTSTP, SignalUse::suspend},
};

// The signals of the table that were not ignored when the launcher was started: a job under nohup
// must not notice SIGHUP, and its PEs inherit that.
sigset_t handled_signals();

// The rule for `signal`; pass if the table has none.
SignalUse use_of(int signal);

}  // namespace isthmus::launch
