// What a stranger writes to a sealed connection, cut anywhere: nothing of it reaches the inbox, and
// no more than a record is kept. A record of ours comes first, so that what follows is awaited.
#include <sodium.h>
#include <sys/socket.h>

#include <cstdint>
#include <cstdlib>

#include "samples.hpp"
#include "transport/packet/record.hpp"

using namespace isthmus::transport::packet;

namespace {

struct Nobody {
    unsigned heard = 0;
    static Verdict admit(const Packet&) { return Verdict::accepted; }
    static char* place(const Packet&) { std::abort(); }
    static void placed(const Packet&) { std::abort(); }
    void take(const Packet&) { ++heard; }
    static bool refused(Bytes, Verdict) { std::abort(); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Workspace space;
    if (size < 2 || sodium_init() < 0) return 0;
    const std::size_t piece = 1 + data[0];
    const bool with_aes = (data[1] & 1) != 0 && RecordSeal::has_aes();
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0) return 0;
    Stream from(ends[0]);
    Stream to(ends[1]);
    Proof key{};
    RecordWriter writer;
    RecordReader reader;
    writer.begin(key, with_aes, 1, 2);
    reader.begin(key, with_aes);
    Outbox outbox;
    outbox.add(message_head(), {}, "ours", 4);
    std::vector<Outbox::Mark> ended;
    long error = 0;
    writer.flush(outbox, from, ended, error);
    Inbox inbox;
    Nobody nobody;
    Came came = reader.read(to, space, inbox, nobody);
    if (came != Came::all || nobody.heard != 1) std::abort();
    for (std::size_t at = 2; at < size && came == Came::all;) {
        const std::size_t part = piece < size - at ? piece : size - at;
        if (send(from.descriptor(), data + at, part, MSG_NOSIGNAL) < 0) break;
        at += part;
        came = reader.read(to, space, inbox, nobody);
    }
    if (nobody.heard != 1 || inbox.kept() != 0) std::abort();
    return 0;
}
