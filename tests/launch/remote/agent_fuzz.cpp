// What comes over a remote shell, and what PEs say to their process manager: any bytes.
#include <cstdint>
#include <string>

#include "launch/remote/frame.hpp"
#include "launch/remote/manager.hpp"
#include "launch/remote/orders.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace isthmus::launch;
    if (size < 1) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
    if (data[0] % 4 == 0) {
        FrameReader reader;
        const std::size_t piece = 1 + data[0] / 4;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            reader.feed(bytes.substr(at, piece));
            for (Frame frame; reader.next(frame);)
                if (frame.bytes.size() > bytes.size()) __builtin_trap();
        }
    } else if (data[0] % 4 == 1) {
        if (const auto orders = parse_orders(bytes); orders && orders_text(*orders) != bytes)
            (void)parse_orders(orders_text(*orders)).value();
    } else if (data[0] % 4 == 2) {
        HostManager manager(2, 3, 8, "isthmus-1", "");
        for (std::size_t begin = 0; begin < bytes.size();) {
            const auto end = std::min(bytes.find('\n', begin), bytes.size());
            const auto outcome = manager.take_line(2 + static_cast<int>(begin % 3),
                                                   bytes.substr(begin, end - begin));
            if (!outcome.key.empty()) manager.learn(outcome.key, outcome.value);
            if (outcome.all_arrived) manager.go_on();
            begin = end + 1;
        }
    } else {
        std::string stream(bytes), heard;
        (void)take_greeting(stream, heard);
    }
    return 0;
}
