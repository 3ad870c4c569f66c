// One engine in a world of 65536 nodes and 48-bit addresses, all of them used: numbers, addresses,
// tags, errors and bits that carry nothing are any. What other tests leave at zero because two
// nodes are few moves here.
#include <cstring>
#include <map>
#include <set>

#include "tests/lone_engine.hpp"

using namespace isthmus::rtl;
using namespace isthmus::rtl::registers;

namespace {

constexpr std::uint64_t kSpace = std::uint64_t{1} << 48;

// What other nodes' memory holds.
std::uint32_t far_word(std::uint64_t address) {
    std::uint64_t x = (address >> 2) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9;
    return static_cast<std::uint32_t>(x >> 32);
}

class Wide : public LoneEngine {
  protected:
    struct Due {  // an answer that somebody waits for
        unsigned command, count;
        Error error;
        std::vector<std::uint32_t> data;
    };

    // Registers of a round: which interval and which window hold everything changes from round to
    // round.
    void set_registers(unsigned round) {
        fixed = round % 4 != 3;
        const bool compact = (round & 4) == 0;
        id = static_cast<unsigned>(random() & 0xffff);
        do
            target = static_cast<unsigned>(random() & 1023);
        while (target == id);
        origin_start = fixed ? (random() % kSpace) >> random() % 12 & ~std::uint64_t{4095} : 0;
        base = (random() % kSpace) >> (fixed ? random() % 12 : 12) & ~std::uint64_t{63};
        mask = 0;
        while (!fixed && __builtin_popcountll(mask) < 10)
            mask |= std::uint64_t{64} << random() % 41;
        compacted = compact;
        node.reset(round & 15);
        register_pair(kOriginStartLo, origin_start);
        register_pair(kMaskLo, mask);
        const unsigned i = 4 * (round % 8), w = 4 * (round % 4);
        node.write_register(kControl, 1 | (compact ? 4 : 0) | 8);
        node.write_register(kNodeId, id);
        node.write_register(kTickLog, 15);
        node.write_register(kTimeout, 60000);
        node.write_register(kIntervalLast + i, ~0u);
        node.write_register(kIntervalControl + i, 1 | (fixed ? 2 | 4 | target << 16 : 0) | 15 << 8);
        node.write_register(kWindowLast + w, ~0u);
        node.write_register(kWindowOrigins + w, 0xffff0000);
        node.write_register(kWindowControl + w, 0xf | 0x3ffu << 14);
        steps(2200);  // tables are emptied
        node.write_register(kNodeIndex, target);
        node.write_register(kNodeBaseLo, static_cast<std::uint32_t>(base >> 6));
        node.write_register(kNodeBaseHi, static_cast<std::uint32_t>(base >> 38) | 1u << 10);
        steps(200);
        ASSERT_EQ(node.read_register(kStatus) & 1, 1u);
    }
    // A line of the target as the own host sees it, with so many behind it; and where it lies
    // there.
    std::uint64_t line_of_target(unsigned lines = 1) {
        if (!fixed) return spread_bits(target, mask) | spread_bits(random(), (kSpace - 64) & ~mask);
        const std::uint64_t room = kSpace - std::max(base, origin_start) - 64 * lines;
        return origin_start + (random() % room & ~std::uint64_t{63});
    }
    std::uint64_t there(std::uint64_t global) const {
        const std::uint64_t from = global - origin_start;
        if (fixed) return from + base;
        return base + (compacted ? gather_bits(from, (kSpace - 1) & ~mask) : from & ~mask);
    }

    // A legal request of any kind, without its address's line.
    Packet any_request() {
        Packet p;
        p.pass_posted = random() & 1;
        p.sequence = random() & 15;
        unsigned dword = random() & 15;
        switch (random() % 6) {
            case 0:
            case 1:  // dwords, posted or not
                p.command =
                    ((random() & 1) ? command::kPostedWrite : command::kWrite) | command::kDwords;
                p.count = static_cast<unsigned>(random() % (16 - dword));
                break;
            case 2:  // bytes of 32
                p.command = (random() & 1) ? command::kPostedWrite : command::kWrite;
                p.count = 1 + static_cast<unsigned>(random() % (8 - dword % 8));
                break;
            case 3:
                p.command = command::kRead | command::kDwords | (random() & 8);
                p.count = static_cast<unsigned>(random() % (16 - dword));
                break;
            case 4:
                p.command = command::kRead | (random() & 8);
                p.count = random() & 15;
                break;
            default:
                p.command = command::kAtomic;
                p.count = static_cast<unsigned>(1 + 2 * (random() % 3));
                dword &= ~1u;
        }
        // Isochronous and coherent: carried, and nobody's business here.
        if (p.command != command::kAtomic) p.command |= random() & 3;
        p.address = 4 * dword;
        for (unsigned i = 0; i < p.dwords(); ++i)
            p.data.push_back(static_cast<std::uint32_t>(random()));
        if (p.command == command::kAtomic && p.count == 5) p.data[0] = random() & 0x37;
        return p;
    }
    static bool posted(const Packet& p) { return (p.command & 0b111000) == 0b101000; }
    static bool equal(const Packet& a, const Packet& b) {
        return a.command == b.command && a.count == b.count && a.address == b.address &&
               a.sequence == b.sequence && a.data == b.data;
    }

    // From the network: any origin, tag and generation.
    void ask_the_host() {
        Packet p = any_request();
        p.address |= random() % kSpace & ~std::uint64_t{63};
        const unsigned source = static_cast<unsigned>(random() & 0xffff);
        const std::uint32_t who = static_cast<std::uint32_t>(random() & 0xf7ff0000) | source;
        const std::uint32_t nothing = static_cast<std::uint32_t>(random());
        std::vector<std::uint32_t> words = {
            id << 16 | (nothing & 0xf800) | unsigned{p.pass_posted} << 10 | p.count << 6 |
                p.command,
            who | (nothing & 1u << 27), static_cast<std::uint32_t>(p.address) | (nothing & 3),
            static_cast<std::uint32_t>(p.address >> 32) << 16 | (nothing & 0xfff0) | p.sequence};
        words.insert(words.end(), p.data.begin(), p.data.end());
        if (!posted(p)) {
            if (!asked_here.insert(who).second) return;
            std::uint8_t* line = node.line(p.address);
            for (unsigned b = 0; b < 64; ++b)
                line[b] = static_cast<std::uint8_t>(random());
            Due due{command::kTargetDone,
                    0,
                    static_cast<Error>(p.command == command::kAtomic ? 0 : random() & 3),
                    {}};
            if (p.is_read()) {
                due = {command::kReadResponse, p.response_dwords() - 1, due.error,
                       read_line(p, line)};
            } else if (p.command == command::kAtomic) {
                due.command = command::kReadResponse;
                due.count = p.response_dwords() - 1;
            }
            answers_out[who] = due;
            error_of[p.address] = due.error;
            // With an error nothing is carried.
            if (due.error != Error::none)
                answers_out[who] = {command::kTargetDone, 0, due.error, {}};
        }
        if (p.command != command::kAtomic) at_the_host[p.address] = p;
        waiting[posted(p) ? kPosted : kNonPosted].push_back(std::move(words));
    }
    // From the host.
    void ask_the_network(unsigned tag) {
        Packet p = any_request();
        p.address |= line_of_target();
        // Of a posted write: who writes, without an error or a chain.
        p.tag = posted(p) ? random() & 0x3e7 : tag;
        Packet far = p;
        far.address = there(p.address);
        at_the_network[far.address] = far;
        node.send(posted(p) ? kPosted : kNonPosted, std::move(p));
    }

    // What the engine sends.
    void left(unsigned of, const std::vector<std::uint32_t>& words) override {
        if (of == kResponse) {
            const std::uint32_t who = (words[1] & 0xf7ff0000) | words[0] >> 16;
            const auto due = answers_out.find(who);
            ASSERT_NE(due, answers_out.end()) << "an answer that nobody asked for";
            EXPECT_EQ(words[1] & 0xffff, id);
            EXPECT_EQ(words[0] & 63, due->second.command);
            EXPECT_EQ(words[0] >> 11 & 3, static_cast<unsigned>(due->second.error));
            EXPECT_EQ(words.size() - 2,
                      due->second.command == command::kReadResponse ? due->second.count + 1 : 0);
            if (!due->second.data.empty()) {
                EXPECT_EQ(std::vector(words.begin() + 2, words.end()), due->second.data);
            }
            answers_out.erase(due);
            return;
        }
        Packet p;
        p.command = words[0] & 63;
        p.count = words[0] >> 6 & 15;
        p.address = (words[2] & ~3u) | std::uint64_t{words[3] >> 16} << 32;
        p.sequence = words[3] & 15;
        p.data.assign(words.begin() + 4, words.end());
        EXPECT_EQ(words[0] >> 16, target);
        EXPECT_EQ(words[1] & 0xffff, id);
        const unsigned tag = words[1] >> 16 & 0x7ff;
        const bool own = of == kNonPosted && tag >> 10;
        const auto expected = at_the_network.find(p.address);
        if (expected != at_the_network.end()) {
            EXPECT_TRUE(equal(p, expected->second)) << std::hex << p.address;
            at_the_network.erase(expected);
        } else {
            EXPECT_TRUE(own || prefetching)
                << "nobody asked for this: " << std::hex << p.command << " " << p.address;
        }
        if (of == kPosted) return;
        const bool data = p.is_read() || p.command == command::kAtomic;
        const unsigned error = own || prefetching ? 0 : static_cast<unsigned>(random() & 3);
        std::vector<std::uint32_t> answer = {
            id << 16 | error << 11 |
                (data ? (p.response_dwords() - 1) << 6 | command::kReadResponse
                      : command::kTargetDone),
            (words[1] & 0xf7ff0000) | target};
        const std::uint64_t first = p.address & ~std::uint64_t{3};
        for (unsigned i = 0; i < p.response_dwords(); ++i)
            answer.push_back(far_word(first + 4 * i));
        if (!own)
            answers_in[tag] = {answer[0] & 63, p.response_dwords(), static_cast<Error>(error),
                               std::vector(answer.begin() + 2, answer.end())};
        waiting[kResponse].push_back(std::move(answer));
    }
    void watch() {
        const auto comes = [this](const Packet& p) {
            const auto expected = at_the_host.find(p.address);
            if (expected == at_the_host.end()) return;  // of an atomic, or of a bulk transfer
            EXPECT_TRUE(equal(p, expected->second)) << std::hex << p.address;
            at_the_host.erase(expected);
        };
        node.on_posted = comes;
        node.on_request = comes;
        node.on_answer = [this](const Packet& request, Packet& response) {
            const auto error = error_of.find(request.address);
            if (error != error_of.end()) response.error = error->second;
        };
        node.on_response = [this](const Packet& p) {
            ++answered;
            const auto due = answers_in.find(p.tag);
            if (prefetching) {
                last = p;
                return;
            }
            ASSERT_NE(due, answers_in.end());
            EXPECT_EQ(p.error, due->second.error);
            if (p.command == command::kReadResponse && p.error == Error::none) {
                EXPECT_EQ(p.data, due->second.data);
            }
            answers_in.erase(due);
        };
    }

    void traffic(unsigned packets) {
        for (unsigned i = 0; i < packets; ++i) {
            ask_the_host();
            ask_the_network(i * 341 & 1023);
        }
        EXPECT_TRUE(until([this] {
            return at_the_host.empty() && at_the_network.empty() && answers_out.empty() &&
                   answers_in.empty();
        })) << at_the_host.size()
            << " " << at_the_network.size() << " " << answers_out.size() << " "
            << answers_in.size();
        steps(300);
    }
    // A stream of loads, read ahead of.
    void stream() {
        prefetching = true;
        const std::uint64_t lines = 1 + random() % 16;
        node.write_register(kPrefetchLines, 32);
        const std::uint64_t low = line_of_target(3000);
        const bool down = random() & 1;
        for (unsigned i = 0; i < 12; ++i) {
            Packet p;
            p.command = command::kRead | command::kDwords;
            p.count = 15;
            p.address = low + 64 * (1000 + lines * (down ? 12 - i : i));
            p.tag = 1023 - i;
            const std::uint64_t far = there(p.address);
            const unsigned before = answered;
            node.send(kNonPosted, std::move(p));
            ASSERT_TRUE(until([&] { return answered > before; }));
            ASSERT_EQ(last.data.size(), 16u);
            for (unsigned d = 0; d < 16; ++d)
                EXPECT_EQ(last.data[d], far_word(far + 4 * d));
            steps(200);
        }
        steps(2000);
        answers_in.clear();
        node.write_register(kPrefetchLines, 0);
        node.write_register(kPrefetchInvalidate, 1);
        prefetching = false;
    }
    void bulk(bool get) {
        constexpr unsigned kLines = 8;
        const std::uint64_t local = random() % (kSpace - 64 * kLines) & ~std::uint64_t{63};
        const std::uint64_t global = line_of_target(kLines);
        const std::uint64_t notify = get ? random() % kSpace & ~std::uint64_t{7} : line_of_target();
        const std::uint32_t value = static_cast<std::uint32_t>(random());
        register_pair(kBulkLocalLo, local);
        register_pair(kBulkGlobalLo, global);
        register_pair(kBulkNotifyLo, notify);
        node.write_register(kBulkLength, 64 * kLines);
        node.write_register(kBulkValue, value);
        for (unsigned i = 0; i < kLines && !get; ++i) {
            std::uint8_t* line = node.line(local + 64 * i);
            for (unsigned b = 0; b < 64; ++b)
                line[b] = static_cast<std::uint8_t>(random());
            Packet p;
            p.command = command::kPostedWrite | command::kDwords;
            p.count = 15;
            p.address = there(global) + 64 * i;
            p.data.resize(16);
            std::memcpy(p.data.data(), line, 64);
            at_the_network[p.address] = p;
        }
        if (!get) {
            Packet p;
            p.command = command::kPostedWrite | command::kDwords;
            p.count = 1;
            p.address = there(notify);
            p.data = {value, 0};
            at_the_network[p.address] = p;
        }
        node.write_register(kBulkStart, get ? 3 : 2);
        steps(1500);
        EXPECT_EQ(node.read_register(kBulkStatus) >> 16, 0u);
        EXPECT_TRUE(at_the_network.empty());
        for (unsigned i = 0; i < kLines && get; ++i) {
            std::uint32_t words[16];
            std::memcpy(words, node.line(local + 64 * i), 64);
            for (unsigned d = 0; d < 16; ++d)
                EXPECT_EQ(words[d], far_word(there(global) + 64 * i + 4 * d));
        }
        if (get) {
            std::uint32_t noted;
            std::memcpy(&noted, node.line(notify) + (notify & 63), 4);
            EXPECT_EQ(noted, value);
        }
    }

    unsigned id = 0, target = 0;
    std::uint64_t origin_start = 0, base = 0, mask = 0;
    bool fixed = true, compacted = true, prefetching = false;
    unsigned answered = 0;
    Packet last;
    std::map<std::uint64_t, Packet> at_the_host, at_the_network;
    std::map<std::uint64_t, Error> error_of;
    std::map<std::uint32_t, Due> answers_out;
    std::map<unsigned, Due> answers_in;
    std::set<std::uint32_t> asked_here;
};

TEST_F(Wide, AnyNodesAndAddresses) {
    watch();
    node.behaviour.noise = true;
    for (unsigned round = 0; round < 16 && !HasFailure(); ++round) {
        SCOPED_TRACE(round);
        set_registers(round);
        if (HasFatalFailure()) return;
        give_credits();
        traffic(60);
        if (fixed) {
            bulk(false);
            bulk(true);
            stream();
        }
        asked_here.clear();
        error_of.clear();
    }
}

}  // namespace
