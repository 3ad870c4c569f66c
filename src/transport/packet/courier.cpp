#include "transport/packet/courier.hpp"

#include <algorithm>
#include <cstring>

namespace isthmus::transport::packet {

using ::isthmus::packet::Bytes;
using ::isthmus::packet::Delivery;
using ::isthmus::packet::Verdict;

void Courier::begin(const FlowKeys& keys, const sockaddr_storage& to, std::size_t datagram_bytes,
                    Microseconds round_trip, Flow::Number first_out, Flow::Number first_in) {
    mac_out_.begin(keys.out, keys.long_out, keys.with_aes);
    mac_in_.begin(keys.in, keys.long_in, keys.with_aes);
    connection_out_ = keys.connection_out;
    connection_in_ = keys.connection_in;
    to_ = to;
    room_ = room_in(datagram_bytes);
    flow_.begin(round_trip, first_out, first_in);
    given_back_ = first_out;
    taken_ = first_in;
    is_open_ = true;
}

std::unique_ptr<std::byte[]> Courier::take_room() {
    if (free_.empty())
        return std::make_unique_for_overwrite<std::byte[]>(kFront + room_ +
                                                           ::isthmus::packet::kMacBytes);
    std::unique_ptr<std::byte[]> room = std::move(free_.back());
    free_.pop_back();
    return room;
}

void Courier::give_back() {
    for (; given_back_ != flow_.first_unacknowledged(); ++given_back_) {
        Kept& each = kept(given_back_);
        carried_ += each.packets;
        free_.push_back(std::move(each.bytes));
    }
}

std::span<const std::byte> Courier::seal(std::byte* bytes, std::size_t packets, Flow::Number number,
                                         Microseconds now) {
    Delivery delivery;
    delivery.connection = connection_out_;
    delivery.number = static_cast<std::uint32_t>(number);
    flow_.say(delivery, now);
    std::byte words[kFront];
    const std::size_t front = ::isthmus::packet::encode_delivery(words, delivery);
    std::byte* const begin = bytes + kFront - front;
    std::memcpy(begin, words, front);
    const std::span<std::byte> datagram(begin, front + packets + ::isthmus::packet::kMacBytes);
    ::isthmus::packet::seal(datagram, ::isthmus::packet::upper_halves(number, flow_.expected()),
                            mac_out_);
    return datagram;
}

bool Courier::send(Outbox& outbox, Udp& udp, Microseconds now, std::vector<Outbox::Mark>& ended) {
    give_back();
    leaving_.clear();
    while (const std::optional<Flow::Number> number = flow_.lost()) {
        flow_.repeat(*number, now);
        Kept& each = kept(*number);
        leaving_.push_back(seal(each.bytes.get(), each.packets, *number, now));
    }
    while (!outbox.is_empty() && flow_.may_send()) {
        std::unique_ptr<std::byte[]> bytes = take_room();
        const std::size_t packets = outbox.pack({bytes.get() + kFront, room_}, ended);
        const Flow::Number number = flow_.send(now);
        leaving_.push_back(seal(bytes.get(), packets, number, now));
        kept(number) = {std::move(bytes), packets};
    }
    if (!leaving_.empty()) udp.send(to_, leaving_);
    return outbox.is_empty();
}

void Courier::answer(Udp& udp, Microseconds now) {
    if (!flow_.must_answer()) return;
    std::byte bytes[kFront + ::isthmus::packet::kMacBytes];
    const std::span<const std::byte> datagram = seal(bytes, 0, flow_.next(), now);
    udp.send(to_, {&datagram, 1});
}

Verdict Courier::hear(const sockaddr_storage& from, std::span<std::byte> datagram,
                      const Delivery& delivery, Bytes& packets, Microseconds now) {
    if (!is_open_ || delivery.connection != connection_in_ || !is_same(from, to_))
        return Verdict::unknown_connection;
    const bool has_packets = !packets.empty();
    const Flow::Number number = flow_.whole(delivery.number);
    const std::uint64_t uppers = ::isthmus::packet::upper_halves(
        number, ::isthmus::packet::widen(delivery.expected, flow_.first_unacknowledged()));
    if (!::isthmus::packet::has_right_mac(datagram, uppers, mac_in_)) return Verdict::wrong_mac;
    const Verdict verdict = flow_.judge(delivery, has_packets);
    const Flow::Arrival arrival = flow_.hear(delivery, has_packets, now);
    const bool is_new = arrival == Flow::Arrival::early || arrival == Flow::Arrival::in_turn;
    if (is_new) carried_ += packets.size();
    if (arrival == Flow::Arrival::early) early_.try_emplace(number, packets.begin(), packets.end());
    if (arrival == Flow::Arrival::in_turn)
        taken_ = number + 1;
    else
        packets = {};
    return verdict;
}

bool Courier::take_early(std::vector<std::byte>& packets) {
    // All that was acknowledged and has not been handed over came early, from the next one on.
    if (early_.empty() || taken_ >= flow_.expected()) return false;
    packets = std::move(early_.begin()->second);
    early_.erase(early_.begin());
    ++taken_;
    return true;
}

}  // namespace isthmus::transport::packet
