// Nodes of gates in a mesh: their wires, their namespace tables, and whether what the network does
// is what the cores have asked for.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "cosim/machine.hpp"
#include "sim/memory/namespace_table.hpp"

namespace isthmus::rtl {
namespace {

constexpr unsigned kMostColumns = 8;
constexpr u64 kOthers = 5000;  // namespaces that no program uses, from there on

std::string hex(u64 value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%" PRIx64, value);
    return text;
}

u64 low(u64 value, unsigned size) {
    return size >= 8 ? value : value & ((u64{1} << 8 * size) - 1);
}

/// The memory of a node, both of the gates and of the reference, for the simulator's table.
class TableMemory final : public sim::NodeMemory {
  public:
    explicit TableMemory(CheckedCore& core) : core_(core) {}
    bool contains(u64 address, u64 bytes, u32) const override {
        return core_.there(address, bytes);
    }
    void read(u64 address, std::span<std::byte> to) override {
        for (std::size_t i = 0; i < to.size(); ++i)
            to[i] = static_cast<std::byte>(core_.read(address + i, 1));
    }
    void write(u64 address, std::span<const std::byte> from) override {
        core_.write_memory(address, from.data(), from.size());
    }

  private:
    CheckedCore& core_;
};

}  // namespace

// As wide as it is high, or wider.
void CoreMachine::place_nodes(const CoreKind& kind, u64 memory_bytes) {
    for (unsigned wide = 1; wide <= kMostColumns; ++wide) {
        const unsigned high = nodes() / wide;
        if (high * wide == nodes() && high <= kMostColumns && wide >= high && columns_ == 0)
            columns_ = wide;
    }
    if (columns_ == 0)
        throw std::runtime_error("no mesh of up to 8 columns and rows has " +
                                 std::to_string(nodes()) + " nodes");
    under_way_.assign(nodes(), std::vector<UnderWay>(kind.outstanding));
    links_.resize(nodes());
    sim::MachineDescription machine;
    machine.memory.base = kMemoryStart;
    machine.memory.mebibytes = memory_bytes >> 20;
    machine.nlb.table_entries = kind.table_entries;
    const sim::ResidentNamespaceTable table(machine);
    for (unsigned node = 0; node < nodes(); ++node) {
        core(node).node_gates().place(node, nodes(), columns_, core(node).table());
        TableMemory memory(core(node));
        // Others' namespaces, and some that are gone, stand in the way of those that are used.
        const unsigned others = (kind.table_entries - nodes()) * 3 / 4;
        const auto other_id = [](unsigned i) { return kOthers + u64{i} * i + 3 * i; };
        for (unsigned i = 0; i < others; ++i)
            table.insert(memory, {other_id(i), i % nodes(), sim::kAllRights, 0, 16});
        for (unsigned other = 0; other < nodes(); ++other)
            table.insert(memory, {other + 1, other, sim::kAllRights, kMemoryStart, memory_bytes});
        for (unsigned i = 0; i < others; i += 3)
            table.remove(memory, other_id(i));
    }
}

// Registers of the last cycle are this cycle's inputs.
void CoreMachine::connect_nodes() {
    for (unsigned node = 0; node < nodes(); ++node)
        links_[node] = core(node).node_gates().links();
    for (unsigned node = 0; node < nodes(); ++node) {
        const unsigned x = node % columns_, y = node / columns_;
        const bool linked[] = {y > 0, x + 1 < columns_, node + columns_<nodes(), x> 0};
        const unsigned neighbour[] = {node - columns_, node + 1, node + columns_, node - 1};
        static constexpr unsigned kOpposite[] = {2, 3, 0, 1};
        Links in;
        for (unsigned p = 0; p < 4; ++p) {
            if (linked[p]) in.to[p] = links_[neighbour[p]].to[kOpposite[p]];
        }
        core(node).node_gates().connect(in);
    }
}

std::string CoreMachine::taken(unsigned from, unsigned id, const RemoteAccess& access) {
    if (id >= under_way_[from].size() || under_way_[from][id].there)
        return "a remote access has the number " + std::to_string(id) +
               ", which is out of range or under way";
    UnderWay& mine = under_way_[from][id];
    mine = {};
    mine.access = access;
    mine.there = true;
    mine.order = asked_++;
    return {};
}

// What a node has asked for may be done in any order, but for accesses that meet the same bytes,
// and no store before a load that was in front of it.
std::string CoreMachine::first_arrival(unsigned source, UnderWay& mine) {
    mine.effect = effect_of(source, mine.access);
    mine.seen = true;
    const auto target = [&](const RemoteAccess& a) { return a.space == 0 ? source : a.space - 1; };
    const bool loads = mine.access.kind == kRemoteLoad;
    for (const UnderWay& other : under_way_[source]) {
        if (!other.there || other.seen || other.order > mine.order) continue;
        const u64 a = mine.access.address, b = other.access.address;
        const bool meets =
            target(mine.access) == target(other.access) &&
            (a - b < u64{1} << other.access.size || b - a < u64{1} << mine.access.size);
        if (meets || (!loads && other.access.kind == kRemoteLoad))
            return "it has overtaken the access of " + hex(b) + " in front of it";
    }
    return {};
}

// The first word of an access is where it is done: what it finds and leaves is known from then on,
// as nobody comes between.
std::string CoreMachine::arrives(unsigned at, unsigned source, unsigned id,
                                 const WordAccess& word) {
    const std::string who = "node " + std::to_string(source) + " at memory of node " +
                            std::to_string(at) + ", " + hex(word.address) + ": ";
    if (source >= nodes() || id >= under_way_[source].size() || !under_way_[source][id].there)
        return who + "it has not asked";
    UnderWay& mine = under_way_[source][id];
    const RemoteAccess& access = mine.access;
    if (!mine.seen) {
        const std::string wrong = first_arrival(source, mine);
        if (!wrong.empty()) return who + wrong;
    }
    const u64 target = access.space == 0 ? source : access.space - 1;
    if (at != target) return who + "it has asked node " + std::to_string(target);
    for (unsigned i = 0; i < 8; ++i) {
        if (!(word.be >> i & 1)) continue;
        const u64 offset = word.address + i - access.address;
        if (offset >= u64{1} << access.size) return who + "a byte that it has not asked for";
        if (!word.write || mine.effect.answer.fault) continue;
        u8 bytes[16];
        std::memcpy(bytes, mine.effect.data, 16);
        if (!mine.effect.writes) return who + "written by what does not write";
        // What an atomic operation has found is there until it writes.
        if (mine.written == 0 && access.kind != kRemoteStore &&
            core(at).read(access.address, 1u << access.size) != mine.effect.answer.value[0])
            return who + "somebody has come between its reading and writing";
        if (bytes[offset] != u8(word.data >> 8 * i))
            return who + "wrong data " + hex(word.data) + ", not " + hex(mine.effect.data[0]);
        ++mine.written;
    }
    return {};
}

std::string CoreMachine::answered(unsigned from, unsigned id, const Answer& answer) {
    if (id >= under_way_[from].size() || !under_way_[from][id].there) return "an answer to nothing";
    UnderWay& mine = under_way_[from][id];
    mine.there = false;
    const unsigned size = 1u << mine.access.size;
    const std::string what = "the answer to an access of {" + hex(mine.access.space) + ", " +
                             hex(mine.access.address) + "}: ";
    // What never came to a memory was refused on the way.
    if (!mine.seen) mine.effect = effect_of(from, mine.access);
    const Answer& wanted = mine.effect.answer;
    if (answer.fault != wanted.fault) return what + (answer.fault ? "a fault" : "no fault");
    if (answer.fault) return {};
    if (!mine.seen) return what + "it was not done";
    if (mine.written != (mine.effect.writes ? size : 0))
        return what + std::to_string(mine.written) + " bytes were written";
    if (mine.access.kind == kRemoteStore) return {};
    if (low(answer.value[0], size) != wanted.value[0] ||
        (size == 16 && answer.value[1] != wanted.value[1]))
        return what + hex(answer.value[0]) + ", memory had " + hex(wanted.value[0]);
    return {};
}

}  // namespace isthmus::rtl
