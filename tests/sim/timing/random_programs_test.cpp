// Random programs of xBGAS and local instructions, in time and without: whatever number of remote
// loads is under way, memory and registers end up the same. Where the machine keeps no order the
// program has a fence, and none elsewhere.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "sim/linux/process.hpp"
#include "sim/timing/timed_machine.hpp"

namespace isthmus::sim {
namespace {

constexpr int kBytes = 2048;        // of the local region, and of the remote one
constexpr int kRemoteAt = 4096;     // in the shared region
constexpr int kRegistersAt = 8192;  // where they are left in the end
constexpr int kShared = 8192 + 512;

// s0 and s1 point into the middle of the local and the remote region, whose first word holds the
// namespace; e9, e18, e20 and e22 are it. Data are in a0 to a7, t0 to t2 and e24 to e27.
class RandomProgram {
  public:
    RandomProgram(unsigned start, bool own_node) : random_(start), own_node_(own_node) {
        out_ << ".include \"xbgas.inc\"\n.globl _start\n_start:\n"
                "eaddi s0, e13, 1024\n"
                "eaddi s1, e13, 1024\nli t0, "
             << kRemoteAt << "\nadd s1, s1, t0\neaddi t0, e10, 0\n"
             << (own_node ? "addi t0, t0, 1\n" : "li t1, 2\nsub t0, t1, t0\n");
        for (const int reg : {9, 18, 20, 22})
            out_ << "eaddie e" << reg << ", t0, 0\n";
        out_ << "esd t0, -1024(s1)\n";
        out_ << "eaddi t1, e10, 77\n";  // the nodes have different data
        for (int i = 10; i < 18; ++i)
            out_ << "li x" << i << ", " << static_cast<std::int64_t>(random_()) << "\nmul x" << i
                 << ", x" << i << ", t1\n";
        for (int i = 24; i < 28; ++i)
            out_ << "eaddie e" << i << ", x" << i - 12 << ", " << i << "\n";
        for (int at = -1016; at < 1024; at += 8) {
            out_ << "sd x" << 10 + below(8) << ", " << at << "(s0)\n";
            out_ << "esd x" << 10 + below(8) << ", " << at << "(s1)\n";
        }
        out_ << "fence\n";
        for (int i = 0; i < 400; ++i)
            emit();
        out_ << "fence\neaddi s2, e13, 0\nli s3, " << kRegistersAt << "\nadd s2, s2, s3\n";
        int at = 0;
        for (const int reg : {5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17})
            out_ << "sd x" << reg << ", " << 8 * at++ << "(s2)\n";
        for (const int reg : {9, 18, 20, 22, 24, 25, 26, 27})
            out_ << "ese e" << reg << ", " << 8 * at++ << "(s2)\n";
        out_ << "li a0, 0\nli a7, 93\necall\n";
    }
    std::string text() const { return out_.str(); }

  private:
    struct Range {
        int at, bytes;
    };
    using Ranges = std::vector<Range>;

    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    std::string data() {
        static constexpr int kData[] = {5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17};
        return "x" + std::to_string(kData[below(11)]);
    }
    std::string namespace_register() { return below(2) ? "e18" : "e20"; }
    // A place that is aligned, and not the first word.
    Range place(int bytes) { return {-1024 + 8 + below((kBytes - 8) / bytes) * bytes, bytes}; }
    static bool meets(const Ranges& ranges, const Range& r) {
        return std::any_of(ranges.begin(), ranges.end(), [&](const Range& other) {
            return other.at < r.at + r.bytes && r.at < other.at + other.bytes;
        });
    }

    // What is posted and no fence has put before reads, before writes; loads before local writes.
    Ranges unread_, unwritten_, loading_;

    void fence(std::string before, std::string behind) {
        const auto has = [](const std::string& set, char c) {
            return set.find(c) != std::string::npos;
        };
        if (has(before, 'w') && has(behind, 'r')) unread_.clear();
        if (has(before, 'w') && has(behind, 'w')) unwritten_.clear();
        if (has(before, 'r') && has(behind, 'w')) loading_.clear();
        out_ << "fence " << before << ", " << behind << "\n";
    }
    void before_read(const Range& r) {
        if (meets(unread_, r)) fence(below(2) ? "w" : "rw", below(2) ? "r" : "rw");
    }
    void before_write(const Range& r) {
        if (meets(unwritten_, r)) fence(below(2) ? "w" : "rw", below(2) ? "w" : "rw");
    }
    void wrote(const Range& r) {
        unread_.push_back(r);
        unwritten_.push_back(r);
    }

    void load() {
        static constexpr const char* kWidths[] = {"b", "h", "w", "d", "bu", "hu"};
        static constexpr int kSizes[] = {1, 2, 4, 8, 1, 2};
        const int w = below(6);
        const Range r = place(kSizes[w]);
        before_read(r);
        loading_.push_back(r);
        if (below(2)) {
            out_ << "el" << kWidths[w] << " " << data() << ", " << r.at << "(s1)\n";
        } else {
            out_ << "addi s3, s1, " << r.at << "\nerl" << kWidths[w] << " " << data() << ", s3, "
                 << namespace_register() << "\n";
        }
    }
    void store() {
        static constexpr const char* kWidths[] = {"b", "h", "w", "d"};
        const int w = below(4);
        const Range r = place(1 << w);
        before_write(r);
        wrote(r);
        if (below(2)) {
            out_ << "es" << kWidths[w] << " " << data() << ", " << r.at << "(s1)\n";
        } else {
            out_ << "addi s3, s1, " << r.at << "\ners" << kWidths[w] << " " << data() << ", s3, "
                 << namespace_register() << "\n";
        }
    }
    void atomic() {
        static constexpr const char* kNames[] = {"add", "swap", "xor",  "or",   "and",
                                                 "min", "max",  "minu", "maxu", "cas"};
        static constexpr const char* kOrders[] = {"", "", "", ".aq", ".rl", ".aqrl"};
        const bool wide = below(2);
        const Range r = place(wide ? 8 : 4);
        before_read(r);
        before_write(r);
        const bool posted = below(4) == 0;
        if (posted) wrote(r);
        out_ << "addi s2, s1, " << r.at << "\neamo" << kNames[below(10)] << (wide ? ".d" : ".w")
             << kOrders[below(6)] << " " << (posted ? "x0" : data()) << ", " << data()
             << ", (s2)\n";
    }
    void reserve() {
        const Range r = place(8);
        before_read(r);
        before_write(r);
        out_ << "addi s2, s1, " << r.at << "\nelr.d " << data() << ", (s2)\n";
        if (below(2)) arithmetic();
        out_ << "esc.d " << data() << ", " << data() << ", (s2)\n";
    }
    void bulk() {
        static constexpr const char* kWidths = "bhwd";
        const int w = below(4), count = 1 + below(40);
        const bool get = below(2);
        fence("rw", "rw");
        out_ << "addi s5, s0, " << -1016 + below(80) * 8 << "\naddi s6, s1, "
             << -1016 + below(80) * 8 << "\nli s7, " << count << "\neb" << (get ? "l" : "s")
             << kWidths[w] << " x0, s5, s6, s7\n";
        for (int i = below(4); i > 0; --i)
            arithmetic();
        fence("rw", "rw");
    }
    // The address is what was loaded last.
    void chase() {
        if (!unread_.empty()) fence("w", "r");
        loading_.push_back({-1024, kBytes});
        out_ << "andi s3, " << data() << ", 0x3f8\nadd s3, s3, s1\nerld " << data()
             << ", s3, e18\n";
    }
    // The namespace is what was loaded last, named or as the address register's.
    void load_namespace() {
        const Range r = place(8);
        before_read(r);
        loading_.push_back(r);
        const bool named = below(2);
        const char* const reg = named ? "e20" : "e9";
        out_ << "eaddie " << reg << ", x0, 0\naddi s3, s1, -1024\nerle " << reg
             << ", s3, e18\naddi s3, s1, " << r.at << "\n";
        if (named)
            out_ << "erld " << data() << ", s3, e20\n";
        else
            out_ << "eld " << data() << ", " << r.at << "(s1)\n";
    }
    void extended() {
        const Range r = place(8);
        const std::string reg = "e" + std::to_string(24 + below(4));
        switch (below(4)) {
            case 0:
                before_read(r);
                loading_.push_back(r);
                out_ << "addi s3, s1, " << r.at << "\nerle " << reg << ", s3, e18\n";
                break;
            case 1:
                before_write(r);
                wrote(r);
                out_ << "addi s3, s1, " << r.at << "\nerse " << reg << ", s3, e18\n";
                break;
            case 2: out_ << "eaddi " << data() << ", " << reg << ", " << below(100) << "\n"; break;
            default: out_ << "eaddie " << reg << ", " << data() << ", " << below(100) << "\n";
        }
    }
    void arithmetic() {
        static constexpr const char* kNames[] = {"add", "sub", "xor", "mul", "divu", "sltu"};
        out_ << kNames[below(6)] << " " << data() << ", " << data() << ", " << data() << "\n";
    }
    void branch() {
        const int label = labels_++;
        out_ << "bltu " << data() << ", " << data() << ", skip" << label << "\n";
        arithmetic();
        out_ << "skip" << label << ":\n";
    }
    // The local region, or the node's own words that it reaches by the NIC, too.
    void local() {
        const Range r = place(8);
        const bool is_store = below(2);
        const bool meets_remote = own_node_ && below(2);
        if (meets_remote) {
            if (is_store) {
                before_write(r);
                if (meets(loading_, r)) fence("r", "w");
                wrote(r);
            } else {
                before_read(r);
            }
        }
        if (!meets_remote && below(4) == 0)
            out_ << (is_store ? "ese e" : "ele e") << 24 + below(4);
        else
            out_ << (is_store ? "sd " : "ld ") << data();
        out_ << ", " << r.at << (meets_remote ? "(s1)\n" : "(s0)\n");
    }
    // getpid, whose result replaces what is loaded into the same register.
    void call() {
        const Range r = place(8);
        before_read(r);
        loading_.push_back(r);
        out_ << "li a7, 172\neld a0, " << r.at << "(s1)\necall\n";
    }
    void emit() {
        switch (below(24)) {
            case 0:
            case 1:
            case 2:
            case 3:
            case 4: return load();
            case 5:
            case 6:
            case 7: return store();
            case 8: return atomic();
            case 9: return below(2) ? reserve() : bulk();
            case 10: return chase();
            case 11: return load_namespace();
            case 12:
            case 13: return extended();
            case 14:
            case 15: return local();
            case 16: return branch();
            case 17: {
                static constexpr const char* kSets[] = {"r", "w", "rw"};
                return fence(kSets[below(3)], kSets[below(3)]);
            }
            case 18: return below(3) == 0 ? call() : arithmetic();
            case 19: out_ << (below(4) ? "li " + data() + ", 7\n" : ".word 0x0100000f\n"); return;
            default: return arithmetic();
        }
    }

    std::mt19937_64 random_;
    const bool own_node_;
    std::ostringstream out_;
    int labels_ = 0;
};

std::vector<std::vector<std::uint8_t>> shared_of(Machine& machine) {
    std::vector<std::vector<std::uint8_t>> all;
    for (const auto& node : machine.nodes()) {
        all.emplace_back(kShared);
        EXPECT_TRUE(node->memory.read(kLinuxSharedBase, all.back().data(), kShared));
    }
    return all;
}

TEST(RandomPrograms, EndTheSameWithAnyNumberOfLoadsUnderWay) {
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
    char pattern[] = "/tmp/isthmus-random-XXXXXX";
    const std::string directory = mkdtemp(pattern), program = directory + "/program";
    std::uint64_t overlapped = 0;
    for (unsigned start = 1; start <= 8; ++start) {
        std::ofstream(program + ".s") << RandomProgram(start, start % 2 == 0).text();
        const std::string command = std::string(ISTHMUS_TEST_GCC) +
                                    " -nostdlib -static -Wa,-I" ISTHMUS_TEST_INCLUDE " -o " +
                                    program + " " + program + ".s";
        ASSERT_EQ(std::system(command.c_str()), 0) << command;
        MachineOptions options;
        options.nodes = 2;
        options.arguments = {"program"};
        Machine without_time(Program::load(program), options, boot_linux);
        without_time.run();
        ASSERT_EQ(without_time.exit_code(), 0) << start;
        const auto expected = shared_of(without_time);
        for (const std::uint64_t loads : {1, 2, 3, 8, 64}) {
            MachineDescription m = table3();
            m.mesh.width = 2;
            m.mesh.height = 1;
            m.core.remote_loads = loads;
            m.nic.outstanding = start % 3 == 0 ? 4 : 16;
            Machine functional(Program::load(program), options, boot_linux);
            TimedMachine timed(functional, m, 1);
            ASSERT_TRUE(timed.run(10'000'000)) << start << ", " << loads;
            EXPECT_EQ(functional.exit_code(), 0);
            const auto found = shared_of(functional);
            for (std::size_t node = 0; node < found.size(); ++node)
                for (std::size_t i = 0; i < found[node].size(); ++i)
                    ASSERT_EQ(found[node][i], expected[node][i])
                        << "program " << start << ", " << loads << " loads, node " << node
                        << ", byte " << i;
            const auto& nic = timed.simulator().nodes()[0]->nic().statistics();
            overlapped = std::max(overlapped, nic.peak_outstanding);
        }
    }
    EXPECT_GT(overlapped, 2u);
    std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace isthmus::sim
