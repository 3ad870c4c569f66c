// Every vector through the SystemVerilog package (packet_check.sv): the same verdicts, the same
// fields.
#include <gtest/gtest.h>

#include "Vpacket_check.h"
#include "packet/datagram.hpp"
#include "random_packet.hpp"
#include "vector.hpp"

namespace isthmus::packet::test {
namespace {

class Gates : public testing::Test {
  protected:
    Gates() {
        gates_.rst_ni = 0;
        step();
        gates_.rst_ni = 1;
        step();
    }
    ~Gates() override { gates_.final(); }

    void step() {
        gates_.clk_i = 0;
        gates_.eval();
        gates_.clk_i = 1;
        gates_.eval();
    }

    void know(std::map<std::string, std::int64_t> known) {
        const auto value = [&](const char* name) { return static_cast<QData>(known[name]); };
        gates_.source_known_i = value("source_known");
        gates_.destination_here_i = value("destination_here");
        gates_.segment_limit_i = value("segment_limit");
        gates_.segment_rights_i = value("segment_rights");
        gates_.signal_limit_i = value("signal_limit");
        gates_.signal_rights_i = value("signal_rights");
        gates_.handler_known_i = value("handler_known");
        gates_.token_open_i = value("token_open");
        gates_.asked_segment_i = value("asked_segment");
        gates_.asked_first_i = value("asked_first");
        gates_.asked_end_i = value("asked_end");
        gates_.payload_limit_i = value("payload_limit");
        gates_.room_i = value("room");
        gates_.credits_seen_i = value("credits_seen");
        gates_.credits_owed_i = value("credits_owed");
        gates_.connection_known_i = value("connection_known");
        gates_.mac_right_i = value("mac_right");
        gates_.number_seen_i = value("number_seen");
        gates_.expected_here_i = value("expected_here");
        gates_.unacknowledged_i = value("unacknowledged");
        gates_.in_flight_i = value("in_flight");
    }

    // The packet that begins here, in pieces of a cycle each, with holes in between.
    void take(Bytes bytes) {
        gates_.start_i = 1;
        gates_.available_i = bytes.size();
        step();
        gates_.start_i = 0;
        for (std::size_t i = 0; i < bytes.size() / 8; ++i) {
            gates_.valid_i = 0;
            if (i % 3 == 1) step();
            gates_.valid_i = 1;
            gates_.word_i = load_word(bytes.data(), i);
            step();
        }
        gates_.valid_i = 0;
        step();
    }

    // A word as one of the package's structures: `count` fields of 64 bits from an output's data.
    template <typename Out>
    void expect_fields(const Out& out, std::uint64_t word, const std::vector<const char*>& names,
                       const nlohmann::json& fields) {
        gates_.word_i = word;
        gates_.eval();
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto value =
                static_cast<std::int64_t>(out[2 * i] | std::uint64_t{out[2 * i + 1]} << 32);
            EXPECT_EQ(value, fields[names[i]].template get<std::int64_t>()) << names[i];
        }
    }

    Vpacket_check gates_;
};

std::string_view name_of_number(unsigned number) {
    return name_of(static_cast<Verdict>(number));
}

TEST_F(Gates, SayTheSameOfPackets) {
    int packets = 0;
    for (const Vector& vector : vectors().list) {
        if (vector.is_datagram) continue;
        SCOPED_TRACE(vector.name);
        know(vector.known);
        take(vector.bytes);
        EXPECT_EQ(name_of_number(gates_.verdict_o), vector.verdict);
        EXPECT_EQ(static_cast<Action>(gates_.action_o),
                  action_of(static_cast<Verdict>(gates_.verdict_o)));
        ++packets;
        if (vector.verdict != "accepted") continue;
        EXPECT_EQ(name_of_number(gates_.receiver_verdict_o), vector.receiver_verdict);
        const nlohmann::json& f = vector.fields;
        EXPECT_EQ(gates_.payload_bytes_o, f["payload"].get<std::string>().size() / 2);
        const auto word = [&](std::size_t i) { return load_word(vector.bytes.data(), i); };
        expect_fields(gates_.route_o, word(0),
                      {"destination", "source", "kind", "stream", "fragment", "acknowledge",
                       "fence", "reserved_flag", "pad", "arguments", "last_word"},
                      f);
        expect_fields(gates_.place_o, word(1), {"offset", "segment"}, f);
        expect_fields(gates_.meaning_o, word(2), {"handler", "detail", "credits", "token"}, f);
        const std::size_t at = f["fragment"] == 1 ? 4 : 3;
        if (at == 4) expect_fields(gates_.part_o, word(3), {"last_byte", "part_offset"}, f);
        if (f.contains("own_offset"))
            expect_fields(gates_.own_place_o, word(at), {"own_offset", "own_segment"}, f);
        if (f.contains("stride"))
            expect_fields(gates_.blocks_o, word(f.contains("own_offset") ? at + 1 : at),
                          {"stride", "block", "count"}, f);
        if (f.contains("ranges"))
            expect_fields(gates_.range_o, word(f.contains("own_offset") ? at + 1 : at),
                          {"range_offset", "range_bytes"}, f["ranges"][0]);
    }
    EXPECT_GT(packets, 1000);
}

TEST_F(Gates, SayTheSameOfDatagrams) {
    int datagrams = 0;
    for (const Vector& vector : vectors().list) {
        if (!vector.is_datagram) continue;
        SCOPED_TRACE(vector.name);
        ++datagrams;
        know(vector.known);
        gates_.datagram_bytes_i = vector.bytes.size();
        for (std::size_t i = 0; i < 2; ++i) {
            const std::uint64_t word = load_word(vector.bytes.data(), i);
            gates_.delivery_i[2 * i] = static_cast<std::uint32_t>(word);
            gates_.delivery_i[2 * i + 1] = static_cast<std::uint32_t>(word >> 32);
        }
        Delivery delivery;
        Bytes packets;
        const bool legal = decode_delivery(vector.bytes, delivery, packets) == Verdict::accepted;
        gates_.sack_end_i = legal ? delivery.sack_end() : 0;
        gates_.eval();
        EXPECT_EQ(name_of_number(gates_.datagram_verdict_o), vector.verdict);
        if (vector.verdict != "accepted") continue;
        EXPECT_EQ(name_of_number(gates_.connection_verdict_o), vector.receiver_verdict);
    }
    EXPECT_GT(datagrams, 20);
}

// Beyond the vectors: packets with a bit or two changed, against the decoder.
TEST_F(Gates, SayTheSameOfChangedPackets) {
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    for (int i = 0; i < 20000; ++i) {
        std::vector<std::byte> bytes = random_packet(random).bytes();
        for (auto changes = random.below(3); changes > 0; --changes)
            bytes[random.below(std::min<std::size_t>(bytes.size(), 40))] ^=
                static_cast<std::byte>(1U << random.below(8));
        if (bytes.size() > 800) continue;
        take(bytes);
        ASSERT_EQ(name_of_number(gates_.verdict_o), name_of(explain(Bytes(bytes)))) << i;
    }
}

}  // namespace
}  // namespace isthmus::packet::test
