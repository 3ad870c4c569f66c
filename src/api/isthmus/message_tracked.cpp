// Messages of whose completion the sender learns (isthmus/message.h).
#include "api/isthmus/message_checks.hpp"
#include "api/isthmus/message_tracking.hpp"
#include "core/wait/event.hpp"

using namespace isthmus;
using namespace isthmus::native;
using namespace isthmus::messages;
using namespace isthmus::native::message_checks;

namespace isthmus::native {

int refuse_completion(const char* routine) {
    return refuse(ISTHMUS_ARGUMENT, routine,
                  "the completion has neither a counter nor an event nor a handle");
}

int Tracking::begin_tracked(const isthmus_message_completion& completion, Wait wait,
                            const char* routine) {
    const bool wants_ticket = completion.event || completion.handle;
    if (!completion.counter && !wants_ticket) return refuse_completion(routine);
    if (const std::int64_t* const counter = completion.counter) {
        if (reinterpret_cast<std::uintptr_t>(counter) % sizeof *counter != 0)
            return refuse(ISTHMUS_ARGUMENT, routine, "the counter at ", InHex(counter),
                          " is misaligned");
        if (!far::is_published(counter, sizeof *counter))
            return refuse_dest(counter, sizeof *counter, routine);
        counts_[0] = count_of(counter, routine);
    }
    if (wants_ticket) {
        if (!take_ticket(ticket_)) {
            if (wait == Wait::no) return no_room(routine);
            if (is_in_handler()) return refuse_in_handler(routine);
            wait_for({Routine::native_message_request}, [&] {
                if (take_ticket(ticket_)) return true;
                poll_both();
                return false;
            });
        }
        counts_[1] = count_of(ticket_.word, routine);
    }
    completion_ = &completion;
    return ISTHMUS_OK;
}

Tracking::~Tracking() {
    if (ticket_.word) give_back(ticket_);
}

void Tracking::tell() {
    if (completion_->event)
        *completion_->event = make_event(ticket_.word, ISTHMUS_GE, ticket_.number);
    if (completion_->handle) *completion_->handle = {ticket_.word, ticket_.number};
    ticket_ = {};
}

int Tracking::send(int pe, const Parcel& parcel, Wait wait, const char* routine) {
    const Sent sent = completion_ ? request(pe, Enveloped(parcel, counts_).parcel(), wait)
                                  : request(pe, parcel, wait);
    if (sent != Sent::done)
        return sent == Sent::no_room ? no_room(routine) : refuse_in_handler(routine);
    if (completion_) tell();
    return ISTHMUS_OK;
}

void Tracking::answer(Fetch& fetch, const Parcel& parcel) {
    if (!completion_) return fetch.answer(parcel);
    fetch.answer(Enveloped(parcel, counts_).parcel());
    tell();
}

}  // namespace isthmus::native

namespace {

int send_tracked(int pe, int handler, std::uint8_t kind, const void* arguments,
                 std::size_t argument_bytes, const void* payload, std::size_t size, void* dest,
                 unsigned flags, const isthmus_message_completion* completion,
                 const char* routine) {
    if (const int status = check_request(pe, handler, argument_bytes, kind, size, flags, routine))
        return status;
    if (!completion) return refuse_completion(routine);
    Parcel parcel{static_cast<std::uint16_t>(handler),
                  kind,
                  static_cast<std::uint16_t>(argument_bytes),
                  arguments,
                  payload,
                  size,
                  dest};
    if ((kind & kLong) != 0) {
        if (const int status = find_place(parcel, routine)) return status;
    }
    if (is_in_handler()) return refuse_in_handler(routine);
    note(Routine::native_message_request);
    const Wait wait = flags == 0 ? Wait::yes : Wait::no;
    Tracking tracking;
    if (const int status = tracking.begin(completion, wait, routine)) return status;
    return tracking.send(pe, parcel, wait, routine);
}

bool is_complete(const isthmus_message_handle& handle) {
    // Acquire: partner is the release of who counts up, behind the handler.
    return __atomic_load_n(handle.word, __ATOMIC_ACQUIRE) >= handle.number;
}

}  // namespace

ISTHMUS_API int isthmus_message_request_tracked(int pe, int handler, const void* arguments,
                                                size_t argument_bytes, unsigned flags,
                                                const isthmus_message_completion* completion) {
    return send_tracked(pe, handler, kShort | kRequest, arguments, argument_bytes, nullptr, 0,
                        nullptr, flags, completion, "isthmus_message_request_tracked");
}

ISTHMUS_API int isthmus_message_request_medium_tracked(
    int pe, int handler, const void* arguments, size_t argument_bytes, const void* payload,
    size_t size, unsigned flags, const isthmus_message_completion* completion) {
    return send_tracked(pe, handler, kMedium | kRequest, arguments, argument_bytes, payload, size,
                        nullptr, flags, completion, "isthmus_message_request_medium_tracked");
}

ISTHMUS_API int isthmus_message_request_long_tracked(int pe, int handler, const void* arguments,
                                                     size_t argument_bytes, const void* payload,
                                                     size_t size, void* dest, unsigned flags,
                                                     const isthmus_message_completion* completion) {
    return send_tracked(pe, handler, kLong | kRequest, arguments, argument_bytes, payload, size,
                        dest, flags, completion, "isthmus_message_request_long_tracked");
}

ISTHMUS_API int isthmus_message_test(const isthmus_message_handle* handle) {
    require_session("isthmus_message_test");
    if (is_complete(*handle)) return 1;
    if (!is_in_handler() && !holds_lock() && has_come()) poll_both();
    return is_complete(*handle) ? 1 : 0;
}

ISTHMUS_API int isthmus_message_finish(const isthmus_message_handle* handle, double timeout) {
    const Event event = make_event(handle->word, ISTHMUS_GE, handle->number);
    return isthmus_message_wait(&event, timeout);
}
