#include "launch/remote/orders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace isthmus::launch {
namespace {

Orders some_orders() {
    Orders orders;
    orders.first = 2;
    orders.count = 3;
    orders.pes = 7;
    orders.host = "node7";
    orders.space = "isthmus-1-2";
    orders.mapping = "(vector,(0,1,2),(1,1,3),(2,1,2))";
    orders.directory = "/home/me/a dir";
    orders.bind = BindMode::core;
    orders.show_binding = true;
    orders.command = {"./a.out", "", "two words\n"};
    orders.environment = {"PATH=/bin", "EMPTY=", "LINES=a\nb"};
    return orders;
}

TEST(Orders, ComeBack) {
    const auto back = parse_orders(orders_text(some_orders()));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, some_orders());
}

TEST(Orders, NoPartOfThemIsTakenForTheWhole) {
    const std::string text = orders_text(some_orders());
    for (std::size_t length = 0; length < text.size(); ++length)
        EXPECT_FALSE(parse_orders(text.substr(0, length))) << length;
    EXPECT_FALSE(parse_orders(text + "x"));
}

TEST(Orders, WhatCannotBeFollowedIsRefused) {
    for (const auto& [first, count, pes] : {std::tuple{5, 3, 7}, std::tuple{0, 0, 7},
                                            std::tuple{0, 1, 0}, std::tuple{0, 2000, 2000}}) {
        Orders orders = some_orders();
        orders.first = first;
        orders.count = count;
        orders.pes = pes;
        EXPECT_FALSE(parse_orders(orders_text(orders))) << first << " " << count << " " << pes;
    }
    Orders orders = some_orders();
    orders.command.clear();
    EXPECT_FALSE(parse_orders(orders_text(orders)));
}

TEST(Orders, WhatIsOfThisHostStaysHere) {
    setenv("SSH_AUTH_SOCK", "/tmp/agent", 1);
    setenv("PMI_RANK", "3", 1);
    setenv("TEST_ORDERS", "here", 1);
    setenv("TEST_ORDERS_OTHER", "goes", 1);
    const auto environment = environment_for_hosts({"TEST_ORDERS=given"});
    const auto count = [&](const std::string& entry) {
        return std::count(environment.begin(), environment.end(), entry);
    };
    EXPECT_EQ(count("TEST_ORDERS=given"), 1);
    EXPECT_EQ(count("TEST_ORDERS=here"), 0);
    EXPECT_EQ(count("TEST_ORDERS_OTHER=goes"), 1);
    EXPECT_EQ(count("SSH_AUTH_SOCK=/tmp/agent"), 0);
    EXPECT_EQ(count("PMI_RANK=3"), 0);
    unsetenv("SSH_AUTH_SOCK");
    unsetenv("PMI_RANK");
}

}  // namespace
}  // namespace isthmus::launch
