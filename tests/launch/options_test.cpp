#include "launch/options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace isthmus::launch {
namespace {

using Words = std::vector<std::string>;

RunOptions parse(const Words& words, ParseResult expected = ParseResult::run) {
    RunOptions options;
    EXPECT_EQ(parse_run_options("isthmus run", words, options), expected);
    return options;
}

struct Spelling {
    Words given;
    Words ours;
};

TEST(Options, SpellingsOfOtherLaunchers) {
    const Spelling cases[] = {
        {{"-np", "4"}, {"-n", "4"}},
        {{"-n4"}, {"-n", "4"}},
        {{"--np=4"}, {"-n", "4"}},
        {{"--bind-to", "core"}, {"--bind", "core"}},
        {{"--mca", "btl", "self"}, {}},
        {{"--map-by=slot"}, {}},
        {{"--map-by", "slot", "-l"}, {"--prefix"}},
        {{"--oversubscribe", "--allow-run-as-root"}, {}},
        {{"-x", "A=1", "-x", "B"}, {"--env", "A=1", "--env", "B"}},
        {{"--unknown"}, {"--unknown"}},
    };
    for (const Spelling& c : cases) {
        Words all = c.given;
        all.insert(all.end(), {"prog", "-n", "7"});
        Words command, foreign;
        EXPECT_EQ(normalise_arguments(all, command, foreign), c.ours);
        EXPECT_EQ(command, (Words{"prog", "-n", "7"}));
    }
}

TEST(Options, ProgramKeepsItsArguments) {
    const RunOptions options = parse({"-n", "2", "--", "-prog", "--prefix", "--", "-n"});
    EXPECT_EQ(options.command, (Words{"-prog", "--prefix", "--", "-n"}));
    EXPECT_FALSE(options.prefix);
}

TEST(Options, Values) {
    const RunOptions options =
        parse({"-n", "256", "--bind", "core:overload-allowed", "--prefix", "--timeout", "2.5",
               "--grace", "0", "--wdir", "/tmp", "--env", "A=b=c", "--env", "D=", "prog"});
    EXPECT_EQ(options.pes, 256);
    EXPECT_EQ(options.bind, BindMode::core);
    EXPECT_TRUE(options.prefix);
    EXPECT_EQ(options.timeout_seconds, 2.5);
    EXPECT_EQ(options.grace_seconds, 0);
    EXPECT_EQ(options.working_directory, "/tmp");
    EXPECT_EQ(options.environment, (Words{"A=b=c", "D="}));
}

TEST(Options, Defaults) {
    const RunOptions options = parse({"prog"});
    EXPECT_GE(options.pes, 1);
    EXPECT_EQ(options.bind, BindMode::automatic);
    EXPECT_FALSE(options.prefix);
    EXPECT_EQ(options.grace_seconds, 0.5);
}

TEST(Options, Hosts) {
    RunOptions options = parse({"-hosts", "h1,h2:3", "-ppn", "2", "prog"});
    EXPECT_TRUE(options.elsewhere);
    EXPECT_EQ(options.pes, 5);
    ASSERT_EQ(options.hosts.size(), 2u);
    EXPECT_EQ(options.hosts[0].pes, 2);
    EXPECT_EQ(options.launcher, "auto");
    // By its own name or as localhost, this machine needs no other launcher.
    options = parse({"--host", "localhost", "-n", "3", "--launcher", "hydra", "prog"});
    EXPECT_FALSE(options.elsewhere);
    EXPECT_EQ(options.pes, 3);
    EXPECT_EQ(options.launcher, "hydra");
    EXPECT_EQ(parse({"-H", "localhost:2", "prog"}).pes, 2);
    EXPECT_EQ(parse({"--per-host", "2", "prog"}).pes, 2);
    EXPECT_EQ(parse({"--hosts", "a:512,b:512", "prog"}).pes, 1024);
    EXPECT_EQ(parse({"--hosts", "a,b", "-n", "1024", "prog"}).pes, 1024);
    EXPECT_EQ(parse({"--mca", "a", "b", "--map-by=node", "-q", "prog"}).foreign,
              (Words{"--mca", "a", "b", "--map-by=node"}));
    for (const Words& words :
         {Words{"--hosts", "a,b", "p"}, Words{"--hosts", "a b", "-n", "2", "p"},
          Words{"--hostfile", "/no/such", "-n", "2", "p"}, Words{"--per-host", "0", "p"},
          Words{"--per-host", "2", "-n", "3", "p"}, Words{"--launcher", "rsh", "p"},
          Words{"--hosts", "a:2,b:2", "-n", "5", "p"}, Words{"--hosts", "a:512,b:513", "p"},
          Words{"--hosts", "localhost:257", "p"},
          Words{"--hosts", "a", "--hostfile", "f", "-n", "1", "p"},
          Words{"--hosts", "", "-n", "1", "p"}, Words{"--hostfile", "", "-n", "1", "p"},
          Words{"--wdir", "", "-n", "1", "p"}, Words{"--bind", "", "-n", "1", "p"},
          Words{"--per-host", "", "-n", "1", "p"}, Words{"-n", "", "p"}})
        parse(words, ParseResult::error);
}

TEST(Options, Settings) {
    setenv("ISTHMUS_BIND", "socket", 1);
    setenv("ISTHMUS_PREFIX", "1", 1);
    EXPECT_EQ(parse({"prog"}).bind, BindMode::socket);
    EXPECT_TRUE(parse({"prog"}).prefix);
    EXPECT_EQ(parse({"--bind", "none", "prog"}).bind, BindMode::none);
    EXPECT_FALSE(parse({"--split", "d", "prog"}).prefix);
    unsetenv("ISTHMUS_BIND");
    setenv("ISTHMUS_PREFIX", "maybe", 1);
    parse({"prog"}, ParseResult::error);
    unsetenv("ISTHMUS_PREFIX");
}

TEST(Options, Mistakes) {
    for (const Words& words :
         {Words{"-n"}, Words{"-n", "2"}, Words{"-n", "0", "p"}, Words{"-n", "257", "p"},
          Words{"-n", "2.5", "p"}, Words{"--bind", "x", "p"}, Words{"--timeout", "0", "p"},
          Words{"--timeout", "x", "p"}, Words{"--grace", "-1", "p"}, Words{"--env", "=1", "p"},
          Words{"--prefix=3", "p"}, Words{"--whatever", "p"}})
        parse(words, ParseResult::error);
}

}  // namespace
}  // namespace isthmus::launch
