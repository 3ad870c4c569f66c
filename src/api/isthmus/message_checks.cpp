#include "api/isthmus/message_checks.hpp"

#include "message/post.hpp"

namespace isthmus::native::message_checks {

using namespace messages;

namespace {

// What is wrong with what a message is to be made of.
int check_parcel(int handler, std::size_t argument_bytes, std::uint8_t kind, std::size_t size,
                 unsigned flags, const char* routine) {
    if (handler < 0 || static_cast<std::uint32_t>(handler) >= kNativeHandlers)
        return refuse_id(handler, routine);
    if (argument_bytes > kArgumentBytes) return refuse_argument_bytes(argument_bytes, routine);
    if (size > limit(kind))
        return refuse(ISTHMUS_TOO_LARGE, routine, "a payload of ", size, " bytes; at most ",
                      limit(kind), " (isthmus_message_limit)");
    if ((flags & ~unsigned{ISTHMUS_MESSAGE_TRY}) != 0)
        return refuse(ISTHMUS_ARGUMENT, routine, "flags ", flags, " has bits that mean nothing");
    return ISTHMUS_OK;
}

}  // namespace

int refuse_id(int id, const char* routine) {
    return refuse(ISTHMUS_ARGUMENT, routine, "handler ", id, " is out of range 0..",
                  kNativeHandlers - 1);
}

int refuse_argument_bytes(std::size_t bytes, const char* routine) {
    return refuse(ISTHMUS_TOO_LARGE, routine, bytes, " bytes of arguments; at most ",
                  kArgumentBytes, " travel with a message");
}

int refuse_in_handler(const char* routine) {
    return refuse(ISTHMUS_ARGUMENT, routine,
                  "called from a handler of a message, which may only reply");
}

int refuse_dest(const void* dest, std::size_t bytes, const char* routine) {
    const Text why = why_not_symmetric(dest, bytes);
    return why.empty() ? refuse(ISTHMUS_RIGHTS, routine, "address ", InHex(dest),
                                " is a constant of the program, which may not be written")
                       : refuse(ISTHMUS_BOUNDS, routine, why);
}

int no_room(const char* routine) {
    return refuse_poll(ISTHMUS_AGAIN, routine, "there is no room for the message now");
}

int check_restrictions(const char* routine) {
    if (is_in_handler()) return refuse_in_handler(routine);
    if (holds_lock())
        return refuse(ISTHMUS_ARGUMENT, routine,
                      "called while this thread holds an isthmus_message_lock");
    return ISTHMUS_OK;
}

int check_request(int pe, int handler, std::size_t argument_bytes, std::uint8_t kind,
                  std::size_t size, unsigned flags, const char* routine) {
    require_session(routine);
    if (pe < 0 || pe >= job.pes)
        return refuse(ISTHMUS_ARGUMENT, routine, "pe ", pe, " is out of range 0..", job.pes - 1);
    if (const int status = check_parcel(handler, argument_bytes, kind, size, flags, routine))
        return status;
    return job.checked ? check_restrictions(routine) : static_cast<int>(ISTHMUS_OK);
}

int check_reply(const Message& message, int handler, std::size_t argument_bytes, std::uint8_t kind,
                std::size_t size, unsigned flags, const char* routine) {
    require_session(routine);
    if (job.checked && !is_in_handler())
        return refuse(ISTHMUS_ARGUMENT, routine,
                      "called outside of a handler: a message ends when its handler returns");
    if ((message.kind & kReply) != 0)
        return refuse(ISTHMUS_ARGUMENT, routine, "the message is a reply, which is not answered");
    if (message.replied)
        return refuse(ISTHMUS_ARGUMENT, routine, "the request from PE ", message.source,
                      " for handler ", message.handler, " has been answered");
    return check_parcel(handler, argument_bytes, kind, size, flags, routine);
}

}  // namespace isthmus::native::message_checks
