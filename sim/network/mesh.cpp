#include "sim/network/mesh.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/machine/check.hpp"

namespace isthmus::sim {

namespace {

constexpr unsigned kMaxChannels = 12;  // 5 ports x 12 channels fit one 64-bit mask

constexpr Port opposite(unsigned port) {
    constexpr Port table[] = {kSouth, kWest, kNorth, kEast, kLocal};
    return table[port];
}

/// The first set bit at or after `start`, going round. `mask` is not zero.
unsigned next_bit(std::uint64_t mask, unsigned start) {
    const std::uint64_t above = mask >> start << start;
    return static_cast<unsigned>(std::countr_zero(above != 0 ? above : mask));
}

}  // namespace

struct Mesh::Router {
    std::uint16_t x = 0, y = 0;
    std::array<NodeId, 4> neighbour{};
    std::array<bool, 4> linked{};

    std::uint64_t occupied = 0;  // input channels that hold a flit; bit = port * channels + channel
    std::uint64_t allocated = 0;  // input channels that own an output channel
    std::array<std::uint16_t, kPorts> output_busy{};
    std::array<std::uint16_t, kPorts> has_credit{};
    std::array<std::array<std::uint8_t, kMaxChannels>, kPorts> credits{};
    std::uint8_t allocation_start = 0;
    std::array<std::uint8_t, kPorts> output_channel_start{}, input_start{}, output_start{};
    std::vector<InputChannel> inputs;

    // The NIC's end of the injection link.
    std::uint16_t nic_busy = 0, nic_has_credit = 0;
    std::array<std::uint8_t, kMaxChannels> nic_credits{};
    std::array<InjectionQueue, 2> queues;
    std::uint8_t queue_start = 0;
    bool injecting = false;  // a queue may hold something

    RouterStatistics statistics;
};

Mesh::Mesh(const MachineDescription& machine, Cycle window)
    : width_(machine.mesh.width),
      height_(machine.mesh.height),
      node_count_(width_ * height_),
      channels_(static_cast<unsigned>(machine.network.virtual_channels)),
      classes_(static_cast<unsigned>(machine.network.message_classes)),
      depth_(static_cast<unsigned>(machine.network.buffer_flits)),
      inputs_(kPorts * channels_),
      router_flits_(inputs_ * depth_),
      router_cycles_(machine.network.router_cycles),
      link_cycles_(machine.network.link_cycles),
      credit_cycles_(machine.network.credit_cycles),
      lookahead_(std::min(1 + link_cycles_, credit_cycles_)),
      window_(window),
      // A range may be lookahead - 1 cycles ahead of the one that reads its line: the slots must
      // not meet.
      flit_mask_(std::bit_ceil(1 + link_cycles_ + lookahead_) - 1),
      wake_mask_(
          std::bit_ceil(window + lookahead_ + std::max(1 + link_cycles_, credit_cycles_) + 1) - 1),
      routers_(nodes()),
      buffers_(nodes() * inputs_ * depth_),
      link_slots_(nodes() * kPorts * (flit_mask_ + 1)),
      arrivals_((wake_mask_ + 1) * nodes()),
      deliveries_(nodes()),
      range_of_(nodes()) {
    for (unsigned input = 0; input < inputs_; ++input) {
        port_of_[input] = static_cast<std::uint8_t>(input / channels_);
        channel_of_[input] = static_cast<std::uint8_t>(input % channels_);
    }
    const auto all = static_cast<std::uint16_t>((1u << channels_) - 1);
    for (NodeId id = 0; id < nodes(); ++id) {
        Router& r = routers_[id];
        r.x = static_cast<std::uint16_t>(id % width_);
        r.y = static_cast<std::uint16_t>(id / width_);
        r.linked = {r.y > 0, r.x + 1u < width_, r.y + 1u < height_, r.x > 0};
        const auto w = static_cast<NodeId>(width_);
        r.neighbour = {id - w, id + 1, id + w, id - 1};
        r.inputs.resize(inputs_);
        for (unsigned port = 0; port < kPorts; ++port) {
            r.has_credit[port] = all;
            r.credits[port].fill(static_cast<std::uint8_t>(depth_));
        }
        r.nic_has_credit = all;
        r.nic_credits.fill(static_cast<std::uint8_t>(depth_));
    }
    set_ranges({0, static_cast<NodeId>(nodes())});
}

Mesh::~Mesh() {
    // Packets that were still queued or under way when the run ended: each is deleted where its
    // tail flit waits.
    const auto drop_tail = [](Packet* packet, std::uint32_t index) {
        if (packet != nullptr && index + 1 == packet->flits) delete packet;
    };
    for (const LinkSlot& slot : link_slots_)
        drop_tail(slot.packet, slot.index);
    for (NodeId id = 0; id < nodes(); ++id) {
        Router& r = routers_[id];
        for (unsigned input = 0; input < inputs_; ++input) {
            const InputChannel& channel = r.inputs[input];
            for (unsigned i = 0; i < channel.count; ++i) {
                const Flit& flit = buffer(id, input, wrap(channel.first + i));
                drop_tail(flit.packet, flit.index);
            }
        }
        for (InjectionQueue& queue : r.queues) {
            delete queue.current;
            while (queue.first != nullptr)
                delete std::exchange(queue.first, queue.first->next);
        }
        for (const Delivery& delivery : deliveries_[id])
            delete delivery.packet;
    }
}

void Mesh::set_ranges(std::vector<NodeId> bounds) {
    if (bounds.size() < 2 || bounds.front() != 0 || bounds.back() != nodes() ||
        !std::ranges::is_sorted(bounds)) {
        model_error("network: ranges must rise from 0 to the number of nodes");
    }
    if (active_flits() != 0)
        model_error("network: ranges may change only while no packet is under way");
    Cycle last_activity = 0;
    for (const Range& range : ranges_)
        last_activity = std::max(last_activity, range.last_activity);
    ranges_.assign(bounds.size() - 1, {});
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
        ranges_[i].first = bounds[i];
        ranges_[i].last = bounds[i + 1];
        ranges_[i].last_activity = last_activity;
        for (NodeId id = bounds[i]; id < bounds[i + 1]; ++id)
            range_of_[id] = static_cast<std::uint16_t>(i);
    }
}

std::string Mesh::where(NodeId id, Cycle cycle) const {
    return "network: cycle " + std::to_string(cycle) + ": router " + std::to_string(id) + " (" +
           std::to_string(id % width_) + "," + std::to_string(id / width_) + "): ";
}

std::uint64_t Mesh::hops(NodeId a, NodeId b) const {
    const auto distance = [](std::uint64_t p, std::uint64_t q) { return p > q ? p - q : q - p; };
    return distance(a % width_, b % width_) + distance(a / width_, b / width_);
}

Cycle Mesh::unloaded_latency(std::uint64_t hop_count, std::uint64_t flits) const {
    return link_cycles_ + (hop_count + 1) * (router_cycles_ + link_cycles_) + flits - 1;
}

bool Mesh::has_link(NodeId node, Port port) const {
    return port == kLocal || routers_[node].linked[port];
}

const RouterStatistics& Mesh::statistics(NodeId node) const {
    return routers_[node].statistics;
}

void Mesh::inject(Packet* packet, Cycle when) {
    if (when < now_ || when - now_ >= window_) {
        model_error(where(packet->source, now_) + "packet injected for cycle " +
                    std::to_string(when) + ", outside the window of " + std::to_string(window_) +
                    " cycles");
    }
    if (packet->destination >= nodes() || packet->message_class >= classes_ || packet->flits == 0) {
        model_error(where(packet->source, when) + "packet to node " +
                    std::to_string(packet->destination) + ", class " +
                    std::to_string(packet->message_class) + ", " + std::to_string(packet->flits) +
                    " flits is not for this network");
    }
    packet->destination_x = static_cast<std::uint16_t>(packet->destination % width_);
    packet->destination_y = static_cast<std::uint16_t>(packet->destination / width_);
    packet->created = when;
    packet->ejected_flits = 0;
    packet->next = nullptr;
    InjectionQueue& queue = routers_[packet->source].queues[packet->message_class];
    if (queue.first == nullptr) {
        queue.first = queue.last = packet;
    } else if (queue.last->created <= when) {
        queue.last->next = packet;
        queue.last = packet;
    } else {  // a reply that was ready earlier than one queued before it
        Packet** position = &queue.first;
        while ((*position)->created <= when)
            position = &(*position)->next;
        packet->next = std::exchange(*position, packet);
    }
    routers_[packet->source].injecting = true;
    ranges_[range_of_[packet->source]].active_flits_in += packet->flits;
    wake(packet->source, when);
}

void Mesh::step(std::size_t range_index, Cycle cycle) {
    Range& range = ranges_[range_index];
    Arrivals* const now = &arrivals(0, cycle);
    for (NodeId group = range.first; group < range.last; group += 64) {
        // First who has something to do, without a branch each: mostly a few of many have.
        const NodeId count = std::min<NodeId>(64, range.last - group);
        std::uint64_t busy = 0;
        for (NodeId i = 0; i < count; ++i) {
            std::uint64_t halves[2];
            std::memcpy(halves, &now[group + i], sizeof halves);
            busy |= std::uint64_t{(halves[0] | halves[1]) != 0} << i;
        }
        for (; busy != 0; busy &= busy - 1) {
            const NodeId id = group + static_cast<NodeId>(std::countr_zero(busy));
            std::uint64_t halves[2];
            std::memcpy(halves, &now[id], sizeof halves);
            now[id] = Arrivals{};
            step_router(range, id, halves[0], halves[1], cycle);
        }
    }
}

void Mesh::run_until(Cycle end) {
    while (now_ < end) {
        if (idle()) {
            now_ = end;
            return;
        }
        for (std::size_t i = 0; i < ranges_.size(); ++i)
            step(i, now_);
        ++now_;
    }
}

bool Mesh::idle() const {
    if (active_flits() != 0) return false;
    Cycle last = 0;
    for (const Range& range : ranges_)
        last = std::max(last, range.last_activity);
    return now_ > last + std::max(1 + link_cycles_, credit_cycles_);
}

std::uint64_t Mesh::active_flits() const {
    std::uint64_t in = 0, out = 0;
    for (const Range& range : ranges_) {
        in += range.active_flits_in;
        out += range.active_flits_out;
    }
    return in - out;
}

void Mesh::step_router(Range& range, NodeId id, std::uint64_t flits, std::uint64_t credits,
                       Cycle cycle) {
    static_assert(std::endian::native == std::endian::little, "bytes are taken from words below");
    Router& r = routers_[id];
    range.last_activity = cycle;
    constexpr std::uint64_t kPortBytes = (std::uint64_t{1} << 8 * kPorts) - 1;
    for (std::uint64_t left = flits & kPortBytes; left != 0;) {
        const unsigned port = static_cast<unsigned>(std::countr_zero(left)) / 8;
        accept(r, id, port, static_cast<unsigned>(left >> 8 * port & 0xff) - 1u, cycle);
        left &= ~(std::uint64_t{0xff} << 8 * port);
    }
    for (std::uint64_t left = credits; left != 0;) {
        const unsigned port = static_cast<unsigned>(std::countr_zero(left)) / 8;
        const unsigned channel = static_cast<unsigned>(left >> 8 * port & 0xff) - 1u;
        left &= ~(std::uint64_t{0xff} << 8 * port);
        std::uint8_t& count = port == kLocal ? r.nic_credits[channel] : r.credits[port][channel];
        if (++count > depth_) {
            model_error(where(id, cycle) + "more credits than buffer slots, port " +
                        std::to_string(port) + ", channel " + std::to_string(channel));
        }
        (port == kLocal ? r.nic_has_credit : r.has_credit[port]) |=
            static_cast<std::uint16_t>(1u << channel);
    }
    if (r.injecting) inject_flit(r, id, cycle);
    if (r.occupied != 0) {
        if ((r.occupied & ~r.allocated) != 0) allocate_channels(r, id, cycle);
        if ((r.occupied & r.allocated) != 0) traverse_switch(range, r, id, cycle);
        if (r.occupied != 0) wake(id, cycle + 1);
    }
}

void Mesh::accept(Router& r, NodeId id, unsigned port, unsigned channel_number, Cycle cycle) {
    const unsigned input = port * channels_ + channel_number;
    LinkSlot& slot = link_slot(id, port, cycle);
    Packet* const packet = std::exchange(slot.packet, nullptr);
    InputChannel& channel = r.inputs[input];
    if (channel.count == depth_) {
        model_error(where(id, cycle) + "buffer overflow, port " + std::to_string(port) +
                    ", channel " + std::to_string(channel_number));
    }
    const bool in_order = channel.expected == 0
                              ? slot.index == 0
                              : packet == channel.arriving && slot.index == channel.expected;
    if (packet == nullptr || !in_order) {
        model_error(where(id, cycle) + "flit " + std::to_string(slot.index) +
                    " out of order, expected " + std::to_string(channel.expected));
    }
    channel.arriving = packet;
    channel.expected = slot.index + 1 == packet->flits ? 0 : slot.index + 1;
    buffer(id, input, wrap(channel.first + channel.count)) = {packet, slot.index,
                                                              static_cast<std::uint32_t>(cycle)};
    ++channel.count;
    if (channel.count > r.statistics.peak_buffer) r.statistics.peak_buffer = channel.count;
    r.occupied |= std::uint64_t{1} << input;
}

void Mesh::inject_flit(Router& r, NodeId id, Cycle cycle) {
    bool waiting = false, sent = false;
    for (unsigned i = 0; i < classes_; ++i) {
        const unsigned number = (r.queue_start + i) % classes_;
        InjectionQueue& queue = r.queues[number];
        if (queue.current == nullptr) {
            if (queue.first == nullptr) continue;
            if (queue.first->created > cycle) {
                wake(id, queue.first->created);
                continue;
            }
            const unsigned per_class = channels_ / classes_;
            const unsigned mine = ((1u << per_class) - 1) << (number * per_class);
            const unsigned usable = mine & ~r.nic_busy & r.nic_has_credit;
            if (usable == 0) {
                waiting = true;
                continue;
            }
            queue.current = std::exchange(queue.first, queue.first->next);
            queue.next_flit = 0;
            queue.channel = static_cast<std::uint8_t>(std::countr_zero(usable));
            r.nic_busy |= static_cast<std::uint16_t>(1u << queue.channel);
        }
        waiting = true;
        if (sent || r.nic_credits[queue.channel] == 0) continue;
        sent = true;
        r.queue_start = static_cast<std::uint8_t>((number + 1) % classes_);
        Packet* packet = queue.current;
        if (queue.next_flit == 0) {
            packet->injected = cycle;
            ++r.statistics.injected_packets;
        }
        ++r.statistics.injected_flits;
        const Cycle arrival = cycle + link_cycles_;
        link_slot(id, kLocal, arrival) = {packet, queue.next_flit};
        arrivals(id, arrival).flits[kLocal] = static_cast<std::uint8_t>(queue.channel + 1);
        if (--r.nic_credits[queue.channel] == 0) {
            r.nic_has_credit &= static_cast<std::uint16_t>(~(1u << queue.channel));
        }
        if (++queue.next_flit == packet->flits) {
            queue.current = nullptr;
            r.nic_busy &= static_cast<std::uint16_t>(~(1u << queue.channel));
            if (queue.first != nullptr) wake(id, std::max(cycle + 1, queue.first->created));
        }
    }
    if (waiting) wake(id, cycle + 1);
    r.injecting = r.queues[0].first != nullptr || r.queues[0].current != nullptr ||
                  r.queues[1].first != nullptr || r.queues[1].current != nullptr;
}

Port Mesh::route(const Router& r, const Packet& packet) const {
    if (packet.destination_x != r.x) return packet.destination_x > r.x ? kEast : kWest;
    if (packet.destination_y != r.y) return packet.destination_y > r.y ? kSouth : kNorth;
    return kLocal;
}

void Mesh::allocate_channels(Router& r, NodeId id, Cycle cycle) {
    const auto now = static_cast<std::uint32_t>(cycle);
    const auto delay = static_cast<std::uint32_t>(router_cycles_ >= 2 ? router_cycles_ - 2 : 0);
    const unsigned per_class = channels_ / classes_;
    std::uint64_t todo = r.occupied & ~r.allocated;
    unsigned start = r.allocation_start;
    while (todo != 0) {
        const unsigned input = next_bit(todo, start);
        todo &= ~(std::uint64_t{1} << input);
        InputChannel& channel = r.inputs[input];
        const Flit& flit = buffer(id, input, channel.first);
        if (now - flit.arrival < delay) continue;
        const Port output = route(r, *flit.packet);
        const unsigned mine = ((1u << per_class) - 1) << (flit.packet->message_class * per_class);
        const unsigned available = mine & ~r.output_busy[output];
        if (available == 0) continue;
        const unsigned better = available & r.has_credit[output];
        const unsigned chosen =
            next_bit(better != 0 ? better : available, r.output_channel_start[output]);
        r.output_busy[output] |= static_cast<std::uint16_t>(1u << chosen);
        r.output_channel_start[output] =
            static_cast<std::uint8_t>(chosen + 1 == channels_ ? 0 : chosen + 1);
        channel.output = output;
        channel.output_channel = static_cast<std::uint8_t>(chosen);
        channel.switch_ready = now + (router_cycles_ >= 2 ? 1 : 0);
        r.allocated |= std::uint64_t{1} << input;
        r.allocation_start = static_cast<std::uint8_t>(input + 1 == inputs_ ? 0 : input + 1);
    }
}

void Mesh::traverse_switch(Range& range, Router& r, NodeId id, Cycle cycle) {
    const auto now = static_cast<std::uint32_t>(cycle);
    const auto delay = static_cast<std::uint32_t>(router_cycles_ - 1);
    const auto may_go = [&](unsigned input) {
        const InputChannel& channel = r.inputs[input];
        if (now - buffer(id, input, channel.first).arrival < delay) return false;
        if (static_cast<std::int32_t>(now - channel.switch_ready) < 0) return false;
        if ((r.has_credit[channel.output] >> channel.output_channel & 1) == 0) {
            ++r.statistics.credit_stalls;
            return false;
        }
        return true;
    };
    const auto went = [&](unsigned input, unsigned output) {
        const unsigned port = port_of_[input], next = channel_of_[input] + 1u;
        r.output_start[output] = static_cast<std::uint8_t>(port + 1 == kPorts ? 0 : port + 1);
        r.input_start[port] = static_cast<std::uint8_t>(next == channels_ ? 0 : next);
        send(range, r, id, input, cycle);
    };
    std::uint64_t todo = r.occupied & r.allocated;
    if ((todo & (todo - 1)) == 0) {  // mostly: one channel, no competition
        const auto input = static_cast<unsigned>(std::countr_zero(todo));
        if (may_go(input)) went(input, r.inputs[input].output);
        return;
    }
    // Input stage: each input port proposes one of its channels.
    std::array<std::uint32_t, kPorts> ready{};
    unsigned proposals = 0;
    while (todo != 0) {
        const auto input = static_cast<unsigned>(std::countr_zero(todo));
        todo &= todo - 1;
        if (!may_go(input)) continue;
        ready[port_of_[input]] |= 1u << channel_of_[input];
        ++proposals;
    }
    std::array<unsigned, kPorts> proposal{};
    std::array<std::uint32_t, kPorts> requests{};
    unsigned wanted = 0;
    for (unsigned port = 0; port < kPorts; ++port) {
        if (ready[port] == 0) continue;
        proposal[port] = port * channels_ + next_bit(ready[port], r.input_start[port]);
        const unsigned output = r.inputs[proposal[port]].output;
        requests[output] |= 1u << port;
        wanted |= 1u << output;
    }
    // Output stage: each output port takes one proposal. Pointers move past winners only, which
    // keeps it fair.
    for (; wanted != 0; wanted &= wanted - 1) {
        const auto output = static_cast<unsigned>(std::countr_zero(wanted));
        const unsigned port = next_bit(requests[output], r.output_start[output]);
        --proposals;
        went(proposal[port], output);
    }
    r.statistics.switch_stalls += proposals;
}

void Mesh::send(Range& range, Router& r, NodeId id, unsigned input, Cycle cycle) {
    InputChannel& channel = r.inputs[input];
    const Flit flit = buffer(id, input, channel.first);
    const unsigned output = channel.output, out_channel = channel.output_channel;
    const unsigned in_port = port_of_[input];
    const std::uint8_t in_channel = channel_of_[input];
    channel.first = static_cast<std::uint8_t>(channel.first + 1u == depth_ ? 0 : channel.first + 1);
    if (--channel.count == 0) r.occupied &= ~(std::uint64_t{1} << input);
    const bool tail = flit.index + 1 == flit.packet->flits;
    if (tail) {
        r.allocated &= ~(std::uint64_t{1} << input);
        r.output_busy[output] &= static_cast<std::uint16_t>(~(1u << out_channel));
    }
    ++r.statistics.link_flits[output];

    const NodeId upstream = in_port == kLocal ? id : r.neighbour[in_port];
    const Cycle credit_arrival = cycle + credit_cycles_;
    arrivals(upstream, credit_arrival).credits[opposite(in_port)] =
        static_cast<std::uint8_t>(in_channel + 1);

    const Cycle arrival = cycle + 1 + link_cycles_;
    if (output != kLocal) {
        if (--r.credits[output][out_channel] == 0) {
            r.has_credit[output] &= static_cast<std::uint16_t>(~(1u << out_channel));
        }
        const NodeId next = r.neighbour[output];
        link_slot(next, opposite(output), arrival) = {flit.packet, flit.index};
        arrivals(next, arrival).flits[opposite(output)] =
            static_cast<std::uint8_t>(out_channel + 1);
        return;
    }
    Packet& packet = *flit.packet;
    if (packet.destination != id || packet.ejected_flits != flit.index) {
        model_error(where(id, cycle) + "flit " + std::to_string(flit.index) +
                    " of a packet from node " + std::to_string(packet.source) + " to node " +
                    std::to_string(packet.destination) + " ejected wrongly; " +
                    std::to_string(packet.ejected_flits) + " flits came before it");
    }
    ++packet.ejected_flits;
    ++r.statistics.ejected_flits;
    ++range.active_flits_out;
    if (tail) {
        packet.delivered = arrival;
        ++r.statistics.ejected_packets;
        deliveries_[id].push_back({&packet, arrival});
    }
}

void Mesh::check_quiescent() const {
    if (!idle()) model_error("network: checked for quiescence while packets are under way");
    std::uint64_t injected = 0, ejected = 0;
    for (NodeId id = 0; id < nodes(); ++id) {
        const Router& r = routers_[id];
        injected += r.statistics.injected_flits;
        ejected += r.statistics.ejected_flits;
        if (r.occupied != 0 || r.allocated != 0 || r.nic_busy != 0) {
            model_error(where(id, now_) + "a channel is still held in an idle network");
        }
        for (unsigned channel = 0; channel < channels_; ++channel) {
            for (unsigned port = 0; port < kLocal; ++port) {
                if (r.credits[port][channel] != depth_ || r.output_busy[port] != 0) {
                    model_error(where(id, now_) + "credits lost at port " + std::to_string(port));
                }
            }
            if (r.nic_credits[channel] != depth_)
                model_error(where(id, now_) + "credits lost at the NIC");
        }
        for (const InputChannel& channel : r.inputs) {
            if (channel.expected != 0) model_error(where(id, now_) + "a packet lost its tail");
        }
    }
    if (injected != ejected) {
        model_error("network: " + std::to_string(injected) + " flits went in, " +
                    std::to_string(ejected) + " came out");
    }
}

}  // namespace isthmus::sim
