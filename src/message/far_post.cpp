#include "message/far_post.hpp"

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "base/lasting.hpp"
#include "core/job/internal_layout.hpp"
#include "core/job/job.hpp"
#include "core/reach/far.hpp"
#include "core/reach/request.hpp"
#include "core/wait/sleep.hpp"
#include "message/credit.hpp"
#include "message/envelope.hpp"
#include "message/handlers.hpp"
#include "message/layout.hpp"
#include "message/post.hpp"
#include "message/send.hpp"

namespace isthmus::messages::far_post {
namespace {

// What all requests that lie here, or may come, take at most; and all replies.
constexpr std::uint64_t kAllRequests = std::uint64_t{32} << 20;
constexpr std::uint64_t kAllReplies = std::uint64_t{32} << 20;
constexpr std::uint64_t kLargestCost = credit_cost(kLargestMessage);
// Requests that may be unanswered, and answers that may lie here, together.
constexpr std::uint64_t kMostReplies = kAllReplies / kLargestCost;

// In a request of the road's; a part of the message follows.
struct Wire {
    std::uint32_t credit;  // given back
    std::uint32_t number;  // of the message, among those of its sender to this PE
    std::uint32_t total;   // bytes of the message
    std::uint32_t offset;  // of this part
};
constexpr std::size_t kPart = transport::kRequestBytes - sizeof(Wire);

struct alignas(16) Line {
    char bytes[16];
};
// A message, so laid that its payload is aligned: the frame's head of a ring would be before it.
struct Stored {
    std::unique_ptr<Line[]> memory;
    std::uint32_t bytes = 0;
    std::uint32_t arrived = 0;
    explicit Stored(std::uint32_t total = 0)
        : memory(total == 0 ? nullptr : std::make_unique<Line[]>(total / sizeof(Line) + 1)),
          bytes(total) {}
    char* begin() const { return memory[0].bytes; }
    Head& head() const { return *reinterpret_cast<Head*>(begin()); }
};

struct Store {
    std::deque<Stored> messages;
    std::atomic<std::uint64_t> count = 0;  // relaxed: who finds some takes the lock
    bool is_empty() const { return count.load(std::memory_order_relaxed) == 0; }
};

struct alignas(64) Pair : FarPair {
    std::atomic<std::uint64_t> lying = 0;  // cost of what has come and has not been handled
    std::uint32_t number = 0;              // of the next message in parts, likewise by `guard`
    std::map<std::uint32_t, Stored> parts;
};

// Guards the stores and parts; held for moments, and never while the road is called.
constinit std::mutex guard;
struct State {
    // By PE. They stay until the next session, for a thread that is on its way to one.
    std::unique_ptr<Pair[]> pairs;
    bool is_open = false;
    Store requests;
    Store replies;
    std::uint64_t credit = 0;
    // So few PEs are far that requests of all their credit need half of the room for answers. Then
    // the other half is there for answers that lie here, and nobody counts requests.
    bool has_few = false;
    // Else: requests of this PE whose credit is not back.
    std::atomic<std::int64_t> unanswered = 0;
};
Lasting<State> state;

Pair& pair_of(int pe) {
    return state->pairs[static_cast<std::size_t>(pe)];
}

// `guard` is held. The shortest way is open while there is room for answers whatever is sent.
void review_shortest_way() {
    const bool open = post.far_post && state->is_open && state->has_few &&
                      state->replies.messages.size() < kMostReplies / 2;
    post.far_limit.store(
        open ? static_cast<std::int64_t>(state->credit) - static_cast<std::int64_t>(kLeastCost)
             : -1,
        std::memory_order_relaxed);
}

// ---- what comes

bool is_one_of(std::uint32_t kind, std::uint32_t bits) {
    const std::uint32_t chosen = kind & bits;
    return chosen != 0 && (chosen & (chosen - 1)) == 0;
}

// Bytes of a network are not trusted.
bool is_whole(const Stored& message) {
    if (message.bytes < sizeof(Head)) return false;
    const Head& head = message.head();
    if (head.handler >= kHandlers ||
        head.argument_bytes > (head.handler == kEnveloped ? kEnvelopedArguments : kArgumentBytes) ||
        (head.kind & ~(kShort | kMedium | kLong | kRequest | kReply)) != 0 ||
        !is_one_of(head.kind, kShort | kMedium | kLong) || !is_one_of(head.kind, kRequest | kReply))
        return false;
    if (head.handler == kEnveloped &&
        !is_envelope(&head + 1, message.bytes - sizeof head, head.argument_bytes))
        return false;
    if ((head.kind & kShort) != 0) return message.bytes == sizeof(Head) + head.argument_bytes;
    if ((head.kind & kMedium) != 0) return message.bytes >= payload_offset(head.argument_bytes);
    const std::size_t offset = landing_offset(head.argument_bytes);
    if (message.bytes != offset + sizeof(Landing)) return false;
    Landing landing;
    std::memcpy(&landing, message.begin() + offset, sizeof landing);
    return landing.size == 0 ||
           far::own_memory({landing.segment, landing.offset}, landing.size) != nullptr;
}

// `guard` is held. False: it is none of ours.
bool lay_down(int from, Pair& pair, Stored&& message) {
    if (!is_whole(message)) return false;
    Head& head = message.head();
    head.source = static_cast<std::uint16_t>(from);
    head.replied = 0;
    const bool is_request = (head.kind & kRequest) != 0;
    if (is_request) {
        const std::uint64_t cost = credit_cost(message.bytes);
        if (pair.lying.fetch_add(cost, std::memory_order_relaxed) + cost >
            state->credit + kLargestCost)
            return false;
    }
    Store& store = is_request ? state->requests : state->replies;
    if (!is_request && store.messages.size() > 2 * kMostReplies) return false;
    store.messages.push_back(std::move(message));
    store.count.fetch_add(1, std::memory_order_relaxed);
    post.due.fetch_add(kOneCome, std::memory_order_relaxed);
    if (!is_request && store.messages.size() == kMostReplies / 2) review_shortest_way();
    return true;
}

void give_back(Pair& pair, std::uint64_t credit) {
    if (credit == 0) return;
    const std::uint64_t back = pair.taken.give_back(credit);
    if (!state->has_few)
        state->unanswered.fetch_sub(static_cast<std::int64_t>(back), std::memory_order_relaxed);
}

// Takes a message in. Refused: it is none of ours.
std::size_t take_in(int from, Pair& pair, Stored&& message) {
    if (!lay_down(from, pair, std::move(message))) return transport::kRefused;
    wake(job.me);
    return 0;
}

std::size_t serve_part(int from, const void* payload, std::size_t bytes, void*) {
    Wire wire;
    if (bytes < sizeof wire) return transport::kRefused;
    std::memcpy(&wire, payload, sizeof wire);
    const char* const part = static_cast<const char*>(payload) + sizeof wire;
    const std::size_t length = bytes - sizeof wire;
    const std::lock_guard lock(guard);
    if (!state->is_open) return 0;  // the session has ended
    Pair& pair = pair_of(from);
    give_back(pair, wire.credit);
    if (wire.total == 0) return length == 0 ? 0 : transport::kRefused;  // credit alone
    if (wire.total > kLargestMessage || wire.offset > wire.total ||
        length > wire.total - wire.offset || length == 0)
        return transport::kRefused;
    if (length == wire.total) {
        Stored whole(wire.total);
        std::memcpy(whole.begin(), part, length);
        return take_in(from, pair, std::move(whole));
    }
    const auto [found, is_new] = pair.parts.try_emplace(wire.number, wire.total);
    Stored& message = found->second;
    if (message.bytes != wire.total || pair.parts.size() > kPairCredit / kLeastCost)
        return transport::kRefused;
    std::memcpy(message.begin() + wire.offset, part, length);
    message.arrived += static_cast<std::uint32_t>(length);
    if (message.arrived < message.bytes) return 0;
    Stored whole = std::move(message);
    pair.parts.erase(found);
    return take_in(from, pair, std::move(whole));
}

// A message as it lies in a ring; where that says who has sent it is the credit that comes back.
std::size_t serve_whole(int from, const void* payload, std::size_t bytes, void*) {
    if (bytes < sizeof(Head)) return transport::kRefused;
    Stored whole(static_cast<std::uint32_t>(bytes));
    std::memcpy(whole.begin(), payload, bytes);
    const std::lock_guard lock(guard);
    if (!state->is_open) return 0;
    Pair& pair = pair_of(from);
    give_back(pair, whole.head().source);
    return take_in(from, pair, std::move(whole));
}

const RequestServer kServer(RequestId::message, serve_part);
const RequestServer kServerOfWhole(RequestId::whole_message, serve_whole);

// ---- what goes

// A message that is one request, in a frame. Its payload, if it has one, leaves from where it is.
void send_whole(Pair& pair, int pe, const Parcel& parcel) {
    constexpr std::size_t kLongest = payload_offset(kEnvelopedArguments) + sizeof(Landing);
    alignas(16) char frame[transport::kFrameRoom + kLongest];
    char* const message = frame + transport::kFrameRoom;
    const bool is_medium = (parcel.kind & kMedium) != 0;
    Parcel before = parcel;
    if (is_medium) before.size = 0;
    const std::size_t bytes = message_bytes(before);
    if (is_medium) std::memset(message + bytes - 16, 0, 16);  // what is between
    write(message, before);
    reinterpret_cast<Head*>(message)->source =
        static_cast<std::uint16_t>(pair.owed.with_a_message(0xffff));
    std::memcpy(frame + transport::kFrameWord, &post.far_word, sizeof post.far_word);
    post.far_post_more(frame, post.far_road, transport::kFrameRoom + bytes,
                       static_cast<std::uint64_t>(pe), parcel.payload, is_medium ? parcel.size : 0);
}

// In as many requests as it takes.
void send_parts(Pair& pair, int pe, const Parcel& parcel) {
    alignas(16) char message[kLargestMessage];
    const std::size_t total = message_bytes(parcel);
    const std::uint64_t credit = pair.owed.with_a_message();
    std::uint32_t number = 0;
    {
        const std::lock_guard lock(guard);
        number = pair.number++;
    }
    write(message, parcel);
    char request[transport::kRequestBytes];
    for (std::size_t offset = 0; offset < total; offset += kPart) {
        const std::size_t length = std::min(kPart, total - offset);
        const Wire wire{static_cast<std::uint32_t>(offset == 0 ? credit : 0), number,
                        static_cast<std::uint32_t>(total), static_cast<std::uint32_t>(offset)};
        std::memcpy(request, &wire, sizeof wire);
        std::memcpy(request + sizeof wire, message + offset, length);
        far::request(pe, static_cast<std::uint32_t>(RequestId::message), request,
                     sizeof wire + length);
    }
}

void send(Pair& pair, int pe, const Parcel& parcel) {
    if (post.far_post && message_bytes(parcel) <= transport::kRequestBytes)
        send_whole(pair, pe, parcel);
    else
        send_parts(pair, pe, parcel);
}

void tell_credit(int pe, std::uint64_t credit) {
    const Wire wire{static_cast<std::uint32_t>(credit), 0, 0, 0};
    far::request(pe, static_cast<std::uint32_t>(RequestId::message), &wire, sizeof wire);
}

// Takes the oldest. Null: there is none.
Stored take(Store& store) {
    const std::lock_guard lock(guard);
    if (store.messages.empty()) return Stored();
    Stored first = std::move(store.messages.front());
    store.messages.pop_front();
    store.count.fetch_sub(1, std::memory_order_relaxed);
    post.due.fetch_sub(kOneCome, std::memory_order_relaxed);
    if (&store == &state->replies && store.messages.size() == kMostReplies / 2 - 1)
        review_shortest_way();
    return first;
}

// Runs handlers of up to `most`; `finish` sees each message behind its handler.
template <typename Finish>
int serve(Store& store, int most, Finish&& finish) {
    int handled = 0;
    while (handled < most && !store.is_empty()) {
        const Stored message = take(store);
        if (!message.memory) break;
        deliver(message.head(), message.bytes);
        ++handled;
        finish(message);
    }
    return handled;
}

// Whether there is room for the largest answer to each of what is under way, and to one more.
bool has_room_for_answers(std::int64_t unanswered) {
    // Relaxed: who lays one down has counted with it.
    const std::uint64_t lying = state->replies.count.load(std::memory_order_relaxed);
    if (state->has_few) return lying < kMostReplies / 2;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(unanswered, 0)) / kLeastCost + lying <
           kMostReplies;
}

bool take_credit(Pair& pair, std::uint64_t cost) {
    const auto signed_cost = static_cast<std::int64_t>(cost);
    if (state->has_few) return has_room_for_answers(0) && pair.taken.take(cost);
    const std::int64_t before = state->unanswered.fetch_add(signed_cost, std::memory_order_relaxed);
    if (has_room_for_answers(before) && pair.taken.take(cost)) return true;
    state->unanswered.fetch_sub(signed_cost, std::memory_order_relaxed);
    return false;
}

}  // namespace

void open() {
    const std::lock_guard lock(guard);
    std::uint64_t far_pes = 0;
    for (int pe = 0; pe < job.pes; ++pe)
        far_pes += is_near(pe) ? 0 : 1;
    state->credit = pair_credit(far_pes, kAllRequests);
    state->has_few = far_pes * (state->credit / kLeastCost) <= kMostReplies / 2;
    state->pairs = std::make_unique<Pair[]>(static_cast<std::size_t>(job.pes));
    for (int pe = 0; pe < job.pes; ++pe) {
        pair_of(pe).taken = CreditTaken(state->credit);
        pair_of(pe).owed = CreditOwed(state->credit, kLargestCost);
    }
    state->unanswered.store(0, std::memory_order_relaxed);
    const transport::ShortCalls calls = far::road->short_calls();
    post.far_post = calls.post;
    post.far_post_more = calls.post_more;
    post.far_road = calls.post_road;
    post.far_word = calls.post_word | kWholeMessage;
    state->is_open = true;
    review_shortest_way();
}

void close() {
    const std::lock_guard lock(guard);
    state->is_open = false;
    review_shortest_way();
    state->requests.messages.clear();
    state->replies.messages.clear();
    state->requests.count.store(0, std::memory_order_relaxed);
    state->replies.count.store(0, std::memory_order_relaxed);
}

FarPair* pair_with(int pe) {
    return &pair_of(pe);
}

bool has_credit(int pe, std::size_t bytes) {
    return has_room_for_answers(state->unanswered.load(std::memory_order_relaxed)) &&
           pair_of(pe).taken.may_take(credit_cost(bytes));
}

std::uint64_t without_credit(int pe, std::size_t bytes, std::uint64_t& allowed) {
    const std::unique_lock lock(guard, std::try_to_lock);
    if (!lock || !state->is_open) return 0;
    const CreditTaken& taken = pair_of(pe).taken;
    allowed = state->credit;
    return taken.may_take(credit_cost(bytes)) ? 0 : taken.under_way();
}

bool send_request(int pe, const Parcel& parcel) {
    Pair& pair = pair_of(pe);
    if (!take_credit(pair, credit_cost(message_bytes(parcel)))) return false;
    send(pair, pe, parcel);
    return true;
}

void send_reply(int pe, const Parcel& parcel) {
    send(pair_of(pe), pe, parcel);
}

void land(int pe, const Parcel& parcel, const char* routine) {
    far::put(parcel.dest, parcel.payload, parcel.size, pe, routine);
}

bool has_requests() {
    return !state->requests.is_empty();
}

bool has_replies() {
    return !state->replies.is_empty();
}

int serve_requests(int most) {
    return serve(state->requests, most, [](const Stored& message) {
        Pair& pair = pair_of(message.head().source);
        const std::uint64_t cost = credit_cost(message.bytes);
        // Before the credit can go back, and more come.
        pair.lying.fetch_sub(cost, std::memory_order_relaxed);
        pair.owed.handled(cost);
        const std::uint64_t credit = pair.owed.to_tell();
        if (credit != 0) tell_credit(message.head().source, credit);
    });
}

int serve_replies(int most) {
    return serve(state->replies, most, [](const Stored&) {});
}

}  // namespace isthmus::messages::far_post
