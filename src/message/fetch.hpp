// Gets whose answers are messages: when all that was asked for is here, a handler of this PE runs,
// in a poll, as that of a reply from the PE that was read. That one does nothing for it.
#pragma once

#include <cstddef>

#include "message/message.hpp"

namespace isthmus::messages {

struct Fetched;

// One get, of any number of pieces. Not from a handler. Memory of PEs of this host has been read
// when add() returns; of others it is read meanwhile.
class Fetch {
  public:
    Fetch(int pe, const char* routine);
    Fetch(const Fetch&) = delete;
    Fetch& operator=(const Fetch&) = delete;
    ~Fetch();
    // A buffer for a medium payload, aligned to 16 bytes, that lives until its handler returns.
    char* buffer(std::size_t bytes);
    // `source` as an address of this PE's, symmetric memory.
    void add(void* dest, const void* source, std::size_t bytes);
    // Once, behind all pieces: the message, a reply, whose payload the pieces are. Its arguments
    // are copied. The handler runs before this returns, or in a later poll.
    void answer(const Parcel& parcel);

  private:
    Fetched* fetched_;
};

// Runs handlers of gets that have come, up to `most`; how many ran. Not from a handler.
int serve_fetched(int most);
// Forgets what is left, at the end of a session.
void forget_fetched();

}  // namespace isthmus::messages
