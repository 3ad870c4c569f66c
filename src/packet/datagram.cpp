#include "packet/datagram.hpp"

#include "packet/checks.hpp"

namespace isthmus::packet {

std::size_t encode_delivery(std::span<std::byte> room, const Delivery& delivery) {
    const std::size_t words = 2 + (delivery.is_timed ? 1 : 0) + delivery.sack_words;
    if (delivery.sack_words > kMostSackWords || 8 * words > room.size()) return 0;
    std::byte* to = room.data();
    const auto store = [&to](std::uint64_t word) {
        std::memcpy(to, &word, sizeof word);
        to += sizeof word;
    };
    store(opening_word::magic.in(kMagic) | opening_word::sack_words.in(delivery.sack_words) |
          opening_word::timed.in(delivery.is_timed) |
          opening_word::connection.in(delivery.connection));
    store(numbers_word::number.in(delivery.number) | numbers_word::expected.in(delivery.expected));
    if (delivery.is_timed)
        store(times_word::sent.in(delivery.sent) | times_word::echo.in(delivery.echo));
    for (std::uint32_t i = 0; i < delivery.sack_words; ++i)
        store(delivery.sack[i]);
    return 8 * words;
}

Verdict decode_delivery(Bytes datagram, Delivery& delivery, Bytes& packets) {
    DatagramFacts facts;
    facts.datagram_bytes = static_cast<std::int64_t>(datagram.size());
    const Verdict verdict = check_datagram(facts, [&](std::int64_t number) {
        return load_word(datagram.data(), static_cast<std::size_t>(number));
    });
    if (verdict != Verdict::accepted) return verdict;

    const std::uint64_t opening = load_word(datagram.data());
    const std::uint64_t numbers = load_word(datagram.data(), 1);
    std::size_t at = 2;
    delivery = Delivery{};
    delivery.connection = static_cast<std::uint32_t>(opening_word::connection.of(opening));
    delivery.number = static_cast<std::uint32_t>(numbers_word::number.of(numbers));
    delivery.expected = static_cast<std::uint32_t>(numbers_word::expected.of(numbers));
    delivery.is_timed = opening_word::timed.of(opening) != 0;
    if (delivery.is_timed) {
        const std::uint64_t times = load_word(datagram.data(), at++);
        delivery.sent = static_cast<std::uint32_t>(times_word::sent.of(times));
        delivery.echo = static_cast<std::uint32_t>(times_word::echo.of(times));
    }
    delivery.sack_words = static_cast<std::uint32_t>(opening_word::sack_words.of(opening));
    for (std::uint32_t i = 0; i < delivery.sack_words; ++i)
        delivery.sack[i] = load_word(datagram.data(), at++);
    packets = datagram.subspan(8 * at, datagram.size() - 8 * at - kMacBytes);
    return Verdict::accepted;
}

Verdict admit(const Delivery& delivery, bool has_packets, const Connection& connection) {
    DatagramFacts facts;
    facts.number = delivery.number;
    facts.expected = delivery.expected;
    facts.sack_end = delivery.sack_end();
    facts.packet_words = has_packets ? 1 : 0;
    facts.connection_known = connection.is_known;
    facts.mac_right = connection.is_mac_right;
    facts.number_seen = connection.has_seen;
    facts.expected_here = connection.expected;
    facts.unacknowledged = connection.unacknowledged;
    facts.in_flight = connection.in_flight;
    return check_connection(facts);
}

}  // namespace isthmus::packet
