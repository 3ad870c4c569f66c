#include "core/job/window.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "core/job/job_layout.hpp"
#include "core/job/program_view.hpp"

namespace isthmus {
namespace {

// As if this process were that PE.
class WindowTest : public testing::Test {
  protected:
    void become(std::uint32_t me, std::uint32_t pes) {
        window.me = me;
        show_program(me);
        window.pes = window.host_pes = pes;
        window.shift = ISTHMUS_WINDOW_SHIFT;
        window.open_limit = std::bit_ceil(pes);
        open_window();
    }
    void TearDown() override { window = Window{}; }
    char object_[8] = {};
};

TEST_F(WindowTest, OneselfIsWhereOneIs) {
    for (std::uint32_t me = 0; me < 8; ++me) {
        become(me, 8);
        EXPECT_EQ(translate(object_, static_cast<int>(me)), object_);
    }
}

TEST_F(WindowTest, EveryPeHasASlotOfItsOwnAbove) {
    for (std::uint32_t me = 0; me < 13; ++me) {
        become(me, 13);
        std::set<std::uintptr_t> places;
        for (int pe = 0; pe < 13; ++pe) {
            EXPECT_TRUE(reaches(pe));
            const auto place = reinterpret_cast<std::uintptr_t>(translate(object_, pe));
            const std::uintptr_t distance = place - reinterpret_cast<std::uintptr_t>(object_);
            EXPECT_EQ(distance % window_stride(), 0u);
            EXPECT_LT(distance / window_stride(), 16u);
            places.insert(place);
        }
        EXPECT_EQ(places.size(), 13u);
    }
}

TEST_F(WindowTest, TheTestRefusesFarAndNegativePes) {
    become(2, 4);
    for (const int pe : {-1, -2, 4, 5, 256, 1 << 30, static_cast<int>(0x80000000)})
        EXPECT_FALSE(reaches(pe)) << pe;
    // With three PEs the number 3 passes; its slot is not mapped.
    become(0, 3);
    EXPECT_TRUE(reaches(3));
    EXPECT_FALSE(reaches(4));
}

TEST_F(WindowTest, ClosedItRefusesAll) {
    become(1, 4);
    close_window();
    for (int pe = 0; pe < 4; ++pe) {
        EXPECT_FALSE(reaches(pe));
        EXPECT_FALSE(ISTHMUS_WINDOW_REACHES(pe));
    }
}

// A program's own PE never changes, and the compiler knows; here it does, from call to call.
[[gnu::noipa]] char* program_address(char* object, int pe) {
    return ISTHMUS_WINDOW_REACHES(pe) ? ISTHMUS_WINDOW_ADDRESS(object, pe) : nullptr;
}

TEST_F(WindowTest, ProgramsAndTheLibraryCountAlike) {
    for (std::uint32_t me = 0; me < 7; ++me) {
        become(me, 7);
        for (int pe = -2; pe < 12; ++pe) {
            EXPECT_EQ(program_address(object_, pe), reaches(pe) ? translate(object_, pe) : nullptr);
        }
    }
}

TEST_F(WindowTest, EverythingFitsTheAddressSpace) {
    window.shift = 37;
    EXPECT_EQ(window_slots(), kMaxHostPes);
    // Heap and static data of the last slot end below 2^47, for executables at 0x56...: proven
    // by the slots that position-independent executables leave.
    EXPECT_LE(heap_base() + window_stride() * static_cast<std::uintptr_t>(window_slots()),
              std::uintptr_t{1} << 47);
    window.shift = 32;
    EXPECT_LE(heap_base() + window_stride() * static_cast<std::uintptr_t>(window_slots()),
              std::uintptr_t{0x80'0000'0000});  // what the thread sanitizer leaves to programs
}

TEST(JobLayout, RegionsDoNotMeet) {
    static_assert(region(0) > sizeof(JobHeader));
    for (int pe = 0; pe < kMaxPes; ++pe) {
        EXPECT_EQ(region(pe) + kDataOffset * 2, region(pe + 1));
        EXPECT_LE(region(pe + 1), job_file_size(pe + 1));
    }
    EXPECT_LT(job_file_size(kMaxPes), std::uint64_t{1} << 63) << "an offset of a file";
}

}  // namespace
}  // namespace isthmus
