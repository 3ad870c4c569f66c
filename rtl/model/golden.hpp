// What the engines must do, worked out apart from them: where an address leads, what arrives there
// and in which order, what comes back. Every packet at every host is compared.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/network.hpp"

namespace isthmus::rtl {

// Bit by bit, on purpose: not the way of the gates.
std::uint64_t gather_bits(std::uint64_t value, std::uint64_t mask);
std::uint64_t spread_bits(std::uint64_t value, std::uint64_t mask);

// The map of all nodes: the same registers for all but their number.
struct AddressMap {
    std::uint64_t origin_start = std::uint64_t{1} << 40;
    unsigned share_bits = 20;     // 2^this bytes a node
    std::uint64_t node_mask = 0;  // bits of the global address
    unsigned node_bits = 0;
    bool compact = true;

    static AddressMap make(unsigned nodes, unsigned share_bits, std::uint64_t mask, bool compact);
    unsigned width() const { return share_bits + node_bits; }
    std::uint64_t base(unsigned node) const {
        return (std::uint64_t{node} << 36) + (std::uint64_t{3} << 30);
    }
    // The host's address of a byte of a node's share; where it lies there.
    std::uint64_t global(unsigned node, std::uint64_t offset) const;
    std::uint64_t local(unsigned node, std::uint64_t offset) const;
    // The offset of a local address.
    std::uint64_t offset(unsigned node, std::uint64_t local) const;
};

struct EngineSettings {
    unsigned timeout = 0;
    unsigned tick_log = 0;
    unsigned origin_quota = 0;
    unsigned target_quota = 0;
    unsigned prefetch_lines = 0;  // 0: none
};

// Offsets of a share: the first half by origin, then words for atomics.
inline constexpr unsigned kSlices = 32;
inline constexpr unsigned kAtomicSlice = 16;

// Writes the registers of all engines and waits until they are ready.
void configure(Network& network, const AddressMap& map, const EngineSettings& settings);

struct Mix {
    unsigned posted = 40, read = 30, write = 12, atomic = 8, flush = 2, fence = 2, illegal = 2,
             unclaimed = 2, broadcast = 1, outside = 1;  // weights
    unsigned pass_posted = 30;  // chance out of 256 that a request may pass posted ones
    unsigned issue = 128;       // chance out of 256 that a host issues in a cycle
    unsigned hot = 0;           // chance out of 256 that a request goes to node 0
    unsigned tags = 1024;       // that a host uses
    unsigned streams = 0;  // chance out of 256 that a read goes on where one of a few streams is
};

// Random traffic and its judge.
class Golden {
  public:
    Golden(Network& network, const AddressMap& map, const EngineSettings& settings,
           std::uint64_t seed);

    // Issues until `transactions` have been, then waits for all of them to end. False: something is
    // wrong, and error() says what.
    bool run(std::uint64_t transactions, const Mix& mix, std::uint64_t quiet_limit);
    const std::string& error() const { return error_; }
    bool ok() const { return error_.empty(); }

    std::uint64_t issued = 0, answered = 0, failed_by_time = 0, lost = 0, copies = 0;
    std::uint64_t kinds[16] = {};
    // Cycles from the host's sending to its answer.
    std::function<void(const Packet& asked, std::uint64_t cycles)> on_latency;
    std::function<void(std::uint64_t)> on_progress;
    bool may_fail = false;  // packets are lost: a request may end by time

  private:
    struct Request {
        std::uint64_t id;
        std::uint64_t begun = 0;
        unsigned target, origin;
        Packet packet;                // as it must arrive
        std::uint64_t posted_before;  // of its origin to its target, if it may not pass them
        bool arrived = false, forwarded = false, sure_error = false;
        bool answered_by_host = false;
        Error error = Error::none;
        std::vector<std::uint32_t> answer;
        std::uint64_t posted_back = 0;  // of its target to its origin, when the host answered
        bool ordered_back = false;
        bool atomic = false;
        bool may_be_copy = false;           // a read that a copy at its origin may answer
        std::vector<std::uint64_t> behind;  // writes of its origin to its line that it must see
        std::uint64_t write = 0;            // of a write: its number
    };
    struct Pair {
        std::deque<Packet> posted;  // on the way
        std::deque<std::uint64_t>
            writes;  // and their numbers, where reads may be answered by copies
        std::uint64_t posted_sent = 0, posted_arrived = 0;
        std::deque<std::uint64_t> requests;  // ids on the way, in order
    };
    struct Word {  // of atomics: what has been returned, by value
        std::uint64_t sum = 0;
        std::map<std::uint64_t, std::uint64_t> operand_of;  // old value -> operand
    };

    void fail(const std::string& what);
    void issue(unsigned origin, const Mix& mix);
    Packet random_request(unsigned origin, unsigned target, bool posted, bool read);
    void at_posted(unsigned node, const Packet& packet);
    void at_request(unsigned node, const Packet& packet);
    void at_answer(unsigned node, const Packet& request, Packet& response);
    void at_answer_sent(unsigned node, const Packet& response);
    void at_response(unsigned node, const Packet& packet);
    void at_loss(unsigned channel, const std::vector<std::uint32_t>& words);
    Pair& pair(unsigned origin, unsigned target) {
        return pairs_[origin * network_.size() + target];
    }
    void check_atomics();
    // Prefetch. What a dword of a target has been since when, as far as an open read may see it.
    struct Value {
        std::uint64_t since;
        std::uint32_t value;
    };
    struct OpenWrite {  // sent and not arrived
        std::uint64_t number;
        bool posted;
    };
    struct Stream {
        unsigned target = 0;
        std::uint64_t offset = 0;
        std::int64_t step = 0;
        unsigned dwords = 0, left = 0;
    };
    bool prefetches() const { return settings_.prefetch_lines != 0; }
    std::uint64_t slice() const { return (std::uint64_t{1} << map_.share_bits) / kSlices; }
    Packet stream_request(unsigned origin, unsigned& target, bool posted, bool read);
    static bool may_be_copy(const Packet& read);
    static std::uint64_t key(unsigned target, std::uint64_t address) {
        return std::uint64_t{target} << 48 | address;
    }
    std::uint64_t write_sent(unsigned target, const Packet& write, bool posted);
    void write_arrived(unsigned target, const Packet& write, std::uint64_t number);
    void write_lost(unsigned target, const Packet& write, std::uint64_t number);
    void judge_copy(const Request& request, const Packet& answer);

    Network& network_;
    AddressMap map_;
    EngineSettings settings_;
    std::mt19937_64 random_;
    std::string error_;
    std::uint64_t next_id_ = 1;
    std::vector<Pair> pairs_;
    std::vector<std::vector<unsigned>> free_tags_;
    std::vector<std::vector<std::uint64_t>> open_;  // by origin and tag: id
    std::unordered_map<std::uint64_t, Request> requests_;
    std::vector<std::vector<std::uint64_t>> at_host_;           // by target and its tag: id
    std::map<std::pair<unsigned, std::uint64_t>, Word> words_;  // by node and address
    std::vector<bool> flush_open_;
    std::unordered_map<std::uint64_t, std::vector<Value>> history_;  // by target and address
    std::unordered_map<std::uint64_t, std::vector<OpenWrite>> open_writes_;  // by target and line
    std::vector<std::uint64_t> write_times_;    // of arrival, by number
    std::vector<std::vector<Stream>> streams_;  // by origin
};

}  // namespace isthmus::rtl
