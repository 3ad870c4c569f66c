// Messages in traces (docs/tracing.md): with ISTHMUS_TRACE, in programs whose calls are traced,
// each message travels in an envelope that says when and by which thread it was sent. Then none
// goes the short ways, so that it costs nothing without.
#pragma once

#include "message/message.hpp"
#include "message/send.hpp"

namespace isthmus::messages {

// Of a session: whether messages are traced. Collective. And what has been noted is written: when
// it ends, and before an end of the process that does not end it.
bool begin_tracing();
void end_tracing();

// One that is sent by this thread. What it goes in lives as long as this.
class TracedSending {
  public:
    explicit TracedSending(const Parcel& parcel);
    const Parcel& parcel() const { return parcel_; }
    // Behind it, if it was sent.
    void note(int pe) const;

  private:
    Parcel parcel_;
    std::uint32_t handler_;
    std::uint64_t begin_ = 0;
    std::size_t bytes_;
    int thread_;  // -1: not traced
    alignas(8) char arguments_[kEnvelopedArguments];
};

// Around its handler.
class TracedHandling {
  public:
    TracedHandling(const Envelope& envelope, const Message& message);
    TracedHandling(const TracedHandling&) = delete;
    TracedHandling& operator=(const TracedHandling&) = delete;
    ~TracedHandling();

  private:
    const Envelope& envelope_;
    const Message& message_;
    std::uint64_t begin_ = 0;
};

}  // namespace isthmus::messages
