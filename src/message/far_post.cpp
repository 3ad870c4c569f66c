#include "message/far_post.hpp"

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

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

struct Pair {
    CreditTaken taken;  // by requests of this PE
    CreditOwed owed;    // for requests to this PE
    std::uint32_t number = 0;
    std::uint64_t lying = 0;  // cost of what has come and has not been handled
    std::map<std::uint32_t, Stored> parts;
};

// Guards all of it; held for moments, and never while the road is called.
constinit std::mutex guard;
struct State {
    std::vector<Pair> pairs;
    Store requests;
    Store replies;
    std::uint64_t credit = 0;
    std::uint64_t unanswered = 0;  // requests of this PE whose credit is not back
};
Lasting<State> state;

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
        pair.lying += credit_cost(message.bytes);
        if (pair.lying > state->credit + kLargestCost) return false;
    }
    Store& store = is_request ? state->requests : state->replies;
    if (!is_request && store.messages.size() > 2 * kMostReplies) return false;
    store.messages.push_back(std::move(message));
    store.count.fetch_add(1, std::memory_order_relaxed);
    post.due.fetch_add(kOneCome, std::memory_order_relaxed);
    return true;
}

void give_back(Pair& pair, std::uint64_t credit) {
    const std::uint64_t before = pair.taken.under_way();
    pair.taken.give_back(credit);
    if (credit != 0 && before != 0) {
        const std::uint64_t fewer = before - pair.taken.under_way();
        state->unanswered -= std::min(state->unanswered, fewer);
    }
}

std::size_t serve_part(int from, const void* payload, std::size_t bytes, void*) {
    Wire wire;
    if (bytes < sizeof wire) return transport::kRefused;
    std::memcpy(&wire, payload, sizeof wire);
    const char* const part = static_cast<const char*>(payload) + sizeof wire;
    const std::size_t length = bytes - sizeof wire;
    const std::lock_guard lock(guard);
    if (static_cast<std::size_t>(from) >= state->pairs.size()) return 0;  // the session has ended
    Pair& pair = state->pairs[static_cast<std::size_t>(from)];
    give_back(pair, wire.credit);
    if (wire.total == 0) return length == 0 ? 0 : transport::kRefused;  // credit alone
    if (wire.total > kLargestMessage || wire.offset > wire.total ||
        length > wire.total - wire.offset || length == 0)
        return transport::kRefused;
    if (length == wire.total) {
        Stored whole(wire.total);
        std::memcpy(whole.begin(), part, length);
        if (!lay_down(from, pair, std::move(whole))) return transport::kRefused;
    } else {
        const auto [found, is_new] = pair.parts.try_emplace(wire.number, wire.total);
        Stored& message = found->second;
        if (message.bytes != wire.total || pair.parts.size() > kPairCredit / kLeastCost)
            return transport::kRefused;
        std::memcpy(message.begin() + wire.offset, part, length);
        message.arrived += static_cast<std::uint32_t>(length);
        if (message.arrived < message.bytes) return 0;
        Stored whole = std::move(message);
        pair.parts.erase(found);
        if (!lay_down(from, pair, std::move(whole))) return transport::kRefused;
    }
    wake(job.me);
    return 0;
}

const RequestServer kServer(RequestId::message, serve_part);

// ---- what goes

void send(int pe, const Parcel& parcel, std::uint32_t number, std::uint64_t credit) {
    alignas(16) char message[kLargestMessage];
    const std::size_t total = message_bytes(parcel);
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

// With the lock. Each of what is under way may be answered by the largest reply there is.
bool has_room_for_answers() {
    return state->unanswered / kLeastCost + state->replies.messages.size() < kMostReplies;
}

}  // namespace

void open() {
    const std::lock_guard lock(guard);
    std::uint64_t far_pes = 0;
    for (int pe = 0; pe < job.pes; ++pe)
        far_pes += is_near(pe) ? 0 : 1;
    state->credit = pair_credit(far_pes, kAllRequests);
    state->pairs.clear();
    state->pairs.resize(static_cast<std::size_t>(job.pes));
    for (Pair& pair : state->pairs) {
        pair.taken = CreditTaken(state->credit);
        pair.owed = CreditOwed(state->credit, kLargestCost);
    }
    state->unanswered = 0;
}

void close() {
    const std::lock_guard lock(guard);
    state->pairs.clear();
    state->requests.messages.clear();
    state->replies.messages.clear();
    state->requests.count.store(0, std::memory_order_relaxed);
    state->replies.count.store(0, std::memory_order_relaxed);
}

bool has_credit(int pe, std::size_t bytes) {
    const std::lock_guard lock(guard);
    return has_room_for_answers() &&
           state->pairs[static_cast<std::size_t>(pe)].taken.may_take(credit_cost(bytes));
}

std::uint64_t without_credit(int pe, std::uint64_t& allowed) {
    const std::unique_lock lock(guard, std::try_to_lock);
    if (!lock || state->pairs.empty()) return 0;
    const CreditTaken& taken = state->pairs[static_cast<std::size_t>(pe)].taken;
    allowed = state->credit;
    return taken.may_take(kLeastCost) ? 0 : taken.under_way();
}

bool send_request(int pe, const Parcel& parcel) {
    std::uint32_t number = 0;
    std::uint64_t credit = 0;
    {
        const std::lock_guard lock(guard);
        Pair& pair = state->pairs[static_cast<std::size_t>(pe)];
        const std::uint64_t cost = credit_cost(message_bytes(parcel));
        if (!has_room_for_answers() || !pair.taken.take(cost)) return false;
        state->unanswered += cost;
        number = pair.number++;
        credit = pair.owed.with_a_message();
    }
    send(pe, parcel, number, credit);
    return true;
}

void send_reply(int pe, const Parcel& parcel) {
    std::uint32_t number = 0;
    std::uint64_t credit = 0;
    {
        const std::lock_guard lock(guard);
        Pair& pair = state->pairs[static_cast<std::size_t>(pe)];
        number = pair.number++;
        credit = pair.owed.with_a_message();
    }
    send(pe, parcel, number, credit);
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
        std::uint64_t credit = 0;
        {
            const std::lock_guard lock(guard);
            Pair& pair = state->pairs[message.head().source];
            const std::uint64_t cost = credit_cost(message.bytes);
            pair.lying -= cost;
            pair.owed.handled(cost);
            credit = pair.owed.to_tell();
        }
        if (credit != 0) tell_credit(message.head().source, credit);
    });
}

int serve_replies(int most) {
    return serve(state->replies, most, [](const Stored&) {});
}

}  // namespace isthmus::messages::far_post
