#include "base/processors.hpp"

#include <gtest/gtest.h>

#include <string>

namespace isthmus {
namespace {

std::string parsed(std::string_view text) {
    cpu_set_t processors;
    if (!parse_processors(text, processors)) return "refused";
    std::string numbers;
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
        if (CPU_ISSET(processor, &processors)) numbers += std::to_string(processor) + " ";
    }
    return numbers;
}

TEST(Processors, Lists) {
    EXPECT_EQ(parsed("0"), "0 ");
    EXPECT_EQ(parsed("3,1"), "1 3 ");
    EXPECT_EQ(parsed("0-3,8"), "0 1 2 3 8 ");
    EXPECT_EQ(parsed("5-5,4-6"), "4 5 6 ");
    EXPECT_EQ(parsed("1023"), "1023 ");
}

TEST(Processors, WhatIsNoList) {
    for (const char* text : {"", ",", "1,", ",1", "1-", "-1", "3-1", "a", "1 ", " 1", "1,,2",
                             "1-2-3", "1024", "0-1024", "99999999999", "0x1"})
        EXPECT_EQ(parsed(text), "refused") << text;
}

}  // namespace
}  // namespace isthmus
