// Legal packets at random, made from the table of kinds: what the encoder is given, and what
// decoding must give back.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "packet/encode.hpp"

namespace isthmus::packet::test {

// Cheap to seed: the fuzz target makes a new one for each input.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {  // splitmix64
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    std::uint64_t below(std::uint64_t limit) { return next() % limit; }
    bool is_once_in(std::uint64_t times) { return below(times) == 0; }

  private:
    std::uint64_t state_;
};

struct Sample {
    Head head;
    std::vector<std::uint64_t> descriptor;
    std::vector<std::uint32_t> arguments;
    std::vector<std::byte> payload;

    std::vector<std::byte> bytes() const {
        std::vector<std::byte> room(8 * words_of(head.message_bytes != 0, descriptor.size(),
                                                 arguments.size(), payload.size()));
        if (encode(room, head, descriptor, arguments, payload) != room.size()) room.clear();
        return room;
    }
};

inline unsigned pick_bit(Random& random, unsigned mask) {
    for (;;) {
        const auto bit = static_cast<unsigned>(random.below(16));
        if (mask >> bit & 1) return bit;
    }
}

// With places below 64 KiB now and then, so that receivers take some.
inline std::uint64_t any_offset(Random& random) {
    return random.is_once_in(2) ? random.below(65536) : random.next() & place_word::offset.most;
}

inline Sample random_packet(Random& random, Kind which) {
    const KindFacts& kind = kKinds[static_cast<std::size_t>(which)];
    Sample sample;
    Head& head = sample.head;
    head.kind = which;
    head.stream = static_cast<Stream>(pick_bit(random, kind.streams));
    const bool is_reply = head.stream == Stream::reply;
    head.acknowledge = kind.may_acknowledge && !is_reply && random.is_once_in(2);
    head.fence = kind.may_fence && !is_reply && random.is_once_in(2);
    head.destination = static_cast<std::uint16_t>(random.below(random.is_once_in(2) ? 4 : 65536));
    head.source = static_cast<std::uint16_t>(random.below(random.is_once_in(2) ? 4 : 65536));
    head.credits = static_cast<std::uint16_t>(random.below(random.is_once_in(2) ? 8 : 65536));
    head.token = static_cast<std::uint32_t>(random.next());
    if (kind.handler) head.handler = static_cast<std::uint8_t>(random.next());
    if (kind.place) {
        head.segment = static_cast<std::uint16_t>(random.below(random.is_once_in(2) ? 4 : 65536));
        if (!kind.ranges) head.offset = any_offset(random);
    }
    if (kind.arguments) {
        sample.arguments.resize(random.below(kMostArguments + 1));
        for (std::uint32_t& argument : sample.arguments)
            argument = static_cast<std::uint32_t>(random.next());
    }
    const bool is_long = random.is_once_in(64);
    const std::uint64_t room = 8 * (kLargestWords - 4 - 2 - sample.arguments.size());
    std::uint64_t payload = 0;
    if (kind.payload) payload = 1 + random.below(is_long ? room : 80);
    if (kind.payload == 1 && random.is_once_in(8)) payload = 0;

    std::uint64_t word = make_blocks(static_cast<std::int32_t>(random.next()), 1, 1);
    if (kind.blocks) {
        const std::uint64_t block = 1 + random.below(is_long ? 300 : 8);
        const std::uint64_t count = 1 + random.below(is_long ? 90 : 8);
        auto stride = static_cast<std::int32_t>(random.next());
        if (random.is_once_in(2)) stride %= 256;
        word = make_blocks(stride, static_cast<std::uint16_t>(block),
                           static_cast<std::uint16_t>(count));
        payload = kind.payload ? block * count : 0;
    }
    std::vector<std::uint64_t> ranges;
    if (kind.ranges) {
        head.detail = static_cast<std::uint8_t>(1 + random.below(is_long ? kMostRanges : 5));
        payload = 0;
        for (unsigned i = 0; i < head.detail; ++i) {
            const auto bytes = static_cast<std::uint16_t>(1 + random.below(is_long ? 90 : 12));
            ranges.push_back(make_range(any_offset(random), bytes));
            if (kind.range_words == 2) ranges.push_back(make_own_range(any_offset(random)));
            if (kind.payload) payload += bytes;
        }
    }
    if (kind.atomic) {
        const auto width = static_cast<Width>(pick_bit(random, kind.widths));
        head.detail = make_detail(static_cast<Operation>(pick_bit(random, kind.operations)), width);
        if (kind.atomic == 1) head.offset &= ~((1ULL << static_cast<unsigned>(width)) - 1);
    }
    if (kind.detail == 3) head.detail = static_cast<std::uint8_t>(Verdict::out_of_bounds);
    if (kind.detail == 4) head.detail = static_cast<std::uint8_t>(random.below(2));
    // The descriptor's words by kind, in the table's order.
    const auto own =
        make_place(kind.ranges ? 0 : any_offset(random), static_cast<std::uint16_t>(random.next()));
    const std::uint64_t most = 8 * (kLargestWords - 3 - (sample.arguments.size() + 1) / 2);
    switch (which) {
        case Kind::put_blocks:
        case Kind::data_blocks: sample.descriptor = {word}; break;
        case Kind::put_signal:
            sample.descriptor = {
                make_place(any_offset(random) & ~7ULL, static_cast<std::uint16_t>(random.below(6))),
                random.next()};
            break;
        case Kind::get:
            sample.descriptor = {
                own, make_extent(
                         1 + random.below(random.is_once_in(2) ? 4096 : std::uint64_t{1} << 32))};
            break;
        case Kind::get_medium: sample.descriptor = {make_extent(1 + random.below(most))}; break;
        case Kind::get_blocks:
            sample.descriptor = {own, word,
                                 make_own_blocks(static_cast<std::int32_t>(random.next()))};
            break;
        case Kind::get_ranges: sample.descriptor = {own}; break;
        case Kind::atomic:
        case Kind::result:
        case Kind::heartbeat: sample.descriptor = {random.next()}; break;
        case Kind::seal:
            sample.descriptor = {random.next() & ~cover_word::reserved_cover.mask, random.next(),
                                 random.next()};
            break;
        case Kind::compare_swap: sample.descriptor = {random.next(), random.next()}; break;
        default: break;
    }
    sample.descriptor.insert(sample.descriptor.end(), ranges.begin(), ranges.end());
    sample.payload.resize(payload);
    for (std::byte& byte : sample.payload)
        byte = static_cast<std::byte>(random.next());
    if (kind.may_fragment && payload != 0 && random.is_once_in(3)) {
        const std::uint64_t all = std::uint64_t{1} << 32;
        // Short ones, too, which have their ends near.
        head.message_bytes = payload + random.below(random.is_once_in(2) ? 4 : all - payload + 1);
        head.part_offset =
            static_cast<std::uint32_t>(random.below(head.message_bytes - payload + 1));
    }
    return sample;
}

inline Sample random_packet(Random& random) {
    for (;;) {
        const auto number = random.below(kKinds.size());
        if (kKinds[number].known) return random_packet(random, static_cast<Kind>(number));
    }
}

}  // namespace isthmus::packet::test
