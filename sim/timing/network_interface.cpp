#include "sim/timing/network_interface.hpp"

#include <algorithm>
#include <cstring>

#include "sim/machine/check.hpp"
#include "sim/timing/core_timing.hpp"

namespace isthmus::sim {

NetworkInterface::NetworkInterface(const MachineDescription& machine, NodeId self,
                                   MemorySystem& memory, NodeMemory& data, EventQueue& events,
                                   NodePort& port, std::uint64_t nodes)
    : nic_(machine.nic),
      network_(machine.network),
      nlb_hit_cycles_(machine.nlb.hit_cycles),
      self_(self),
      memory_(memory),
      data_(data),
      events_(events),
      port_(port),
      nodes_(nodes),
      table_(machine),
      nlb_(machine.nlb.entries),
      request_tlb_(machine.mmu.target_entries, machine.mmu.target_ways),
      request_hit_cycles_(machine.mmu.target_hit_cycles),
      operations_(machine.nic.outstanding),
      free_operations_(machine.nic.outstanding) {}

NetworkInterface::~NetworkInterface() {
    for (Job& job : jobs_) {
        if (job.used) delete job.packet;
    }
    for (Request& request : requests_) {
        if (request.used) delete request.packet;
    }
    for (const Event& event : events_.all())
        delete event.packet;
}

// Initiator

void NetworkInterface::start(const RemoteOperation& request, Ticket ticket, Cycle now) {
    std::uint32_t index = 0;
    while (operations_[index].used)
        ++index;
    Operation& op = operations_[index];
    std::vector<std::byte> data = std::move(op.data);
    data.clear();
    op = Operation{};
    op.data = std::move(data);
    op.used = true;
    op.request = request;
    op.ticket = ticket;
    op.started = now;
    --free_operations_;
    reads_of_core_ += !request.autonomous && request.reads();
    writes_of_core_ += !request.autonomous && request.writes();
    if (request.kind == RemoteKind::nothing) return end(index, RemoteStatus::done, now);
    ++statistics_.operations[static_cast<std::size_t>(request.kind)];
    statistics_.peak_outstanding = std::max(statistics_.peak_outstanding, outstanding());

    const Cycle looked_up = now + nlb_hit_cycles_;
    if (request.name_space == 0) {
        op.entry = {0, self_, kAllRights, 0, ~std::uint64_t{0}};
        dispatch(index, looked_up);
    } else if (const NamespaceEntry* entry = nlb_.find(request.name_space); entry != nullptr) {
        op.entry = *entry;
        dispatch(index, looked_up);
    } else {
        op.table_slot = table_.first_slot(request.name_space);
        events_.push(looked_up, EventKind::walk, index);
    }
}

bool NetworkInterface::core_has(Ticket reads, Ticket writes) const {
    return std::ranges::any_of(operations_, [&](const Operation& op) {
        return op.used && !op.request.autonomous &&
               ((op.request.reads() && op.ticket < reads) ||
                (op.request.writes() && op.ticket < writes));
    });
}

void NetworkInterface::walk(std::uint32_t index, Cycle now) {
    Operation& op = operations_[index];
    ++nlb_.statistics().table_reads;
    ++op.probes;
    const MemoryPiece entry{table_.address(op.table_slot), sizeof(NamespaceEntry)};
    read_lines(new_job(Job::Purpose::walk, index, nullptr), {&entry, 1}, now);
}

void NetworkInterface::entry_read(std::uint32_t index, Cycle now) {
    Operation& op = operations_[index];
    const NamespaceEntry entry = table_.load(data_, op.table_slot);
    if ((entry.rights & kAllRights) != 0 && entry.id == op.request.name_space) {
        nlb_.insert(entry);
        op.entry = entry;
        dispatch(index, now);
    } else if (entry.rights == 0 || op.probes == table_.entries()) {
        ++nlb_.statistics().unmapped;
        end(index, RemoteStatus::unmapped, now);
    } else {
        op.table_slot = table_.next_slot(op.table_slot);
        walk(index, now);
    }
}

void NetworkInterface::dispatch(std::uint32_t index, Cycle now) {
    Operation& op = operations_[index];
    const RemoteOperation& request = op.request;
    std::uint32_t right = kMayAtomic;
    if (request.kind == RemoteKind::load || request.kind == RemoteKind::bulk_get) right = kMayRead;
    if (request.kind == RemoteKind::store || request.kind == RemoteKind::bulk_put)
        right = kMayWrite;
    const bool bulk = request.kind == RemoteKind::bulk_get || request.kind == RemoteKind::bulk_put;
    if (!op.entry.allows(request.address, request.bytes, right) || op.entry.node >= nodes_ ||
        (bulk && !contains(local_part(request, 0, request.bytes),
                           right == kMayRead ? kMayWrite : kMayRead))) {
        return end(index, RemoteStatus::refused, now);
    }
    if (bulk) {
        if (request.bytes == 0) return end(index, RemoteStatus::done, now);
        for (unsigned i = 0; i < kBulkWindow; ++i)
            start_segment(index, now);
        return;
    }
    Packet* packet = nullptr;
    switch (request.kind) {
        case RemoteKind::load:
            packet = make_request(op, index, MessageKind::load_request);
            size_packet(*packet, 0, true);
            break;
        case RemoteKind::store:
            packet = make_request(op, index, MessageKind::store_request);
            packet->payload.resize(request.bytes);
            std::memcpy(packet->payload.data(), request.value,
                        std::min<std::size_t>(request.bytes, 16));
            size_packet(*packet, request.bytes, true);
            break;
        default:
            packet = make_request(op, index, MessageKind::atomic_request);
            packet->operation = request.operation;
            packet->operand = request.value[0];
            packet->compare = request.compare;
            size_packet(*packet,
                        request.operation == AtomicOperation::compare_swap ? 2 * request.bytes
                                                                           : request.bytes,
                        true);
            break;
    }
    op.segments = 1;
    send(packet, now + nic_.transmit_cycles);
}

void NetworkInterface::start_segment(std::uint32_t index, Cycle now) {
    Operation& op = operations_[index];
    const RemoteOperation& request = op.request;
    if (op.next_offset == request.bytes || op.status != RemoteStatus::done) return;
    const std::uint64_t offset = op.next_offset;
    const std::uint64_t bytes = std::min<std::uint64_t>(nic_.packet_bytes, request.bytes - offset);
    op.next_offset += bytes;
    ++op.segments;
    const bool put = request.kind == RemoteKind::bulk_put;
    Packet* packet =
        make_request(op, index, put ? MessageKind::store_request : MessageKind::load_request);
    packet->address = request.address + offset;
    packet->offset = offset;
    packet->bytes = static_cast<std::uint32_t>(bytes);
    if (!put) {
        size_packet(*packet, 0, true);
        send(packet, now + nic_.transmit_cycles);
        return;
    }
    packet->payload.resize(bytes);
    const std::vector<MemoryPiece> local = local_part(request, offset, bytes);
    read(local, packet->payload);
    size_packet(*packet, bytes, true);
    read_lines(new_job(Job::Purpose::send, index, packet), local, now);
}

void NetworkInterface::segment_done(std::uint32_t index, std::uint64_t bytes, RemoteStatus status,
                                    Cycle now) {
    Operation& op = operations_[index];
    op.done_bytes += bytes;
    --op.segments;
    if (status != RemoteStatus::done) op.status = status;
    const bool bulk =
        op.request.kind == RemoteKind::bulk_get || op.request.kind == RemoteKind::bulk_put;
    if (bulk) start_segment(index, now);
    if (op.segments == 0) end(index, op.status, now);
}

void NetworkInterface::end(std::uint32_t index, RemoteStatus status, Cycle when) {
    Operation& op = operations_[index];
    op.status = status;
    events_.push(when + op.request.completion_cycles, EventKind::complete, index);
}

void NetworkInterface::complete(std::uint32_t index, Cycle now) {
    Operation& op = operations_[index];
    if (op.request.kind != RemoteKind::nothing) count(op, now);
    op.used = false;
    ++free_operations_;
    reads_of_core_ -= !op.request.autonomous && op.request.reads();
    writes_of_core_ -= !op.request.autonomous && op.request.writes();
    core_->remote_done(op.request, now);
    source_->remote_completed(op.ticket, op.status, op.data);
}

void NetworkInterface::count(const Operation& op, Cycle now) {
    statistics_.faults += op.status != RemoteStatus::done;
    statistics_.latency[static_cast<std::size_t>(op.request.kind)].add(now - op.started);
    if (records_ != nullptr && records_->size() < record_limit_) {
        records_->push_back({op.started, now, op.entry.node, op.request.kind, op.request.bytes});
    }
}

Packet* NetworkInterface::make_request(const Operation& op, std::uint32_t index, MessageKind kind) {
    Packet* packet = pool_.take();
    packet->source = self_;
    packet->destination = op.entry.node;
    packet->kind = kind;
    packet->ticket = index;
    packet->address = op.request.address;
    packet->bytes = static_cast<std::uint32_t>(op.request.bytes);
    return packet;
}

void NetworkInterface::size_packet(Packet& packet, std::uint64_t payload_bytes, bool has_address) {
    const std::uint64_t flit_bytes = network_.flit_bits / 8;
    const std::uint64_t payload = (payload_bytes + flit_bytes - 1) / flit_bytes;
    const std::uint64_t address = has_address ? network_.address_flits : 0;
    packet.flits = static_cast<std::uint32_t>(network_.header_flits + address + payload);
    ++statistics_.packets;
    statistics_.header_flits += network_.header_flits;
    statistics_.address_flits += address;
    statistics_.payload_flits += payload;
    statistics_.payload_bytes += payload_bytes;
}

// Both sides

void NetworkInterface::handle(const Event& event) {
    if (event.when < step_begin_) {
        model_error("NIC of node " + std::to_string(self_) + ": an event of cycle " +
                    std::to_string(event.when) + " was left behind, the window begins at " +
                    std::to_string(step_begin_));
    }
    switch (event.kind) {
        case EventKind::arrive: return arrive(event.packet, event.when);
        case EventKind::walk: return walk(event.index, event.when);
        case EventKind::entry: return entry_read(event.index, event.when);
        case EventKind::segment:
            segment_done(event.index, event.packet->bytes, RemoteStatus::done, event.when);
            return pool_.give_back(event.packet);
        case EventKind::complete: return complete(event.index, event.when);
        case EventKind::translate: return translate(event.index, event.when);
    }
}

void NetworkInterface::send(Packet* packet, Cycle when) {
    if (packet->destination != self_) return port_.send(packet, when);
    ++statistics_.loopbacks;  // the own node: not through the network
    events_.push(when + nic_.receive_cycles, EventKind::arrive, 0, packet);
}

NetworkInterface::Job& NetworkInterface::new_job(Job::Purpose purpose, std::uint32_t index,
                                                 Packet* packet) {
    std::size_t slot = 0;
    while (slot < jobs_.size() && jobs_[slot].used)
        ++slot;
    if (slot == jobs_.size()) jobs_.emplace_back();
    Job& job = jobs_[slot];
    job = Job{purpose, 0, index, 0, 0, packet, true};
    ++jobs_in_use_;
    return job;
}

void NetworkInterface::read_lines(Job& job, std::span<const MemoryPiece> pieces, Cycle now) {
    const auto tag = CoreTiming::kFirstFreeTag + static_cast<std::uint32_t>(&job - jobs_.data());
    job.ready = now;
    for (const MemoryPiece& piece : pieces) {
        memory_.each_line(piece.address, piece.bytes, [&](std::uint64_t line) {
            const Cycle ready = memory_.remote_read(line, now, tag);
            if (ready == kNever) {
                ++job.remaining;
            } else {
                job.ready = std::max(job.ready, ready);
            }
        });
    }
    if (job.remaining == 0) finish_job(job);
}

void NetworkInterface::line_read(std::uint32_t tag, Cycle when) {
    Job& job = jobs_[tag - CoreTiming::kFirstFreeTag];
    job.ready = std::max(job.ready, when);
    if (--job.remaining == 0) finish_job(job);
}

void NetworkInterface::finish_job(Job& job) {
    job.used = false;
    --jobs_in_use_;
    switch (job.purpose) {
        case Job::Purpose::walk: events_.push(job.ready, EventKind::entry, job.index); break;
        case Job::Purpose::translate:
            events_.push(job.ready, EventKind::translate, job.index);
            break;
        case Job::Purpose::reply:
        case Job::Purpose::send:
            send(job.packet, job.ready + job.extra + nic_.transmit_cycles);
            break;
    }
}

Cycle NetworkInterface::write_lines(std::span<const MemoryPiece> pieces, Cycle now) {
    Cycle done = now;
    for (const MemoryPiece& piece : pieces) {
        memory_.each_line(piece.address, piece.bytes, [&](std::uint64_t line) {
            done = std::max(done, memory_.remote_write(line, now));
        });
    }
    return done;
}

// Target

void NetworkInterface::arrive(Packet* packet, Cycle now) {
    switch (packet->kind) {
        case MessageKind::load_request:
        case MessageKind::store_request:
        case MessageKind::atomic_request: return receive(packet, now);
        default: return take_reply(packet, now);
    }
}

void NetworkInterface::refuse(Packet* packet, Cycle now) {
    std::swap(packet->source, packet->destination);
    packet->message_class = static_cast<std::uint8_t>(network_.message_classes - 1);
    packet->kind = MessageKind::fault_reply;
    packet->payload.clear();
    size_packet(*packet, 0, false);
    send(packet, now + nic_.transmit_cycles);
}

void NetworkInterface::serve(Packet* packet, std::span<const MemoryPiece> pieces, Cycle now) {
    const MessageKind request = packet->kind;
    const std::uint64_t bytes = packet->bytes;
    std::uint32_t rights = kMayRead | kMayWrite;
    if (request == MessageKind::load_request) rights = kMayRead;
    if (request == MessageKind::store_request) rights = kMayWrite;
    if (bytes == 0 || !contains(pieces, rights)) return refuse(packet, now);
    // The request becomes its own reply.
    std::swap(packet->source, packet->destination);
    packet->message_class = static_cast<std::uint8_t>(network_.message_classes - 1);
    statistics_.served_bytes += bytes;
    if (request == MessageKind::store_request) {
        ++statistics_.served_writes;
        write(pieces, packet->payload);
        const Cycle done = write_lines(pieces, now);
        packet->kind = MessageKind::store_reply;
        packet->payload.clear();
        size_packet(*packet, 0, false);
        send(packet, done + nic_.transmit_cycles);
        return;
    }
    packet->kind = MessageKind::load_reply;
    packet->payload.resize(bytes);
    read(pieces, packet->payload);
    size_packet(*packet, bytes, false);
    Job& job = new_job(Job::Purpose::reply, 0, packet);
    if (request == MessageKind::load_request) {
        ++statistics_.served_reads;
        return read_lines(job, pieces, now);
    }
    ++statistics_.served_atomics;
    std::uint64_t old = 0;
    std::memcpy(&old, packet->payload.data(), bytes);
    const std::uint64_t value =
        apply_atomic(packet->operation, old, packet->operand, packet->compare, bytes);
    std::array<std::byte, 8> raw;
    std::memcpy(raw.data(), &value, sizeof raw);
    write(pieces, std::span(raw).first(bytes));
    job.extra = nic_.atomic_cycles;
    read_lines(job, pieces, now);
    // The old value has been asked for; the directory takes the write right behind it, so nobody
    // comes between.
    write_lines(pieces, now);
}

void NetworkInterface::take_reply(Packet* packet, Cycle now) {
    const std::uint32_t index = packet->ticket;
    Operation& op = operations_[index];
    if (!op.used) model_error("NIC of node " + std::to_string(self_) + ": a reply to no operation");
    const std::uint64_t bytes = packet->bytes;
    RemoteStatus status = RemoteStatus::done;
    if (packet->kind == MessageKind::fault_reply) status = RemoteStatus::refused;
    if (packet->kind == MessageKind::load_reply) {
        if (op.request.kind == RemoteKind::bulk_get) {
            const std::vector<MemoryPiece> local =
                local_part(op.request, packet->offset, packet->payload.size());
            write(local, packet->payload);
            events_.push(write_lines(local, now), EventKind::segment, index, packet);
            return;
        }
        op.data.assign(packet->payload.begin(), packet->payload.end());
    }
    pool_.give_back(packet);
    segment_done(index, bytes, status, now);
}

}  // namespace isthmus::sim
