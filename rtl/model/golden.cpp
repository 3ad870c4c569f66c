#include "model/golden.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "tests/engine_registers.hpp"

namespace isthmus::rtl {

std::uint64_t gather_bits(std::uint64_t value, std::uint64_t mask) {
    std::uint64_t result = 0;
    for (unsigned from = 0, to = 0; from < 64; ++from)
        if (mask >> from & 1) result |= (value >> from & 1) << to++;
    return result;
}

std::uint64_t spread_bits(std::uint64_t value, std::uint64_t mask) {
    std::uint64_t result = 0;
    for (unsigned from = 0, to = 0; to < 64; ++to)
        if (mask >> to & 1) result |= (value >> from++ & 1) << to;
    return result;
}

AddressMap AddressMap::make(unsigned nodes, unsigned share_bits, std::uint64_t mask, bool compact) {
    AddressMap map;
    map.share_bits = share_bits;
    map.node_bits = static_cast<unsigned>(std::bit_width(nodes - 1));
    map.compact = compact;
    map.node_mask = mask != 0 ? mask : ((std::uint64_t{1} << map.node_bits) - 1) << share_bits;
    return map;
}

namespace {
std::uint64_t rest_of(const AddressMap& map) {
    return ((std::uint64_t{1} << map.width()) - 1) & ~map.node_mask;
}
}  // namespace

std::uint64_t AddressMap::global(unsigned node, std::uint64_t offset) const {
    return origin_start + (spread_bits(node, node_mask) | spread_bits(offset, rest_of(*this)));
}
std::uint64_t AddressMap::local(unsigned node, std::uint64_t offset) const {
    return base(node) + (compact ? offset : spread_bits(offset, rest_of(*this)));
}
std::uint64_t AddressMap::offset(unsigned node, std::uint64_t local) const {
    const std::uint64_t from_base = local - base(node);
    return compact ? from_base : gather_bits(from_base, rest_of(*this));
}

void configure(Network& network, const AddressMap& map, const EngineSettings& settings) {
    using namespace registers;
    for (unsigned n = 0; n < network.size(); ++n) {
        Node& node = network.node(n);
        const auto wide = [&](unsigned low, std::uint64_t value) {
            node.write_register(low, static_cast<std::uint32_t>(value));
            node.write_register(low + 4, static_cast<std::uint32_t>(value >> 32));
        };
        const std::uint64_t end = map.origin_start + (std::uint64_t{1} << map.width()) - 1;
        node.write_register(kNodeId, n);
        wide(kOriginStartLo, map.origin_start);
        wide(kMaskLo, map.node_mask);
        node.write_register(kGlobalWidth, map.width());
        node.write_register(kTimeout, settings.timeout);
        node.write_register(kTickLog, settings.tick_log);
        node.write_register(kOriginQuota, settings.origin_quota);
        node.write_register(kTargetQuota, settings.target_quota);
        node.write_register(kPrefetchLines, settings.prefetch_lines);
        node.write_register(kIntervalFirst + 4, static_cast<std::uint32_t>(map.origin_start >> 12));
        node.write_register(kIntervalLast + 4, static_cast<std::uint32_t>(end >> 12));
        node.write_register(kIntervalControl + 4, 1 | (settings.prefetch_lines != 0 ? 4 : 0));
        const std::uint64_t own = map.base(n),
                            last = map.local(n, (std::uint64_t{1} << map.share_bits) - 1);
        // The last eighth of the share is outside the windows: refused at the target.
        const std::uint64_t inside = map.local(n, (std::uint64_t{1} << map.share_bits) / 8 * 7 - 1);
        (void)last;
        node.write_register(kWindowFirst, static_cast<std::uint32_t>(own >> 6));
        node.write_register(kWindowLast, static_cast<std::uint32_t>(inside >> 6));
        node.write_register(kWindowOrigins, network.size() << 16);
        node.write_register(kWindowControl, 0xf | static_cast<std::uint32_t>(own >> 38 << 4) |
                                                static_cast<std::uint32_t>(inside >> 38 << 14));
    }
    for (unsigned i = 0; i < 1100; ++i)
        network.cycle();  // tables are emptied
    for (unsigned n = 0; n < network.size(); ++n) {
        Node& node = network.node(n);
        for (unsigned other = 0; other < network.size(); ++other) {
            const std::uint64_t base = map.base(other) >> 6;
            node.write_register(kNodeIndex, other);
            node.write_register(kNodeBaseLo, static_cast<std::uint32_t>(base));
            node.write_register(kNodeBaseHi, static_cast<std::uint32_t>(base >> 32) | 1u << 10);
        }
    }
    for (unsigned i = 0; i < 2200; ++i) {
        network.cycle();
    }
    for (unsigned n = 0; n < network.size(); ++n) {
        network.node(n).write_register(
            kControl, 1 | (map.compact ? 4 : 0) | (settings.prefetch_lines != 0 ? 8 : 0));
    }
    network.cycles(10);
}

Golden::Golden(Network& network, const AddressMap& map, const EngineSettings& settings,
               std::uint64_t seed)
    : network_(network), map_(map), settings_(settings), random_(seed) {
    const unsigned nodes = network.size();
    pairs_.resize(std::size_t{nodes} * nodes);
    free_tags_.resize(nodes);
    open_.assign(nodes, std::vector<std::uint64_t>(1024, 0));
    at_host_.assign(nodes, std::vector<std::uint64_t>(1024, 0));
    flush_open_.assign(nodes, false);
    streams_.assign(nodes, std::vector<Stream>(3));
    write_times_.push_back(0);  // number 0: none
    for (unsigned n = 0; n < nodes; ++n) {
        for (unsigned t = 0; t < 1024; ++t)
            free_tags_[n].push_back(t);
        Node& node = network.node(n);
        node.on_posted = [this, n](const Packet& p) { at_posted(n, p); };
        node.on_request = [this, n](const Packet& p) { at_request(n, p); };
        node.on_answer = [this, n](const Packet& q, Packet& r) { at_answer(n, q, r); };
        node.on_answer_sent = [this, n](const Packet& r) { at_answer_sent(n, r); };
        node.on_response = [this, n](const Packet& p) { at_response(n, p); };
    }
    network.on_lost = [this](unsigned c, const std::vector<std::uint32_t>& w) { at_loss(c, w); };
}

void Golden::fail(const std::string& what) {
    if (error_.empty()) error_ = "cycle " + std::to_string(network_.now()) + ": " + what;
}

namespace {
std::string text(const Packet& p) {
    char buffer[160];
    std::snprintf(buffer, sizeof buffer,
                  "command %02x count %u tag %u address %llx pass %d error %u data %08x...",
                  p.command, p.count, p.tag, static_cast<unsigned long long>(p.address),
                  p.pass_posted, static_cast<unsigned>(p.error), p.data.empty() ? 0 : p.data[0]);
    return buffer;
}
constexpr std::uint64_t kOfEngine = ~std::uint64_t{0};  // in place of a request's id
bool same(const Packet& a, const Packet& b) {
    return a.command == b.command && a.count == b.count && a.address == b.address &&
           a.pass_posted == b.pass_posted && a.sequence == b.sequence && a.data == b.data;
}
}  // namespace

Packet Golden::random_request(unsigned origin, unsigned target, bool posted, bool read) {
    Packet p;
    const std::uint64_t slice = (std::uint64_t{1} << map_.share_bits) / kSlices;
    const std::uint64_t line = origin % kAtomicSlice * slice + random_() % (slice / 64) * 64;
    unsigned first;
    if (read) {
        p.command = command::kRead | (random_() & 1 ? 8 : 0);
        first = random_() % 16;
        if (random_() % 8 != 0) {
            p.command |= command::kDwords;
            p.count = random_() % (16 - first);
        } else {
            p.count = random_() % 16;  // the mask of the dword's bytes
        }
    } else {
        p.command = posted ? command::kPostedWrite : command::kWrite;
        if (random_() % 3 != 0) {
            p.command |= command::kDwords;
            first = random_() % 16;
            p.count = random_() % (16 - first);
        } else {
            first = random_() % 16;
            p.count = 1 + random_() % (8 - first % 8);
        }
        p.data.resize(p.count + 1);
        for (auto& word : p.data)
            word = static_cast<std::uint32_t>(random_());
    }
    p.address = map_.local(target, line) + 4 * first;  // as it must arrive
    p.sequence = random_() % 4 == 0 ? random_() % 16 : 0;
    return p;
}

void Golden::issue(unsigned origin, const Mix& mix) {
    const unsigned nodes = network_.size();
    unsigned target = (random_() & 255) < mix.hot ? 0 : random_() % nodes;
    if (target == origin) target = (origin + 1) % nodes;
    const unsigned weights[] = {mix.posted, mix.read,    mix.write,     mix.atomic,    mix.flush,
                                mix.fence,  mix.illegal, mix.unclaimed, mix.broadcast, mix.outside};
    unsigned total = 0, kind = 0;
    for (const unsigned w : weights)
        total += w;
    unsigned pick = random_() % total;
    while (pick >= weights[kind])
        pick -= weights[kind++];
    Node& node = network_.node(origin);
    const bool pass = (random_() & 255) < mix.pass_posted;
    const bool posted = kind == 0 || kind == 5 || kind == 8 || (kind >= 6 && random_() & 1);
    auto& tags = free_tags_[origin];
    if (node.queued(posted ? kPosted : kNonPosted) > 40) return;
    if (!posted && tags.size() <= 1024 - mix.tags) return;
    if (kind == 4 && flush_open_[origin]) return;
    ++issued;
    ++kinds[kind];

    Packet arrives;
    bool goes = true;  // it reaches its target
    if (kind == 3) {
        arrives.command = command::kAtomic;
        arrives.count = 1;
        arrives.data = {static_cast<std::uint32_t>(1 + random_() % 1000), 0};
        const std::uint64_t slice = (std::uint64_t{1} << map_.share_bits) / kSlices;
        arrives.address = map_.local(target, kAtomicSlice * slice + random_() % 24 * 8);
    } else if (kind == 4) {
        arrives.command = command::kFlush;
    } else if (kind == 5) {
        arrives.command = command::kFence;
    } else if (kind == 8) {
        arrives.command = command::kBroadcast;
    } else {
        const bool read = !posted && kind != 2 && (kind == 1 || random_() & 1);
        arrives = kind < 3 && (random_() & 255) < mix.streams
                      ? stream_request(origin, target, posted, read)
                      : random_request(origin, target, posted, read);
        // So it is told apart from the engine's own reads.
        if (prefetches() && read) arrives.sequence = 1 + random_() % 15;
    }
    arrives.pass_posted = pass;
    Packet sent = arrives;
    if (kind < 4 || kind == 6 || kind == 7 || kind == 9) {
        const std::uint64_t offset = map_.offset(target, arrives.address);
        sent.address = map_.global(target, offset);
    }
    Error refusal = Error::none;
    if (kind == 6) {  // beyond its line, or a byte write beyond its block
        goes = false;
        refusal = Error::target_abort;
        sent.command = posted ? command::kPostedWrite : command::kWrite;
        sent.address |= 60;
        if (random_() & 1) sent.command |= command::kDwords;
        sent.count = 2 + random_() % 14;
        sent.data.assign(sent.count + 1, 0x1bad1bad);
    } else if (kind == 7) {
        goes = false;
        refusal = Error::master_abort;
        switch (random_() % 4) {
            case 0:
                sent.address =
                    map_.origin_start + (std::uint64_t{1} << map_.width()) + (sent.address & 63);
                break;
            case 1: sent.address = map_.origin_start - 64 + (sent.address & 63); break;
            case 2: sent.address |= std::uint64_t{1} << (48 + random_() % 16); break;
            default:
                sent.address = map_.global(origin, 4096) + (sent.address & 63);
                break;  // oneself
        }
    } else if (kind == 9) {  // the last eighth of the share: no window
        const std::uint64_t share = std::uint64_t{1} << map_.share_bits;
        goes = false;
        refusal = Error::target_abort;
        sent.address = map_.global(target, share / 8 * 7 + random_() % (share / 8 / 64) * 64) +
                       (sent.address & 63);
    } else if (kind == 8 || kind == 5) {
        goes = false;
    }
    if (posted) {
        if (goes) {
            Pair& p = pair(origin, target);
            if (prefetches()) p.writes.push_back(write_sent(target, arrives, true));
            p.posted.push_back(arrives);
            ++p.posted_sent;
        }
        node.send(kPosted, std::move(sent));
        return;
    }
    const std::size_t which = random_() % tags.size();
    sent.tag = tags[which];
    tags[which] = tags.back();
    tags.pop_back();
    Request request;
    request.id = next_id_++;
    request.begun = network_.now();
    request.target = target;
    request.origin = origin;
    request.packet = arrives;
    request.packet.tag = sent.tag;
    request.forwarded = goes && kind != 4;
    request.atomic = kind == 3;
    request.sure_error = refusal != Error::none;
    request.error = refusal;
    request.posted_before = pass ? 0 : pair(origin, target).posted_sent;
    if (prefetches() && request.forwarded && arrives.is_write())
        request.write = write_sent(target, arrives, false);
    if (prefetches() && request.forwarded && may_be_copy(arrives)) {
        request.may_be_copy = true;
        for (const OpenWrite& w : open_writes_[key(target, arrives.address >> 6)])
            if (!pass || !w.posted) request.behind.push_back(w.number);
    }
    open_[origin][sent.tag] = request.id;
    if (kind == 4) {
        flush_open_[origin] = true;
        // Everything that was posted before must have arrived when the answer comes, wherever.
        request.answer.clear();
        request.packet.data.clear();
        for (unsigned t = 0; t < nodes; ++t)
            request.packet.data.push_back(static_cast<std::uint32_t>(pair(origin, t).posted_sent));
    }
    if (request.forwarded && !request.atomic) pair(origin, target).requests.push_back(request.id);
    requests_.emplace(request.id, std::move(request));
    node.send(kNonPosted, std::move(sent));
}

void Golden::at_posted(unsigned node, const Packet& packet) {
    const std::uint64_t offset = map_.offset(node, packet.address);
    const std::uint64_t slice = (std::uint64_t{1} << map_.share_bits) / kSlices;
    if (offset / slice >= kAtomicSlice) return;  // an atomic's write back: judged by its answers
    const unsigned origin = static_cast<unsigned>(offset / slice);
    if (origin >= network_.size()) return fail("a write of nobody: " + text(packet));
    Pair& p = pair(origin, node);
    if (p.posted.empty())
        return fail("node " + std::to_string(node) +
                    ": a write that was not sent or came twice: " + text(packet));
    if (!same(p.posted.front(), packet))
        return fail("node " + std::to_string(node) + ": write of " + std::to_string(origin) +
                    " is " + text(packet) + ", expected " + text(p.posted.front()));
    p.posted.pop_front();
    ++p.posted_arrived;
    if (!prefetches()) return;
    write_arrived(node, packet, p.writes.front());
    p.writes.pop_front();
}

void Golden::at_request(unsigned node, const Packet& packet) {
    at_host_[node][packet.tag] = 0;
    if (packet.command == command::kFlush) return;
    // The hosts' own reads have another sequence; it may read ahead beyond its slice.
    if (prefetches() && packet.is_read() && packet.count == 15 && packet.sequence == 0) {
        at_host_[node][packet.tag] = kOfEngine;
        return;
    }
    const std::uint64_t offset = map_.offset(node, packet.address);
    const std::uint64_t slice = (std::uint64_t{1} << map_.share_bits) / kSlices;
    if (offset / slice >= kAtomicSlice) return;
    const unsigned origin = static_cast<unsigned>(offset / slice);
    if (origin >= network_.size()) return fail("a request of nobody: " + text(packet));
    Pair& p = pair(origin, node);
    // What copies answer does not come.
    while (prefetches() && !p.requests.empty() && requests_.at(p.requests.front()).may_be_copy &&
           !same(requests_.at(p.requests.front()).packet, packet))
        p.requests.pop_front();
    if (p.requests.empty())
        return fail("node " + std::to_string(node) +
                    ": a request that was not sent or came twice: " + text(packet));
    Request& request = requests_.at(p.requests.front());
    if (!same(request.packet, packet))
        return fail("node " + std::to_string(node) + ": request of " + std::to_string(origin) +
                    " is " + text(packet) + ", expected " + text(request.packet));
    if (p.posted_arrived < request.posted_before)
        return fail("node " + std::to_string(node) + ": a request passed " +
                    std::to_string(request.posted_before - p.posted_arrived) +
                    " posted writes: " + text(packet));
    p.requests.pop_front();
    request.arrived = true;
    if (request.write != 0) write_arrived(node, packet, request.write);
    at_host_[node][packet.tag] = request.id;
}

void Golden::at_answer(unsigned node, const Packet& request, Packet& response) {
    const std::uint64_t id = at_host_[node][request.tag];
    if (id == 0) return;
    if (id == kOfEngine) {
        if (random_() % 64 == 0) response.error = Error::data;
        return;
    }
    const auto found = requests_.find(id);
    if (found == requests_.end()) return;  // its origin has given it up
    // Now and then the host itself fails.
    if (random_() % 64 == 0 && response.command == command::kReadResponse)
        response.error = Error::data;
    found->second.answered_by_host = true;
    found->second.answer = response.data;
    if (response.error != Error::none) {
        found->second.sure_error = true;
        found->second.error = response.error;
    }
}

void Golden::at_answer_sent(unsigned node, const Packet& response) {
    const std::uint64_t id = at_host_[node][response.tag];
    const auto found = requests_.find(id);
    if (id == 0 || found == requests_.end()) return;
    found->second.ordered_back = !response.pass_posted;
    found->second.posted_back = pair(node, found->second.origin).posted_sent;
}

void Golden::at_response(unsigned node, const Packet& packet) {
    const std::uint64_t id = open_[node][packet.tag];
    if (id == 0)
        return fail("node " + std::to_string(node) +
                    ": a response that nobody waits for: " + text(packet));
    Request& request = requests_.at(id);
    const Packet& asked = request.packet;
    ++answered;
    if (on_latency) on_latency(asked, network_.now() - request.begun);
    const std::size_t dwords = asked.response_dwords();
    const bool reads = asked.is_read() || asked.command == command::kAtomic;
    const auto wrong = [&](const char* what) {
        fail("node " + std::to_string(node) + ": " + what + ": " + text(packet) + " to " +
             text(asked));
    };
    if (request.error == Error::target_abort && asked.command != command::kFlush) {
        // Illegal ones were changed on their way to the engine: their answer is judged by its
        // error.
        if (packet.error != Error::target_abort && !(may_fail && packet.error == Error::data))
            wrong("a refusal was expected");
    } else if ((packet.command == command::kReadResponse) != reads ||
               packet.data.size() != dwords) {
        wrong("a response of the wrong kind or length");
    } else if (packet.error != Error::none) {
        const bool by_time = may_fail && packet.error == Error::data;
        if (by_time && !request.sure_error) ++failed_by_time;
        if (!by_time && (!request.sure_error || packet.error != request.error))
            wrong("an error was not expected");
        if (!std::all_of(packet.data.begin(), packet.data.end(),
                         [](std::uint32_t w) { return w == 0xffffffff; }))
            wrong("an error's data are not all ones");
    } else if (request.sure_error) {
        wrong("an error was expected");
    } else if (asked.command == command::kFlush) {
        for (unsigned t = 0; t < network_.size(); ++t) {
            if (network_.dead[t]) continue;
            if (static_cast<std::uint32_t>(pair(node, t).posted_arrived) - asked.data[t] >
                0x80000000u)
                wrong("a flush was answered before the writes had arrived");
        }
    } else if (request.atomic) {
        std::uint64_t old = packet.data[0] | std::uint64_t{packet.data[1]} << 32;
        Word& word = words_[{request.target, asked.address}];
        if (!word.operand_of.emplace(old, asked.data[0]).second)
            wrong("two atomics saw the same value");
        word.sum += asked.data[0];
    } else {
        const bool served = request.may_be_copy && !request.arrived;
        if (!request.answered_by_host && !served) wrong("a response before the host's");
        if (!served && packet.data != request.answer) wrong("other data than the host gave");
        if (!served && request.ordered_back &&
            pair(request.target, node).posted_arrived < request.posted_back &&
            !network_.dead[request.target])
            wrong("a response passed posted writes");
        if (served) {
            judge_copy(request, packet);
            auto& waiting = pair(node, request.target).requests;
            if (const auto place = std::find(waiting.begin(), waiting.end(), id);
                place != waiting.end())
                waiting.erase(place);
        }
    }
    if (request.forwarded && !request.atomic && !request.arrived && may_fail) {
        // Given up before it arrived: it may still do so, and is then no surprise.
        auto& waiting = pair(node, request.target).requests;
        if (std::find(waiting.begin(), waiting.end(), id) != waiting.end()) {
            Request ghost = request;
            ghost.id = next_id_++;
            *std::find(waiting.begin(), waiting.end(), id) = ghost.id;
            requests_.emplace(ghost.id, std::move(ghost));
        }
    }
    if (asked.command == command::kFlush) flush_open_[node] = false;
    open_[node][packet.tag] = 0;
    free_tags_[node].push_back(packet.tag);
    requests_.erase(id);
}

void Golden::at_loss(unsigned channel, const std::vector<std::uint32_t>& words) {
    ++lost;
    const unsigned target = words[0] >> 16, origin = words[1] & 0xffff;
    if (target >= network_.size()) return;
    Pair& p = pair(origin, target);
    if (channel == kPosted) {
        if (p.posted.empty()) return;
        if (prefetches()) {
            write_lost(target, p.posted.front(), p.writes.front());
            p.writes.pop_front();
        }
        p.posted.pop_front();
        return;
    }
    if (channel != kNonPosted || (words[1] >> 26 & 1) != 0) return;  // the engine's own
    const unsigned tag = words[1] >> 16 & 1023;
    // By its tag: the first one on its way, which may have been given up before.
    for (auto place = p.requests.begin(); place != p.requests.end(); ++place) {
        const auto found = requests_.find(*place);
        if (found == requests_.end() || found->second.packet.tag != tag) continue;
        if (found->second.write != 0) write_lost(target, found->second.packet, found->second.write);
        if (open_[origin][tag] != *place) requests_.erase(found);  // a ghost
        p.requests.erase(place);
        return;
    }
}

void Golden::check_atomics() {
    if (may_fail) return;  // an atomic whose answer was lost has been executed all the same
    for (auto& [where, word] : words_) {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < word.operand_of.size(); ++i) {
            const auto next = word.operand_of.find(value);
            if (next == word.operand_of.end())
                return fail("an atomic's value does not follow from the others");
            value += next->second;
        }
        std::uint64_t memory;
        std::memcpy(&memory, network_.node(where.first).line(where.second) + (where.second & 63),
                    8);
        if (memory != value) fail("memory is not the sum of its atomics");
    }
}

bool Golden::run(std::uint64_t transactions, const Mix& mix, std::uint64_t quiet_limit) {
    std::uint64_t until = issued + transactions, last_answered = answered, quiet = 0;
    while (ok() && issued < until) {
        for (unsigned n = 0; n < network_.size(); ++n)
            if (!network_.dead[n] && (random_() & 255) < mix.issue) issue(n, mix);
        network_.cycle();
        if (on_progress && (network_.now() & 4095) == 0) on_progress(issued);
    }
    // Until everything has ended and the hosts are at rest.
    const auto open = [&] {
        for (unsigned n = 0; n < network_.size(); ++n) {
            if (network_.dead[n]) continue;
            for (unsigned t = 0; t < 1024; ++t)
                if (open_[n][t] != 0) return true;
            if (!network_.node(n).idle()) return true;
        }
        for (unsigned o = 0; o < network_.size(); ++o)
            for (unsigned t = 0; t < network_.size(); ++t)
                if (!network_.dead[o] && !network_.dead[t] && !pair(o, t).posted.empty())
                    return true;
        return !network_.empty();
    };
    while (ok() && open()) {
        network_.cycles(64);
        quiet = answered == last_answered ? quiet + 64 : 0;
        last_answered = answered;
        if (quiet > quiet_limit) {
            std::string what;
            for (unsigned n = 0; n < network_.size() && what.size() < 400; ++n) {
                unsigned count = 0;
                for (unsigned t = 0; t < 1024; ++t)
                    if (open_[n][t] != 0 && count++ == 0)
                        what += " node " + std::to_string(n) +
                                " waits: " + text(requests_.at(open_[n][t]).packet) + ";";
                if (!network_.node(n).idle()) what += " host " + std::to_string(n) + " not idle;";
            }
            fail("nothing moves any more:" + what);
        }
    }
    network_.cycles(300);
    if (ok()) check_atomics();
    return ok();
}

}  // namespace isthmus::rtl
