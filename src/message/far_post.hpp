// Messages to and from PEs of other hosts: each is one request of the road's, or several, which the
// other PE's core serves by laying it into memory of its own, where its polls find it. Who serves
// runs no handlers and waits for nothing, so a message is accepted whatever the target does; what
// lies there is bounded by credit (message/credit.hpp).
#pragma once

#include <cstdint>

#include "message/message.hpp"
#include "message/post.hpp"

namespace isthmus::messages::far_post {

// Of a session with far PEs; and when it ends.
void open();
void close();

// What the shortest ways need of a PE of another host; until the next session.
FarPair* pair_with(int pe);

// Of a PE of another host. False: there is no credit now. A reply needs none.
bool send_request(int pe, const Parcel& parcel);
void send_reply(int pe, const Parcel& parcel);
// Whether a request of so many bytes would have credit now.
bool has_credit(int pe, std::size_t bytes);
// The cost of requests to this PE whose credit is not back; 0: there is credit for one of so many
// bytes, or nobody can tell now. The last: of what is allowed.
std::uint64_t without_credit(int pe, std::size_t bytes, std::uint64_t& allowed);
// Brings a long payload to its place, before the message.
void land(int pe, const Parcel& parcel, const char* routine);

// Whether something has come.
bool has_requests();
bool has_replies();
// What has come, oldest first; each is given to deliver(), at most `most`. How many. One thread at
// a time for each of the two.
int serve_requests(int most);
int serve_replies(int most);

}  // namespace isthmus::messages::far_post
