// Active messages of GASNet (isthmus/gasnet_messages.h) on those of the layer. The arguments are a
// block of 32-bit words, the token is the message.
#include <cstdarg>

#include "api/gasnet/send.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;
using namespace isthmus::gasnet::sending;

namespace isthmus::gasnet {

void (*progress)() = nullptr;

// A thread that sleeps in GASNET_BLOCKUNTIL looks again: a handler may have made it true.
void note_handled(int handled) {
    if (handled > 0 && is_beyond(kHasSleepers)) wake(job.me);
}

namespace {

constexpr const char* kInHandler = "called from a handler of a message, which may only reply";

}  // namespace

int sending::refuse_in_handler(const char* routine) {
    return refuse_argument(routine, kInHandler);
}

constinit thread_local Prepared prepared{false, false};

const char* why_not_now() {
    if (is_in_handler()) return kInHandler;
    if (holds_lock()) return "called while this thread holds a gasnet_hsl_t";
    if (prepared.request) return "called before the commit of what this thread has prepared";
    if (prepared.reply)
        return "a handler has ended before the commit of the reply that it has prepared";
    return nullptr;
}

void require_allowed(const char* routine) {
    if (const char* const why = why_not_now()) fail(routine, why);
}

int check_token(const void* token, const void* told, const char* routine) {
    if (!is_in_handler())
        return refuse_argument(
            routine, "called outside of a handler: a token ends when its handler returns");
    if (!token) return refuse_argument(routine, "the token is null");
    if (!told) return refuse_argument(routine, "the place for what it tells is null");
    return GASNET_OK;
}

int sending::check_restrictions(const char* routine) {
    // Told once a lock or message: a loop of polls would go on telling.
    thread_local bool is_told = false;
    const char* const why = why_not_now();
    if (why == kInHandler) return refuse_in_handler(routine);
    if (!why) {
        is_told = false;
        return GASNET_OK;
    }
    if (is_told) return GASNET_ERR_BAD_ARG;
    is_told = true;
    return refuse_argument(routine, why);
}

// As it is called, so that the registers are in place. clang does not know noclone, nor needs it.
// NOLINTNEXTLINE(clang-diagnostic-unknown-attributes)
[[gnu::noinline, gnu::noclone]] int sending::request_short_here(
    Target&, std::uint64_t handler, const gasnet_handlerarg_t* arguments, std::size_t bytes) {
    run_line_here<NoPayload::undefined>(kFirstHandler, handler, arguments, bytes);
    if (!is_zero(post.beyond)) [[unlikely]] {
        note_handled(1);
        return poll_further("gasnet_AMPoll");
    }
    return poll_plainly();
}
namespace {

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

int poll_further(const char* routine) {
    if (post.looks_further) {
        if (const int error = check_initialised(routine)) return error;
        if (job.checked) {
            if (const int error = check_restrictions(routine)) return error;
        }
        note_handled(poll_both());
    } else if (has_come()) {
        note_handled(poll_both());
    }
    if (is_beyond(kFaceWorks)) progress();
    return GASNET_OK;
}

}  // namespace isthmus::gasnet

ISTHMUS_API int isthmus_gasnet_request_short(gasnet_node_t dest, unsigned handler,
                                             const gasnet_handlerarg_t* arguments, size_t bytes) {
    return request_short<Gasnet1>(dest, handler, arguments, bytes);
}

ISTHMUS_API int isthmus_gasnet_request_medium(gasnet_node_t dest, gasnet_handler_t handler,
                                              const void* source, size_t nbytes,
                                              const gasnet_handlerarg_t* arguments, size_t bytes) {
    return request_payload<Gasnet1, kMedium>(dest, handler, source, nbytes, nullptr, arguments,
                                             bytes);
}

ISTHMUS_API int isthmus_gasnet_request_long(gasnet_node_t dest, gasnet_handler_t handler,
                                            const void* source, size_t nbytes, void* dest_addr,
                                            const gasnet_handlerarg_t* arguments, size_t bytes) {
    return request_payload<Gasnet1, kLong>(dest, handler, source, nbytes, dest_addr, arguments,
                                           bytes);
}

ISTHMUS_API int isthmus_gasnet_reply_short(gasnet_token_t token, gasnet_handler_t handler,
                                           const gasnet_handlerarg_t* arguments, size_t bytes) {
    return reply_short<Gasnet1>(token, handler, arguments, bytes);
}

ISTHMUS_API int isthmus_gasnet_reply_medium(gasnet_token_t token, gasnet_handler_t handler,
                                            const void* source, size_t nbytes,
                                            const gasnet_handlerarg_t* arguments, size_t bytes) {
    return reply_payload<Gasnet1, kMedium>(token, handler, source, nbytes, nullptr, arguments,
                                           bytes);
}

ISTHMUS_API int isthmus_gasnet_reply_long(gasnet_token_t token, gasnet_handler_t handler,
                                          const void* source, size_t nbytes, void* dest_addr,
                                          const gasnet_handlerarg_t* arguments, size_t bytes) {
    return reply_payload<Gasnet1, kLong>(token, handler, source, nbytes, dest_addr, arguments,
                                         bytes);
}

// Budget with nothing there: 16; with one short request 70, and with its reply 140.
ISTHMUS_API int gasnet_AMPoll(void) {
    return poll();
}

ISTHMUS_API int gasnet_AMGetMsgSource(gasnet_token_t token, gasnet_node_t* source) {
    if (job.checked)
        if (const int error = check_token(token, source, "gasnet_AMGetMsgSource")) return error;
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
