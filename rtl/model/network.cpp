#include "model/network.hpp"

namespace isthmus::rtl {

namespace {
constexpr int kNetCredits = 16;
}

Network::Network(unsigned nodes, std::uint64_t seed)
    : dead(nodes, false),
      ports_(nodes),
      random_(static_cast<std::mt19937::result_type>(seed)),
      posted_(std::size_t{nodes} * nodes),
      serials_(nodes, std::vector<std::deque<std::uint64_t>>(kChannels)) {
    for (unsigned n = 0; n < nodes; ++n) {
        nodes_.push_back(std::make_unique<Node>(n, seed));
        for (unsigned c = 0; c < kChannels; ++c) {
            ports_[n].credits[c] = kNetCredits;
            ports_[n].credit_back[c] = false;
            ports_[n].credits_owed[c] = 0;
        }
    }
}

void Network::take(unsigned n) {
    Port& port = ports_[n];
    const Flit flit = nodes_[n]->out();
    for (unsigned c = 0; c < kChannels; ++c)
        port.credits[c] += nodes_[n]->credit_out(c);
    if (!flit.valid) return;
    ++words;
    if (flit.first) port.arriving.clear();
    port.arriving.push_back(flit.data);
    if (!flit.last) return;
    const unsigned destination = port.arriving[0] >> 16;
    const auto lost = [&] {
        if (on_lost) on_lost(flit.channel, port.arriving);
        ++port.credits_owed[flit.channel];
    };
    if (destination >= size() || dead[n] || dead[destination]) return lost();
    if (flit.channel != kPosted && behaviour.lose != 0 && random_() % 65536 < behaviour.lose)
        return lost();
    std::uint64_t due = now_ + behaviour.latency;
    if (behaviour.latency_spread != 0) due += random_() % (behaviour.latency_spread + 1);
    if (flit.channel != kPosted && behaviour.delay != 0 && random_() % 65536 < behaviour.delay)
        due += behaviour.delayed;
    if (flit.channel != kPosted && behaviour.damage != 0 && random_() % 65536 < behaviour.damage) {
        if (on_lost) on_lost(flit.channel, port.arriving);
        port.arriving.resize(1 + random_() % (port.arriving.size() - 1));
        if (random_() & 1) port.arriving.resize(port.arriving.size() + 20);
    }
    ++serial_;
    if (flit.channel == kPosted) posted_[std::size_t{n} * size() + destination].push_back(serial_);
    serials_[n][flit.channel].push_back(serial_);
    port.inside[flit.channel].push_back({n, destination, flit.channel, due, port.arriving});
}

// A packet goes when it is the first of its pair and channel, unless it is held back for long: then
// others of its channel that do not need its order may overtake it (not posted ones).
bool Network::may_go(unsigned source, unsigned channel, std::size_t place) const {
    const Packet& packet = ports_[source].inside[channel][place];
    if (packet.due > now_) return false;
    if (channel != kResponse) {
        for (std::size_t i = 0; i < place; ++i)
            if (ports_[source].inside[channel][i].destination == packet.destination) return false;
    }
    if (channel == kPosted) return true;
    const auto& posted = posted_[std::size_t{source} * size() + packet.destination];
    return posted.empty() || posted.front() > serials_[source][channel][place];
}

Flit Network::give(unsigned n) {
    Port& port = ports_[n];
    if (port.leaving.empty()) {
        const unsigned nodes = size();
        const unsigned start = random_() % (nodes * kChannels);
        for (unsigned i = 0; i < nodes * kChannels && port.leaving.empty(); ++i) {
            const unsigned source = (start + i) % (nodes * kChannels) / kChannels;
            const unsigned channel = (start + i) % kChannels;
            if (port.credits[channel] == 0) continue;
            auto& inside = ports_[source].inside[channel];
            for (std::size_t place = 0; place < inside.size(); ++place) {
                if (inside[place].destination != n || !may_go(source, channel, place)) continue;
                --port.credits[channel];
                port.leaving = std::move(inside[place].words);
                port.leaving_channel = channel;
                port.next_word = 0;
                if (channel == kPosted) posted_[std::size_t{source} * nodes + n].pop_front();
                serials_[source][channel].erase(serials_[source][channel].begin() +
                                                static_cast<long>(place));
                inside.erase(inside.begin() + static_cast<long>(place));
                ++ports_[source].credits_owed[channel];
                break;
            }
        }
        if (port.leaving.empty()) return {};
    } else if (behaviour.gap != 0 && (random_() & 255) < behaviour.gap) {
        return {};
    }
    const Flit flit{true, port.leaving[port.next_word], port.leaving_channel, port.next_word == 0,
                    port.next_word + 1 == port.leaving.size()};
    if (++port.next_word == port.leaving.size()) port.leaving.clear();
    return flit;
}

void Network::cycle() {
    for (unsigned n = 0; n < size(); ++n)
        take(n);
    for (unsigned n = 0; n < size(); ++n) {
        const Flit flit = give(n);
        bool credit[kChannels];
        for (unsigned c = 0; c < kChannels; ++c) {
            credit[c] = ports_[n].credits_owed[c] > 0;
            ports_[n].credits_owed[c] -= credit[c];
        }
        nodes_[n]->cycle(flit, credit);
    }
    ++now_;
}

void Network::cycles(unsigned count) {
    for (unsigned i = 0; i < count; ++i)
        cycle();
}

bool Network::empty() const {
    for (const Port& port : ports_) {
        for (const auto& inside : port.inside)
            if (!inside.empty()) return false;
        if (!port.leaving.empty()) return false;
    }
    return true;
}

}  // namespace isthmus::rtl
