#include "base/settings.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <random>

#include "base/edit_distance.hpp"

namespace isthmus {
namespace {

constexpr std::uint64_t kMemory = 1000;

std::optional<std::uint64_t> parsed(std::string_view text) {
    std::uint64_t bytes = 0;
    return parse_size(text, kMemory, bytes) ? std::optional(bytes) : std::nullopt;
}

// Sets a variable, and takes it back at the end of the test.
class Environment {
  public:
    Environment(const char* name, const char* text) : name_(name) { setenv(name, text, 1); }
    ~Environment() { unsetenv(name_); }

  private:
    const char* name_;
};

std::string only_problem() {
    const auto problems = read_settings();
    return problems.size() == 1 ? problems[0].message
                                : std::to_string(problems.size()) + " problems";
}

TEST(Size, TakesWhatTheStandardShows) {
    EXPECT_EQ(parsed("20m"), 20u << 20);
    EXPECT_EQ(parsed("20M"), 20u << 20);
    EXPECT_EQ(parsed(".5g"), 512u << 20);
    EXPECT_EQ(parsed("3.1M"), 3250586u);  // rounded up to a byte
    EXPECT_EQ(parsed("1e3"), 1000u);
    EXPECT_EQ(parsed("1.5e1k"), 15360u);
    EXPECT_EQ(parsed("2T"), std::uint64_t{2} << 40);
    EXPECT_EQ(parsed("4096"), 4096u);
    EXPECT_EQ(parsed("0"), 0u);
    EXPECT_EQ(parsed("  7k"), 7168u);
}

TEST(Size, TakesTheFirstMultiplierOnly) {
    EXPECT_EQ(parsed("20kk"), 20u << 10);
    EXPECT_EQ(parsed("20km"), 20u << 10);
    EXPECT_EQ(parsed("20kB"), 20u << 10);
    EXPECT_EQ(parsed("1GiB"), 1u << 30);
}

TEST(Size, TakesPercentOfMemory) {
    EXPECT_EQ(parsed("50%"), 500u);
    EXPECT_EQ(parsed("0.25%"), 3u);
    EXPECT_EQ(parsed("100%"), 1000u);
}

TEST(Size, RefusesTheRest) {
    for (const char* text : {"", " ", "M", "-1", "-1k", "+1", "abc", "1x", "20 m", ".", "e5", "nan",
                             "inf", "1e400", "99999999T", "0x10", "1,5g", "%"})
        EXPECT_EQ(parsed(text), std::nullopt) << text;
}

TEST(Size, DoesNotReadBehindItsText) {
    const std::string text = "12345k";
    EXPECT_EQ(parsed(std::string_view(text).substr(0, 3)), 123u);
}

TEST(Size, PropertyEveryWholeNumberIsItself) {
    std::mt19937_64 random(20);
    for (int i = 0; i < 10000; ++i) {
        const std::uint64_t number = (random() >> 11) >> (random() % 53);  // exact in a double
        EXPECT_EQ(parsed(std::to_string(number)), number);
    }
}

TEST(FormatSize, TakesTheUnitThatReadsBest) {
    EXPECT_EQ(format_size(0), "0 B");
    EXPECT_EQ(format_size(1023), "1023 B");
    EXPECT_EQ(format_size(1024), "1 KiB");
    EXPECT_EQ(format_size(1536), "1.5 KiB");
    EXPECT_EQ(format_size(1610612736), "1.5 GiB");
    EXPECT_EQ(format_size((1 << 20) - 1), "1.0 MiB");
    EXPECT_EQ(format_size(std::uint64_t{3} << 50), "3 PiB");
    EXPECT_EQ(format_size(~std::uint64_t{0}), "16384 PiB");
}

TEST(Settings, AreTheStandardsWithoutEnvironment) {
    EXPECT_TRUE(read_settings().empty());
    EXPECT_EQ(value(Setting::symmetric_size).text, "50%");
    EXPECT_EQ(value(Setting::symmetric_size).origin, SettingOrigin::standard);
    EXPECT_EQ(size(Setting::symmetric_size, 1 << 20), 1u << 19);
    EXPECT_EQ(seconds(Setting::stall_seconds), 30);
    EXPECT_FALSE(flag(Setting::check));
}

TEST(Settings, DescribeThemselves) {
    for (int i = 0; i < static_cast<int>(Setting::count); ++i) {
        const SettingDescription& setting = description(static_cast<Setting>(i));
        EXPECT_GT(std::string(setting.help).size(), 20u) << setting.name;
        EXPECT_EQ(setting.choices != nullptr, setting.kind == SettingKind::choice) << setting.name;
        const Environment standard(setting.name, setting.standard_value);
        EXPECT_TRUE(read_settings().empty()) << setting.name << ": its standard value is not valid";
    }
}

TEST(Settings, ComeFromTheEnvironment) {
    const Environment size_set("SHMEM_SYMMETRIC_SIZE", "64M");
    const Environment stall("ISTHMUS_STALL_SECONDS", "0.5");
    const Environment check("ISTHMUS_CHECK", "1");
    const Environment info("SHMEM_INFO", "");
    EXPECT_TRUE(read_settings().empty());
    EXPECT_EQ(size(Setting::symmetric_size, 0), 64u << 20);
    EXPECT_EQ(value(Setting::symmetric_size).origin, SettingOrigin::environment);
    EXPECT_EQ(seconds(Setting::stall_seconds), 0.5);
    EXPECT_TRUE(flag(Setting::check));
    EXPECT_TRUE(flag(Setting::info)) << "present is enough";
    EXPECT_FALSE(flag(Setting::version));
}

// Open MPI's and Cray's; those of the standard win.
TEST(Settings, ReadTheNamesOfOtherLibraries) {
    const Environment cray("XT_SYMMETRIC_HEAP_SIZE", "1M");
    EXPECT_TRUE(read_settings().empty());
    EXPECT_EQ(size(Setting::symmetric_size, 0), 1u << 20);
    EXPECT_STREQ(value(Setting::symmetric_size).read_from, "XT_SYMMETRIC_HEAP_SIZE");
    const Environment open_mpi("SHMEM_SYMMETRIC_HEAP_SIZE", "3M");
    EXPECT_TRUE(read_settings().empty());
    EXPECT_EQ(size(Setting::symmetric_size, 0), 3u << 20);
    const Environment standard("SHMEM_SYMMETRIC_SIZE", "2M");
    EXPECT_TRUE(read_settings().empty());
    EXPECT_EQ(size(Setting::symmetric_size, 0), 2u << 20);
    EXPECT_TRUE(is_name_of(Setting::symmetric_size, "XT_SYMMETRIC_HEAP_SIZE"));
    EXPECT_FALSE(is_name_of(Setting::symmetric_size, "XT_SYMMETRIC_HEAP"));
}

TEST(Settings, ReadTheDeprecatedNameUnlessTheNewOneIsSet) {
    const Environment old_name("SMA_SYMMETRIC_SIZE", "1M");
    EXPECT_TRUE(read_settings().empty());
    EXPECT_EQ(size(Setting::symmetric_size, 0), 1u << 20);
    EXPECT_STREQ(value(Setting::symmetric_size).read_from, "SMA_SYMMETRIC_SIZE");
    const Environment new_name("SHMEM_SYMMETRIC_SIZE", "2M");
    EXPECT_TRUE(read_settings().empty());
    EXPECT_EQ(size(Setting::symmetric_size, 0), 2u << 20);
}

TEST(Settings, SayWhatIsWrongWithAValue) {
    const Environment stall("ISTHMUS_STALL_SECONDS", "soon");
    EXPECT_EQ(only_problem(),
              "setting ISTHMUS_STALL_SECONDS=soon is not valid: expected seconds, 0 or more");
    EXPECT_EQ(seconds(Setting::stall_seconds), 30) << "the standard value holds";
}

TEST(Settings, NegativeNumbersAndFractionsAreNoCounts) {
    for (const char* text : {"-1", "1.5", "many", "1e999", "4294967296"}) {
        const Environment spin("ISTHMUS_SPIN", text);
        EXPECT_EQ(only_problem(),
                  std::string("setting ISTHMUS_SPIN=") + text +
                      " is not valid: expected a whole number, 0 or more, below 10^9");
    }
}

TEST(Settings, SuggestTheNearestName) {
    const Environment typo("ISTHMUS_STALL_SECOND", "3");
    EXPECT_EQ(only_problem(),
              "setting ISTHMUS_STALL_SECOND is not known; did you mean "
              "ISTHMUS_STALL_SECONDS? `isthmus info` lists all settings");
}

TEST(Settings, SuggestTheNewNameForAnOldOne) {
    const Environment typo("SMA_SYMMETRIC_SIZ", "1M");
    EXPECT_EQ(only_problem(),
              "setting SMA_SYMMETRIC_SIZ is not known; did you mean "
              "SHMEM_SYMMETRIC_SIZE? `isthmus info` lists all settings");
}

TEST(Settings, SuggestWhatHasTwoLettersSwapped) {
    EXPECT_EQ(edit_distance("chcek", "check"), 1u);
    EXPECT_EQ(edit_distance("ab", "ba"), 1u);
    EXPECT_EQ(edit_distance("abc", "cab"), 2u);
    EXPECT_EQ(edit_distance("", "ab"), 2u);
    EXPECT_EQ(nearest("shaol", {"aos", "shoal"}), "shoal");
    const Environment typo("ISTHMUS_CHCEK", "1");
    EXPECT_EQ(only_problem(),
              "setting ISTHMUS_CHCEK is not known; did you mean ISTHMUS_CHECK? `isthmus info` "
              "lists all settings");
}

TEST(Settings, SuggestNothingForWhatIsFar) {
    const Environment far("ISTHMUS_WARP_FACTOR", "9");
    EXPECT_EQ(only_problem(),
              "setting ISTHMUS_WARP_FACTOR is not known; `isthmus info` lists all settings");
}

TEST(Settings, LeaveOtherLibrariesAlone) {
    const Environment other("SHMEM_OFI_PROVIDER", "tcp");
    const Environment stranger("OMPI_COMM_WORLD_SIZE", "4");
    EXPECT_TRUE(read_settings().empty());
}

TEST(Settings, KnowWhatTheLauncherHandsOver) {
    const Environment bootstrap("ISTHMUS_BOOTSTRAP", "local:3:0:2");
    EXPECT_TRUE(read_settings().empty());
}

}  // namespace
}  // namespace isthmus
