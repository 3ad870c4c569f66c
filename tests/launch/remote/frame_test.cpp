#include "launch/remote/frame.hpp"

#include <gtest/gtest.h>

namespace isthmus::launch {
namespace {

TEST(Frame, ComesBackHoweverTheStreamIsCut) {
    const std::string big(100'000, 'x');
    const std::string stream = frame_text(FrameKind::output, 3, "out") +
                               frame_text(FrameKind::input, 0, "") +
                               frame_text(FrameKind::errors, 1023, big) +
                               frame_text(FrameKind::ended, 2, number_bytes(-7));
    for (const std::size_t piece :
         {std::size_t{1}, std::size_t{7}, std::size_t{65536}, stream.size()}) {
        FrameReader reader;
        std::vector<Frame> frames;
        for (std::size_t at = 0; at < stream.size(); at += piece) {
            reader.feed(std::string_view(stream).substr(at, piece));
            for (Frame frame; reader.next(frame);)
                frames.push_back(frame);
        }
        ASSERT_EQ(frames.size(), 4u) << piece;
        EXPECT_EQ(frames[0].kind, FrameKind::output);
        EXPECT_EQ(frames[0].pe, 3);
        EXPECT_EQ(frames[0].bytes, "out");
        EXPECT_EQ(frames[1].bytes, "");
        EXPECT_EQ(frames[2].pe, 1023);
        EXPECT_EQ(frames[2].bytes, big);
        std::int32_t number = 0;
        EXPECT_TRUE(read_number(frames[3].bytes, number));
        EXPECT_EQ(number, -7);
        EXPECT_FALSE(read_number("abc", number));
        EXPECT_FALSE(reader.is_damaged());
    }
}

TEST(Frame, ADamagedStreamIsNotReadOn) {
    std::string too_long = frame_text(FrameKind::note, 0, "");
    too_long[3] = '\x7f';
    std::string no_kind = frame_text(FrameKind::note, 0, "");
    no_kind[8] = static_cast<char>(static_cast<int>(kLastFrameKind) + 1);
    for (const std::string& stream : {too_long, no_kind}) {
        FrameReader reader;
        reader.feed(stream + frame_text(FrameKind::note, 0, "good"));
        Frame frame;
        EXPECT_FALSE(reader.next(frame));
        EXPECT_TRUE(reader.is_damaged());
        EXPECT_FALSE(reader.next(frame));
    }
}

TEST(Frame, TheGreetingIsFoundBehindWhatTheShellSays) {
    std::string heard;
    std::string stream = "Welcome to host b\nmail\n";
    EXPECT_EQ(take_greeting(stream, heard), 0);
    stream += greeting().substr(0, 10);
    EXPECT_EQ(take_greeting(stream, heard), 0);
    stream += greeting().substr(10) + "rest";
    EXPECT_EQ(take_greeting(stream, heard), 1);
    EXPECT_EQ(stream, "rest");
}

TEST(Frame, WhatIsNoAgentOfThisVersionIsTold) {
    std::string heard;
    std::string other = "\nISTHMUS AGENT 9.9.9\n";
    EXPECT_EQ(take_greeting(other, heard), -1);
    EXPECT_EQ(heard, "9.9.9");
    std::string noise(70'000, '.');
    EXPECT_EQ(take_greeting(noise, heard), -1);
    EXPECT_EQ(heard.size(), 200u);
}

}  // namespace
}  // namespace isthmus::launch
