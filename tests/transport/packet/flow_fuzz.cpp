// What a PE hears that knows the key and means ill, or is broken: any numbers at any time. What is
// under way stays within the window, and nothing is acknowledged that was not sent.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "transport/packet/flow.hpp"

using namespace isthmus::transport::packet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Flow flow;
    Microseconds now = 1;
    const auto take = [&](auto& value) {
        value = {};
        const std::size_t bytes = sizeof value < size ? sizeof value : size;
        std::memcpy(&value, data, bytes);
        data += bytes;
        size -= bytes;
    };
    Flow::Number expected = 0;
    while (size != 0) {
        std::uint8_t what;
        take(what);
        now += what / 8 * 50;
        flow.pass_time(now);
        if ((what & 1) != 0) {
            std::uint8_t count;
            take(count);
            for (unsigned i = 0; i < count && flow.may_send(); ++i)
                flow.send(now);
        }
        if ((what & 2) != 0) {
            isthmus::packet::Delivery delivery;
            std::int16_t near;
            take(near);
            // Mostly near what is meant, so that it gets somewhere.
            delivery.number =
                static_cast<std::uint32_t>(flow.expected()) + static_cast<std::uint32_t>(near / 64);
            delivery.expected = static_cast<std::uint32_t>(flow.first_unacknowledged()) +
                                static_cast<std::uint32_t>(near % 64);
            delivery.is_timed = (what & 4) != 0;
            take(delivery.echo);
            std::uint8_t words;
            take(words);
            delivery.sack_words = words % (isthmus::packet::kMostSackWords + 1);
            for (std::uint32_t word = 0; word < delivery.sack_words; ++word)
                take(delivery.sack[word]);
            const Flow::Number was = flow.first_unacknowledged();
            flow.hear(delivery, (near & 1) != 0, now);
            if (flow.first_unacknowledged() < was) std::abort();
        }
        while (const auto number = flow.lost()) {
            if (*number < flow.first_unacknowledged() || *number >= flow.next()) std::abort();
            flow.repeat(*number, now);
        }
        isthmus::packet::Delivery said;
        flow.say(said, now);
        if (flow.first_unacknowledged() > flow.next() || flow.expected() < expected ||
            flow.next() - flow.first_unacknowledged() > Flow::kWindow || flow.window() < 1)
            std::abort();
        expected = flow.expected();
    }
    return 0;
}
