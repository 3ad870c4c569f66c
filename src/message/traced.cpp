#include "message/traced.hpp"

#include <cstring>

#include "base/os.hpp"
#include "base/settings.hpp"
#include "message/handlers.hpp"

// Defined by a library that traces, where there is one (api/profile/messages.hpp).
extern "C" {
__attribute__((weak)) void isthmus_profile_open();
__attribute__((weak)) void isthmus_profile_close();
__attribute__((weak)) int isthmus_profile_thread();
__attribute__((weak)) void isthmus_profile_message(const char* what, const char* face,
                                                   unsigned handler, unsigned long long begin,
                                                   unsigned long long bytes, int pe,
                                                   unsigned long long sent, int thread);
}

namespace isthmus::messages {
namespace {

bool tracing = false;

// Of a short one the size may be undefined.
std::size_t bytes_of(const Message& message) {
    return message.argument_bytes + ((message.kind & kShort) != 0 ? 0 : message.size);
}

}  // namespace

bool begin_tracing() {
    tracing = !value(Setting::trace).text.empty() && isthmus_profile_open;
    if (tracing) isthmus_profile_open();
    return tracing;
}

void end_tracing() {
    if (tracing) isthmus_profile_close();
}

TracedSending::TracedSending(const Parcel& parcel)
    : parcel_(parcel),
      handler_(parcel.handler),
      bytes_(parcel.argument_bytes + parcel.size),
      thread_(isthmus_profile_thread()) {
    if (thread_ < 0) return;
    begin_ = os::monotonic_nanoseconds();
    Envelope envelope{parcel.handler, -1, {}, 0};
    const char* arguments = static_cast<const char*>(parcel.arguments);
    std::size_t bytes = parcel.argument_bytes;
    if (parcel.handler == kEnveloped) {
        std::memcpy(&envelope, arguments, sizeof envelope);
        handler_ = envelope.handler;
        arguments += sizeof envelope;
        bytes -= sizeof envelope;
        bytes_ -= sizeof envelope;
    }
    envelope.thread = thread_;
    envelope.sent = begin_;
    std::memcpy(arguments_, &envelope, sizeof envelope);
    if (bytes != 0) std::memcpy(arguments_ + sizeof envelope, arguments, bytes);
    parcel_.handler = kEnveloped;
    parcel_.arguments = arguments_;
    parcel_.argument_bytes = static_cast<std::uint16_t>(bytes + sizeof envelope);
}

void TracedSending::note(int pe) const {
    if (thread_ < 0) return;
    const HandlerName name = name_of(handler_);
    isthmus_profile_message((parcel_.kind & kReply) != 0 ? "reply to" : "request to", name.face,
                            name.number, begin_, bytes_, pe, 0, -1);
}

TracedHandling::TracedHandling(const Envelope& envelope, const Message& message)
    : envelope_(envelope), message_(message) {
    if (envelope.thread >= 0) begin_ = os::monotonic_nanoseconds();
}

TracedHandling::~TracedHandling() {
    if (begin_ == 0 || !isthmus_profile_message) return;
    const HandlerName name = name_of(message_.handler);
    isthmus_profile_message("handler", name.face, name.number, begin_, bytes_of(message_),
                            message_.source, envelope_.sent, envelope_.thread);
}

}  // namespace isthmus::messages
