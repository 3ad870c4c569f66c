#include "core/session/stall_groups.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string_view>
#include <utility>

namespace isthmus {
namespace {

struct Group {
    const Doing* first = nullptr;
    Telling rest;
    std::vector<int> pes;
    std::vector<int> peers;  // each once
    int party = -1;
    std::uint64_t least = 0;
    std::uint64_t most = 0;
};

bool is_same(const Group& group, const Doing& each, int party) {
    return group.party == party && group.first->rank == each.rank &&
           group.first->what == each.what && group.rest.is_like(each.rest) &&
           (group.first->peer < 0) == (each.peer < 0);
}

// What one PE does, said of several: "have exited, and wait for the others".
std::string said_of_several(std::string what) {
    constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {
        {"has ", "have "},
        {"calls ", "call "},
        {"and waits ", "and wait "},
        {"fetches", "fetch"},
        {"compares and swaps", "compare and swap"}};
    for (const auto& [one, several] : kVerbs) {
        const std::size_t at = what.starts_with(one) ? 0 : what.find(", " + std::string(one));
        if (at != std::string::npos) what.replace(what.find(one, at), one.size(), several);
    }
    return what;
}

std::string line_of(Group& group) {
    std::sort(group.pes.begin(), group.pes.end());
    const std::string& what = group.first->what;
    std::string line =
        name_pes(group.pes) + ": " + (group.pes.size() == 1 ? what : said_of_several(what));
    if (group.most != 0) {
        const std::string least = seconds_text(group.least);
        const std::string most = seconds_text(group.most);
        line += " for " + (least == most ? most : least + " to " + most);
    }
    if (!group.peers.empty()) {
        std::sort(group.peers.begin(), group.peers.end());
        line += ", waiting for " + name_pes(group.peers);
    }
    return line + group.rest.text();
}

// By number; null where nothing is known.
std::vector<const Doing*> order_by_pe(const std::vector<Doing>& all) {
    std::vector<const Doing*> by_pe;
    for (const Doing& each : all) {
        by_pe.resize(std::max(by_pe.size(), static_cast<std::size_t>(each.pe) + 1));
        by_pe[static_cast<std::size_t>(each.pe)] = &each;
    }
    return by_pe;
}
int peer_of(const std::vector<const Doing*>& by_pe, int pe) {
    const auto place = static_cast<std::size_t>(pe);
    return place < by_pe.size() && by_pe[place] ? by_pe[place]->peer : -1;
}

// The PEs of a circle of waits that begins at one of them; empty if there is none.
std::vector<int> find_circle(const std::vector<Doing>& all) {
    const std::vector<const Doing*> by_pe = order_by_pe(all);
    for (const Doing& begin : all) {
        std::vector<int> way{begin.pe};
        for (int pe = begin.peer; pe >= 0 && way.size() <= all.size(); pe = peer_of(by_pe, pe)) {
            if (pe == begin.pe) return way;
            way.push_back(pe);
        }
    }
    return {};
}

// How many waits lie between each PE and the cause: 0 for one in a circle.
std::vector<std::size_t> count_waits(const std::vector<Doing>& all) {
    const std::vector<const Doing*> by_pe = order_by_pe(all);
    std::vector<std::size_t> waits(by_pe.size(), 0);
    std::vector<bool> is_in_circle(by_pe.size(), false);
    for (const Doing& each : all) {
        std::size_t steps = 0;
        for (int pe = each.peer; pe >= 0 && steps <= all.size(); pe = peer_of(by_pe, pe), ++steps) {
            if (pe != each.pe) continue;
            is_in_circle[static_cast<std::size_t>(pe)] = true;
            break;
        }
    }
    for (const Doing& each : all) {
        std::size_t& steps = waits[static_cast<std::size_t>(each.pe)];
        for (int pe = each.pe;
             peer_of(by_pe, pe) >= 0 && !is_in_circle[static_cast<std::size_t>(pe)];
             pe = peer_of(by_pe, pe))
            ++steps;
    }
    return waits;
}

// Several teams may have one number, but share no PE then: who waits for whom there is in one team
// with them. Of each PE that waits in a team the lowest of those; -1 of the others.
std::vector<int> find_parties(const std::vector<Doing>& all) {
    std::vector<int> parties(order_by_pe(all).size(), -1);
    std::vector<int> numbers;
    for (const Doing& each : all) {
        if (each.team != 0 && std::find(numbers.begin(), numbers.end(), each.team) == numbers.end())
            numbers.push_back(each.team);
    }
    for (const int number : numbers) {
        std::vector<int> lowest(parties.size());
        std::iota(lowest.begin(), lowest.end(), 0);
        for (bool changes = true; changes;) {
            changes = false;
            for (const Doing& each : all) {
                const auto peer = static_cast<std::size_t>(each.peer);
                if (each.team != number || each.peer < 0 || peer >= lowest.size()) continue;
                int& mine = lowest[static_cast<std::size_t>(each.pe)];
                changes |= mine != lowest[peer];
                mine = lowest[peer] = std::min(mine, lowest[peer]);
            }
        }
        for (const Doing& each : all) {
            const auto pe = static_cast<std::size_t>(each.pe);
            if (each.team == number) parties[pe] = lowest[pe];
        }
    }
    return parties;
}

// Of a wait for PEs in a collective: the call; else empty.
std::string_view collective_of(const Doing& doing) {
    const std::string_view what = doing.what;
    const std::size_t call = what.find("in shmem_");
    const bool is_lock = what.find("_lock") != std::string_view::npos;
    return doing.rank != Doing::Rank::awaits_pe || call == std::string_view::npos || is_lock
               ? std::string_view()
               : what.substr(call);
}

// What each of the calls is, where they differ: by PEs.
std::string calls_text(const std::vector<Doing>& all, const std::vector<int>& circle) {
    const std::vector<const Doing*> by_pe = order_by_pe(all);
    std::vector<std::pair<std::string_view, std::vector<int>>> calls;
    for (const int pe : circle) {
        constexpr std::string_view kBefore = "in ";
        const std::string_view what =
            collective_of(*by_pe[static_cast<std::size_t>(pe)]).substr(kBefore.size());
        auto call = std::find_if(calls.begin(), calls.end(),
                                 [&](const auto& each) { return each.first == what; });
        if (call == calls.end()) call = calls.insert(calls.end(), {what, {}});
        call->second.push_back(pe);
    }
    std::string text = "; if they are of one team, these calls differ: ";
    for (auto& [call, pes] : calls) {
        std::sort(pes.begin(), pes.end());
        if (&pes != &calls.front().second) text += ", ";
        text.append(call) += " at " + name_pes(pes);
    }
    return text;
}

bool are_in_different_collectives(const std::vector<Doing>& all, const std::vector<int>& circle) {
    const std::vector<const Doing*> by_pe = order_by_pe(all);
    const auto call = [&](int pe) { return collective_of(*by_pe[static_cast<std::size_t>(pe)]); };
    const bool all_are =
        std::all_of(circle.begin(), circle.end(), [&](int pe) { return !call(pe).empty(); });
    return all_are && std::any_of(circle.begin(), circle.end(),
                                  [&](int pe) { return call(pe) != call(circle.front()); });
}

}  // namespace

std::string seconds_text(std::uint64_t nanoseconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(nanoseconds) / 1e9);
    return text;
}

std::string name_pes(const std::vector<int>& pes) {
    constexpr int kParts = 6;
    std::string text;
    int parts = 0;
    for (std::size_t i = 0; i < pes.size(); ++parts) {
        if (parts == kParts)
            return "PEs " + text + " and " + std::to_string(pes.size() - i) + " more";
        std::size_t last = i;
        while (last + 1 < pes.size() && pes[last + 1] == pes[last] + 1)
            ++last;
        if (last == i + 1) last = i;  // "0,1", not "0-1"
        text += (text.empty() ? "" : ",") + std::to_string(pes[i]) +
                (last == i ? "" : "-" + std::to_string(pes[last]));
        i = last + 1;
    }
    return (pes.size() == 1 ? "PE " : "PEs ") + text;
}

std::vector<std::string> describe_groups(std::vector<Doing> all, int speaker) {
    const std::vector<std::size_t> waits = count_waits(all);
    const std::vector<int> parties = find_parties(all);
    std::erase_if(all, [=](const Doing& each) { return each.pe == speaker; });
    std::stable_sort(all.begin(), all.end(), [&](const Doing& left, const Doing& right) {
        if (left.rank != right.rank) return left.rank < right.rank;
        return waits[static_cast<std::size_t>(left.pe)] < waits[static_cast<std::size_t>(right.pe)];
    });
    std::vector<Group> groups;
    for (const Doing& each : all) {
        const int party = parties[static_cast<std::size_t>(each.pe)];
        auto group = std::find_if(groups.begin(), groups.end(),
                                  [&](const Group& other) { return is_same(other, each, party); });
        if (group == groups.end()) {
            groups.push_back({&each, each.rest, {}, {}, party, each.waited, each.waited});
            group = groups.end() - 1;
        }
        group->rest.widen_to(each.rest);
        group->pes.push_back(each.pe);
        group->least = std::min(group->least, each.waited);
        group->most = std::max(group->most, each.waited);
        if (each.peer >= 0 &&
            std::find(group->peers.begin(), group->peers.end(), each.peer) == group->peers.end())
            group->peers.push_back(each.peer);
    }
    std::vector<std::string> lines;
    lines.reserve(groups.size());
    for (Group& group : groups)
        lines.push_back(line_of(group));
    return lines;
}

void doubt_what_moves(std::vector<Doing>& all, const std::vector<Doing>& now, std::uint64_t least) {
    const std::vector<const Doing*> by_pe = order_by_pe(now);
    for (Doing& each : all) {
        const bool waits = each.rank >= Doing::Rank::awaits_word;
        if (!waits && each.rank != Doing::Rank::leaves) continue;
        const Doing* const again = by_pe.at(static_cast<std::size_t>(each.pe));
        // A new wait of the same kind is younger.
        if (again && again->rank == each.rank && again->peer == each.peer &&
            again->waited >= each.waited && (!waits || each.waited >= least))
            continue;
        each.rank = Doing::Rank::computing;
        each.peer = -1;
    }
}

std::string why_nobody_ends_this(const std::vector<Doing>& all, bool is_checked) {
    const bool all_wait = std::all_of(all.begin(), all.end(), [](const Doing& each) {
        return each.rank == Doing::Rank::leaves || each.rank >= Doing::Rank::awaits_word;
    });
    const std::vector<int> circle = find_circle(all);
    if (!all_wait && circle.empty()) return "";
    std::string why = "nobody can end this: ";
    if (all_wait) why += "all PEs wait";
    if (!circle.empty()) {
        why += all_wait ? ", in a circle: " : "PEs wait for each other in a circle: ";
        for (const int pe : circle)
            why += "PE " + std::to_string(pe) + " for ";
        why += "PE " + std::to_string(circle.front());
    }
    why += " (unless a thread of the program goes on)";
    if (are_in_different_collectives(all, circle))
        why += is_checked
                   ? calls_text(all, circle)
                   : "; if they are of one team, ISTHMUS_CHECK=1 names the call that differs";
    return why;
}

}  // namespace isthmus
