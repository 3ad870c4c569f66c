// Messages in envelopes: what the sender is to learn of one goes with it, before its arguments.
//
// When the handler has returned, words of the sender's go up by one: of this host by the window,
// of others by the road. So that needs neither room in a ring nor a poll of the sender's. A word is
// the program's, or that of a ticket, of which this PE has some.
#pragma once

#include <cstddef>
#include <cstdint>

#include "message/message.hpp"

namespace isthmus::messages {

// A message as it is sent in an envelope; it refers to itself, and to the payload of the other.
class Enveloped {
  public:
    Enveloped(const Parcel& parcel, const std::uint64_t (&counts)[2]);
    Enveloped(const Enveloped&) = delete;
    Enveloped& operator=(const Enveloped&) = delete;
    const Parcel& parcel() const { return parcel_; }

  private:
    Parcel parcel_;
    alignas(8) char arguments_[kEnvelopedArguments];
};

// How an envelope names a word: 8 bytes, aligned, published (far::is_published).
std::uint64_t count_of(const std::int64_t* word, const char* routine);

// Gives the message in it to its handler, and counts.
void open_envelope(Message& message);
// Whether these bytes, which come from a network, begin as such a message's arguments do.
bool is_envelope(const void* bytes, std::size_t size, std::size_t argument_bytes);

// A word, and what it holds or is above when something is complete. Words only go up, so a ticket
// stays true, for ever.
struct Ticket {
    std::int64_t* word;
    std::int64_t number;
};
inline constexpr std::size_t kTickets = ISTHMUS_MESSAGE_TRACKED;
inline constexpr std::uint64_t kTicketsSize = kTickets * sizeof(std::int64_t);
// False: all are under way. Any thread.
bool take_ticket(Ticket& ticket);
// What it stands for is under way, for all that there are.
bool are_tickets_out();
// Nothing has been sent for it.
void give_back(const Ticket& ticket);
// Of a session: where they are, in the internal part of the heap.
void open_tickets(std::int64_t* words);

}  // namespace isthmus::messages
