// The network interface (NIC) of one node: sends the core's remote operations, and serves those of
// other nodes at this node's memory without its core.
//
// Initiator: NLB look-up (a miss walks the namespace table in memory, one entry a read), check of
// range and rights, request packets, replies. Target: every request passes the directory, so it
// sees and changes what the caches hold. Read-modify-writes are done here, one after the other.
// Bulk transfers are cut into packets of nic.packet_bytes, with kBulkWindow of them under way.
//
// Deadlock: replies travel in a class of their own and are always taken, because their operation
// has reserved a place; requests are always taken because no node has more than nic.outstanding
// operations under way.
//
// Unloaded latency of a blocking remote read of up to a line, H hops away, that misses the target's
// caches:
//   NLB hit + transmit + network(H, request flits) + receive + directory look-up + DRAM + directory
//   return
//   + transmit + network(H, reply flits) + receive
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/memory/memory_system.hpp"
#include "sim/memory/namespace_lookaside_buffer.hpp"
#include "sim/memory/translation_buffer.hpp"
#include "sim/statistics/histogram.hpp"
#include "sim/timing/event_queue.hpp"
#include "sim/timing/node_port.hpp"
#include "sim/timing/timing_model.hpp"

namespace isthmus::sim {

struct NicStatistics {
    std::array<std::uint64_t, 5> operations{};  ///< by RemoteKind
    std::array<Histogram, 5> latency{};         ///< issue to completion, by RemoteKind
    std::uint64_t faults = 0, loopbacks = 0;
    std::uint64_t packets = 0, header_flits = 0, address_flits = 0, payload_flits = 0;
    std::uint64_t payload_bytes = 0;  ///< carried, without padding to flits
    std::uint64_t served_reads = 0, served_writes = 0, served_atomics = 0, served_bytes = 0;
    std::uint64_t peak_outstanding = 0;
    /// Pages of requests, at the target: by what its TLB has, what it has not, reads of page
    /// tables.
    std::uint64_t translation_hits = 0, translation_misses = 0, translation_reads = 0;
};

/// One finished operation, for a timeline.
struct OperationRecord {
    Cycle start, end;
    NodeId target;
    RemoteKind kind;
    std::uint64_t bytes;
};

class CoreTiming;

class NetworkInterface {
  public:
    NetworkInterface(const MachineDescription& machine, NodeId self, MemorySystem& memory,
                     NodeMemory& data, EventQueue& events, NodePort& port, std::uint64_t nodes);
    ~NetworkInterface();
    NetworkInterface(const NetworkInterface&) = delete;
    NetworkInterface& operator=(const NetworkInterface&) = delete;
    /// Who hears of completions. Set once, before the first operation.
    void attach(CoreTiming& core, InstructionSource& source) {
        core_ = &core;
        source_ = &source;
    }

    // For the core.
    bool can_start() const { return free_operations_ != 0; }
    std::uint64_t outstanding() const { return operations_.size() - free_operations_; }
    /// Of those, the ones that the core's own instructions have started and that read, or write.
    std::uint64_t reads_of_core() const { return reads_of_core_; }
    std::uint64_t writes_of_core() const { return writes_of_core_; }
    /// Among them is one that reads and is older than the one ticket, or writes and is older than
    /// the other.
    bool core_has(Ticket reads, Ticket writes) const;
    void start(const RemoteOperation& operation, Ticket ticket, Cycle now);

    // For the node.
    /// No event before `begin` may follow.
    void begin_step(Cycle begin) { step_begin_ = begin; }
    void handle(const Event& event);
    void line_read(std::uint32_t tag, Cycle when);
    /// Operations, requests being served and events: 0 if this NIC cannot send before its core
    /// asks.
    std::uint64_t activity() const { return outstanding() + jobs_in_use_; }
    /// Forgets cached translations; the namespace table has been changed.
    void flush_translations() { nlb_.clear(); }
    /// The same for the addresses of others' requests, as TranslationBuffer::forget().
    void forget_requests(std::uint64_t address, std::uint64_t asid) {
        request_tlb_.forget(address, asid);
    }
    /// Where translations come from; set once, before the first operation.
    void translate_by(TranslationSource* source) { translation_ = source; }
    /// Collects finished operations into `records` from now on, up to `limit` (null: stop).
    void record_operations(std::vector<OperationRecord>* records, std::size_t limit) {
        records_ = records;
        record_limit_ = limit;
    }

    const NicStatistics& statistics() const { return statistics_; }
    const NlbStatistics& nlb_statistics() const { return nlb_.statistics(); }

    static constexpr unsigned kBulkWindow = 2;

  private:
    struct Operation {
        RemoteOperation request;
        Ticket ticket = 0;
        Cycle started = 0;
        NamespaceEntry entry;
        std::uint64_t table_slot = 0, probes = 0;
        std::uint64_t next_offset = 0;  // bulk: bytes handed to packets
        std::uint64_t done_bytes = 0;
        std::uint32_t segments = 0;  // packets without an answer
        RemoteStatus status = RemoteStatus::done;
        std::vector<std::byte> data;
        bool used = false;
    };
    /// Lines being read for one purpose.
    struct Job {
        enum class Purpose : std::uint8_t { reply, send, walk, translate } purpose = Purpose::reply;
        std::uint32_t remaining = 0, index = 0;
        Cycle ready = 0, extra = 0;
        Packet* packet = nullptr;
        bool used = false;
    };

    /// A request whose address is being translated, page by page.
    struct Request {
        Packet* packet = nullptr;
        std::vector<MemoryPiece> pieces;
        std::uint64_t done = 0;  // bytes
        TranslationSource::Walk walk;
        unsigned reads = 0;
        bool walking = false, used = false;
    };

    void walk(std::uint32_t index, Cycle now);
    void entry_read(std::uint32_t index, Cycle now);
    void dispatch(std::uint32_t index, Cycle now);
    void start_segment(std::uint32_t index, Cycle now);
    void segment_done(std::uint32_t index, std::uint64_t bytes, RemoteStatus status, Cycle now);
    void end(std::uint32_t index, RemoteStatus status, Cycle when);
    void complete(std::uint32_t index, Cycle now);
    void count(const Operation& operation, Cycle now);

    void arrive(Packet* packet, Cycle now);
    /// Serves a request, after its address has been translated if it is to be.
    void receive(Packet* packet, Cycle now);
    void translate(std::uint32_t index, Cycle now);
    void serve(Packet* packet, std::span<const MemoryPiece> pieces, Cycle now);
    void refuse(Packet* packet, Cycle now);
    /// In namespace 0 a node's own addresses are what its core sees.
    const RemoteOperation* own_request(const Packet& packet) const;
    void take_reply(Packet* packet, Cycle now);
    void send(Packet* packet, Cycle when);

    Packet* make_request(const Operation& operation, std::uint32_t index, MessageKind kind);
    void size_packet(Packet& packet, std::uint64_t payload_bytes, bool has_address);
    Job& new_job(Job::Purpose purpose, std::uint32_t index, Packet* packet);
    void read_lines(Job& job, std::span<const MemoryPiece> pieces, Cycle now);
    Cycle write_lines(std::span<const MemoryPiece> pieces, Cycle now);
    bool contains(std::span<const MemoryPiece> pieces, std::uint32_t rights) const;
    void read(std::span<const MemoryPiece> pieces, std::span<std::byte> to);
    void write(std::span<const MemoryPiece> pieces, std::span<const std::byte> from);
    /// The local side of a bulk transfer.
    static std::vector<MemoryPiece> local_part(const RemoteOperation& operation,
                                               std::uint64_t offset, std::uint64_t bytes);
    void finish_job(Job& job);

    const MachineDescription::Nic nic_;
    const MachineDescription::Network network_;
    const Cycle nlb_hit_cycles_;
    const NodeId self_;
    MemorySystem& memory_;
    NodeMemory& data_;
    EventQueue& events_;
    NodePort& port_;
    const std::uint64_t nodes_;
    Cycle step_begin_ = 0;
    CoreTiming* core_ = nullptr;
    InstructionSource* source_ = nullptr;

    ResidentNamespaceTable table_;
    NamespaceLookasideBuffer nlb_;
    TranslationSource* translation_ = nullptr;
    TranslationBuffer request_tlb_;
    const Cycle request_hit_cycles_;
    std::vector<Request> requests_;
    std::vector<Operation> operations_;
    std::uint64_t free_operations_;
    std::uint64_t reads_of_core_ = 0, writes_of_core_ = 0;
    std::vector<Job> jobs_;
    std::uint64_t jobs_in_use_ = 0;
    PacketPool pool_;
    NicStatistics statistics_;
    std::vector<OperationRecord>* records_ = nullptr;
    std::size_t record_limit_ = 0;
};

}  // namespace isthmus::sim
