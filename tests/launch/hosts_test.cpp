#include "launch/hosts.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace isthmus::launch {
namespace {

// "a:2 b:0"
std::string text_of(const std::vector<HostShare>& hosts) {
    std::string text;
    for (const HostShare& host : hosts)
        text += (text.empty() ? "" : " ") + host.name + ":" + std::to_string(host.pes);
    return text;
}

std::string parsed(const std::string& list) {
    std::vector<HostShare> hosts;
    const std::string why = parse_hosts(list, hosts);
    return why.empty() ? text_of(hosts) : why;
}

TEST(Hosts, Lists) {
    EXPECT_EQ(parsed("a"), "a:0");
    EXPECT_EQ(parsed("a,b.c-d_1:4"), "a:0 b.c-d_1:4");
    EXPECT_EQ(parsed("a:1,a:2,b:3"), "a:3 b:3");
    EXPECT_EQ(parsed("a,a"), "host a is named twice; say how many PEs: a:N");
    for (const char* const list : {"fd00::1", "[fd00::1]", "[fd00::1]:2", "a:1,::1", "fd00::1:2"})
        EXPECT_NE(parsed(list).find("hosts are not named by numbers of IPv6; give it a name"),
                  std::string::npos)
            << list;
    EXPECT_EQ(parsed("a:2,a"), "host a is named twice; say how many PEs: a:N");
    for (const char* const list : {"", ",", "a,", "a,,b", "a b", "-x", "a;b", "$(x)", "a/b"})
        EXPECT_NE(parsed(list).find("is no name of a host"), std::string::npos) << list;
    for (const char* const list : {"a:", "a:0", "a:-1", "a:x", "a:4x", "a:99999999999", "a:2:3"})
        EXPECT_NE(parsed(list).find("is no number of PEs"), std::string::npos) << list;
}

TEST(Hosts, Files) {
    std::string folder = (std::filesystem::temp_directory_path() / "hosts-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    const std::string path = folder + "/hosts";
    const auto read = [&](const std::string& content) {
        std::ofstream(path) << content;
        std::vector<HostShare> hosts;
        const std::string why = read_host_file(path, hosts);
        return why.empty() ? text_of(hosts) : why.substr(why.rfind('/') + 1);
    };
    EXPECT_EQ(read("a\n\n  b:2 # two\n#c\nd slots=3 max_slots=9\ne 4\n"), "a:0 b:2 d:3 e:4");
    EXPECT_EQ(read("a max_slots=9\nb max_slots=8 slots=2\n"), "a:0 b:2");
    EXPECT_EQ(read("a"), "a:0");
    EXPECT_EQ(read("\n#x\n"), "hosts names no host");
    EXPECT_EQ(read("a\nb c\n"), "hosts:2: host b: 'c' is no number of PEs");
    EXPECT_EQ(read("a 2 what\n"), "hosts:1: 'what' is not understood");
    // SGE
    EXPECT_EQ(read("a 2 all.q@a UNDEFINED\nb 3 all.q@b <NULL>\n"), "a:2 b:3");
    // PBS: a line a process; --per-host counts hosts.
    const auto place = [&](const std::string& content, int each, int pes) {
        std::ofstream(path) << content;
        std::vector<HostShare> hosts;
        std::string why = read_host_file(path, hosts);
        if (why.empty()) why = place_pes(hosts, each, pes);
        return why.empty() ? std::to_string(pes) + " " + text_of(hosts) : why;
    };
    EXPECT_EQ(place("a\nb\na\nb\na\n", 0, 0), "5 a:3 b:2");
    EXPECT_EQ(place("a\nb\na\nb\na\n", 0, 4), "4 a:3 b:1");
    EXPECT_EQ(place("a\nb\na\nb\n", 8, 0), "16 a:8 b:8");
    EXPECT_EQ(place("a\nb\n", 8, 0), "16 a:8 b:8");
    EXPECT_EQ(place("a\nb\n", 0, 5), "5 a:3 b:2");
    EXPECT_NE(place("a 2\nfd00::1 slots=2\n", 0, 0)
                  .find("hosts:2: 'fd00::1': hosts are not named by numbers of IPv6"),
              std::string::npos);
    // Numbers of a file are what there is room for.
    EXPECT_EQ(place("a 4 all.q@a UNDEFINED\nb 3 all.q@b UNDEFINED\n", 2, 0), "4 a:2 b:2");
    EXPECT_EQ(place("a slots=4\nb:4\nc\n", 3, 0), "9 a:3 b:3 c:3");
    EXPECT_EQ(place("a 4\nb 3\n", 2, 3), "3 a:2 b:1");
    EXPECT_EQ(place("a 4\nb 3\n", 3, 0), "6 a:3 b:3");
    EXPECT_EQ(place("a 4\nb 3\n", 4, 0), "--per-host 4: host b of the file has room for 3 PEs");
    EXPECT_EQ(read("a:2\na\n"), "hosts:2: host a is named twice; say how many PEs: a:N");
    std::vector<HostShare> hosts;
    EXPECT_EQ(read_host_file(folder + "/none", hosts), folder + "/none: No such file or directory");
    std::filesystem::remove_all(folder);
}

std::string placed(const std::string& list, int each, int pes) {
    std::vector<HostShare> hosts;
    EXPECT_EQ(parse_hosts(list, hosts), "");
    const std::string why = place_pes(hosts, each, pes);
    return why.empty() ? std::to_string(pes) + " " + text_of(hosts) : why;
}

TEST(Hosts, Places) {
    EXPECT_EQ(placed("a,b", 0, 4), "4 a:2 b:2");
    EXPECT_EQ(placed("a,b,c", 0, 7), "7 a:3 b:2 c:2");
    EXPECT_EQ(placed("a,b,c", 0, 2), "2 a:1 b:1");
    EXPECT_EQ(placed("a:1,b:3", 0, 0), "4 a:1 b:3");
    EXPECT_EQ(placed("a:1,b:3", 0, 2), "2 a:1 b:1");
    EXPECT_EQ(placed("a:3,b:3", 0, 3), "3 a:3");
    EXPECT_EQ(placed("a,b:3", 2, 0), "5 a:2 b:3");
    EXPECT_EQ(placed("a,b", 4, 0), "8 a:4 b:4");
    EXPECT_EQ(placed("a:2,b:2", 2, 0), "4 a:2 b:2");
    EXPECT_EQ(placed("a:2,b:3", 2, 0),
              "--per-host 2 and --hosts b:3 contradict each other; leave one of them out");
    EXPECT_EQ(placed("a:1,b:3", 0, 5), "-n 5: the hosts have room for 4 PEs");
    EXPECT_EQ(placed("a,b:3", 0, 4), "some hosts have a number of PEs and some have none");
    EXPECT_EQ(placed("a,b", 0, 0), "how many PEs? -n N, or a number with each host: h1:4,h2:4");
}

TEST(Hosts, Here) {
    char name[256] = "";
    ASSERT_EQ(gethostname(name, sizeof name - 1), 0);
    EXPECT_TRUE(are_here({{"localhost", 1}, {name, 2}, {"127.0.0.1", 1}}));
    EXPECT_FALSE(are_here({{"localhost", 1}, {std::string(name) + "x", 2}}));
}

}  // namespace
}  // namespace isthmus::launch
