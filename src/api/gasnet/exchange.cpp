// The exchange of blocks that all collectives are (exchange.hpp).
#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "api/gasnet/exchange.hpp"
#include "core/reach/far.hpp"
#include "core/wait/event.hpp"
#include "message/send.hpp"

namespace isthmus::gasnet::collectives {
namespace {

using namespace isthmus::messages;

constexpr std::uint32_t kHandler = kFirstHandler + 1;  // no client's
constexpr const char* kRoutine = "gasnet_coll_wait_sync";
// Of the payload of one long message.
constexpr std::size_t kLongPiece = std::size_t{1} << 30;
static_assert(kLongPiece <= kLargestLong);

enum class Word : std::uint32_t { arrived, go, ready, piece, left, released };

// The arguments of each message.
struct Note {
    std::uint32_t team;
    std::uint32_t number;
    Word word;
    std::uint32_t name_bits;
    std::uint64_t value;  // ready: the address of a place in the segment; piece: its offset
};
static_assert(sizeof(Note) <= kLineArguments);

constexpr std::uint32_t kNamed = 1;
constexpr std::uint32_t kMismatch = 2;

struct Ready {
    gasnet_node_t node;
    std::uint64_t address;  // 0: not in the segment
};

// One collective, from the first that is heard of it.
struct Step {
    Team* team = nullptr;  // null: this PE has not come to it
    Exchange exchange;
    isthmus_gasnet_collective* handle = nullptr;
    std::vector<std::size_t> missing;  // bytes of each `take`
    // What has come.
    int arrived = 0;
    Name arrived_name;
    bool go = false;
    std::vector<Ready> ready;
    int left = 0;
    bool released = false;
    // What has been done.
    bool told_arrival = false;
    bool moves = false;
    std::size_t given = 0;
    bool finished = false;
};

// What is to be sent, without the lock.
struct Sending {
    gasnet_node_t node;
    Note note;
    const char* payload = nullptr;
    std::size_t bytes = 0;
    void* dest = nullptr;  // of a long one
};

struct State {
    std::mutex guard;        // of all below
    std::mutex progressing;  // one thread sends: what it has counted as sent is sent
    std::unordered_map<std::uint64_t, std::unique_ptr<Step>> steps;
};
Lasting<State> state;

std::uint64_t key_of(std::uint32_t team, std::uint32_t number) {
    return std::uint64_t{team} << 32 | number;
}

Step& step_of(std::uint32_t team, std::uint32_t number) {
    std::unique_ptr<Step>& step = state->steps[key_of(team, number)];
    if (!step) step = std::make_unique<Step>();
    return *step;
}

Note note_of(const Team& team, std::uint32_t number, Word word, std::uint64_t value = 0) {
    return {team.id, number, word, 0, value};
}
Note with_name(Note note, const Name& name) {
    note.name_bits = (name.is_named ? kNamed : 0) | (name.mismatch ? kMismatch : 0);
    note.value = name.id;
    return note;
}
Name name_of(const Note& note) {
    return {(note.name_bits & kNamed) != 0, (note.name_bits & kMismatch) != 0,
            static_cast<std::uint32_t>(note.value)};
}

[[noreturn]] void refuse_block(gasnet_node_t node) {
    fail(kRoutine, Text("node ", node,
                        " takes part in another collective, or with other sizes, than this one"));
}

// ---- what comes

void take_piece(Step& step, const Note& note, const Message& message) {
    std::vector<Take>& takes = step.exchange.takes;
    const auto found = std::find_if(takes.begin(), takes.end(), [&](const Take& take) {
        return step.team &&
               step.team->members[static_cast<std::size_t>(take.rank)] == message.source;
    });
    if (found == takes.end() || note.value > found->bytes ||
        message.size > found->bytes - note.value)
        refuse_block(message.source);
    if ((message.kind & kMedium) != 0)
        std::memcpy(found->to + note.value, message.payload, message.size);
    step.missing[static_cast<std::size_t>(found - takes.begin())] -= message.size;
}

void note_message(void*, Message* message) {
    Note note;
    std::memcpy(&note, message->arguments, sizeof note);
    const std::lock_guard lock(state->guard);
    Step& step = step_of(note.team, note.number);
    switch (note.word) {
        case Word::arrived:
            ++step.arrived;
            step.arrived_name = merge(step.arrived_name, name_of(note));
            break;
        case Word::go:
            step.go = true;
            step.arrived_name = name_of(note);
            break;
        case Word::ready: step.ready.push_back({message->source, note.value}); break;
        case Word::piece: take_piece(step, note, *message); break;
        case Word::left: ++step.left; break;
        case Word::released: step.released = true; break;
    }
}

// ---- what is to be done

void tell_all_others(const Team& team, const Note& note, std::vector<Sending>& sendings) {
    for (const gasnet_node_t node : team.members)
        if (node != static_cast<gasnet_node_t>(job.me)) sendings.push_back({node, note});
}

// Whether all have come, where that matters.
bool may_move(Step& step, std::uint32_t number, std::vector<Sending>& sendings) {
    if (!step.exchange.in_allsync) return true;
    const Team& team = *step.team;
    if (team.rank != 0) {
        if (!step.told_arrival)
            sendings.push_back({team.members[0], with_name(note_of(team, number, Word::arrived),
                                                           step.exchange.name)});
        step.told_arrival = true;
        return step.go;
    }
    if (step.arrived + 1 < team.size()) return false;
    step.arrived_name = merge(step.arrived_name, step.exchange.name);
    tell_all_others(team, with_name(note_of(team, number, Word::go), step.arrived_name), sendings);
    return true;
}

void say_ready(const Step& step, std::uint32_t number, std::vector<Sending>& sendings) {
    const Team& team = *step.team;
    for (const Take& take : step.exchange.takes) {
        const bool in_segment = is_in_segment(take.to, take.bytes, job.me);
        sendings.push_back({team.members[static_cast<std::size_t>(take.rank)],
                            note_of(team, number, Word::ready,
                                    in_segment ? reinterpret_cast<std::uintptr_t>(take.to) : 0)});
    }
}

void give(Step& step, std::uint32_t number, std::vector<Sending>& sendings) {
    const Team& team = *step.team;
    const std::vector<Give>& gives = step.exchange.gives;
    for (const Ready& ready : step.ready) {
        const auto found = std::find_if(gives.begin(), gives.end(), [&](const Give& one) {
            return team.members[static_cast<std::size_t>(one.rank)] == ready.node;
        });
        if (found == gives.end()) refuse_block(ready.node);
        const std::size_t most = ready.address != 0 ? kLongPiece : kLargestMedium;
        for (std::size_t done = 0; done < found->bytes; done += most)
            sendings.push_back(
                {ready.node, note_of(team, number, Word::piece, done), found->from + done,
                 std::min(most, found->bytes - done),
                 ready.address != 0 ? reinterpret_cast<char*>(ready.address) + done : nullptr});
        ++step.given;
    }
    step.ready.clear();
}

bool has_moved(const Step& step) {
    return step.given == step.exchange.gives.size() &&
           std::all_of(step.missing.begin(), step.missing.end(),
                       [](std::size_t bytes) { return bytes == 0; });
}

// Whether all have moved, where that matters.
bool may_leave(Step& step, std::uint32_t number, std::vector<Sending>& sendings) {
    if (!step.exchange.out_allsync) return true;
    const Team& team = *step.team;
    if (team.rank != 0) return step.released;
    if (step.left + 1 < team.size()) return false;
    tell_all_others(team, note_of(team, number, Word::released), sendings);
    return true;
}

// As far as it goes now. True: it is complete when all is sent.
bool advance(Step& step, std::uint32_t number, std::vector<Sending>& sendings) {
    if (!step.moves) {
        if (!may_move(step, number, sendings)) return false;
        step.moves = true;
        say_ready(step, number, sendings);
    }
    give(step, number, sendings);
    if (!has_moved(step)) return false;
    if (!step.finished) {
        step.finished = true;
        if (step.exchange.agreed) *step.exchange.agreed = step.arrived_name;
        step.exchange.finish();
        if (step.exchange.out_allsync && step.team->rank != 0)
            sendings.push_back({step.team->members[0], note_of(*step.team, number, Word::left)});
    }
    return may_leave(step, number, sendings);
}

void send(const Sending& sending) {
    Parcel parcel{static_cast<std::uint16_t>(kHandler),
                  static_cast<std::uint8_t>(kRequest | (!sending.payload ? kShort
                                                        : sending.dest   ? kLong
                                                                         : kMedium)),
                  sizeof(Note),
                  &sending.note,
                  sending.payload,
                  sending.bytes,
                  sending.dest};
    if (sending.dest) parcel.place = far::place_of(sending.dest, sending.bytes, kRoutine);
    if (request(static_cast<int>(sending.node), parcel, Wait::yes) != Sent::done)
        fail(kRoutine, "a handler of a message may not take part in a collective");
}

bool is_behind_another(const Step& step, std::uint32_t number) {
    return step.exchange.after_previous && state->steps.contains(key_of(step.team->id, number - 1));
}

using Complete = std::vector<std::unique_ptr<Step>>;

bool advance_all(Complete& complete) {
    std::vector<Sending> sendings;
    bool some_complete = false;
    {
        const std::lock_guard lock(state->guard);
        for (auto at = state->steps.begin(); at != state->steps.end();) {
            Step& step = *at->second;
            const auto number = static_cast<std::uint32_t>(at->first);
            if (step.team && !is_behind_another(step, number) && advance(step, number, sendings)) {
                complete.push_back(std::move(at->second));
                at = state->steps.erase(at);
                some_complete = true;
            } else {
                ++at;
            }
        }
    }
    for (const Sending& sending : sendings)
        send(sending);
    return some_complete || !sendings.empty();
}

void go_on() {
    if (is_in_handler()) return;
    const std::unique_lock alone(state->progressing, std::try_to_lock);
    if (!alone) return;
    Complete complete;
    while (advance_all(complete)) {
    }
    if (complete.empty()) return;
    // Release: partner is the acquire of whoever looks at the handle.
    for (const std::unique_ptr<Step>& step : complete)
        step->handle->under_way.fetch_sub(1, std::memory_order_release);
    const std::lock_guard lock(state->guard);
    const auto& steps = state->steps;
    if (std::none_of(steps.begin(), steps.end(), [](const auto& one) { return one.second->team; }))
        note_face_works(false);
    note_handled(1);
}

}  // namespace

Name merge(Name one, Name other) {
    const bool differ = one.is_named && other.is_named && one.id != other.id;
    return {one.is_named || other.is_named, one.mismatch || other.mismatch || differ,
            one.is_named ? one.id : other.id};
}

void begin(Team& team, Exchange exchange, isthmus_gasnet_collective& handle) {
    // Relaxed: the thread's own until then; who completes it has the lock behind it.
    handle.under_way.fetch_add(1, std::memory_order_relaxed);
    {
        const std::lock_guard lock(state->guard);
        Step& step = step_of(team.id, team.begun++);
        step.team = &team;
        step.handle = &handle;
        for (const Take& take : exchange.takes)
            step.missing.push_back(take.bytes);
        step.exchange = std::move(exchange);
        note_face_works(true);
    }
    go_on();
}

bool is_complete(const isthmus_gasnet_collective& handle) {
    // Acquire: partner is go_on().
    return handle.under_way.load(std::memory_order_acquire) == 0;
}

void await(const isthmus_gasnet_collective& handle, Routine routine) {
    note(routine);
    wait_wakeable({routine}, kNoDeadline, [&] {
        const int handled = poll_if_come();
        return look_of(is_complete(handle), handled);
    });
}

void open() {
    progress = go_on;
    enter_handler(kHandler, note_message, nullptr, kRequest, sizeof(Note));
}

}  // namespace isthmus::gasnet::collectives
