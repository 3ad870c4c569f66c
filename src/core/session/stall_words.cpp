#include "core/session/stall_words.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/job/fetch_watch.hpp"
#include "core/job/heap.hpp"
#include "core/job/lock_word.hpp"
#include "core/job/program_data.hpp"
#include "core/job/road.hpp"
#include "core/job/window.hpp"
#include "core/segments/segment.hpp"
#include "core/session/stall_groups.hpp"
#include "core/teams/team_table.hpp"

namespace isthmus {
namespace {

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

// "0", or "0, 1, 7 and 13 more": those that are not left out, of `size` from `words` on.
std::string list_text(const Watched& watched, const void* words) {
    std::string text;
    std::size_t more = 0;
    int listed = 0;
    for (std::size_t i = 0; i < watched.size; ++i) {
        if (watched.status && watched.status[i] != 0) continue;
        if (listed == kMostListed && !watched.status) {
            more = watched.size - i;
            break;
        }
        if (listed == kMostListed) {
            ++more;
            continue;
        }
        const auto* const word =
            static_cast<const char*>(words) + i * static_cast<std::size_t>(watched.width);
        text += (listed++ == 0 ? "" : ", ") + value_at(word, watched.width, watched.is_signed);
    }
    return text + (more == 0 ? "" : " and " + std::to_string(more) + " more");
}

}  // namespace

void tell_place(const void* address, Telling& telling) {
    if (heap.range().contains(address))
        telling.tell_address(address).say(" ").say(describe_in_heap(address));
    else
        tell_variable(address, telling);
}

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

const void* seen_here(const void* address, int pe) {
    if (pe == job.me) return address;
    if (!is_near(pe) || !(job.heap.contains(address) || in_static_data(address))) return nullptr;
    return translate(static_cast<const char*>(address), pe);
}

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

bool tell_condition(int pe, const PublishedWait& wait, Telling& telling) {
    const auto width = static_cast<std::int8_t>(wait.width);
    const std::uint32_t words = wait.words;
    Watched watched;
    watched.words = seen_here(address_at(wait.at), pe);
    watched.width = std::abs(width);
    watched.is_signed = width < 0;
    watched.condition = static_cast<Condition>(wait.condition);
    watched.value = wait.value;
    watched.is_set = words != 0;
    if (watched.is_set) watched.size = words & ~kOwnValues;
    watched.has_own_values = (words & kOwnValues) != 0;
    return tell_condition(watched, telling);
}

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

bool is_here(int pe) {
    return job.host.test(static_cast<std::size_t>(pe));
}

Activity activity_at(int pe, std::uint64_t now) {
    if (is_here(pe)) return activity_of(job.header->pe[pe], now);
    const std::uint64_t word = far::ask_state(pe);
    return is_activity(word) ? activity_in(word) : Activity{};
}

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

}  // namespace isthmus
