#include "message/handlers.hpp"

#include <algorithm>
#include <bit>
#include <mutex>

#include "base/error.hpp"
#include "base/text.hpp"
#include "core/reach/far.hpp"
#include "message/counts.hpp"
#include "message/envelope.hpp"

namespace isthmus::messages {
namespace {

constinit std::mutex guard;  // of changes
std::uint32_t used = 0;      // no id from here on has been registered
constexpr std::uint32_t kSizes = kShort | kMedium | kLong;
constexpr std::uint32_t kDirections = kRequest | kReply;

const char* size_name(std::uint32_t kind) {
    return (kind & kShort) != 0 ? "short" : (kind & kMedium) != 0 ? "medium" : "long";
}
const char* direction_name(std::uint32_t kind) {
    return (kind & kRequest) != 0 ? "request" : "reply";
}

constexpr FaceNames kNative{0,
                            kNativeHandlers,
                            "isthmus_message_poll",
                            "register it before the first message to it, with a barrier in between",
                            nullptr,
                            Routine::native_message_request,
                            Routine::native_message_reply,
                            nullptr};
FaceNames named{0, 0, nullptr, nullptr, nullptr, Routine::none, Routine::none, nullptr};

// What may be anything of messages for a handler without a form: a bit that no head has, and no
// `whole`.
constexpr std::uint64_t kWithoutForm = std::bit_cast<std::uint64_t>(Head{0, 0, 1, 0, 0});

// By id, what Entry::whole would be; while messages are counted, that is 0.
bool counted = false;
std::uint64_t counted_wholes[kHandlers];

const FaceNames& names_of(std::uint32_t id) {
    return id - named.first < named.count ? named : kNative;
}

// "a short request from PE 3 for handler 17"
Text description(const Message& message) {
    return Text("a ", size_name(message.kind), " ", direction_name(message.kind), " from PE ",
                message.source, " for handler ", message.handler - names_of(message.handler).first);
}

}  // namespace

constinit Entry entries[kHandlers] = {};

namespace {

// False: it is taken. Under the lock.
bool take(Entry& entry, std::uint32_t id) {
    // Relaxed: changed under the lock alone.
    if (entry.free.load(std::memory_order_relaxed) != 0) return false;
    used = std::max(used, id + 1);
    return true;
}

void fill(Entry& entry, Handler* function, std::uint32_t takes, std::uint32_t argument_bytes) {
    const bool takes_any = argument_bytes == kAnyArguments;
    if ((takes & kSizes) == 0) takes |= kSizes;
    if ((takes & kDirections) == 0) takes |= kDirections;
    const std::uint64_t free = head_word(kHandlers - 1, takes, 0xffff, takes_any ? 0xffff : 0);
    entry.function = function;
    // Relaxed: who sees it too early sees kWithoutForm or 0, which go with none of these.
    const std::uint64_t whole = free | head_word(0, 0, 0, takes_any ? 0 : argument_bytes);
    if (counted) counted_wholes[&entry - entries] = whole;
    entry.whole.store(counted ? 0 : whole, std::memory_order_relaxed);
    // Release: partner is deliver.
    entry.free.store(free, std::memory_order_release);
}

}  // namespace

bool enter_handler(std::uint32_t id, Handler* function, void* context, std::uint32_t takes,
                   std::uint32_t argument_bytes) {
    const std::lock_guard lock(guard);
    Entry& entry = entries[id];
    if (!take(entry, id)) return false;
    entry.context = context;
    fill(entry, function, takes, argument_bytes);
    return true;
}

bool enter_handler_without_form(std::uint32_t id, void* context) {
    const std::lock_guard lock(guard);
    Entry& entry = entries[id];
    if (!take(entry, id)) return false;
    entry.context = context;
    entry.whole.store(0, std::memory_order_relaxed);
    entry.free.store(kWithoutForm, std::memory_order_release);  // partner: deliver
    return true;
}

void give_form(std::uint32_t id, Handler* function, std::uint32_t takes,
               std::uint32_t argument_bytes) {
    const std::lock_guard lock(guard);
    Entry& entry = entries[id];
    // Relaxed: changed under the lock alone.
    if (entry.free.load(std::memory_order_relaxed) == kWithoutForm)
        fill(entry, function, takes, argument_bytes);
}

void count_messages() {
    const std::lock_guard lock(guard);
    counted = begin_counts();
    if (!counted) return;
    // Those that have been registered before the first message.
    for (std::uint32_t id = 0; id < used; ++id)
        counted_wholes[id] = entries[id].whole.exchange(0, std::memory_order_relaxed);
}

// Those of another thread may go on: what is counted stays so.
bool tell_counts(AtEnd at_end) {
    if (!counted) return true;
    const bool is_told = report_counts(name_of, at_end);
    if (at_end == AtEnd::all) counted = false;
    return is_told;
}

HandlerName name_of(std::uint32_t id) {
    const FaceNames& names = names_of(id);
    const std::uint32_t number = id - names.first;
    return {names.routine, number, names.word ? names.word(number) : nullptr};
}

Routine request_routine(std::uint32_t id) {
    return names_of(id).request;
}
Routine reply_routine(std::uint32_t id) {
    return names_of(id).reply;
}

bool remove_handler(std::uint32_t id) {
    const std::lock_guard lock(guard);
    // Relaxed: who removes it says that nothing comes for it.
    entries[id].whole.store(0, std::memory_order_relaxed);
    return entries[id].free.exchange(0, std::memory_order_relaxed) != 0;
}

void forget_handlers() {
    const std::lock_guard lock(guard);
    for (; used != 0; --used) {
        entries[used - 1].whole.store(0, std::memory_order_relaxed);
        entries[used - 1].free.store(0, std::memory_order_relaxed);
    }
}

void name_handlers(const FaceNames& names) {
    named = names;
}

void (*take_notice)(const Head& notice) = nullptr;

bool deliver_payload(const Head& head, std::size_t bytes) {
    if (bytes >= kNotice) [[unlikely]] {
        if (bytes == kNotice) take_notice(head);
        return false;
    }
    Message message;
    message.arguments = &head + 1;
    const char* const begin = reinterpret_cast<const char*>(&head);
    if ((head.kind & kMedium) != 0) {
        const std::size_t offset = payload_offset(head.argument_bytes);
        message.payload = const_cast<char*>(begin + offset);
        message.size = bytes - offset;
    } else {
        Landing landing;
        std::memcpy(&landing, begin + landing_offset(head.argument_bytes), sizeof landing);
        message.size = landing.size;
        message.payload = landing.size == 0
                              ? nullptr
                              : far::own_memory({landing.segment, landing.offset}, landing.size);
    }
    std::uint64_t word;
    std::memcpy(&word, &head, sizeof word);
    std::memcpy(&message.handler, &word, sizeof word);
    deliver(message, word);
    return true;
}

void deliver_otherwise(Message& message) {
    if (message.handler == kEnveloped) return open_envelope(message);
    const Entry& entry = entries[message.handler];
    const FaceNames& names = names_of(message.handler);
    const std::uint64_t free = entry.free.load(std::memory_order_acquire);
    const std::uint64_t whole =
        counted ? counted_wholes[message.handler] : entry.whole.load(std::memory_order_relaxed);
    if (counted && free != 0) {
        count(message);
        std::uint64_t head;
        std::memcpy(&head, &message.handler, sizeof head);
        if ((head | free) == whole) return entry.function(entry.context, &message);
    }
    if (free != 0 && names.without_form) return names.without_form(entry.context, &message);
    const auto takes = static_cast<std::uint32_t>(free >> 16 & 0xff);
    const Text what = description(message);
    if (takes == 0)
        fail(names.routine, Text(what, ", which is not registered here; ", names.not_registered));
    if ((takes & kDirections & message.kind) == 0)
        fail(
            "isthmus_message_poll",
            Text(what, ", which takes ", (takes & kReply) != 0 ? "replies" : "requests", " alone"));
    if ((takes & kSizes & message.kind) == 0)
        fail("isthmus_message_poll", Text(what, ", which takes none of this kind"));
    fail("isthmus_message_poll", Text(what, ", with ", message.argument_bytes,
                                      " bytes of arguments; it takes ", whole >> 48));
}

}  // namespace isthmus::messages
