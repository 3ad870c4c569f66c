// The two ends of a stream for tests: sockets, a memory that packets go to, and what lies between
// an outbox and an inbox, with seals and without.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <string>
#include <vector>

#include "transport/packet/inbox.hpp"
#include "transport/packet/outbox.hpp"
#include "transport/packet/record.hpp"

namespace isthmus::transport::packet {

struct Pair {
    explicit Pair(int room = 0) {
        int ends[2];
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
        if (room != 0) setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
        from = Stream(ends[0]);
        to = Stream(ends[1]);
    }
    Stream from;
    Stream to;
};

// A memory, and messages in the order in which they came.
struct Memory {
    std::vector<char> bytes = std::vector<char>(std::size_t{1} << 20, 'x');
    std::vector<std::string> messages;
    std::vector<Verdict> wrong;
    std::vector<std::pair<Kind, std::size_t>> arrived;
    Verdict verdict = Verdict::accepted;  // of all that is legal
    std::size_t placing = 0;

    Verdict admit(const ::isthmus::packet::Packet& packet) {
        const bool fits = packet.offset() + packet.payload_bytes <= bytes.size();
        return verdict != Verdict::accepted || fits ? verdict : Verdict::out_of_bounds;
    }
    char* place(const ::isthmus::packet::Packet& packet) {
        ++placing;
        return bytes.data() + packet.offset();
    }
    void placed(const ::isthmus::packet::Packet& packet) {
        --placing;
        arrived.emplace_back(packet.kind(), packet.payload_bytes);
    }
    void take(const ::isthmus::packet::Packet& packet) {
        messages.emplace_back(reinterpret_cast<const char*>(packet.payload), packet.payload_bytes);
    }
    bool refused(Bytes, Verdict why) {
        wrong.push_back(why);
        return ::isthmus::packet::action_of(why) != ::isthmus::packet::Action::end;
    }
};

// An outbox whose packets go to an inbox as they are.
struct BareLine {
    Outbox outbox;
    Inbox inbox;
    bool flush(Stream& stream, std::vector<Outbox::Mark>& ended, long& error) {
        return outbox.flush(stream, ended, error);
    }
    template <typename Handler>
    Came read(Stream& stream, Workspace& space, Handler& handler) {
        return inbox.read(stream, space, handler);
    }
};

// In records.
template <bool kWithAes>
struct SealedLine {
    Outbox outbox;
    Inbox inbox;
    RecordWriter writer;
    RecordReader reader;
    SealedLine() {
        EXPECT_GE(sodium_init(), 0);
        Proof key;
        key.fill(7);
        const bool with_aes = kWithAes && RecordSeal::has_aes();
        writer.begin(key, with_aes, 1, 2);
        reader.begin(key, with_aes);
    }
    bool flush(Stream& stream, std::vector<Outbox::Mark>& ended, long& error) {
        return writer.flush(outbox, stream, ended, error);
    }
    template <typename Handler>
    Came read(Stream& stream, Workspace& space, Handler& handler) {
        return reader.read(stream, space, inbox, handler);
    }
};

}  // namespace isthmus::transport::packet
