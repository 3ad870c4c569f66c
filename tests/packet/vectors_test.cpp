// Each vector, both ways: what the decoder says of it, and that the encoder makes it from its
// fields.
#include <gtest/gtest.h>

#include "packet/admit.hpp"
#include "packet/answer.hpp"
#include "packet/datagram.hpp"
#include "vector.hpp"

namespace isthmus::packet::test {
namespace {

std::string text(Bytes bytes) {
    static const char* const digits = "0123456789abcdef";
    std::string found;
    for (const std::byte byte : bytes) {
        found += digits[std::to_integer<unsigned>(byte) >> 4];
        found += digits[std::to_integer<unsigned>(byte) & 15];
    }
    return found;
}

std::uint64_t word_of(const nlohmann::json& fields, const char* name) {
    const nlohmann::json& value = fields.at(name);
    return value.is_number_unsigned() ? value.get<std::uint64_t>()
                                      : static_cast<std::uint64_t>(value.get<std::int64_t>());
}

std::vector<std::uint64_t> descriptor_of(Kind kind, const nlohmann::json& f) {
    const auto own = [&] {
        return make_place(word_of(f, "own_offset"), f["own_segment"].get<std::uint16_t>());
    };
    const auto blocks = [&] {
        return make_blocks(f["stride"].get<std::int32_t>(), f["block"].get<std::uint16_t>(),
                           f["count"].get<std::uint16_t>());
    };
    const auto extent = [&] { return make_extent(word_of(f, "last_asked") + 1); };
    std::vector<std::uint64_t> words;
    switch (kind) {
        case Kind::put_blocks:
        case Kind::data_blocks: words = {blocks()}; break;
        case Kind::put_signal:
            words = {
                make_place(word_of(f, "signal_offset"), f["signal_segment"].get<std::uint16_t>()),
                word_of(f, "operand")};
            break;
        case Kind::get: words = {own(), extent()}; break;
        case Kind::get_medium: words = {extent()}; break;
        case Kind::get_blocks:
            words = {own(), blocks(), make_own_blocks(f["own_stride"].get<std::int32_t>())};
            break;
        case Kind::get_ranges: words = {own()}; break;
        case Kind::atomic: words = {word_of(f, "operand")}; break;
        case Kind::compare_swap: words = {word_of(f, "operand"), word_of(f, "compare")}; break;
        case Kind::result: words = {word_of(f, "value")}; break;
        case Kind::seal:
            words = {cover_word::last_covered.in(word_of(f, "last_covered")) |
                         cover_word::record.in(word_of(f, "record")),
                     word_of(f, "hash_low"), word_of(f, "hash_high")};
            break;
        case Kind::heartbeat: words = {word_of(f, "state")}; break;
        default: break;
    }
    for (const nlohmann::json& range : f.value("ranges", nlohmann::json::array())) {
        words.push_back(
            make_range(word_of(range, "range_offset"), range["range_bytes"].get<std::uint16_t>()));
        if (range.contains("own_range_offset"))
            words.push_back(make_own_range(word_of(range, "own_range_offset")));
    }
    return words;
}

Head head_of(const nlohmann::json& f) {
    Head head;
    head.kind = static_cast<Kind>(f["kind"].get<int>());
    head.stream = static_cast<Stream>(f["stream"].get<int>());
    head.acknowledge = f["acknowledge"] == 1;
    head.fence = f["fence"] == 1;
    head.destination = f["destination"];
    head.source = f["source"];
    head.segment = f["segment"];
    head.offset = f["offset"];
    head.handler = f["handler"];
    head.detail = f["detail"];
    head.credits = f["credits"];
    head.token = f["token"];
    if (f["fragment"] == 1) {
        head.message_bytes = f["last_byte"].get<std::uint64_t>() + 1;
        head.part_offset = f["part_offset"];
    }
    return head;
}

void expect_fields(const Packet& packet, const nlohmann::json& f) {
    EXPECT_EQ(static_cast<int>(packet.kind()), f["kind"]);
    EXPECT_EQ(static_cast<int>(packet.stream()), f["stream"]);
    EXPECT_EQ(packet.destination(), f["destination"]);
    EXPECT_EQ(packet.source(), f["source"]);
    EXPECT_EQ(packet.wants_answer(), f["acknowledge"] == 1);
    EXPECT_EQ(packet.is_fence(), f["fence"] == 1);
    EXPECT_EQ(packet.words(), f["last_word"].get<std::size_t>() + 1);
    EXPECT_EQ(packet.offset(), f["offset"].get<std::uint64_t>());
    EXPECT_EQ(packet.segment(), f["segment"]);
    EXPECT_EQ(packet.handler(), f["handler"]);
    EXPECT_EQ(packet.detail(), f["detail"]);
    EXPECT_EQ(packet.credits(), f["credits"]);
    EXPECT_EQ(packet.token(), f["token"]);
    ASSERT_EQ(packet.is_fragment(), f["fragment"] == 1);
    if (packet.is_fragment()) {
        EXPECT_EQ(packet.message_bytes(), f["last_byte"].get<std::uint64_t>() + 1);
        EXPECT_EQ(packet.part_offset(), f["part_offset"]);
    }
    if (f.contains("operation")) {
        EXPECT_EQ(static_cast<int>(packet.operation()), f["operation"]);
        EXPECT_EQ(packet.width_bytes(), 1U << f["width"].get<unsigned>());
    }
    ASSERT_EQ(packet.arguments(), f["argument_values"].size());
    for (unsigned i = 0; i < packet.arguments(); ++i)
        EXPECT_EQ(packet.argument(i), f["argument_values"][i]);
    EXPECT_EQ(text({packet.payload, packet.payload_bytes}), f["payload"]);
    const std::vector<std::uint64_t> descriptor = descriptor_of(packet.kind(), f);
    for (std::size_t i = 0; i < descriptor.size(); ++i)
        EXPECT_EQ(packet.descriptor(i), descriptor[i]);
    EXPECT_EQ(packet.descriptor_begin() + 8 * descriptor.size(), packet.descriptor_end());
}

// A receiver as the vector wants it: the segment that the packet names, and the signal's.
std::string admitted(const Packet& packet, std::map<std::string, std::int64_t> known,
                     bool by_table) {
    std::vector<SegmentEntry> segments(65536);
    if (packet.kind() == Kind::put_signal)
        segments[signal_word::signal_segment.of(packet.descriptor(0))] = {
            static_cast<std::uint64_t>(known["signal_limit"]),
            static_cast<std::uint8_t>(known["signal_rights"])};
    segments[packet.segment()] = {static_cast<std::uint64_t>(known["segment_limit"]),
                                  static_cast<std::uint8_t>(known["segment_rights"])};
    Receiver receiver;
    receiver.first_pe = packet.destination();
    receiver.pes = known["destination_here"] != 0;
    receiver.segments = segments;
    receiver.payload_limit = static_cast<std::uint32_t>(known["payload_limit"]);
    if (known["handler_known"] != 0)
        receiver.handlers[packet.handler() / 64] |= std::uint64_t{1} << packet.handler() % 64;
    Peer peer;
    peer.first_pe = packet.source();
    peer.pes = known["source_known"] != 0;
    peer.room = static_cast<std::uint32_t>(known["room"]);
    peer.credits_seen = static_cast<std::uint16_t>(known["credits_seen"]);
    peer.credits_owed = static_cast<std::uint16_t>(known["credits_owed"]);
    OpenToken token;
    token.is_open = known["token_open"] != 0;
    token.segment = static_cast<std::uint16_t>(known["asked_segment"]);
    token.first = static_cast<std::uint64_t>(known["asked_first"]);
    token.end = static_cast<std::uint64_t>(known["asked_end"]);
    return std::string(name_of(by_table ? explain(packet, receiver, peer, token)
                                        : admit(packet, receiver, peer, token)));
}

TEST(Vectors, PacketsAreDecoded) {
    int packets = 0;
    for (const Vector& vector : vectors().list) {
        if (vector.is_datagram) continue;
        SCOPED_TRACE(vector.name);
        ++packets;
        Packet packet;
        EXPECT_EQ(name_of(decode(vector.bytes, packet)), vector.verdict);
        EXPECT_EQ(name_of(explain(Bytes(vector.bytes))), vector.verdict);
        if (vector.verdict != "accepted") continue;
        ASSERT_EQ(decode(vector.bytes, packet), Verdict::accepted);
        expect_fields(packet, vector.fields);
        EXPECT_EQ(packet_bytes(vector.bytes), vector.bytes.size());
        EXPECT_EQ(admitted(packet, vector.known, false), vector.receiver_verdict);
        EXPECT_EQ(admitted(packet, vector.known, true), vector.receiver_verdict);
    }
    EXPECT_GT(packets, 1000);
}

TEST(Vectors, PacketsAreEncoded) {
    int packets = 0;
    for (const Vector& vector : vectors().list) {
        if (vector.is_datagram || vector.verdict != "accepted") continue;
        SCOPED_TRACE(vector.name);
        ++packets;
        const nlohmann::json& f = vector.fields;
        const Head head = head_of(f);
        const std::vector<std::uint64_t> descriptor = descriptor_of(head.kind, f);
        const auto arguments = f["argument_values"].get<std::vector<std::uint32_t>>();
        const std::vector<std::byte> payload = from_hex(f["payload"]);
        std::vector<std::byte> room(vector.bytes.size(), std::byte{0xee});
        EXPECT_EQ(encode(room, head, descriptor, arguments, payload), vector.bytes.size());
        EXPECT_EQ(text(room), text(vector.bytes));
        // One byte less is too little.
        EXPECT_EQ(
            encode(std::span(room).first(room.size() - 1), head, descriptor, arguments, payload),
            0U);
    }
    EXPECT_GT(packets, 200);
}

TEST(Vectors, DatagramsAreDecodedAndEncoded) {
    int accepted = 0;
    for (const Vector& vector : vectors().list) {
        if (!vector.is_datagram) continue;
        SCOPED_TRACE(vector.name);
        Delivery delivery;
        Bytes packets;
        const Verdict verdict = decode_delivery(vector.bytes, delivery, packets);
        EXPECT_EQ(name_of(verdict), vector.verdict);
        if (verdict != Verdict::accepted) continue;
        ++accepted;
        const nlohmann::json& f = vector.fields;
        EXPECT_EQ(delivery.connection, f["connection"]);
        EXPECT_EQ(delivery.number, f["number"]);
        EXPECT_EQ(delivery.expected, f["expected"]);
        EXPECT_EQ(delivery.is_timed, f["timed"] == 1);
        if (delivery.is_timed) {
            EXPECT_EQ(delivery.sent, f["sent"]);
            EXPECT_EQ(delivery.echo, f["echo"]);
        }
        ASSERT_EQ(delivery.sack_words, f["sacks"].size());
        for (std::size_t i = 0; i < delivery.sack_words; ++i)
            EXPECT_EQ(delivery.sack[i], f["sacks"][i]);
        EXPECT_EQ(packets.size(), 8 * f["packet_words"].get<std::size_t>());

        std::map<std::string, std::int64_t> known = vector.known;
        Connection connection;
        connection.is_known = known["connection_known"] != 0;
        connection.is_mac_right = known["mac_right"] != 0;
        connection.has_seen = known["number_seen"] != 0;
        connection.expected = static_cast<std::uint32_t>(known["expected_here"]);
        connection.unacknowledged = static_cast<std::uint32_t>(known["unacknowledged"]);
        connection.in_flight = static_cast<std::uint32_t>(known["in_flight"]);
        EXPECT_EQ(name_of(admit(delivery, !packets.empty(), connection)), vector.receiver_verdict);

        std::vector<std::byte> room(vector.bytes.size());
        const std::size_t written = encode_delivery(room, delivery);
        ASSERT_EQ(written + packets.size() + kMacBytes, room.size());
        EXPECT_EQ(encode_delivery(std::span(room).first(written - 1), delivery), 0U);
        std::memcpy(room.data() + written, packets.data(), packets.size());
        const std::uint64_t mac = f["mac"];
        seal(room, 0, [&](Bytes) { return mac; });
        EXPECT_EQ(text(room), text(vector.bytes));
    }
    EXPECT_GT(accepted, 10);
}

TEST(Vectors, ActionsAreThoseOfTheTable) {
    const char* const actions[] = {"accept", "drop", "repeat", "refuse", "end"};
    for (const auto& [name, cause] : vectors().causes) {
        SCOPED_TRACE(name);
        const auto verdict = static_cast<Verdict>(cause.first);
        EXPECT_EQ(name_of(verdict), name);
        EXPECT_EQ(actions[static_cast<int>(action_of(verdict))], cause.second);
    }
    EXPECT_EQ(action_of(Verdict::accepted), Action::accept);
}

// Refusals go back to requests alone, and are legal packets themselves.
TEST(Vectors, RefusalsAreAnswered) {
    int answered = 0;
    for (const Vector& vector : vectors().list) {
        if (vector.is_datagram || vector.verdict == "accepted") continue;
        SCOPED_TRACE(vector.name);
        const Verdict cause = explain(Bytes(vector.bytes));
        const auto nack = nack_for(vector.bytes, cause);
        const bool is_request =
            vector.bytes.size() >= 8 && route_word::stream.of(load_word(vector.bytes.data())) == 0;
        EXPECT_EQ(nack.has_value(), is_request && action_of(cause) == Action::refuse);
        if (!nack) continue;
        ++answered;
        std::byte room[64];
        const std::size_t bytes = encode(room, *nack);
        Packet packet;
        ASSERT_EQ(decode(Bytes(room, bytes), packet), Verdict::accepted);
        EXPECT_EQ(packet.kind(), Kind::nack);
        EXPECT_EQ(packet.stream(), Stream::reply);
        EXPECT_EQ(packet.detail(), static_cast<int>(cause));
        EXPECT_EQ(packet.place, load_word(vector.bytes.data(), 1));
        EXPECT_EQ(packet.token(), meaning_word::token.of(load_word(vector.bytes.data(), 2)));
        EXPECT_EQ(packet.destination(), route_word::source.of(load_word(vector.bytes.data())));
        EXPECT_EQ(packet.source(), route_word::destination.of(load_word(vector.bytes.data())));
    }
    EXPECT_GT(answered, 100);
}

}  // namespace
}  // namespace isthmus::packet::test
