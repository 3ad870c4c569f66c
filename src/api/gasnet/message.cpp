// Active messages of GASNet (isthmus/gasnet_messages.h) on those of the layer. The arguments are a
// block of 32-bit words, the token is the message.
#include <cstdarg>

#include "api/gasnet/face.hpp"
#include "core/reach/far.hpp"
#include "message/send.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;
using namespace isthmus::messages;

namespace isthmus::gasnet {

void (*progress)() = nullptr;

// A thread that sleeps in GASNET_BLOCKUNTIL looks again: a handler may have made it true.
void note_handled(int handled) {
    if (handled > 0 && is_beyond(kHasSleepers)) wake(job.me);
}

namespace {

constexpr std::size_t kMaxArguments = 16;

int refuse_in_handler(const char* routine) {
    return refuse_argument(routine, "called from a handler of a message, which may only reply");
}

// GASNET_OK if this thread may send requests and poll.
int check_restrictions(const char* routine) {
    if (is_in_handler()) return refuse_in_handler(routine);
    if (holds_lock())
        return refuse_argument(routine, "called while this thread holds a gasnet_hsl_t");
    return GASNET_OK;
}

constexpr std::size_t most(unsigned size_kind) {
    return size_kind == kMedium ? kLargestMedium : size_kind == kLong ? kLargestLong : 0;
}

constexpr const char* name(unsigned size_kind, unsigned direction) {
    if (direction == kRequest)
        return size_kind == kShort    ? "gasnet_AMRequestShort"
               : size_kind == kMedium ? "gasnet_AMRequestMedium"
                                      : "gasnet_AMRequestLong";
    return size_kind == kShort    ? "gasnet_AMReplyShort"
           : size_kind == kMedium ? "gasnet_AMReplyMedium"
                                  : "gasnet_AMReplyLong";
}

// What is wrong with a message to this PE; its place is found for a long one.
template <unsigned size_kind>
int check_parcel(Parcel& parcel, int pe, const char* routine) {
    if (parcel.argument_bytes > kMaxArguments * sizeof(gasnet_handlerarg_t))
        return refuse_argument(routine, parcel.argument_bytes / sizeof(gasnet_handlerarg_t),
                               " arguments; at most ", kMaxArguments, " (gasnet_AMMaxArgs)");
    if (parcel.size > most(size_kind))
        return refuse_argument(
            routine, "a payload of ", parcel.size, " bytes; at most ", most(size_kind),
            size_kind == kMedium ? " (gasnet_AMMaxMedium)" : " (gasnet_AMMaxLongRequest)");
    if (size_kind != kLong || parcel.size == 0) return GASNET_OK;
    if (!far::is_published(parcel.dest, parcel.size) ||
        (job.checked && !is_in_segment(parcel.dest, parcel.size, pe)))
        return refuse_argument(routine, why_not_in_segment(parcel.dest, parcel.size, pe));
    parcel.place = far::place_of(parcel.dest, parcel.size, routine);
    return GASNET_OK;
}

Parcel parcel_of(unsigned kind, gasnet_handler_t handler, const gasnet_handlerarg_t* arguments,
                 std::size_t bytes, const void* payload, std::size_t size, void* dest) {
    return {static_cast<std::uint16_t>(kFirstHandler + handler),
            static_cast<std::uint8_t>(kind),
            static_cast<std::uint16_t>(bytes),
            arguments,
            payload,
            size,
            dest};
}

template <unsigned size_kind>
int send_request(gasnet_node_t node, gasnet_handler_t handler, const gasnet_handlerarg_t* arguments,
                 std::size_t bytes, const void* payload = nullptr, std::size_t size = 0,
                 void* dest = nullptr) {
    constexpr const char* kName = name(size_kind, kRequest);
    if (node >= post.plain_pes) [[unlikely]] {
        if (const int error = check_initialised(kName)) return error;
        if (node >= post.pes) return refuse_node(node, kName);
        if (job.checked) {
            if (const int error = check_restrictions(kName)) return error;
        }
    }
    Parcel parcel = parcel_of(size_kind | kRequest, handler, arguments, bytes, payload, size, dest);
    if (const int error = check_parcel<size_kind>(parcel, static_cast<int>(node), kName))
        return error;
    if (request(static_cast<int>(node), parcel, Wait::yes) != Sent::done) [[unlikely]]
        return refuse_in_handler(kName);
    if (post.targets[node].where == Where::self) note_handled(1);
    return poll();
}

template <unsigned size_kind>
int send_reply(gasnet_token_t token, gasnet_handler_t handler, const gasnet_handlerarg_t* arguments,
               std::size_t bytes, const void* payload = nullptr, std::size_t size = 0,
               void* dest = nullptr) {
    constexpr const char* kName = name(size_kind, kReply);
    Message& message = *static_cast<Message*>(token);
    if (const int error = check_initialised(kName)) return error;
    if ((message.kind & kReply) != 0)
        return refuse_argument(kName, "the message is a reply, which is not answered");
    if (message.replied)
        return refuse_argument(kName, "the request from node ", message.source, " for handler ",
                               message.handler - kFirstHandler, " has been answered");
    Parcel parcel = parcel_of(size_kind | kReply, handler, arguments, bytes, payload, size, dest);
    if (const int error = check_parcel<size_kind>(parcel, message.source, kName)) return error;
    reply(message, parcel, Wait::yes);
    return GASNET_OK;
}

// To this PE itself, of another host, without room now, in checked mode, or wrong.
[[gnu::noinline]] int request_short_otherwise(gasnet_node_t node, gasnet_handler_t handler,
                                              const gasnet_handlerarg_t* arguments,
                                              std::size_t bytes) {
    return send_request<kShort>(node, handler, arguments, bytes);
}
// As it is called, so that the registers are in place. clang does not know noclone, nor needs it.
// NOLINTNEXTLINE(clang-diagnostic-unknown-attributes)
[[gnu::noinline, gnu::noclone]] int request_short_here(Target&, std::uint32_t handler,
                                                       const gasnet_handlerarg_t* arguments,
                                                       std::size_t bytes) {
    run_line_here<NoPayload::undefined>(kFirstHandler, handler, arguments, bytes);
    if (!is_zero(post.beyond)) [[unlikely]] {
        note_handled(1);
        return poll_further();
    }
    return poll_plainly();
}
[[gnu::noinline]] int reply_short_otherwise(gasnet_token_t token, gasnet_handler_t handler,
                                            const gasnet_handlerarg_t* arguments,
                                            std::size_t bytes) {
    return send_reply<kShort>(token, handler, arguments, bytes);
}

// The arguments of a call that names their number; a wrong number is refused by its size.
class Arguments {
  public:
    Arguments(int count, va_list list) : count_(static_cast<std::size_t>(count)) {
        for (std::size_t i = 0; i < count_ && i < kMaxArguments; ++i)
            words_[i] = va_arg(list, gasnet_handlerarg_t);
    }
    const gasnet_handlerarg_t* data() const { return words_; }
    std::size_t bytes() const {
        return (count_ <= kMaxArguments ? count_ : kMaxArguments + 1) * sizeof *words_;
    }

  private:
    std::size_t count_;
    alignas(8) gasnet_handlerarg_t words_[kMaxArguments + 1] = {};
};

}  // namespace

int poll_further() {
    if (post.looks_further) {
        if (const int error = check_initialised("gasnet_AMPoll")) return error;
        if (job.checked) {
            if (const int error = check_restrictions("gasnet_AMPoll")) return error;
        }
        note_handled(poll_both());
    } else if (has_come()) {
        note_handled(poll_rings());
    }
    if (is_beyond(kFaceWorks)) progress();
    return GASNET_OK;
}

}  // namespace isthmus::gasnet

// Budget with its poll: 90, and 4 for each argument.
ISTHMUS_API int isthmus_gasnet_request_short(gasnet_node_t dest, gasnet_handler_t handler,
                                             const gasnet_handlerarg_t* arguments, size_t bytes) {
    if (dest >= post.plain_pes || !fits_line(bytes)) [[unlikely]]
        return request_short_otherwise(dest, handler, arguments, bytes);
    Target& to = post.targets[dest];
    if (to.where == Where::self) [[unlikely]]
        return request_short_here(to, handler, arguments, bytes);
    if (to.where != Where::near ||
        !append_line(to.requests, kShort | kRequest, static_cast<int>(kFirstHandler + handler),
                     arguments, bytes)) [[unlikely]]
        return request_short_otherwise(dest, handler, arguments, bytes);
    wake_for_line(to);
    return poll();
}

ISTHMUS_API int isthmus_gasnet_request_medium(gasnet_node_t dest, gasnet_handler_t handler,
                                              const void* source, size_t nbytes,
                                              const gasnet_handlerarg_t* arguments, size_t bytes) {
    return send_request<kMedium>(dest, handler, arguments, bytes, source, nbytes);
}

ISTHMUS_API int isthmus_gasnet_request_long(gasnet_node_t dest, gasnet_handler_t handler,
                                            const void* source, size_t nbytes, void* dest_addr,
                                            const gasnet_handlerarg_t* arguments, size_t bytes) {
    return send_request<kLong>(dest, handler, arguments, bytes, source, nbytes, dest_addr);
}

ISTHMUS_API int isthmus_gasnet_reply_short(gasnet_token_t token, gasnet_handler_t handler,
                                           const gasnet_handlerarg_t* arguments, size_t bytes) {
    Message& message = *static_cast<Message*>(token);
    Target& to = post.targets[message.source];
    if (post.plain_pes == 0 || !may_be_answered(message) || !fits_line(bytes) ||
        !reply_line(to, message, static_cast<int>(kFirstHandler + handler), arguments, bytes))
        [[unlikely]]
        return reply_short_otherwise(token, handler, arguments, bytes);
    static_assert(GASNET_OK == 0);
    return wake_for_line(to);
}

ISTHMUS_API int isthmus_gasnet_reply_medium(gasnet_token_t token, gasnet_handler_t handler,
                                            const void* source, size_t nbytes,
                                            const gasnet_handlerarg_t* arguments, size_t bytes) {
    return send_reply<kMedium>(token, handler, arguments, bytes, source, nbytes);
}

ISTHMUS_API int isthmus_gasnet_reply_long(gasnet_token_t token, gasnet_handler_t handler,
                                          const void* source, size_t nbytes, void* dest_addr,
                                          const gasnet_handlerarg_t* arguments, size_t bytes) {
    return send_reply<kLong>(token, handler, arguments, bytes, source, nbytes, dest_addr);
}

// Budget with nothing there: 16; with one short request 70, and with its reply 140.
ISTHMUS_API int gasnet_AMPoll(void) {
    return poll();
}

ISTHMUS_API int gasnet_AMGetMsgSource(gasnet_token_t token, gasnet_node_t* source) {
    *source = static_cast<const Message*>(token)->source;
    return GASNET_OK;
}

ISTHMUS_API size_t gasnet_AMMaxArgs(void) {
    return kMaxArguments;
}
ISTHMUS_API size_t gasnet_AMMaxMedium(void) {
    return kLargestMedium;
}
ISTHMUS_API size_t gasnet_AMMaxLongRequest(void) {
    return kLargestLong;
}
ISTHMUS_API size_t gasnet_AMMaxLongReply(void) {
    return kLargestLong;
}

#define WITH_NUMBER(NAME, CALL, PARAMETERS, ...)                       \
    ISTHMUS_API int NAME PARAMETERS {                                  \
        va_list list;                                                  \
        va_start(list, numargs);                                       \
        const Arguments arguments(numargs, list);                      \
        va_end(list);                                                  \
        return CALL(__VA_ARGS__, arguments.data(), arguments.bytes()); \
    }
WITH_NUMBER(gasnet_AMRequestShort, isthmus_gasnet_request_short,
            (gasnet_node_t dest, gasnet_handler_t handler, int numargs, ...), dest, handler)
WITH_NUMBER(gasnet_AMRequestMedium, isthmus_gasnet_request_medium,
            (gasnet_node_t dest, gasnet_handler_t handler, void* source, size_t nbytes, int numargs,
             ...),
            dest, handler, source, nbytes)
WITH_NUMBER(gasnet_AMRequestLong, isthmus_gasnet_request_long,
            (gasnet_node_t dest, gasnet_handler_t handler, void* source, size_t nbytes,
             void* dest_addr, int numargs, ...),
            dest, handler, source, nbytes, dest_addr)
WITH_NUMBER(gasnet_AMRequestLongAsync, isthmus_gasnet_request_long,
            (gasnet_node_t dest, gasnet_handler_t handler, void* source, size_t nbytes,
             void* dest_addr, int numargs, ...),
            dest, handler, source, nbytes, dest_addr)
WITH_NUMBER(gasnet_AMReplyShort, isthmus_gasnet_reply_short,
            (gasnet_token_t token, gasnet_handler_t handler, int numargs, ...), token, handler)
WITH_NUMBER(gasnet_AMReplyMedium, isthmus_gasnet_reply_medium,
            (gasnet_token_t token, gasnet_handler_t handler, void* source, size_t nbytes,
             int numargs, ...),
            token, handler, source, nbytes)
WITH_NUMBER(gasnet_AMReplyLong, isthmus_gasnet_reply_long,
            (gasnet_token_t token, gasnet_handler_t handler, void* source, size_t nbytes,
             void* dest_addr, int numargs, ...),
            token, handler, source, nbytes, dest_addr)
#undef WITH_NUMBER
