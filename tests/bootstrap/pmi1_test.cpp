#include "bootstrap/pmi1.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <random>
#include <stdexcept>
#include <thread>

using namespace isthmus::bootstrap;

namespace {

// The other end: answers each line with what `reply` makes of it, until the client hangs up.
class Manager {
  public:
    explicit Manager(std::function<std::string(std::map<std::string, std::string>&)> reply) {
        int ends[2];
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        client = ends[0];
        thread_ = std::thread([end = ends[1], reply] {
            std::string line;
            char character;
            while (read(end, &character, 1) == 1) {
                if (character != '\n') {
                    line += character;
                    continue;
                }
                std::map<std::string, std::string> words;
                parse_pmi_line(line, words);
                line.clear();
                const std::string answer = reply(words) + "\n";
                // In two pieces: a line need not come in one. Behind its farewell a client may
                // hang up as soon as it has the first.
                const std::size_t half = answer.size() / 2;
                if (send(end, answer.data(), half, MSG_NOSIGNAL) < 0) break;
                if (send(end, answer.data() + half, answer.size() - half, MSG_NOSIGNAL) < 0) break;
            }
            close(end);
        });
    }
    ~Manager() { thread_.join(); }
    int client = -1;

  private:
    std::thread thread_;
};

}  // namespace

TEST(PmiLine, Words) {
    std::map<std::string, std::string> words;
    EXPECT_TRUE(parse_pmi_line("cmd=maxes kvsname_max=256 vallen_max=1024 ", words));
    EXPECT_EQ(words["cmd"], "maxes");
    EXPECT_EQ(words["vallen_max"], "1024");
    EXPECT_TRUE(parse_pmi_line("", words));
    EXPECT_TRUE(words.empty());
    EXPECT_TRUE(parse_pmi_line("value=a=b", words));
    EXPECT_EQ(words["value"], "a=b");
    EXPECT_FALSE(parse_pmi_line("cmd", words));
    EXPECT_FALSE(parse_pmi_line("=x", words));
}

TEST(PmiBytes, ThereAndBack) {
    std::mt19937 random(3);
    for (std::size_t length = 0; length < 300; ++length) {
        std::string bytes(length, '\0');
        for (char& byte : bytes)
            byte = static_cast<char>(random());
        std::string back(length, 'x');
        ASSERT_TRUE(decode_bytes(encode_bytes(bytes.data(), length), back.data(), length));
        ASSERT_EQ(bytes, back);
    }
    char one;
    EXPECT_FALSE(decode_bytes("0", &one, 1));
    EXPECT_FALSE(decode_bytes("0g", &one, 1));
    EXPECT_FALSE(decode_bytes("0A", &one, 1));
    EXPECT_FALSE(decode_bytes("0000", &one, 1));
}

TEST(Pmi1, SharesInPieces) {
    std::map<std::string, std::string> space;
    Manager manager([&](auto& words) -> std::string {
        const std::string& command = words["cmd"];
        if (command == "init") return "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1";
        if (command == "get_maxes") return "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=100";
        if (command == "get_my_kvsname") return "cmd=my_kvsname kvsname=k";
        if (command == "put") {
            EXPECT_LE(words["value"].size(), 100u);
            space[words["key"]] = words["value"];
            return "cmd=put_result rc=0";
        }
        if (command == "barrier_in") return "cmd=barrier_out rc=0";
        if (command == "get") return "cmd=get_result rc=0 value=" + space[words["key"]];
        return "cmd=finalize_ack rc=0";
    });
    Pmi1 pmi(manager.client, 0, 1);
    pmi.begin();
    std::string mine(500, '\0');
    for (std::size_t i = 0; i < mine.size(); ++i)
        mine[i] = static_cast<char>(i * 7);
    std::string all(500, '\0');
    const isthmus::Exchange::Part whole{0, all.data(), mine.size()};
    pmi.share(mine.data(), mine.size(), {&whole, 1});
    EXPECT_EQ(mine, all);
    const isthmus::Exchange::Part part{0, all.data(), 10};
    pmi.share(mine.data() + 1, 10, {&part, 1});
    EXPECT_EQ(mine.substr(1, 10), all.substr(0, 10));
    // Who gives nothing, and a rank that gave less than is asked for.
    pmi.share(nullptr, 0, {});
    EXPECT_THROW(pmi.share(mine.data(), 5, {&part, 1}), std::runtime_error);
    pmi.leave();
}

TEST(Pmi1, KnowsWhoIsOnItsHost) {
    using Ranks = std::vector<int>;
    EXPECT_EQ(ranks_beside("(vector,(0,1,3))", 1, 3), (Ranks{0, 1, 2}));
    EXPECT_EQ(ranks_beside("(vector,(0,2,2))", 2, 4), (Ranks{2, 3}));
    EXPECT_EQ(ranks_beside("(vector,(0,3,1))", 1, 7), (Ranks{1, 4}));
    EXPECT_EQ(ranks_beside("(vector,(0,1,2),(1,1,1),(0,1,2))", 4, 5), (Ranks{0, 1, 3, 4}));
    EXPECT_EQ(ranks_beside("(vector,(0,1,1000000))", 0, 2), (Ranks{0, 1}));
    for (const char* nonsense : {"", "(vector,)", "(vector,(0,1,3)", "(vector,(0,0,3))",
                                 "(vector,(0,1,0))", "(vector,(0,1))", "(vector,(0,1,3)x)",
                                 "(vector,(-1,1,3))", "(vector,(0,99999999999,3))", "unknown"})
        EXPECT_EQ(ranks_beside(nonsense, 0, 3), Ranks{}) << nonsense;
    EXPECT_EQ(ranks_beside("(vector,(0,1,3))", 5, 3), Ranks{});
}

TEST(Pmi1, TellsWhoIsOnWhichHost) {
    EXPECT_EQ(mapping_of({3}), "(vector,(0,1,3))");
    EXPECT_EQ(mapping_of({2, 2, 1, 4, 4}), "(vector,(0,2,2),(2,1,1),(3,2,4))");
    EXPECT_EQ(ranks_beside(mapping_of({2, 2, 1, 4, 4}), 5, 13), (std::vector<int>{5, 6, 7, 8}));
}

TEST(Pmi1, AsksWhoIsOnItsHost) {
    Manager manager([](auto& words) -> std::string {
        const std::string& command = words["cmd"];
        if (command == "init") return "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1";
        if (command == "get_maxes") return "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=100";
        if (command == "get_my_kvsname") return "cmd=my_kvsname kvsname=k";
        if (command == "get" && words["key"] == "PMI_process_mapping" && words["kvsname"] == "k")
            return "cmd=get_result rc=0 value=(vector,(0,2,2))";
        return "cmd=finalize_ack rc=0";
    });
    Pmi1 pmi(manager.client, 0, 4);
    pmi.begin();
    EXPECT_EQ(pmi.host_ranks(), (std::vector<int>{0, 1}));
    pmi.leave();
}

TEST(Pmi1, SaysWhatItDidNotUnderstand) {
    Manager manager([](auto&) { return "cmd=response_to_init rc=-1"; });
    Pmi1 pmi(manager.client, 0, 1);
    EXPECT_THROW(pmi.begin(), std::runtime_error);
}

// Who went before he took the answer would be taken for one that has died.
TEST(Pmi1, LeavesBehindTheAnswerWhateverSignalsCome) {
    std::atomic<bool> has_answered = false;
    Manager manager([&](auto& words) -> std::string {
        const std::string& command = words["cmd"];
        if (command == "init") return "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1";
        if (command == "get_maxes") return "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=100";
        if (command == "get_my_kvsname") return "cmd=my_kvsname kvsname=k";
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        has_answered.store(true, std::memory_order_relaxed);
        return "cmd=finalize_ack rc=0";
    });
    Pmi1 pmi(manager.client, 0, 1);
    pmi.begin();
    std::signal(SIGALRM, [](int) {});
    const itimerval often = {{0, 300}, {0, 300}};
    setitimer(ITIMER_REAL, &often, nullptr);
    pmi.leave();
    const itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, nullptr);
    EXPECT_TRUE(has_answered.load(std::memory_order_relaxed));
}
