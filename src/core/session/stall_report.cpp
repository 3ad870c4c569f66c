#include "core/session/stall_report.hpp"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <list>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/os.hpp"
#include "core/job/activity.hpp"
#include "core/job/fetch_watch.hpp"
#include "core/job/heap.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/job/lock_word.hpp"
#include "core/job/program_data.hpp"
#include "core/job/road.hpp"
#include "core/job/shown_window.hpp"
#include "core/job/window.hpp"
#include "core/queues/ring_text.hpp"
#include "core/segments/segment.hpp"
#include "core/session/dead_mates.hpp"
#include "core/session/stall_groups.hpp"
#include "core/session/told_wait.hpp"
#include "core/teams/team_table.hpp"

namespace isthmus {
namespace {

constexpr const char* kHasExited = "has exited without shmem_finalize, and waits for the others";
constexpr const char* kComputing = "computing";
constexpr const char* kStopped = "stopped, by a signal or a debugger";

void tell_variable(const void* address, Telling& telling) {
    const bool is_program = job.data.contains(address);
    const NamedPlace place = is_program ? place_in_program(address) : place_in_library(address);
    if (!place.name.empty())
        telling.say(place.name).tell_beyond(place.beyond);
    else if (is_program)
        telling.tell_address(address);
    if (is_program) return;
    const std::string whole = library_variable(address).c_str();  // "lock+8 of libmodel.so"
    telling.say(place.name.empty() ? whole
                                   : whole.substr(std::min(whole.rfind(" of "), whole.size())));
}

// Symmetric memory.
void tell_place(const void* address, Telling& telling) {
    if (heap.range().contains(address))
        telling.tell_address(address).say(" ").say(describe_in_heap(address));
    else
        tell_variable(address, telling);
}

// ", in team 2 (PEs 0,1)" of a collective of a PE that is not of all PEs; else empty.
std::string team_text(const void* address, int pe) {
    const Team* members = nullptr;
    const int number = team_waited_in(address, pe, members);
    if (number == 0) return "";
    std::vector<int> pes;
    for (int index = 0; members && index < members->size; ++index)
        pes.push_back(members->world_pe(index));
    return ", in team " + std::to_string(number) + (pes.empty() ? "" : " (" + name_pes(pes) + ")");
}

// ", watching flag+8 bytes" for the user's memory; of the library's own the team that it is for.
Telling watched(const void* address, int pe) {
    Telling telling(team_text(address, pe));
    const bool is_in_heap = heap.range().contains(address);
    // At another PE another segment may have this address.
    const Text segment = is_in_heap || pe != job.me ? Text() : describe_in_segment(address);
    if (!is_in_heap && segment.empty() && !in_static_data(address)) return telling;
    telling.say(", watching ");
    if (segment.empty())
        tell_place(address, telling);
    else
        telling.tell_address(address).say(" in ").say(segment);
    return telling;
}

template <typename Word>
void tell_word(const void* address, bool is_signed, Telling& telling) {
    Word word;
    std::memcpy(&word, address, sizeof word);  // it is aligned, or the wait would have been refused
    if (is_signed)
        telling.tell_signed(static_cast<std::make_signed_t<Word>>(word));
    else
        telling.tell_unsigned(word);
}

void tell_value(const void* address, int width, bool is_signed, Telling& telling) {
    switch (width) {
        case 1: return tell_word<std::uint8_t>(address, is_signed, telling);
        case 2: return tell_word<std::uint16_t>(address, is_signed, telling);
        case 4: return tell_word<std::uint32_t>(address, is_signed, telling);
        default: return tell_word<std::uint64_t>(address, is_signed, telling);
    }
}

std::string value_at(const void* address, int width, bool is_signed) {
    Telling telling;
    tell_value(address, width, is_signed, telling);
    return telling.text();
}

// Where the word of a PE can be read here; null if it cannot.
const void* seen_here(const void* address, int pe) {
    if (pe == job.me) return address;
    if (!is_near(pe) || !(job.heap.contains(address) || in_static_data(address))) return nullptr;
    return translate(static_cast<const char*>(address), pe);
}

// What a wait for words is about, of this PE or another one's. Of a set it is known here which
// elements are left out, and which values are theirs; of another PE's only what it publishes.
struct Watched {
    const void* words = nullptr;  // where they can be read here; null if they cannot
    std::size_t size = 1;
    int width = 8;  // bytes
    bool is_signed = false;
    Condition condition = Condition::none;
    std::uint64_t value = 0;
    bool is_set = false;
    bool has_own_values = false;
    const int* status = nullptr;
    const void* values = nullptr;
};

// "0", or "0, 1, 7 and 13 more": those that are not left out, of `size` from `words` on.
std::string list_text(const Watched& watched, const void* words) {
    constexpr int kMost = 8;
    std::string text;
    std::size_t more = 0;
    int listed = 0;
    for (std::size_t i = 0; i < watched.size; ++i) {
        if (watched.status && watched.status[i] != 0) continue;
        if (listed == kMost) {
            ++more;
            continue;
        }
        const auto* const word =
            static_cast<const char*>(words) + i * static_cast<std::size_t>(watched.width);
        text += (listed++ == 0 ? "" : ", ") + value_at(word, watched.width, watched.is_signed);
    }
    return text + (more == 0 ? "" : " and " + std::to_string(more) + " more");
}

// " (is 0; waits for == 1)", " (are 0, 0; waits for any == 1)"; false if there is no condition.
bool tell_condition(const Watched& watched, Telling& telling) {
    constexpr const char* kNames[] = {"", "==", "!=", ">", "<=", "<", ">="};
    const auto condition = static_cast<std::size_t>(watched.condition);
    if (condition == 0 || condition >= std::size(kNames)) return false;
    telling.say(" (");
    if (watched.words && watched.is_set)
        telling.say("are ").tell_list(list_text(watched, watched.words)).say("; ");
    else if (watched.words) {
        tell_value(watched.words, watched.width, watched.is_signed, telling.say("is "));
        telling.say("; ");
    }
    telling.say(watched.is_set ? "waits for any " : "waits for ").say(kNames[condition]).say(" ");
    if (watched.values)
        telling.tell_list(list_text(watched, watched.values));
    else if (watched.has_own_values)
        telling.say("its own value");
    else
        tell_value(&watched.value, watched.width, watched.is_signed, telling);
    telling.say(")");
    return true;
}

bool tell_condition(const WaitTarget& target, Telling& telling) {
    Watched watched;
    watched.words = target.address;
    watched.width = std::abs(target.width);
    watched.is_signed = target.width < 0;
    watched.condition = target.condition;
    watched.value = target.value;
    if (target.condition == Condition::any) {
        const auto& set = *reinterpret_cast<const WaitSet*>(target.value);
        watched.is_set = true;
        watched.size = set.size;
        watched.condition = set.condition;
        watched.value = set.value;
        watched.status = set.status;
        watched.values = set.values;
    }
    return tell_condition(watched, telling);
}

bool tell_condition(int pe, const PeStatus& status, const void* address, Telling& telling) {
    const auto width =
        static_cast<std::int8_t>(status.waiting_width.load(std::memory_order_relaxed));
    const std::uint32_t words = status.waiting_words.load(std::memory_order_relaxed);
    Watched watched;
    watched.words = seen_here(address, pe);
    watched.width = std::abs(width);
    watched.is_signed = width < 0;
    watched.condition =
        static_cast<Condition>(status.waiting_condition.load(std::memory_order_relaxed));
    watched.value = status.waiting_value.load(std::memory_order_relaxed);
    watched.is_set = words != 0;
    if (watched.is_set) watched.size = words & ~kOwnValues;
    watched.has_own_values = (words & kOwnValues) != 0;
    return tell_condition(watched, telling);
}

bool is_here(int pe) {
    return job.host.test(static_cast<std::size_t>(pe));
}

// What a PE has last said or shown. Of one that has not answered, or leaves: that it computes.
Activity activity_at(int pe, std::uint64_t now) {
    if (is_here(pe)) return activity_of(job.header->pe[pe], now);
    const std::uint64_t word = far::ask_state(pe);
    return is_activity(word) ? activity_in(word) : Activity{};
}

// ", which PE 2 holds": of a lock that somebody waits for, behind the PE `before` in its queue. Of
// other hosts nobody sees the lock, but whom each waits for.
std::string holder_text(const void* lock, int before, std::uint64_t now) {
    const auto text = [](int pe) { return ", which PE " + std::to_string(pe) + " holds"; };
    for (int pe = 0; pe < job.pes; ++pe) {
        const auto* const word = static_cast<const LockWord*>(seen_here(lock, pe));
        if (word && __atomic_load_n(&word->state, __ATOMIC_RELAXED) == LockWord::kHolding)
            return text(pe);
    }
    for (int steps = 0; before >= 0 && before < job.pes && steps < job.pes; ++steps) {
        const Activity activity = activity_at(before, now);
        if (activity.routine != Routine::set_lock || activity.place != place_of(lock) ||
            activity.kind != Activity::Kind::waits)
            return text(before);
        before = activity.peer;
    }
    return "";
}

// What all PEs do together.
const char* everybody_text(Routine routine) {
    return is_allocation(routine) ? " (every PE must call it)" : "";
}

// What is seen of a PE may be over where a road is between: another host's PE was asked half a
// second ago, and one of this host may wait for no more than the answer of an operation. So a wait
// that has only begun makes no circle of waits.
void tell(const Activity& activity, Doing& doing, const char* instead_of_waits = kComputing) {
    using Kind = Activity::Kind;
    constexpr std::uint64_t kSure = 1'000'000'000;  // nanoseconds
    const bool is_sure = !far::present || activity.waited >= kSure;
    const char* const routine = routine_name(activity.routine);
    doing.rank = Doing::Rank::computing;
    if (activity.kind == Kind::computes && activity.waited < kSure) {
        doing.what += std::string(activity.peer >= 0 ? "in operations that wait for their answers"
                                                     : instead_of_waits) +
                      "; last noted call " + routine;
        return;
    }
    const bool tests = activity.kind == Kind::tests;
    doing.waited = activity.waited;
    // Others that it waits for may wait for it in vain: no circle, but a cause.
    const bool leaves =
        activity.routine == Routine::finalize || activity.routine == Routine::native_finalize;
    if (leaves && !tests) {
        doing.rank = Doing::Rank::leaves;
        doing.what += std::string("has called ") + routine + ", and waits for the others";
        return;
    }
    doing.peer = is_sure ? activity.peer : -1;
    doing.rank = !is_sure            ? Doing::Rank::computing
                 : tests             ? Doing::Rank::tests
                 : activity.peer < 0 ? Doing::Rank::awaits_word
                                     : Doing::Rank::awaits_pe;
    const bool is_answer = activity.kind == Kind::computes;
    doing.what += std::string(tests       ? "calls "
                              : is_answer ? "in, or behind, "
                                          : "in ") +
                  routine + everybody_text(activity.routine) + (tests ? " in vain" : "");
}

// What a process of this host does that waits for nothing of ours.
const char* outside_text(int process) {
    switch (os::state_of(process)) {
        case os::ProcessState::sleeps: return "asleep in a call of the system";
        case os::ProcessState::is_stopped: return kStopped;
        default: return kComputing;
    }
}

// What comes last of " flag of PE 1 again and again, value now 0".
void tell_fetched_value(const void* address, int pe, int width, std::uint64_t last,
                        Telling& telling) {
    if (width == 0) return;
    telling.say(", value now ");
    const void* const now = seen_here(address, pe);
    const void* const from = now ? now : &last;
    const auto floating = [&](auto number) {
        std::memcpy(&number, from, sizeof number);
        char text[32];
        std::snprintf(text, sizeof text, "%g", static_cast<double>(number));
        telling.tell_list(text);
    };
    if (width == fetch_watch::kFloating + 4)
        floating(float{});
    else if (width == fetch_watch::kFloating + 8)
        floating(double{});
    else
        tell_value(from, std::abs(width), width < 0, telling);
}

// Of a PE that has answered so.
void tell_fetched(const ToldWait& told, Routine last_noted, Doing& doing) {
    const auto pe = static_cast<int>(told.peer);
    const bool swaps = static_cast<fetch_watch::Answer>(told.fetches) == fetch_watch::Answer::swaps;
    const void* const address = address_at(told.at);
    doing.rank = Doing::Rank::tests;
    doing.what += swaps ? "compares and swaps" : "fetches";
    Telling telling(" ");
    tell_place(address, telling);
    telling.say(" of PE ").tell_unsigned(told.peer).say(" again and again");
    tell_fetched_value(address, pe, static_cast<std::int8_t>(told.width), told.value, telling);
    telling.say("; last noted call ").say(routine_name(last_noted));
    doing.rest = telling;
}
// It comes from a network.
bool has_fetched(const ToldWait& told) {
    const void* const address = address_at(told.at);
    return told.since == 0 && told.peer < static_cast<std::uint32_t>(job.pes) &&
           (told.fetches == static_cast<std::uint8_t>(fetch_watch::Answer::fetches) ||
            told.fetches == static_cast<std::uint8_t>(fetch_watch::Answer::swaps)) &&
           (heap.range().contains(address) || in_static_data(address));
}

// What a PE of another host waits for, if what it has told is of the wait that it has answered.
void tell_far_wait(const ToldWait& told, const Activity& activity, Doing& doing) {
    const void* const address = address_at(told.at);
    if (told.since == 0 || place_of(address) != activity.place ||
        !(heap.range().contains(address) || in_static_data(address)))
        return;
    Telling telling(", watching ");
    tell_place(address, telling);
    const bool is_lock = activity.routine == Routine::set_lock;
    if (is_lock) telling.say(holder_text(address, activity.peer, os::monotonic_nanoseconds()));
    const auto width = static_cast<std::int8_t>(told.width);
    Watched watched;
    watched.width = std::abs(width);
    watched.is_signed = width < 0;
    watched.condition = static_cast<Condition>(told.condition);
    watched.value = told.value;
    watched.is_set = told.words != 0;
    watched.has_own_values = (told.words & kOwnValues) != 0;
    if (told.has_now != 0 && !watched.is_set) watched.words = &told.now;
    tell_condition(watched, telling);
    doing.rest = telling;
}

// Of a process in another container the number is another's here.
bool is_number_known(const PeStatus& status) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    const std::uint64_t space = status.process_space.load(kRelaxed);
    return space != 0 && space == job.status().process_space.load(kRelaxed);
}

// Whatever it was about to do.
bool is_stopped(const PeStatus& status) {
    return is_number_known(status) &&
           os::state_of(status.process.load(std::memory_order_relaxed)) ==
               os::ProcessState::is_stopped;
}

// The name of the program that a PE of this host has executed; empty if it has not, or nobody may
// know. It lives on under its number, and comes to nothing any more.
std::string program_in_place_of(const PeStatus& status) {
    if (!is_number_known(status)) return "";
    const std::string folder =
        "/proc/" + std::to_string(status.process.load(std::memory_order_relaxed));
    // What is mapped stays, whatever files a program closes; only another program has it not.
    std::ifstream maps(folder + "/maps");
    bool is_told = false;
    for (std::string line; std::getline(maps, line); is_told = true) {
        if (line.find("/memfd:isthmus") != std::string::npos) return "";
    }
    std::string name;
    std::getline(std::ifstream(folder + "/comm"), name);
    return is_told ? name : "";
}

// Of a PE of another host: as it has answered.
Doing look_far(int pe) {
    const std::uint64_t word = far::ask_state(pe);
    Doing doing;
    doing.pe = pe;
    doing.rank = Doing::Rank::gone;
    doing.what = "on host " + host_of(pe);
    if (is_activity(word)) {
        doing.what += ", ";
        tell(activity_in(word), doing);
    } else if (is_departure(word)) {
        doing.what += std::string(", has ") + departure_text(word).c_str();
        doing.rank = Doing::Rank::leaves;
    }
    return doing;
}

// What a PE does, as far as this one can see.
Doing look_at(int pe, std::uint64_t now) {
    Doing doing;
    doing.pe = pe;
    doing.rank = Doing::Rank::gone;
    const auto as = [&doing](const std::string& what) {
        doing.what = what;
        return doing;
    };
    if (!is_here(pe)) return look_far(pe);
    const PeStatus& status = job.header->pe[pe];
    const Routine routine = status.routine.load(std::memory_order_relaxed);
    const bool stands_still = pe != job.me && is_stopped(status);
    const std::string stopped =
        std::string(kStopped) + "; last noted call " + routine_name(routine);
    switch (status.state.load(std::memory_order_relaxed)) {
        case PeState::absent: return as("has not started");
        case PeState::loaded:
            if (stands_still) return as(stopped);
            if (status.waiting_since.load(std::memory_order_relaxed) != 0) break;  // within it
            return as("has not called shmem_init");
        case PeState::finalized: return as("has called shmem_finalize or exit");
        case PeState::failed: return as("has failed");
        case PeState::running: break;
    }
    if (status.departure.load(std::memory_order_relaxed) == Departure::exit) {
        doing.rank = Doing::Rank::leaves;
        return as(kHasExited);
    }
    if (has_died(pe)) return as("its process has ended");
    // It may be in a wait: what it waits for is not what keeps it there.
    if (stands_still) {
        doing.rank = Doing::Rank::computing;
        return as(stopped);
    }
    const Activity activity = activity_of(status, now);
    if (activity.kind == Activity::Kind::computes && activity.waited == 0) {
        if (const std::string program = program_in_place_of(status); !program.empty())
            return as("has executed another program (" + program + "); last noted call " +
                      routine_name(activity.routine));
        tell(activity, doing, outside_text(status.process.load(std::memory_order_relaxed)));
        return doing;
    }
    tell(activity, doing);
    const void* const address = watched_by(status);  // as this PE would write it
    const Team* members = nullptr;
    doing.team = team_waited_in(address, pe, members);
    Telling telling = watched(address, pe);
    const bool is_lock = activity.routine == Routine::set_lock;
    if (is_lock) telling.say(holder_text(address, activity.peer, now));
    tell_condition(pe, status, address, telling);
    doing.rest = telling;
    return doing;
}

// A PE of this host that is asked what it fetches, until this object is gone: its operations go
// the way on which that is seen.
class Asked {
  public:
    // It writes no answer before it is asked.
    explicit Asked(int pe)
        : pe_(pe),
          last_noted_(status().routine.load(kRelaxed)),
          before_(ask(status())),
          is_seen_(close_window_of(pe) || job.checked) {}
    Asked(const Asked&) = delete;
    Asked& operator=(const Asked&) = delete;
    ~Asked() {
        // Unless it has done so itself.
        std::uint32_t is_asked = 0;
        if (before_ != 0) status().unasked.compare_exchange_strong(is_asked, before_, kRelaxed);
    }
    int pe() const { return pe_; }
    PeStatus& status() const { return job.header->pe[pe_]; }
    // In front of the question: what it is asked about may note calls.
    Routine last_noted() const { return last_noted_; }
    // Else what goes through its window is not.
    bool is_seen() const { return is_seen_; }

  private:
    static constexpr auto kRelaxed = std::memory_order_relaxed;
    static std::uint32_t ask(PeStatus& status) {
        status.fetches.store(0, kRelaxed);
        // Release: partner is whoever finds it 0, and may answer at once.
        return status.unasked.exchange(0, std::memory_order_release);
    }
    int pe_;
    Routine last_noted_;
    std::uint32_t before_;  // what is to be there again
    bool is_seen_;
};

// PEs of this host that run and wait for nothing of ours are asked, for a moment. Returns whether
// of one that computes, as far as it shows, not all could be seen: it may fetch again and again.
bool ask_those_here(std::vector<Doing>& all) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    constexpr std::uint64_t kPatience = 300'000'000;  // nanoseconds: it may have no processor now
    constexpr std::uint64_t kLongWait = 10'000'000;
    const std::uint64_t begin = os::monotonic_nanoseconds();
    const auto status_of = [](int pe) -> PeStatus& { return job.header->pe[pe]; };
    const auto computes = [&](int pe) {
        return activity_of(status_of(pe), begin).kind == Activity::Kind::computes;
    };
    std::list<Asked> asked;
    for (const Doing& each : all) {
        if (is_here(each.pe) && each.pe != job.me && each.rank == Doing::Rank::computing &&
            computes(each.pe) && status_of(each.pe).unasked.load(kRelaxed) != 0)
            asked.emplace_back(each.pe);
    }
    std::bitset<kMaxPes> unseen;
    for (const Asked& one : asked)
        unseen.set(static_cast<std::size_t>(one.pe()), !one.is_seen());
    // True if there is no more to come. Between its fetches it may wait for their answers, and the
    // next such wait writes over what it has found: it is taken at once.
    const auto has_ended = [&](const Asked& one) {
        const ToldWait told = told_wait_of(one.status());
        Doing& doing = all[static_cast<std::size_t>(one.pe())];
        if (has_fetched(told)) {
            doing.what.clear();
            doing.waited = 0;
            tell_fetched(told, one.last_noted(), doing);
        }
        return told.fetches != 0 ||
               activity_of(one.status(), os::monotonic_nanoseconds()).waited >= kLongWait;
    };
    while (!asked.empty() && os::monotonic_nanoseconds() - begin < kPatience) {
        asked.remove_if(has_ended);
        far::progress();
        os::sleep_nanoseconds(100'000);
    }
    return std::any_of(all.begin(), all.end(), [&](const Doing& doing) {
        return unseen[static_cast<std::size_t>(doing.pe)] && doing.what.starts_with(kComputing);
    });
}

// What those of other hosts have told beside their answers: of some of them, so that a network that
// may be full is not filled.
void ask_those_far(std::vector<Doing>& all) {
    constexpr std::size_t kMost = 256;
    std::vector<int> asked;
    for (const Doing& each : all) {
        if (!is_here(each.pe) && is_activity(far::ask_state(each.pe)) && asked.size() < kMost)
            asked.push_back(each.pe);
    }
    if (asked.empty()) return;
    const std::vector<ToldWait> told = read_told_waits(asked);
    for (const int pe : asked) {
        Doing& doing = all[static_cast<std::size_t>(pe)];
        const ToldWait& one = told[static_cast<std::size_t>(pe)];
        const std::uint64_t word = far::ask_state(pe);
        if (!is_activity(word)) continue;
        const Activity activity = activity_in(word);
        const bool waits = activity.kind != Activity::Kind::computes;
        // It has computed, or waited for the answer of one of these.
        if (doing.rank == Doing::Rank::computing && has_fetched(one)) {
            doing.waited = 0;
            doing.what = "on host " + host_of(pe) + ", ";
            tell_fetched(one, activity.routine, doing);
        } else if (waits && doing.waited != 0) {
            tell_far_wait(one, activity, doing);
        }
    }
}

}  // namespace

void say_stall(const WaitTarget& target, std::uint64_t since, std::uint64_t now) {
    const char* const routine = routine_name(target.routine);
    try {
        // Who exits without it has not called shmem_finalize.
        const bool exits =
            (target.routine == Routine::finalize || target.routine == Routine::native_finalize) &&
            job.status().departure.load(std::memory_order_relaxed) == Departure::exit;
        std::string report =
            speaker_prefix() + (exits ? kHasExited : routine) +
            (is_test(target.routine) ? ": no success for " : ": no progress for ") +
            seconds_text(now - since);
        if (target.peer >= 0)
            report +=
                ", waiting for PE " + std::to_string(target.peer) + everybody_text(target.routine);
        Telling telling = watched(target.address, job.me);
        tell_condition(target, telling);
        report += telling.text();
        if (target.routine == Routine::native_dequeue ||
            target.routine == Routine::extension_queue_dequeue)
            report += ring_text(*static_cast<const RingControl*>(target.address)).c_str();
        if (target.routine == Routine::set_lock)
            report += holder_text(target.address, target.peer, now);
        if (target.peer >= 0 && !is_allocation(target.routine))
            report += allocations_text(target.peer).c_str();
        report += " (ISTHMUS_STALL_SECONDS)\n";
        std::vector<Doing> all;
        all.reserve(static_cast<std::size_t>(job.pes));
        for (int pe = 0; pe < job.pes; ++pe)
            all.push_back(look_at(pe, os::monotonic_nanoseconds()));
        // That takes a moment: what is known already stays, whatever they do meanwhile.
        const bool is_unseen = ask_those_here(all);
        ask_those_far(all);
        if (const std::string why = why_nobody_ends_this(all); !why.empty())
            report += "isthmus:   " + why + "\n";
        for (const std::string& line : describe_groups(std::move(all), job.me))
            report += "isthmus:   " + line + "\n";
        if (is_unseen) report += "isthmus:   ISTHMUS_CHECK=1 tells what PEs poll that compute\n";
        if (describe_room) describe_room(report);
        say(report.c_str());
    } catch (const std::bad_alloc&) {
        say_from(routine, "no progress; the system has no memory for a report that says more");
    }
}

}  // namespace isthmus
