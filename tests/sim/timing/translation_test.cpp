// What address translation costs, by hand: hits, the second level, walks through the data cache,
// and the target of a remote access.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/hart/bare_metal.hpp"
#include "sim/memory/translation_buffer.hpp"
#include "sim/report/report.hpp"
#include "sim/timing/timed_machine.hpp"
#include "tests/sim/timing/scripted_machine.hpp"

namespace isthmus::sim {
namespace {

constexpr TranslationView kTable{1, 0};

/// Every address leads to itself, through three entries of tables at the same places; the last one
/// has an entry of its own for each page.
class Tables final : public TranslationSource {
  public:
    explicit Tables(const MachineDescription& machine) : base_(machine.memory.base + (8 << 20)) {}

    Walk walk(const TranslationView&, std::uint64_t address, Access) override {
        Walk walk;
        walk.found = true;
        walk.reads = 3;
        walk.entries = {base_, base_ + 4096, base_ + 8192 + (address >> 12 & 511) * 8};
        walk.physical = address;
        return walk;
    }
    std::uint64_t asid(const TranslationView& view) const override { return view.table; }
    TranslationView request_view() const override { return requests; }
    bool request_address(std::uint64_t address, bool, std::uint64_t& physical) override {
        physical = address;
        return address != refused;
    }
    bool own_address(const TranslationView&, std::uint64_t address, bool,
                     std::uint64_t& physical) override {
        physical = address;
        return true;
    }
    std::uint64_t base() const { return base_; }

    TranslationView requests;
    std::uint64_t refused = 1;

  private:
    std::uint64_t base_;
};

/// Runs steps; those whose number is in `paged` access memory by the page table.
class PagedSource final : public InstructionSource {
  public:
    explicit PagedSource(const MachineDescription& machine) : tables(machine) {}

    std::vector<Step> steps;
    std::vector<Cycle> before;
    std::vector<Answer> answers;
    Tables tables;
    bool paged = true, paged_code = false;
    std::size_t fence_before = ~std::size_t{0};

    bool halted() const override { return ended_; }
    TranslationSource* translation() override { return &tables; }
    void run(CoreTiming& core) override {
        for (;;) {
            before.push_back(core.now());
            if (next_ == steps.size()) {
                ended_ = true;
                return;
            }
            core.set_fetch_view(paged_code ? kTable : TranslationView{});
            if (next_ == fence_before) core.fence_translation(TranslationBuffer::kAll, 1);
            const Step& step = steps[next_++];
            for (const auto& [kind, address] : step.accesses) {
                if (paged)
                    core.translated_access(kind, address, 8, kTable);
                else
                    core.memory_access(kind, address, 8);
            }
            if (step.has_remote) core.remote_access(step.remote);
            if (!core.retire(step.instruction)) return;
        }
    }
    void remote_completed(Ticket ticket, RemoteStatus status,
                          std::span<const std::byte> data) override {
        answers.push_back({ticket, status, {data.begin(), data.end()}});
    }

  private:
    std::size_t next_ = 0;
    bool ended_ = false;
};

struct PagedMachine {
    explicit PagedMachine(MachineDescription m) : machine(std::move(m)) {
        for (std::uint64_t i = 0; i < machine.nodes(); ++i) {
            memories.push_back(
                std::make_unique<SparseMemory>(machine.memory.base, machine.memory_bytes()));
            sources.push_back(std::make_unique<PagedSource>(machine));
            parts.push_back({memories.back().get(), sources.back().get()});
        }
    }
    void run() {
        simulator = std::make_unique<TimingSimulator>(machine, parts, 1);
        ASSERT_TRUE(simulator->run(10'000'000));
    }
    std::uint64_t stalled(NodeId node, StallCause cause) const {
        return simulator->nodes()[node]->core().statistics().stalls[static_cast<std::size_t>(
            cause)];
    }
    const TranslationStatistics& counts(NodeId node) const {
        return simulator->nodes()[node]->core().translations();
    }

    MachineDescription machine;
    std::vector<std::unique_ptr<SparseMemory>> memories;
    std::vector<std::unique_ptr<PagedSource>> sources;
    std::vector<NodeParts> parts;
    std::unique_ptr<TimingSimulator> simulator;
};

MachineDescription one_node(std::uint64_t nodes = 1) {
    MachineDescription m = table3();
    m.mesh.width = nodes;
    m.mesh.height = 1;
    return m;
}

TEST(TranslationBuffer, KeepsTheMostRecentlyUsed) {
    TranslationBuffer tlb(4, 2);
    const auto put = [&](std::uint64_t page) { tlb.insert(page << 12, page << 20, 1, 12, false); };
    put(0), put(2);
    EXPECT_NE(tlb.find(0, 1), nullptr);
    put(4);
    EXPECT_EQ(tlb.find(2 << 12, 1), nullptr) << "two ways, and page 0 was used after it";
    ASSERT_NE(tlb.find(0xabc, 1), nullptr);
    EXPECT_EQ(tlb.find(0xabc, 1)->address(0xabc), 0xabcu);
    EXPECT_EQ(tlb.find(0x4abc, 1)->address(0x4abc), (4u << 20) + 0xabcu);
    EXPECT_EQ(tlb.find(0, 2), nullptr) << "another address space";
    put(1);
    EXPECT_NE(tlb.find(0, 1), nullptr) << "another set";
}

TEST(TranslationBuffer, SuperpagesAndGlobalEntries) {
    TranslationBuffer tlb(8, 8);
    tlb.insert(0x40234567, 0x80212345, 1, 21, false);
    ASSERT_NE(tlb.find(0x403fffff, 1), nullptr);
    EXPECT_EQ(tlb.find(0x403fffff, 1)->address(0x403fffff), 0x803fffffu);
    EXPECT_EQ(tlb.find(0x40400000, 1), nullptr);
    tlb.insert(0x7000, 0x9000, 1, 12, true);
    EXPECT_NE(tlb.find(0x7123, 5), nullptr);
    tlb.forget(TranslationBuffer::kAll, 1);
    EXPECT_EQ(tlb.find(0x40234567, 1), nullptr);
    EXPECT_NE(tlb.find(0x7123, 1), nullptr) << "a global entry is of no address space";
    tlb.insert(0x5000, 0xa000, 1, 12, false);
    tlb.forget(0x7008, TranslationBuffer::kAll);
    EXPECT_EQ(tlb.find(0x7123, 1), nullptr);
    EXPECT_NE(tlb.find(0x5000, 1), nullptr) << "another page";
    tlb.forget(0x5000, 2);
    EXPECT_NE(tlb.find(0x5000, 1), nullptr) << "another address space";
    tlb.forget(0x5fff, 1);
    EXPECT_EQ(tlb.find(0x5000, 1), nullptr);
}

// A load, with its line in the first level, from a page that no buffer has, then once more: the
// walk reads three entries that the data cache has.
TEST(Translation, ALoadPaysForItsWalkOnce) {
    PagedMachine m(one_node());
    PagedSource& source = *m.sources[0];
    const std::uint64_t base = m.machine.memory.base, page = base + (4 << 20),
                        tables = base + (8 << 20);
    // Two walks bring the lines in; the pages measured are others whose entries are in the same
    // line.
    source.steps = {load(m.machine, 1, page),        plain(m.machine, TimingClass::integer, 2, 1),
                    load(m.machine, 1, page + 4096), plain(m.machine, TimingClass::integer, 2, 1),
                    load(m.machine, 1, page + 4096), plain(m.machine, TimingClass::integer, 2, 1)};
    m.run();
    const std::uint64_t hit = m.machine.l1_data.hit_cycles;
    const std::uint64_t walk = m.machine.mmu.l2_hit_cycles + m.machine.mmu.walk_cycles + 3 * hit;
    EXPECT_EQ(m.counts(0).data_misses, 2u);
    EXPECT_EQ(m.counts(0).walks, 2u);
    EXPECT_EQ(m.counts(0).walk_reads, 6u);
    EXPECT_EQ(m.counts(0).l2_hits, 0u);
    // From the third load, whose translation is there, to the instruction behind it.
    EXPECT_EQ(source.before[5] - source.before[4], 1u);
    EXPECT_EQ(source.before[6] - source.before[5], hit);
    // The first walk's reads come from memory; of the second's, all are in the cache.
    const std::uint64_t stalls = m.stalled(0, StallCause::translation);
    EXPECT_GT(stalls, 2 * walk);
    PagedMachine again(one_node());
    again.sources[0]->steps = {load(m.machine, 1, page),
                               plain(m.machine, TimingClass::integer, 2, 1)};
    again.run();
    EXPECT_EQ(stalls - again.stalled(0, StallCause::translation), walk);
    EXPECT_EQ(tables, source.tables.base());
}

TEST(Translation, TheSecondLevelAnswersWhatTheFirstHasLost) {
    MachineDescription machine = one_node();
    machine.mmu.l1_data_entries = machine.mmu.l1_data_ways = 1;
    PagedMachine m(machine);
    const std::uint64_t page = machine.memory.base + (4 << 20);
    for (const std::uint64_t offset : {0, 4096, 0, 4096, 0})
        m.sources[0]->steps.push_back(load(machine, 1, page + offset));
    m.run();
    EXPECT_EQ(m.counts(0).data_misses, 5u);
    EXPECT_EQ(m.counts(0).walks, 2u);
    EXPECT_EQ(m.counts(0).l2_hits, 3u);
    PagedMachine two(machine);
    two.sources[0]->steps = {load(machine, 1, page), load(machine, 1, page + 4096)};
    two.run();
    EXPECT_EQ(m.stalled(0, StallCause::translation) - two.stalled(0, StallCause::translation),
              3 * machine.mmu.l2_hit_cycles);
}

TEST(Translation, AFenceForgetsAndCodeIsTranslatedToo) {
    MachineDescription machine = one_node();
    const std::uint64_t page = machine.memory.base + (4 << 20);
    for (const bool fence : {false, true}) {
        PagedMachine m(machine);
        m.sources[0]->paged_code = true;
        if (fence) m.sources[0]->fence_before = 2;
        m.sources[0]->steps = {load(machine, 1, page), load(machine, 1, page),
                               load(machine, 1, page)};
        m.run();
        EXPECT_EQ(m.counts(0).instruction_misses, 1u) << "one line is fetched once";
        EXPECT_EQ(m.counts(0).walks, fence ? 3u : 2u);
        EXPECT_EQ(m.counts(0).fences, fence ? 1u : 0u);
    }
    // Without a page table all of it costs nothing.
    PagedMachine bare(machine);
    bare.sources[0]->paged = false;
    bare.sources[0]->steps = {load(machine, 1, page)};
    bare.run();
    EXPECT_EQ(bare.counts(0).walks, 0u);
    EXPECT_EQ(bare.stalled(0, StallCause::translation), 0u);
}

// Remote stores to a page, then one to another. They wait for the directory and not for memory,
// whose clock is another one.
TEST(Translation, ARequestIsTranslatedAtItsTarget) {
    const auto latencies = [&](bool paged, std::uint64_t hit_cycles) {
        MachineDescription machine = one_node(2);
        machine.mmu.target_hit_cycles = hit_cycles;
        PagedMachine m(machine);
        if (paged) m.sources[1]->tables.requests = kTable;
        const std::uint64_t there = machine.memory.base + (4 << 20);
        RemoteOperation op;
        op.kind = RemoteKind::store;
        op.name_space = 2;
        for (const std::uint64_t offset : {0, 8, 16, 4096}) {
            op.address = there + offset;
            m.sources[0]->steps.push_back(remote(machine, op));
        }
        m.run();
        const NicStatistics& nic = m.simulator->nodes()[1]->nic().statistics();
        EXPECT_EQ(nic.translation_hits, paged ? 2u : 0u);
        EXPECT_EQ(nic.translation_misses, paged ? 2u : 0u);
        EXPECT_EQ(nic.translation_reads, paged ? 6u : 0u);
        std::vector<Cycle> each;
        for (std::size_t i = 0; i < 4; ++i)
            each.push_back(m.sources[0]->before.at(i + 1) - m.sources[0]->before.at(i));
        return each;
    };
    const auto without = latencies(false, 1), with = latencies(true, 1), slow = latencies(true, 31);
    const MachineDescription m = table3();
    EXPECT_EQ(with[2] - without[2], 1u) << "a hit takes its cycle";
    EXPECT_EQ(slow[2] - with[2], 30u);
    EXPECT_GE(with[3] - without[3],
              1 + 3 * (m.directory.lookup_cycles + m.directory.return_cycles));
    EXPECT_LT(with[3] - without[3], 1000u);
}

// Between two stores to a page the target's core fences: its NIC has to walk again.
TEST(Translation, AFenceAtTheTargetIsItsNicsToo) {
    for (const bool fence : {false, true}) {
        MachineDescription machine = one_node(2);
        PagedMachine m(machine);
        m.sources[1]->tables.requests = kTable;
        RemoteOperation op;
        op.kind = RemoteKind::store;
        op.name_space = 2;
        op.address = machine.memory.base + (4 << 20);
        m.sources[0]->steps = {remote(machine, op)};
        for (unsigned i = 0; i < 4000; ++i) {
            m.sources[0]->steps.push_back(plain(machine, TimingClass::integer));
            m.sources[1]->steps.push_back(plain(machine, TimingClass::integer));
        }
        m.sources[0]->steps.push_back(remote(machine, op));
        if (fence) m.sources[1]->fence_before = 2500;
        m.run();
        const NicStatistics& nic = m.simulator->nodes()[1]->nic().statistics();
        EXPECT_EQ(nic.translation_misses, fence ? 2u : 1u);
    }
}

TEST(Translation, WhatThePageDoesNotAllowIsRefused) {
    MachineDescription machine = one_node(2);
    PagedMachine m(machine);
    const std::uint64_t there = machine.memory.base + (4 << 20);
    m.sources[1]->tables.requests = kTable;
    m.sources[1]->tables.refused = there;
    RemoteOperation op;
    op.name_space = 2;
    op.address = there;
    m.sources[0]->steps = {remote(machine, op)};
    op.address = there + 8;
    m.sources[0]->steps.push_back(remote(machine, op));
    m.run();
    ASSERT_EQ(m.sources[0]->answers.size(), 2u);
    EXPECT_EQ(m.sources[0]->answers[0].status, RemoteStatus::refused);
    EXPECT_EQ(m.sources[0]->answers[1].status, RemoteStatus::done);
}

// A bulk transfer from and to pieces of local memory, in packets that end elsewhere.
TEST(Translation, BulkTransfersGoPieceByPiece) {
    MachineDescription machine = one_node(2);
    machine.nic.packet_bytes = 64;
    const std::uint64_t here = machine.memory.base + (4 << 20), there = here + (1 << 20);
    for (const RemoteKind kind : {RemoteKind::bulk_get, RemoteKind::bulk_put}) {
        PagedMachine m(machine);
        const bool get = kind == RemoteKind::bulk_get;
        RemoteOperation op;
        op.kind = kind;
        op.name_space = 2;
        op.address = there;
        op.bytes = 168;
        op.local_address = 12345;
        op.local_pieces = {{here + 4096, 104}, {here, 64}};
        const auto place = [&](unsigned i) {
            return get ? there + 8 * i : i < 13 ? here + 4096 + 8 * i : here + 8 * (i - 13);
        };
        for (unsigned i = 0; i < 21; ++i) {
            const std::uint64_t word = 1000 + i;
            m.memories[get ? 1 : 0]->write(place(i), std::as_bytes(std::span(&word, 1)));
        }
        m.sources[0]->steps = {remote(machine, op)};
        m.run();
        for (unsigned i = 0; i < 21; ++i) {
            const std::uint64_t at = !get     ? there + 8 * i
                                     : i < 13 ? here + 4096 + 8 * i
                                              : here + 8 * (i - 13);
            std::uint64_t word = 0;
            m.memories[get ? 0 : 1]->read(at, std::as_writable_bytes(std::span(&word, 1)));
            EXPECT_EQ(word, 1000u + i) << (get ? "get " : "put ") << i;
        }
    }
}

// A program ---------------------------------------------------------------------------------------

/// tests/sim/programs/paging.c, a kernel with a user's program; removed with the object.
class PagingProgram {
  public:
    PagingProgram() {
        char pattern[] = "/tmp/isthmus-paging-XXXXXX";
        directory_ = mkdtemp(pattern);
        const std::string command =
            std::string(ISTHMUS_TEST_GCC) +
            " -O2 -mcmodel=medany -ffreestanding -fno-stack-protector -fno-pic -no-pie -nostdlib "
            "-static -Wa,-I" ISTHMUS_TEST_INCLUDE " -Wl,-n,-Ttext=0x80000000,--build-id=none -o " +
            path() + " " ISTHMUS_SOURCE_DIR "/tests/sim/programs/paging.c";
        EXPECT_EQ(std::system(command.c_str()), 0) << command;
    }
    ~PagingProgram() { std::filesystem::remove_all(directory_); }
    PagingProgram(const PagingProgram&) = delete;
    PagingProgram& operator=(const PagingProgram&) = delete;
    std::string path() const { return directory_ + "/program"; }

  private:
    std::string directory_;
};

TEST(Translation, AKernelRunsAUsersProgramWithAndWithoutTime) {
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
    const PagingProgram program;
    MachineOptions options;
    options.nodes = 2;
    options.memory_bytes = 16 << 20;
    options.shared_bytes = 1 << 20;
    std::uint64_t retired = 0;
    for (const bool translate : {true, false}) {
        for (const std::uint64_t quantum : {std::uint64_t{5000}, std::uint64_t{777}}) {
            options.translate = translate;
            options.quantum = quantum;
            Machine machine(Program::load(program.path()), options, boot_bare_metal);
            ASSERT_TRUE(machine.run());
            EXPECT_EQ(machine.exit_code(), 0);
            const Hart& hart = *machine.nodes()[0]->harts[0];
            EXPECT_EQ(hart.trap_counts[15], 20u) << "a page fault for each page";
            if (translate) {
                EXPECT_GT(hart.translated_blocks(), 0u);
                EXPECT_LT(hart.blocks.decoded(), 2000u) << "blocks outlive switches of space";
            }
            // Translated or not, each node does the same.
            if (quantum != 5000) continue;
            if (translate) retired = machine.retired();
            EXPECT_EQ(machine.retired(), retired);
        }
    }
    for (const std::uint64_t loads : {1u, 4u}) {
        MachineDescription m = table3();
        m.mesh.width = 2;
        m.mesh.height = 1;
        m.core.remote_loads = loads;
        Machine machine(Program::load(program.path()), options, boot_bare_metal);
        TimedMachine timed(machine, m);
        ASSERT_TRUE(timed.run(100'000'000));
        EXPECT_EQ(machine.exit_code(), 0);
        const auto out = report(timed.simulator());
        const auto& translation = out["nodes"][0]["translation"];
        EXPECT_GE(translation["fences"], 22u);
        EXPECT_GE(translation["walks"], 22u);
        EXPECT_LE(translation["walks"], 200u);
        EXPECT_GE(translation["request_misses"], 1u);
        EXPECT_GT(out["nodes"][0]["stalls"]["translation"], 0u);
    }
}

}  // namespace
}  // namespace isthmus::sim
