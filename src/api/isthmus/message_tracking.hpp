// What is to be learnt of a message that is sent (isthmus_message_completion).
#pragma once

#include "api/isthmus/export.hpp"
#include "message/envelope.hpp"
#include "message/fetch.hpp"
#include "message/send.hpp"

namespace isthmus::native {

// One message's. Nothing is told, and what was taken for it is given back, unless it is sent.
class Tracking {
  public:
    // Bytes that its message has more.
    static constexpr std::size_t more(const isthmus_message_completion* completion) {
        return completion ? sizeof(messages::Envelope) : 0;
    }
    Tracking() = default;
    Tracking(const Tracking&) = delete;
    Tracking& operator=(const Tracking&) = delete;
    ~Tracking();
    // 0 if it may be sent. `completion` null: as any message.
    int begin(const isthmus_message_completion* completion, messages::Wait wait,
              const char* routine) {
        return completion ? begin_tracked(*completion, wait, routine)
                          : static_cast<int>(ISTHMUS_OK);
    }
    // Once, one of them. The first: the status of the call.
    int send(int pe, const messages::Parcel& parcel, messages::Wait wait, const char* routine);
    void answer(messages::Fetch& fetch, const messages::Parcel& parcel);

  private:
    int begin_tracked(const isthmus_message_completion& completion, messages::Wait wait,
                      const char* routine);
    void tell();

    const isthmus_message_completion* completion_ = nullptr;
    std::uint64_t counts_[2] = {};
    messages::Ticket ticket_ = {};  // of no word: none
};

// A tracked call without a completion.
[[gnu::cold]] int refuse_completion(const char* routine);

}  // namespace isthmus::native
