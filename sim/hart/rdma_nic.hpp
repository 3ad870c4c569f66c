// A NIC for remote direct memory access (RDMA), as machines without xBGAS have one: the comparator.
//
// The program writes descriptors into a ring in its own memory and rings a doorbell; the NIC
// carries them out in order, at the other node's memory without its core, and writes a completion
// for each descriptor that asks for one. The registers are words of one page that is mapped into
// every Linux program; the layouts are those of sim/runtime/rdma/road_impl.h.
#pragma once

#include <cstdint>

#include "sim/hart/machine.hpp"

namespace isthmus::sim {

class RdmaNic {
  public:
    /// The page of registers.
    static constexpr std::uint64_t kBase = 0xf'ff00'0000;
    /// What the doorbell is to be watched at: the first register.
    static constexpr std::uint64_t kDoorbell = kBase;

    struct Registers {
        std::uint64_t doorbell;            // written: descriptors posted so far
        std::uint64_t ring, ring_entries;  // descriptors; entries are a power of two
        std::uint64_t completions, completion_entries;
        std::uint64_t pe, pes, shared_base, shared_bytes;  // read: the machine
    };
    static_assert(sizeof(Registers) == 72);

    enum class Opcode : std::uint8_t {
        nothing = 0,
        write = 1,         // local -> remote
        write_inline = 2,  // up to 8 bytes, in `local`
        read = 3,          // remote -> local
        read_inline = 4,   // up to 8 bytes, into the completion
        add = 5,           // atomics: 4 or 8 bytes, operand in `local`, old value in the completion
        swap = 6,
        bit_and = 7,
        bit_or = 8,
        bit_xor = 9,
        compare_swap = 10,  // `compare` as well
    };
    static constexpr std::uint8_t kSignaled = 1, kFenced = 2;
    struct Descriptor {
        std::uint8_t opcode;
        std::uint8_t flags;  // kSignaled: wants a completion; kFenced: begins when all before it
                             // are complete
        std::uint16_t pe;
        std::uint32_t bytes;
        std::uint64_t remote, local, compare;
    };
    static_assert(sizeof(Descriptor) == 32);
    struct Completion {
        std::uint64_t done;  // descriptors carried out so far, this one included
        std::uint64_t value;
    };
    static_assert(sizeof(Completion) == 16);

    /// Maps the registers into a node.
    static void map(Node& node, std::uint64_t nodes, std::uint64_t shared_base,
                    std::uint64_t shared_bytes);
    /// Has the hart stop with Stop::host_call at the doorbell.
    static void watch(Hart& hart) {
        hart.watch_page = kBase;
        hart.watch_address = kDoorbell;
    }

    /// The hart has rung. Carries out what has been posted since; a bad descriptor ends the program
    /// as a bad access does.
    void ring(Machine& machine, Node& node, Hart& hart);

    /// The next posted descriptor, if there is one that can be read. For a timing model, which
    /// carries it out itself and calls complete().
    bool next(const Node& node, Descriptor& descriptor);
    void complete(Node& node, std::uint64_t value, bool signaled);

    /// Carries a descriptor out at once; false if the program faulted by it. A timing model calls
    /// it for one that it has found to fault, which then happens as it does without time.
    static bool execute(Machine& machine, Node& node, Hart& hart, const Descriptor& descriptor,
                        std::uint64_t& value);

  private:
    std::uint64_t taken_ = 0;      // descriptors read
    std::uint64_t completed_ = 0;  // descriptors carried out
    std::uint64_t written_ = 0;    // completions written
};

}  // namespace isthmus::sim
