#include "launch/output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <random>
#include <string>

namespace isthmus::launch {
namespace {

// A queue into a pipe, and what comes out of it.
class Sink {
  public:
    Sink() {
        std::signal(SIGPIPE, SIG_IGN);
        EXPECT_EQ(pipe2(ends_, O_NONBLOCK), 0);
    }
    ~Sink() {
        close(ends_[0]);
        close(ends_[1]);
    }
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;

    int file() const { return ends_[1]; }
    std::string take(OutputQueue& queue) {
        std::string text;
        char buffer[65536];
        do {
            queue.write_some();
            for (ssize_t n = 0; (n = read(ends_[0], buffer, sizeof buffer)) > 0;)
                text.append(buffer, static_cast<std::size_t>(n));
        } while (!queue.empty());
        return text;
    }
    void stop_reading() { close(ends_[0]); }

  private:
    int ends_[2];
};

std::string cut(const std::vector<std::string>& pieces) {
    Sink sink;
    OutputQueue queue(sink.file());
    LineCutter cutter("[3] ");
    for (const std::string& piece : pieces)
        cutter.feed(piece, queue);
    cutter.finish(queue);
    return sink.take(queue);
}

TEST(LineCutter, Lines) {
    EXPECT_EQ(cut({}), "");
    EXPECT_EQ(cut({"a\n"}), "[3] a\n");
    EXPECT_EQ(cut({"a"}), "[3] a\n");
    EXPECT_EQ(cut({"\n\n"}), "[3] \n[3] \n");
    EXPECT_EQ(cut({"a", "b\nc", "d"}), "[3] ab\n[3] cd\n");
    EXPECT_EQ(cut({"10%\r20%\r\n"}), "[3] 10%\r[3] 20%\r\n");
    EXPECT_EQ(cut({"a\r", "\nb"}), "[3] a\r\n[3] b\n");
}

TEST(LineCutter, VeryLongLine) {
    const std::string long_line(3 * LineCutter::kLongest + 5, 'x');
    EXPECT_EQ(cut({long_line + "\ny"}), "[3] " + long_line + "\n[3] y\n");
    EXPECT_EQ(cut({long_line}), "[3] " + long_line + "\n");
}

// Property: how the stream is cut into pieces makes no difference.
TEST(LineCutter, PiecesDoNotMatter) {
    std::mt19937 random(42);
    for (int round = 0; round < 200; ++round) {
        std::string text;
        for (int i = 0; i < 300; ++i)
            text += "ab\n\r"[random() % 4];
        std::vector<std::string> pieces;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t length = 1 + random() % 7;
            pieces.push_back(text.substr(at, length));
            at += length;
        }
        ASSERT_EQ(cut(pieces), cut({text})) << round;
    }
}

TEST(OutputQueue, NeverBlocksAndLosesNothing) {
    Sink sink;
    OutputQueue queue(sink.file());
    std::string all;
    for (int i = 0; i < 100; ++i) {
        const std::string part(40000, static_cast<char>('a' + i % 26));
        all += part;
        queue.append(part);
        queue.write_some();  // the pipe is full after the second
    }
    EXPECT_TRUE(queue.congested());
    EXPECT_EQ(sink.take(queue), all);
    EXPECT_TRUE(queue.empty());
}

TEST(OutputQueue, ReaderGone) {
    Sink sink;
    OutputQueue queue(sink.file());
    sink.stop_reading();
    queue.append("x");
    queue.write_some();
    EXPECT_TRUE(queue.broken());
    EXPECT_TRUE(queue.empty());
    queue.append("y");
    EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace isthmus::launch
