#include "core/job/mapping.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/os.hpp"

namespace isthmus {
namespace {

// By the kernel's answer to a question, where it has one, and by the text of the list.
class MappingTest : public testing::TestWithParam<bool> {
  protected:
    static constexpr std::uint64_t kPages = 8;
    void SetUp() override {
        void* const place = mmap(nullptr, kPages * page_, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ASSERT_NE(place, MAP_FAILED);
        pages_ = static_cast<char*>(place);
    }
    void TearDown() override { munmap(pages_, kPages * page_); }
    std::uintptr_t page(std::uint64_t number) const {
        return reinterpret_cast<std::uintptr_t>(pages_) + number * page_;
    }
    Text why_not(std::uint64_t first, std::uint64_t count) const {
        Mappings mappings(GetParam());
        std::vector<Range> executable;
        return why_not_adoptable(page(first), count * page_, mappings, executable);
    }
    std::uint64_t page_ = os::page_size();
    char* pages_ = nullptr;
};

TEST_P(MappingTest, FindsTheMappingOrTheNext) {
    mprotect(pages_ + page_, page_, PROT_READ);
    munmap(pages_ + 2 * page_, page_);
    Mappings mappings(GetParam());
    Mapping found;
    ASSERT_TRUE(mappings.find(page(1) + 5, found));
    EXPECT_EQ(found.begin, page(1));
    EXPECT_EQ(found.end, page(2));
    EXPECT_STREQ(found.rights, "r--p");
    ASSERT_TRUE(mappings.find(page(2), found));
    EXPECT_EQ(found.begin, page(3));
    EXPECT_STREQ(found.rights, "rw-p");
    ASSERT_TRUE(mappings.find(page(4), found));
    EXPECT_EQ(found.begin, page(3));
    EXPECT_FALSE(mappings.find(~std::uintptr_t{0} - 4096, found) && found.begin == page(3));
}

TEST_P(MappingTest, SaysWhyPagesAreNotAdoptable) {
    EXPECT_EQ(why_not(0, kPages), "");
    EXPECT_EQ(why_not(3, 1), "");
    mprotect(pages_ + 3 * page_, page_, PROT_READ);
    EXPECT_EQ(why_not(0, 3), "");
    EXPECT_NE(why_not(3, 1).find("are not rw- but r--"), std::string::npos);
    munmap(pages_ + 4 * page_, page_);
    EXPECT_NE(why_not(4, 1).find("is not mapped"), std::string::npos);
    mmap(pages_ + 5 * page_, page_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED,
         -1, 0);
    EXPECT_NE(why_not(5, 2).find("is shared with others already"), std::string::npos);
    EXPECT_EQ(why_not(6, 2), "");
}

TEST_P(MappingTest, SaysWhenTheListCannotBeRead) {
    EXPECT_EQ(Mappings(GetParam()).error(), 0);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{0, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    const int error = Mappings(GetParam()).error();
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(error, EMFILE);
}

TEST_P(MappingTest, TellsWhichPagesAreExecutable) {
    constexpr int kAll = PROT_READ | PROT_WRITE | PROT_EXEC;
    ASSERT_EQ(mprotect(pages_ + page_, 2 * page_, kAll), 0);
    ASSERT_EQ(mprotect(pages_ + 5 * page_, 3 * page_, kAll), 0);
    std::vector<Range> executable;
    Mappings mappings(GetParam());
    EXPECT_EQ(why_not_adoptable(page(2), 4 * page_, mappings, executable), "");
    ASSERT_EQ(executable.size(), 2U);  // and no more of them than was asked for
    EXPECT_EQ(executable[0].begin, page(2));
    EXPECT_EQ(executable[0].size, page_);
    EXPECT_EQ(executable[1].begin, page(5));
    EXPECT_EQ(executable[1].size, page_);
    Mappings again(GetParam());
    EXPECT_EQ(why_not_adoptable(page(3), 2 * page_, again, executable), "");
    EXPECT_TRUE(executable.empty());
}

INSTANTIATE_TEST_SUITE_P(Ways, MappingTest, testing::Bool(), [](const auto& way) {
    return way.param ? std::string("text") : std::string("question");
});

}  // namespace
}  // namespace isthmus
