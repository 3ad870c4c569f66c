#include "core/session/stall_ask.hpp"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <string>

#include "base/os.hpp"
#include "core/job/activity.hpp"
#include "core/job/departure_word.hpp"
#include "core/job/fetch_watch.hpp"
#include "core/job/heap.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/job/road.hpp"
#include "core/job/shown_window.hpp"
#include "core/session/stall_look.hpp"
#include "core/session/stall_words.hpp"
#include "core/session/told_wait.hpp"
#include "core/teams/team_table.hpp"

namespace isthmus {
namespace {

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
    if (told.since == 0 || place_of(address) != activity.place) return;
    const Team* members = nullptr;
    doing.team = team_waited_in(address, doing.pe, members);
    Telling telling = watched(address, doing.pe);
    telling.say(awaited_text(activity.routine, address ? 0 : told.value));
    const bool is_lock = takes_lock(activity.routine);
    if (is_lock) telling.say(holder_text(address, activity.peer, os::monotonic_nanoseconds()));
    const auto width = static_cast<std::int8_t>(told.width);
    Watched words;
    words.width = std::abs(width);
    words.is_signed = width < 0;
    words.condition = static_cast<Condition>(told.condition);
    words.value = told.value;
    words.is_set = told.words != 0;
    if (words.is_set) words.size = told.words & ~kOwnValues;
    words.has_own_values = (told.words & kOwnValues) != 0;
    static_assert(kMostListed <= static_cast<int>(ToldWait::kMostNow));
    if (told.has_now != 0) words.words = told.now;
    tell_condition(words, telling);
    doing.rest = telling;
}

// Its thread of the road answers whatever the program does: what it has told before, and waited for
// then, is not what keeps it.
void tell_silent(std::uint64_t word, Doing& doing) {
    Doing silent;
    silent.pe = doing.pe;
    silent.what = "on host " + host_of(doing.pe) +
                  ", does not answer: stopped, by a signal or a debugger, or without a processor";
    if (is_activity(word))
        silent.what += std::string("; last noted call ") + routine_name(activity_in(word).routine);
    doing = silent;
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
          is_seen_(close_window_of(pe) || job.checked ||
                   status().closes_window.load(kRelaxed) != 0) {}
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

}  // namespace

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

void ask_those_far(std::vector<Doing>& all) {
    if (!attached()) return;  // the road is still being opened
    constexpr std::size_t kMost = 256;
    std::vector<int> asked;
    for (const Doing& each : all) {
        if (!is_here(each.pe) && !is_departure(far::ask_state(each.pe)) && asked.size() < kMost)
            asked.push_back(each.pe);
    }
    if (asked.empty()) return;
    const ToldWaits all_told = read_told_waits(asked);
    for (const int pe : asked) {
        Doing& doing = all[static_cast<std::size_t>(pe)];
        const ToldWait& one = all_told.told[static_cast<std::size_t>(pe)];
        const std::uint64_t word = far::ask_state(pe);
        // Without a thread it answers where the program calls.
        if (all_told.is_silent[static_cast<std::size_t>(pe)] && !is_departure(word) &&
            !far::served_by_calls)
            tell_silent(word, doing);
        if (!is_activity(word) || all_told.is_silent[static_cast<std::size_t>(pe)]) continue;
        const Activity activity = activity_in(word);
        const bool waits = activity.kind != Activity::Kind::computes;
        // It has computed, or waited for the answer of one of these.
        if (doing.rank == Doing::Rank::computing && has_fetched(one)) {
            doing.waited = 0;
            doing.what = "on host " + host_of(pe) + ", ";
            tell_fetched(one, activity.routine, doing);
        } else if (waits && doing.waited != 0) {
            tell_far_wait(one, activity, doing);
        } else if (one.sleeps != 0 && one.since == 0 && activity.waited == 0) {
            doing.what = "on host " + host_of(pe) + ", " + kAsleep + "; last noted call " +
                         routine_name(activity.routine);
        }
    }
}

}  // namespace isthmus
