#include "launch/reach.hpp"
#include "launch/program_run.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace isthmus::launch {
namespace {

// A port of this machine at which somebody listens, or nobody.
int port_of_this_machine(bool listens, int& file) {
    file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    EXPECT_EQ(bind(file, reinterpret_cast<sockaddr*>(&address), length), 0);
    if (listens) {
        EXPECT_EQ(listen(file, 4), 0);
    }
    getsockname(file, reinterpret_cast<sockaddr*>(&address), &length);
    return ntohs(address.sin_port);
}

TEST(Reach, ReadsWhatTheRemoteShellIsTold) {
    const Way plain = way_to("node1", "");
    EXPECT_EQ(plain.name, "node1");
    EXPECT_EQ(plain.port, "22");
    EXPECT_FALSE(plain.by_another);
    const Way told =
        way_to("alias", "user me\nhostname node1.site\nport 2222\nproxycommand none\n");
    EXPECT_EQ(told.name, "node1.site");
    EXPECT_EQ(told.port, "2222");
    EXPECT_FALSE(told.by_another);
    EXPECT_TRUE(way_to("alias", "proxyjump gate\n").by_another);
    EXPECT_TRUE(way_to("alias", "proxycommand nc gate 22\n").by_another);
}

TEST(Reach, NamesThatNobodyKnowsAreTold) {
    const auto lines = unreachable({{"localhost", 1}, {"no-such-host.invalid", 1}}, 5,
                                   [](auto&) { return std::string("port 1\n"); });
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].find("host no-such-host.invalid: its name is not known"), 0u);
}

TEST(Reach, SaysWhyALoginIsRefused) {
    EXPECT_EQ(why_no_login(0, "", "b"), "");
    EXPECT_EQ(why_no_login(127, "sh: true: not found\n", "b"), "");
    EXPECT_EQ(
        why_no_login(255, "Warning: added\nme@b: Permission denied (publickey).\r\n\n", "b"),
        "ssh does not get in without a question (me@b: Permission denied (publickey).); `ssh b` "
        "must work without one: by a key, and with the host's own key known");
    EXPECT_NE(why_no_login(255, "", "b").find("ssh says nothing"), std::string::npos);
}

TEST(Reach, LoginsAreTriedOnOtherMachinesAlone) {
    const auto no_login = [](const std::string& host) { return "no login at " + host; };
    EXPECT_TRUE(unreachable(
                    {{"127.0.0.1", 1}}, 5, [](auto&) { return "port 1\n"; }, no_login)
                    .empty());
    const auto lines = unreachable(
        {{"elsewhere", 1}}, 5, [](auto&) { return "proxyjump gate\n"; }, no_login);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0], "host elsewhere: no login at elsewhere");
    EXPECT_TRUE(
        unreachable({{"elsewhere", 1}}, 5, [](auto&) { return "proxyjump gate\n"; }).empty());
}

// Packets to 127.0.0.2, which is no address of an interface, leave from 127.0.0.1.
TEST(Reach, OtherMachinesFindThisOneByAnAddress) {
    const auto plain = [](auto&) { return std::string(); };
    EXPECT_EQ(address_for({{"127.0.0.2", 1}}, 5, plain), "127.0.0.1");
    EXPECT_EQ(address_for({{"127.0.0.1", 1}, {"127.0.0.3", 1}}, 5, plain), "127.0.0.1");
    EXPECT_EQ(address_for({{"alias", 1}}, 5, [](auto&) { return "hostname 127.0.0.2\n"; }),
              "127.0.0.1");
    EXPECT_EQ(address_for({{"127.0.0.1", 1}}, 5, plain), "");  // nobody is to call
    EXPECT_EQ(address_for({{"127.0.0.2", 1}, {"no-such-host.invalid", 1}}, 5, plain), "");
    EXPECT_EQ(address_for({{"127.0.0.2", 1}}, 5, [](auto&) { return "proxyjump gate\n"; }), "");
}

TEST(Reach, SaysWhoDoesNotFindTheWayBack) {
    EXPECT_EQ(ask_for_name("laptop"), (std::vector<std::string>{"getent", "hosts", "laptop"}));
    EXPECT_EQ(why_no_way_back(0, "laptop"), "");
    EXPECT_EQ(why_no_way_back(127, "laptop"), "");  // there is no getent
    const std::string why = why_no_way_back(2, "laptop");
    EXPECT_EQ(why.find("it does not know this host's name laptop"), 0u);
    EXPECT_NE(why.find("--launcher ssh"), std::string::npos);
}

TEST(Reach, SaysWhoCannotConnectBack) {
    const auto try_here = [](const std::string& place, int port) {
        std::vector<std::string> words = ask_to_connect(place, port);
        words.insert(words.begin(), "/usr/bin/env");  // a remote shell looks programs up
        return run_program(words).status;
    };
    int closed = 0;
    {
        const OpenPort port;
        ASSERT_NE(port.number(), 0);
        EXPECT_EQ(why_no_connection(try_here("127.0.0.1", port.number()), "here"), "");
        closed = port.number();
    }
    const std::string why = why_no_connection(try_here("127.0.0.1", closed), "10.0.0.7");
    EXPECT_EQ(why.find("it cannot connect to this host at 10.0.0.7, as hydra"), 0u);
    EXPECT_NE(why_no_connection(124, "a").find("no answer within 5 seconds"), std::string::npos);
    EXPECT_EQ(why_no_connection(127, "a"), "");  // there is no bash
}

TEST(Reach, ThisMachineMayRefuse) {
    int file = -1;
    const std::string port = std::to_string(port_of_this_machine(false, file));
    EXPECT_TRUE(
        unreachable({{"127.0.0.1", 1}}, 5, [&](auto&) { return "port " + port + "\n"; }).empty());
    close(file);
}

// 127.0.0.2 is no address of an interface, so launchers would go there by ssh.
TEST(Reach, ARefusalOfAnotherMachineIsTold) {
    int file = -1;
    const std::string port = std::to_string(port_of_this_machine(false, file));
    const auto lines =
        unreachable({{"127.0.0.2", 1}}, 5, [&](auto&) { return "port " + port + "\n"; });
    close(file);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0], "host 127.0.0.2: it refuses connections at port " + port +
                            "; does an ssh server run there, and at that port?");
}

// What is said of a server that answers each call with `words`, and then hangs up or stays.
std::vector<std::string> judge_of_server(const std::string& words, bool hangs_up, double seconds) {
    int file = -1;
    const std::string port = std::to_string(port_of_this_machine(true, file));
    int caller = -1;
    std::thread server([&] {
        caller = accept(file, nullptr, nullptr);
        EXPECT_EQ(write(caller, words.data(), words.size()), static_cast<ssize_t>(words.size()));
        if (hangs_up) shutdown(caller, SHUT_RDWR);
    });
    const auto lines =
        unreachable({{"127.0.0.1", 1}}, seconds, [&](auto&) { return "port " + port + "\n"; });
    server.join();
    close(caller);
    close(file);
    return lines;
}

TEST(Reach, AServerSaysItsVersion) {
    EXPECT_TRUE(judge_of_server("SSH-2.0-Any\r\n", false, 5).empty());
    EXPECT_TRUE(judge_of_server("Authorised use only\r\nSSH-2.0-Any\r\n", false, 5).empty());
    EXPECT_TRUE(judge_of_server("", true, 5).empty());  // the remote shell hears that too
}

TEST(Reach, WhoTakesTheCallAndSaysNothingIsGivenUp) {
    for (const char* const words : {"", "220 mail SSH-ready\r\n"}) {
        const auto began = std::chrono::steady_clock::now();
        const auto lines = judge_of_server(words, false, 0.5);
        ASSERT_EQ(lines.size(), 1u) << words;
        EXPECT_EQ(lines[0].find("host 127.0.0.1: it takes connections at port "), 0u);
        EXPECT_NE(lines[0].find(" and then says nothing"), std::string::npos);
        EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(4));
    }
}

// A port whose queue is full drops who calls, as a host that is down does.
TEST(Reach, WhoDoesNotAnswerIsGivenUp) {
    int file = -1;
    const std::string port = std::to_string(port_of_this_machine(true, file));
    sockaddr_in address{};
    socklen_t length = sizeof address;
    getsockname(file, reinterpret_cast<sockaddr*>(&address), &length);
    std::vector<int> callers;
    for (int i = 0; i < 16; ++i) {
        callers.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        connect(callers.back(), reinterpret_cast<const sockaddr*>(&address), length);
    }
    const auto began = std::chrono::steady_clock::now();
    const auto lines =
        unreachable({{"127.0.0.1", 1}}, 0.5, [&](auto&) { return "port " + port + "\n"; });
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_NE(lines[0].find("host 127.0.0.1: it does not answer"), std::string::npos);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(4));
    for (const int caller : callers)
        close(caller);
    close(file);
}

}  // namespace
}  // namespace isthmus::launch
