#include "model/measure.hpp"

#include <cstdlib>

#include "tests/engine_registers.hpp"

namespace isthmus::rtl {

Line::Line(unsigned delay, unsigned host_latency, const EngineSettings& settings,
           std::uint64_t start)
    : network_(2, start), map_(AddressMap::make(2, 22, 0, true)), delay_(delay) {
    configure(network_, map_, settings);
    for (unsigned n = 0; n < 2; ++n) {
        node(n).behaviour.latency = host_latency;
        for (unsigned c = 0; c < kChannels; ++c)
            credits_[n][c] = 16;
    }
}

void Line::cycle() {
    Flit in[2];
    bool credit[2][kChannels];
    const std::uint64_t now = this->now();
    for (unsigned n = 0; n < 2; ++n) {
        for (unsigned c = 0; c < kChannels; ++c) {
            credits_[n][c] += node(n).credit_out(c);
            credit[n][c] = false;
        }
        const Flit out = node(n).out();
        if (!out.valid) continue;
        inside_[1 - n][out.channel].push_back({now + delay_, out});
        credit[n][out.channel] = out.last;  // the line has room
    }
    for (unsigned n = 0; n < 2; ++n) {
        for (int c = kResponse; current_[n] < 0 && c >= 0; --c) {
            const auto& queue = inside_[n][c];
            if (!queue.empty() && queue.front().due <= now && credits_[n][c] > 0) {
                current_[n] = c;
                --credits_[n][c];
            }
        }
        if (current_[n] >= 0) {
            auto& queue = inside_[n][current_[n]];
            if (!queue.empty() && queue.front().due <= now) {
                in[n] = queue.front().flit;
                queue.pop_front();
                ++words[n];
                if (in[n].last) current_[n] = -1;
            }
        }
    }
    for (unsigned n = 0; n < 2; ++n)
        node(n).cycle(in[n], credit[n]);
}

namespace {

Packet read_of(const AddressMap& map, std::uint64_t offset, unsigned bytes, unsigned tag) {
    Packet p;
    p.command = command::kRead | command::kDwords;
    p.count = bytes / 4 - 1;
    p.tag = tag;
    p.address = map.global(1, offset);
    return p;
}

}  // namespace

double posted_cycles(unsigned bytes, unsigned count) {
    Line line(1, 1);
    unsigned arrived = 0;
    std::uint64_t first = 0, last = 0;
    line.node(1).on_posted = [&](const Packet&) {
        if (arrived++ == count / 4) first = line.now();
        last = line.now();
    };
    for (unsigned i = 0; i < count; ++i) {
        Packet p;
        p.command = command::kPostedWrite | command::kDwords;
        p.count = bytes / 4 - 1;
        p.data.assign(bytes / 4, i);
        p.address = line.map().global(1, 64ull * (i % 1024));
        line.node(0).send(kPosted, p);
    }
    for (unsigned i = 0; arrived < count && i < 400 * count; ++i)
        line.cycle();
    return static_cast<double>(last - first) / (arrived - 1 - count / 4);
}

Trip round_trip(unsigned bytes, bool atomic, unsigned delay, unsigned host_latency) {
    Line line(delay, host_latency);
    constexpr unsigned kCount = 32;
    unsigned done = 0;
    std::uint64_t begun = 0, request = 0, host = 0, whole = 0;
    bool waiting = false;
    line.node(1).on_request = [&](const Packet&) { request = line.node(1).now(); };
    // The answer is driven in the cycle in which it is queued.
    line.node(1).on_answer_sent = [&](const Packet&) { host += line.node(1).now() - request; };
    line.node(0).on_response = [&](const Packet&) {
        whole += line.node(0).now() - begun;
        ++done;
        waiting = false;
    };
    for (unsigned pause = 0; done < kCount; ++pause) {
        if (!waiting && pause % 64 == 63) {
            Packet p = read_of(line.map(), 4096 + 64 * done, bytes, done);
            if (atomic) {
                p.command = command::kAtomic;
                p.count = 1;
                p.data = {1, 0};
            }
            line.node(0).send(kNonPosted, p);
            begun = line.node(0).now();
            waiting = true;
        }
        line.cycle();
        if (pause > 100000) std::abort();
    }
    Trip trip;
    trip.whole = static_cast<double>(whole) / kCount;
    trip.engine = static_cast<double>(whole - host) / kCount - 2.0 * delay;
    return trip;
}

double read_rate(unsigned bytes, unsigned open, unsigned delay, unsigned host_latency,
                 unsigned count) {
    Line line(delay, host_latency);
    unsigned sent = 0, done = 0;
    std::uint64_t first = 0, last = 0;
    std::deque<unsigned> tags;
    for (unsigned t = 0; t < open; ++t)
        tags.push_back(t);
    line.node(0).on_response = [&](const Packet& p) {
        tags.push_back(p.tag);
        if (done++ == count / 4) first = line.now();
        last = line.now();
    };
    while (done < count) {
        while (!tags.empty() && sent < count) {
            line.node(0).send(kNonPosted,
                              read_of(line.map(), 64ull * (sent % 16384), bytes, tags.front()));
            tags.pop_front();
            ++sent;
        }
        line.cycle();
    }
    return static_cast<double>(bytes) * (done - 1 - count / 4) / static_cast<double>(last - first);
}

Stream read_stream(unsigned bytes, int stride, unsigned lines_ahead, unsigned delay,
                   unsigned host_latency, unsigned count) {
    EngineSettings settings;
    settings.prefetch_lines = lines_ahead;
    Line line(delay, host_latency, settings);
    unsigned done = 0;
    bool waiting = false;
    std::uint64_t first = 0, last = 0;
    line.node(0).on_response = [&](const Packet&) {
        if (done++ == count / 4) first = line.now();
        last = line.now();
        waiting = false;
    };
    const std::int64_t begin = stride < 0 ? -static_cast<std::int64_t>(stride) * count : 0;
    while (done < count) {
        if (!waiting) {
            const auto offset =
                static_cast<std::uint64_t>(begin + static_cast<std::int64_t>(stride) * done);
            line.node(0).send(kNonPosted, read_of(line.map(), offset, bytes, done % 32));
            waiting = true;
        }
        line.cycle();
    }
    Stream stream;
    const double cycles = static_cast<double>(last - first);
    stream.bytes_per_cycle = static_cast<double>(bytes) * (done - 1 - count / 4) / cycles;
    // A line takes 18 words: what the link could have brought is 64 B in as many cycles.
    stream.link_share = stream.bytes_per_cycle * 18 / 64;
    for (unsigned i = 0; i < 4000; ++i)
        line.cycle();
    const double hits = line.node(0).read_register(registers::kCountPrefetchHit);
    const double issued = line.node(0).read_register(registers::kCountPrefetchIssue);
    stream.hit_rate = hits / count;
    const double useful = stride >= 64 || stride <= -64 ? hits : hits * bytes / 64;
    stream.wasted = issued == 0 ? 0 : (issued - useful) / issued;
    return stream;
}

double bulk_rate(bool get, unsigned bytes, unsigned delay, unsigned host_latency) {
    using namespace registers;
    Line line(delay, host_latency);
    Node& node = line.node(0);
    const std::uint64_t local = line.map().base(0) + 4096, global = line.map().global(1, 8192);
    const std::uint64_t notify = get ? line.map().base(0) + 64 : line.map().global(1, 64);
    const std::uint64_t source = get ? line.map().local(1, 8192) : local;
    const std::uint64_t target = get ? local : line.map().local(1, 8192);
    for (unsigned i = 0; i < bytes; ++i)
        line.node(get ? 1 : 0).line(source + i)[(source + i) & 63] =
            static_cast<std::uint8_t>(i * 7 + i / 251);
    const auto wide = [&](unsigned address, std::uint64_t value) {
        node.write_register(address, static_cast<std::uint32_t>(value));
        node.write_register(address + 4, static_cast<std::uint32_t>(value >> 32));
    };
    wide(kBulkLocalLo, local);
    wide(kBulkGlobalLo, global);
    wide(kBulkNotifyLo, notify);
    node.write_register(kBulkLength, bytes);
    node.write_register(kBulkValue, 0x600d);
    bool notified = false;
    const std::uint64_t notice = get ? notify : line.map().local(1, 64);
    line.node(get ? 0 : 1).on_posted = [&](const Packet& p) {
        if (p.address == notice) notified = p.data[0] == 0x600d;
    };
    node.write_register(kBulkStart, (get ? 1u : 0u) | 2);
    const std::uint64_t begin = line.now();
    while (!notified && line.now() - begin < 100000 + 50ull * bytes)
        line.cycle();
    const double rate = static_cast<double>(bytes) / static_cast<double>(line.now() - begin);
    if (!notified) return 0;
    for (unsigned i = 0; i < bytes; ++i) {
        const std::uint64_t at = target + i;
        if (line.node(get ? 0 : 1).line(at)[at & 63] != static_cast<std::uint8_t>(i * 7 + i / 251))
            return 0;
    }
    return rate;
}

}  // namespace isthmus::rtl
