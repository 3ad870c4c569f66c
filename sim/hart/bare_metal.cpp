#include "sim/hart/bare_metal.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <stdexcept>

namespace isthmus::sim {
namespace {

/// Software and timer interrupts of one hart. Time is what its time CSR shows.
class Clint final : public Device {
  public:
    Clint(Node& node, Hart& hart) : node_(node), hart_(hart) {}

    std::uint64_t read(std::uint64_t offset, unsigned size) override {
        if (offset == 0) return software_;
        if (offset >= 0x4000 && offset < 0x4008) return part(compare_, offset & 7, size);
        if (offset >= 0xbff8 && offset < 0xc000) return part(time(), offset & 7, size);
        return 0;
    }
    void write(std::uint64_t offset, unsigned size, std::uint64_t value) override {
        if (offset == 0) software_ = value & 1;
        if (offset >= 0x4000 && offset < 0x4008) {
            const unsigned shift = 8 * (offset & 7);
            const std::uint64_t mask =
                size == 8 ? ~std::uint64_t{0} : ((std::uint64_t{1} << 8 * size) - 1) << shift;
            compare_ = (compare_ & ~mask) | ((value << shift) & mask);
        }
        update();
    }
    void update() {
        const bool due = time() >= compare_;
        hart_.csr.mip = (software_ ? 8u : 0u) | (due ? 0x80u : 0u);
        node_.alarm = due ? ~std::uint64_t{0} : compare_;
    }

  private:
    static std::uint64_t part(std::uint64_t value, std::uint64_t byte, unsigned size) {
        value >>= 8 * byte;
        return size == 8 ? value : value & ((std::uint64_t{1} << 8 * size) - 1);
    }
    std::uint64_t time() const { return hart_.clock ? hart_.clock() : hart_.instret; }

    Node& node_;
    Hart& hart_;
    std::uint64_t software_ = 0, compare_ = ~std::uint64_t{0};
};

class BareMetal final : public Environment {
  public:
    BareMetal(Machine& machine, Node& node, Hart& hart, std::uint64_t tohost,
              std::uint64_t fromhost)
        : clint(node, hart), machine_(machine), tohost_(tohost), fromhost_(fromhost) {}

    Clint clint;

    void before_round(Node&) override { clint.update(); }
    bool wake_sleepers(Node&) override { return true; }

    void serve(Node& node, Hart& hart) override {
        if (hart.stop == Stop::host_call) {
            host_call(node);
            return;
        }
        // The trap that led there tells more than the failed fetch of its handler.
        const bool supervisor = hart.privilege == Privilege::supervisor;
        const std::uint64_t from = supervisor ? hart.csr.sepc : hart.csr.mepc;
        const std::uint64_t cause = supervisor ? hart.csr.scause : hart.csr.mcause;
        if (from != 0) hart.pc = from;
        const bool delivered =
            from != 0 && cause == static_cast<std::uint64_t>(hart.delivered.cause);  // no interrupt
        char vector[40];
        std::snprintf(vector, sizeof vector, "%s 0x%lx", supervisor ? "stvec" : "mtvec",
                      static_cast<unsigned long>(supervisor ? hart.csr.stvec : hart.csr.mtvec));
        const std::string line =
            "isthmus-sim: node " + std::to_string(node.id) + ": " +
            Machine::describe_trap(node, delivered ? hart.delivered : hart.trap) +
            " and no handler at " + vector + "\n";
        machine_.complain(line + machine_.report(node, hart));
        machine_.exit_node(node, 134);
    }

  private:
    void host_call(Node& node) {
        std::uint64_t value = 0;
        if (!node.memory.read(tohost_, &value, 8) || value == 0) return;
        const unsigned device = value >> 56, command = (value >> 48) & 0xff;
        const std::uint64_t payload = value & 0xffffffffffffull;
        const std::uint64_t zero = 0;
        if (device == 1 && command == 1) {
            const char c = static_cast<char>(payload);
            emit(&c, 1);
        } else if (value & 1) {
            machine_.exit_node(node, static_cast<int>(payload >> 1));
            return;
        } else if (device == 0) {
            system_call(node, payload);
            const std::uint64_t one = 1;
            if (fromhost_) node.memory.write(fromhost_, &one, 8);
        }
        node.memory.write(tohost_, &zero, 8);
    }

    void system_call(Node& node, std::uint64_t block) {
        std::uint64_t words[8] = {};
        if (!node.memory.read(block, words, sizeof words)) return;
        std::uint64_t result = static_cast<std::uint64_t>(-ENOSYS);
        if (words[0] == 64 && (words[1] == 1 || words[1] == 2)) {
            std::string data(std::min<std::uint64_t>(words[3], 1 << 20), '\0');
            if (node.memory.read(words[2], data.data(), data.size())) {
                emit(data.data(), data.size());
                result = data.size();
            } else {
                result = static_cast<std::uint64_t>(-EFAULT);
            }
        } else if (words[0] == 93) {
            machine_.exit_node(node, static_cast<int>(words[1]));
        }
        node.memory.write(block, &result, 8);
    }

    static void emit(const char* data, std::size_t size) {
        std::fwrite(data, 1, size, stdout);
        std::fflush(stdout);
    }

    Machine& machine_;
    std::uint64_t tohost_, fromhost_;
};

}  // namespace

void boot_bare_metal(Machine& machine, Node& node) {
    const MachineOptions& options = machine.options();
    const Program& program = machine.program();
    const std::uint64_t memory = options.memory_bytes & kPageMask;
    const std::uint64_t shared = options.shared_bytes & kPageMask;
    const std::uint64_t limit =
        program.xlen == Xlen::k32 ? (std::uint64_t{1} << 32) - kDramBase : std::uint64_t{1} << 46;
    if (memory == 0 || memory > limit)
        throw std::runtime_error("a node has " + std::to_string(options.memory_bytes) +
                                 " bytes of memory, not in 4096.." + std::to_string(limit) +
                                 " (--memory; in time memory.mebibytes)");
    if (shared + kPageSize > memory)
        throw std::runtime_error("the shared region of " + std::to_string(shared) +
                                 " bytes does not fit " + std::to_string(memory) +
                                 " bytes of memory (--shared, --memory; in time memory.mebibytes)");
    node.memory.map(kDramBase, memory, kRead | kWrite | kExecute, "dram");
    const std::uint64_t top = kDramBase + memory;
    machine.set_shared_region(top - kPageSize - shared, shared);
    for (const Segment& segment : program.segments) {
        if (segment.address < kDramBase || segment.address > top ||
            segment.memory_size > top - segment.address) {
            char text[160];
            std::snprintf(text, sizeof text,
                          "%s: a segment at 0x%lx of 0x%lx bytes is outside memory 0x%lx..0x%lx "
                          "(--memory; in time memory.mebibytes)",
                          program.path.c_str(), static_cast<unsigned long>(segment.address),
                          static_cast<unsigned long>(segment.memory_size),
                          static_cast<unsigned long>(kDramBase), static_cast<unsigned long>(top));
            throw std::runtime_error(text);
        }
        node.memory.write(segment.address, segment.data.data(), segment.data.size());
    }
    Hart& hart = machine.add_hart(node, false);
    hart.pc = program.entry;
    const std::uint64_t tohost = program.symbol("tohost").value_or(0);
    if (tohost) {
        hart.watch_address = tohost;
        hart.watch_page = tohost & kPageMask;
    }
    auto environment = std::make_unique<BareMetal>(machine, node, hart, tohost,
                                                   program.symbol("fromhost").value_or(0));
    node.memory.map_device(kClintBase, 0x10000, &environment->clint, "clint");
    node.environment = std::move(environment);
}

bool is_bare_metal(const Program& program, std::string_view mode) {
    return mode == "bare" || (mode == "auto" && program.symbol("tohost").has_value());
}

}  // namespace isthmus::sim
