// What a message of the layer does at its kernel: the handler of the program's or of the library's,
// the payload for the kernel itself, and the reply that is counted at the sender.
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "api/kernel/face.hpp"
#include "base/error.hpp"
#include "message/handlers.hpp"
#include "message/post.hpp"
#include "message/send.hpp"

namespace isthmus::kernel_face {
namespace {

using messages::Message;

struct alignas(16) Line {
    char bytes[16];
};
std::unique_ptr<Line[]> make_lines(std::uint64_t bytes) {
    return std::make_unique<Line[]>(bytes / sizeof(Line) + 1);
}

// What isthmus_kernel_receive gives.
struct Received {
    isthmus_kernel_message message;
    std::int64_t arguments[ISTHMUS_KERNEL_ARGUMENTS];
    std::unique_ptr<Line[]> payload;
};

// A medium payload that comes in parts, in any order; the message itself is one more.
struct Parts {
    std::unique_ptr<Line[]> payload;
    std::uint64_t bytes = 0;
    std::uint64_t arrived = 0;
    bool has_message = false;
    int handler = 0;
    bool wants_reply = false;
    Arguments arguments{};
    std::size_t count = 0;
};

// Of the thread that polls: one at a time.
struct Deliveries {
    std::deque<Received> received;
    std::uint64_t received_bytes = 0;
    Received current;
    std::map<std::pair<int, std::uint32_t>, Parts> parts;  // by source and number
};
Lasting<Deliveries> deliveries;

constexpr std::uint64_t kMostReceived = std::uint64_t{256} << 20;
constexpr const char* kPoll = "isthmus_kernel_poll";

// What isthmus_kernel_reply is given back.
struct Native {
    Message* message;
    const Wire* wire;
};

void keep(const isthmus_kernel_message& message) {
    Received& kept = deliveries->received.emplace_back();
    kept.message = message;
    std::memcpy(kept.arguments, message.arguments, message.argument_count * sizeof(std::int64_t));
    if (message.size != 0) {
        kept.payload = make_lines(message.size);
        std::memcpy(kept.payload[0].bytes, message.payload, message.size);
    }
    deliveries->received_bytes += message.size;
    if (deliveries->received_bytes > kMostReceived)
        fail(kPoll, Text("this kernel leaves more than ", kMostReceived,
                         " bytes of medium payloads lying; call isthmus_kernel_receive"));
}

[[noreturn, gnu::cold]] void refuse_unregistered(const isthmus_kernel_message& message) {
    fail(kPoll, Text("a message from kernel ", message.source, " for handler ", message.handler,
                     ", which is not registered here; register it before the first message to it, "
                     "with a barrier in between"));
}

// Of a message that is whole.
void run(isthmus_kernel_message& message, bool is_medium) {
    if (!is_own_handler(message.handler)) {
        apply_here(message.handler, message.arguments, message.argument_count);
        if (is_medium) keep(message);
        return;
    }
    const Handler& handler = face->handlers[static_cast<std::size_t>(message.handler)];
    if (!handler.function) refuse_unregistered(message);
    handler.function(handler.context, &message);
}

void reply_counted(int source) {
    count_at(face->control->replies, source, 1, kPoll);
}

// Bytes of a network: authenticated, and yet looked at.
bool read_arguments(const Message& message, Arguments& arguments, std::size_t& count) {
    if (message.argument_bytes < sizeof(Wire) || message.argument_bytes % sizeof(std::int64_t) != 0)
        return false;
    std::memcpy(&arguments, message.arguments, message.argument_bytes);
    count = (message.argument_bytes - sizeof(Wire)) / sizeof(std::int64_t);
    return true;
}

[[noreturn, gnu::cold]] void refuse_shape(const Message& message) {
    fail(kPoll, Text("what has come from kernel ", message.source,
                     " is no message of isthmus/kernel.h; is it the same library there?"));
}

void run_whole(Message& message, int handler, bool wants_reply, const Arguments& arguments,
               std::size_t count, void* payload, std::size_t size) {
    Native native{&message, &arguments.wire};
    const bool is_medium = (message.kind & messages::kMedium) != 0;
    isthmus_kernel_message seen{message.source,
                                handler,
                                arguments.wire.token,
                                (message.kind & messages::kReply) != 0 ? 1U : 0U,
                                arguments.words,
                                count,
                                payload,
                                size,
                                &native};
    run(seen, is_medium);
    if (wants_reply) reply_counted(message.source);
}

void run_if_complete(Message& message, std::pair<int, std::uint32_t> key) {
    const auto found = deliveries->parts.find(key);
    if (!found->second.has_message || found->second.arrived != found->second.bytes) return;
    const Parts parts = std::move(found->second);
    deliveries->parts.erase(found);
    run_whole(message, parts.handler, parts.wants_reply, parts.arguments, parts.count,
              parts.payload[0].bytes, parts.bytes);
}

void deliver_part(void*, Message* message) {
    Part part;
    if (message->argument_bytes != sizeof part) refuse_shape(*message);
    std::memcpy(&part, message->arguments, sizeof part);
    if (part.offset > part.bytes || message->size > part.bytes - part.offset)
        refuse_shape(*message);
    whole(kPoll, [&] {
        const std::pair<int, std::uint32_t> key{message->source, part.number};
        Parts& parts = deliveries->parts[key];
        if (!parts.payload) {
            parts.payload = make_lines(part.bytes);
            parts.bytes = part.bytes;
        }
        if (parts.bytes != part.bytes) refuse_shape(*message);
        std::memcpy(parts.payload[0].bytes + part.offset, message->payload, message->size);
        parts.arrived += message->size;
        run_if_complete(*message, key);
    });
}

// The context says whether a reply is wanted.
void deliver_message(void* context, Message* message) {
    const bool wants_reply = context != nullptr;
    const auto handler =
        static_cast<int>(message->handler - (wants_reply ? kFirstReplied : kFirstAsync));
    Arguments arguments;
    std::size_t count = 0;
    if (!read_arguments(*message, arguments, count)) refuse_shape(*message);
    const std::uint32_t number = arguments.wire.number;
    whole(kPoll, [&] {
        if ((message->kind & messages::kMedium) != 0 && number != 0) {
            const std::pair<int, std::uint32_t> key{message->source, number};
            Parts& parts = deliveries->parts[key];
            parts.has_message = true;
            parts.handler = handler;
            parts.wants_reply = wants_reply;
            parts.arguments = arguments;
            parts.count = count;
            return run_if_complete(*message, key);
        }
        const std::size_t size = number != 0 ? number : message->size;
        run_whole(*message, handler, wants_reply, arguments, count,
                  size == 0 ? nullptr : message->payload, size);
    });
}

char wants_reply;

template <typename Each>
void for_each_id(Each&& each) {
    for (std::uint32_t id = kFirstReplied; id < kEnd; ++id)
        each(id);
}

}  // namespace

void open_deliveries() {
    for_each_id([](std::uint32_t id) {
        messages::enter_handler(id, id == kPart ? deliver_part : deliver_message,
                                id < kFirstAsync ? &wants_reply : nullptr, 0,
                                messages::kAnyArguments);
    });
}

void close_deliveries() {
    for_each_id([](std::uint32_t id) { messages::remove_handler(id); });
    *deliveries = Deliveries{};
}

void apply_here(int handler, const std::int64_t* arguments, std::size_t count) {
    // Relaxed: the kernel's own thread, behind what it counts.
    const auto add = [](std::atomic<std::uint64_t>& word, std::uint64_t more) {
        word.fetch_add(more, std::memory_order_relaxed);
    };
    Control& own = *face->control;
    if (handler == ISTHMUS_KERNEL_REPLY) add(own.replies, 1);
    if (handler == ISTHMUS_KERNEL_ARRIVE) add(own.arrivals, 1);
    for (std::size_t i = 0; handler == ISTHMUS_KERNEL_ADD && i < count; ++i)
        add(own.counter, static_cast<std::uint64_t>(arguments[i]));
}

}  // namespace isthmus::kernel_face

using namespace isthmus;
using namespace isthmus::kernel_face;

ISTHMUS_API int isthmus_kernel_register(int handler, isthmus_kernel_handler function,
                                        void* context) {
    const char* routine = "isthmus_kernel_register";
    require_attached(routine);
    if (!is_own_handler(handler) || handler >= ISTHMUS_KERNEL_HANDLERS)
        return refuse(ISTHMUS_ARGUMENT, routine, "handler ", handler, " is out of range ",
                      int{ISTHMUS_KERNEL_FIRST_HANDLER}, "..", ISTHMUS_KERNEL_HANDLERS - 1,
                      "; those below are the library's");
    if (!function) return refuse(ISTHMUS_ARGUMENT, routine, "the function is null");
    Handler& entry = face->handlers[static_cast<std::size_t>(handler)];
    if (entry.function)
        return refuse(ISTHMUS_EXISTS, routine, "handler ", handler, " is registered already");
    entry = {function, context};
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_kernel_reply(const isthmus_kernel_message* message, int handler,
                                     const int64_t* arguments, size_t argument_count,
                                     const void* payload, size_t size) {
    const char* routine = "isthmus_kernel_reply";
    require_attached(routine);
    const auto* const native = static_cast<const Native*>(message->native);
    if (!native)
        return refuse(ISTHMUS_ARGUMENT, routine, "the message's handler does not run any more");
    if (message->is_answer != 0)
        return refuse(ISTHMUS_ARGUMENT, routine, "the message is an answer, which is not answered");
    if (native->message->replied)
        return refuse(ISTHMUS_ARGUMENT, routine, "the message from kernel ", message->source,
                      " has been answered");
    if (handler < 0 || handler >= ISTHMUS_KERNEL_HANDLERS ||
        (handler > ISTHMUS_KERNEL_ARRIVE && !is_own_handler(handler)))
        return refuse(ISTHMUS_ARGUMENT, routine, "handler ", handler, " means nothing");
    if (argument_count > ISTHMUS_KERNEL_ARGUMENTS)
        return refuse(ISTHMUS_TOO_LARGE, routine, argument_count, " arguments; at most ",
                      ISTHMUS_KERNEL_ARGUMENTS);
    if (size > messages::kLargestMedium)
        return refuse(ISTHMUS_TOO_LARGE, routine, "a payload of ", size, " bytes; at most ",
                      messages::kLargestMedium, " go with a reply");
    Arguments block;
    block.wire = {message->token, 0};
    if (argument_count != 0)
        std::memcpy(block.words, arguments, argument_count * sizeof(std::int64_t));
    messages::Parcel parcel{
        static_cast<std::uint16_t>(kFirstAsync + static_cast<std::uint32_t>(handler)),
        static_cast<std::uint8_t>((size != 0 ? messages::kMedium : messages::kShort) |
                                  messages::kReply),
        static_cast<std::uint16_t>(sizeof(Wire) + argument_count * sizeof(std::int64_t)),
        &block,
        payload,
        size};
    messages::reply(*native->message, parcel, messages::Wait::yes);
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_kernel_receive(isthmus_kernel_message* message, double timeout) {
    const char* routine = "isthmus_kernel_receive";
    require_attached(routine);
    if (messages::is_in_handler())
        return refuse(ISTHMUS_ARGUMENT, routine, "called from a handler");
    note(Routine::native_kernel_receive);
    const bool come = wait_wakeable({Routine::native_kernel_receive}, deadline_after(timeout), [] {
        const int handled = deliveries->received.empty() ? poll() : 0;
        return look_of(!deliveries->received.empty(), handled);
    });
    if (!come)
        return refuse(ISTHMUS_TIMEOUT, routine, "nothing came within ", seconds_text(timeout));
    Received& current = deliveries->current;
    current = std::move(deliveries->received.front());
    deliveries->received.pop_front();
    deliveries->received_bytes -= current.message.size;
    current.message.arguments = current.arguments;
    current.message.payload = current.payload ? current.payload[0].bytes : nullptr;
    current.message.native = nullptr;
    *message = current.message;
    return ISTHMUS_OK;
}
