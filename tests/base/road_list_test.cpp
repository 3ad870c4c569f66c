#include "base/road_list.hpp"

#include <gtest/gtest.h>

#include <string>

namespace isthmus {
namespace {

std::string parsed(std::string_view text) {
    std::vector<RoadEntry> roads;
    if (!parse_roads(text, roads)) return "refused";
    std::string all;
    for (const RoadEntry& road : roads) {
        all += road.name;
        for (const auto& [first, last] : road.pes)
            all += " " + std::to_string(first) + ".." + std::to_string(last);
        for (const std::string& host : road.hosts)
            all += " at " + host;
        all += road.leads_to_the_rest() ? " rest;" : ";";
    }
    return all;
}

TEST(RoadList, Lists) {
    EXPECT_EQ(parsed("auto"), "auto rest;");
    EXPECT_EQ(parsed("ofi,loop:2-3"), "ofi rest;loop 2..3;");
    EXPECT_EQ(parsed("loop:0+2-3+7"), "loop 0..0 2..3 7..7;");
    EXPECT_EQ(parsed("auto,ofi:@node-7+@b.c+4"), "auto rest;ofi 4..4 at node-7 at b.c;");
    EXPECT_EQ(parsed("loop:0,loop:1"), "loop 0..0;loop 1..1;");
}

TEST(RoadList, WhatIsNoList) {
    for (const char* text :
         {"",        ",",      "ofi,",      ",ofi",   "ofi,,loop", "Ofi",      "of i",
          "../x",    "ofi:",   "ofi:+",     "ofi:1+", "ofi:+1",    "ofi:1++2", "ofi:3-2",
          "ofi:-1",  "ofi:1-", "ofi:1-2-3", "ofi:a",  "ofi:@",     "ofi:@a+@", "ofi:99999999999",
          "ofi:1:2", ":1",     "ofi 1"})
        EXPECT_EQ(parsed(text), "refused") << text;
}

}  // namespace
}  // namespace isthmus
