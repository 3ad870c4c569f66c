// Who gets in, and who does not: the join without sockets.
#include "transport/packet/join.hpp"

#include <gtest/gtest.h>
#include <sodium.h>

#include <functional>
#include <random>
#include <vector>

using namespace isthmus::transport;
using namespace isthmus::transport::packet;

namespace {

using Nonce = std::array<unsigned char, 32>;
using Line = std::vector<unsigned char>;

Nonce nonce(unsigned char first) {
    Nonce made{};
    made[0] = first;
    return made;
}

JobSecret secret_of(unsigned char first) {
    JobSecret secret{};
    secret[0] = first;
    return secret;
}
const JobSecret kSecret = secret_of(7);
const JobSecret kOtherSecret = secret_of(8);

Self self_of(int me) {
    return {&kSecret, 3, me, 4, 0x55};
}

// What the join says now.
Line hear(Join& join) {
    Line line(join.unsent(), join.unsent() + join.unsent_bytes());
    join.sent(line.size());
    return line;
}

std::vector<Proof> keys_of(const Join& join) {
    std::vector<Proof> keys;
    for (const Join::Key key : {Join::Key::datagrams, Join::Key::records}) {
        for (const bool of_caller : {true, false})
            keys.push_back(join.draw(key, of_caller));
    }
    return keys;
}

// A call between two, each line changed on its way if that is wanted, in pieces.
struct Call {
    Self caller = self_of(1);
    Self listener = self_of(2);
    int to = 2;
    Nonce callers_nonce = nonce(1);
    std::size_t piece = 1000;
    std::function<void(int line, Line&)> change = [](int, Line&) {};
    std::vector<Line> said;
    JoinState at_caller = JoinState::more;
    JoinState at_listener = JoinState::more;
    int peer = -1;
    std::uint32_t common = 0;  // as both know it, or 0
    // For each use, of what the caller sends and of what the listener does; as either knows it.
    std::vector<Proof> drawn_at_caller, drawn_at_listener;

    void pass(int number, Join& from, Join& to_join) {
        Line line = hear(from);
        said.push_back(line);
        change(number, line);
        for (std::size_t at = 0; at < line.size();) {
            if (to_join.wanted() == 0 || to_join.state() != JoinState::more) break;
            const std::size_t part = std::min({piece, line.size() - at, to_join.wanted()});
            to_join.take(line.data() + at, part);
            at += part;
        }
    }
    void run() {
        ASSERT_GE(sodium_init(), 0);
        Join call = Join::call(caller, to, callers_nonce);
        Join answer = Join::listen(listener, nonce(2));
        pass(0, call, answer);
        pass(1, answer, call);
        pass(2, call, answer);
        if (answer.state() == JoinState::proved) answer.welcome();
        pass(3, answer, call);
        pass(4, call, answer);
        at_caller = call.state();
        at_listener = answer.state();
        peer = answer.peer();
        common = call.common() == answer.common() ? call.common() : 0;
        drawn_at_caller = keys_of(call);
        drawn_at_listener = keys_of(answer);
    }
    bool is_in() const {
        return at_caller == JoinState::joined && at_listener == JoinState::joined;
    }
};

TEST(PacketJoin, LetsInWhoKnowsTheSecret) {
    Call call;
    call.run();
    EXPECT_TRUE(call.is_in());
    EXPECT_EQ(call.peer, 1);
}

TEST(PacketJoin, BothDrawTheSameOfItAndNobodyElseDoes) {
    Call call;
    call.run();
    EXPECT_EQ(call.drawn_at_caller, call.drawn_at_listener);
    for (std::size_t one = 1; one < call.drawn_at_caller.size(); ++one) {
        for (std::size_t other = 0; other < one; ++other)
            EXPECT_NE(call.drawn_at_caller[one], call.drawn_at_caller[other]);
    }
    // No proof, which has crossed the network.
    for (const Line& line : call.said) {
        for (const Proof& drawn : call.drawn_at_caller)
            EXPECT_EQ(std::search(line.begin(), line.end(), drawn.begin(), drawn.end()),
                      line.end());
    }
    Call other;
    other.callers_nonce = nonce(3);
    other.run();
    EXPECT_NE(call.drawn_at_listener, other.drawn_at_listener);
}

TEST(PacketJoin, BothMeanTheSameCarrier) {
    for (const std::uint32_t flag : {kByDatagrams, kSealed}) {
        for (const bool at_caller : {false, true}) {
            Call call;
            (at_caller ? call.caller : call.listener).kinds |= flag;
            call.run();
            EXPECT_EQ(call.at_caller, JoinState::other);
        }
        Call call;
        call.caller.kinds |= flag;
        call.listener.kinds |= flag;
        call.run();
        EXPECT_TRUE(call.is_in());
        EXPECT_EQ(call.common & flag, flag);
    }
}

TEST(PacketJoin, UsesAesOnlyIfBothHaveIt) {
    for (const bool at_caller : {false, true}) {
        Call call;
        (at_caller ? call.caller : call.listener).kinds |= kHasAes;
        call.run();
        EXPECT_TRUE(call.is_in());
        EXPECT_EQ(call.common & kHasAes, 0U);
    }
    Call call;
    call.caller.kinds |= kHasAes;
    call.listener.kinds |= kHasAes;
    call.run();
    EXPECT_TRUE(call.is_in());
    EXPECT_EQ(call.common & kHasAes, kHasAes);
}

TEST(PacketJoin, TakesItsLinesInAnyPieces) {
    for (std::size_t piece = 1; piece < 100; ++piece) {
        Call call;
        call.piece = piece;
        call.run();
        EXPECT_TRUE(call.is_in()) << piece;
    }
}

TEST(PacketJoin, RefusesWhoHasAnotherSecret) {
    for (const bool at_caller : {false, true}) {
        Call call;
        (at_caller ? call.caller : call.listener).secret = &kOtherSecret;
        call.run();
        // Without a ticket nothing is said to a caller.
        EXPECT_EQ(call.at_listener, JoinState::refused);
        EXPECT_TRUE(call.said[1].empty());
        EXPECT_EQ(call.peer, -1);
    }
}

// A caller proves nothing to who has not.
TEST(PacketJoin, ProvesNothingToWhoHasAnotherSecret) {
    Join call = Join::call(self_of(1), 2, nonce(1));
    hear(call);
    Reply reply;
    reply.greeting.from = 2;
    reply.greeting.to = 1;
    reply.greeting.session = 3;
    reply.greeting.kinds = 0x55;
    call.take(&reply, sizeof reply);
    EXPECT_EQ(call.state(), JoinState::refused);
    EXPECT_EQ(call.unsent_bytes(), 0U);
}

// Whoever swallows a line, or says it himself, leaves nobody in who thinks that the other one is.
TEST(PacketJoin, HasJoinedWhenItIsWelcomeOrThanked) {
    for (const int line : {3, 4}) {
        Call call;
        call.change = [&](int number, Line& bytes) {
            if (number >= line) bytes.clear();
        };
        call.run();
        EXPECT_EQ(call.at_caller == JoinState::joined, line == 4);
        EXPECT_EQ(call.at_listener, JoinState::more);
    }
    Call guessed;
    guessed.change = [](int number, Line& bytes) {
        if (number == 3) bytes.assign(sizeof(Proof), 'W');
    };
    guessed.run();
    EXPECT_EQ(guessed.at_caller, JoinState::refused);
    EXPECT_EQ(guessed.at_listener, JoinState::more);
}

TEST(PacketJoin, RefusesAnotherRoadOfTheJob) {
    Call call;
    call.caller.session = 4;
    call.run();
    EXPECT_EQ(call.at_listener, JoinState::refused);
}

TEST(PacketJoin, RefusesCallsForSomebodyElse) {
    Call call;
    call.to = 3;
    call.run();
    EXPECT_EQ(call.at_listener, JoinState::refused);
    Call own;
    own.caller.me = 2;
    own.run();
    EXPECT_EQ(own.at_listener, JoinState::refused);
    Call none;
    none.caller.me = 4;
    none.run();
    EXPECT_EQ(none.at_listener, JoinState::refused);
}

// The proof of one PE is none of another's: who knows the secret of the job is asked for its
// number.
TEST(PacketJoin, BindsProofsToBothNumbers) {
    Call call;
    call.change = [](int number, Line& line) {
        if (number == 0) line[offsetof(Greeting, from)] = 3;
    };
    call.run();
    EXPECT_EQ(call.at_caller, JoinState::more);
    EXPECT_EQ(call.at_listener, JoinState::refused);
}

TEST(PacketJoin, TellsOtherVersionsApart) {
    Call kinds;
    kinds.caller.kinds = 0x54;  // one is missing
    kinds.run();
    EXPECT_EQ(kinds.at_listener, JoinState::other);
    EXPECT_NE(kinds.at_caller, JoinState::joined);
    Call more;
    more.caller.kinds = 0xffff;
    more.run();
    EXPECT_EQ(more.at_caller, JoinState::other);  // the listener serves fewer
}

TEST(PacketJoin, RefusesEveryFlippedBit) {
    const std::size_t lengths[] = {sizeof(Opening), sizeof(Reply), sizeof(Proof), sizeof(Proof),
                                   sizeof(Proof)};
    for (int line = 0; line < 5; ++line) {
        for (std::size_t bit = 0; bit < 8 * lengths[line]; ++bit) {
            Call call;
            call.change = [&](int number, Line& bytes) {
                if (number == line && bytes.size() > bit / 8)
                    bytes[bit / 8] ^= static_cast<unsigned char>(1U << bit % 8);
            };
            call.run();
            EXPECT_FALSE(call.is_in()) << line << ' ' << bit;
            EXPECT_NE(call.at_listener, JoinState::joined) << line << ' ' << bit;
        }
    }
}

TEST(PacketJoin, RefusesWhatWasSaidBefore) {
    Call first;
    first.run();
    ASSERT_TRUE(first.is_in());
    // All of the caller's lines again, to a listener that draws another nonce.
    Join listener = Join::listen(self_of(2), nonce(9));
    listener.take(first.said[0].data(), first.said[0].size());
    EXPECT_EQ(listener.state(), JoinState::more);
    listener.take(first.said[2].data(), first.said[2].size());
    EXPECT_EQ(listener.state(), JoinState::refused);
    // All of the listener's, to a caller that draws another one.
    Join caller = Join::call(self_of(1), 2, nonce(9));
    caller.take(first.said[1].data(), first.said[1].size());
    EXPECT_EQ(caller.state(), JoinState::refused);
}

// What one says proves nothing when it is said back.
TEST(PacketJoin, RefusesItsOwnWords) {
    Join caller = Join::call(self_of(1), 2, nonce(1));
    Line line = hear(caller);
    line.resize(sizeof(Reply));
    caller.take(line.data(), line.size());
    EXPECT_EQ(caller.state(), JoinState::refused);

    Join listener = Join::listen(self_of(2), nonce(2));
    Join call = Join::call(self_of(1), 2, nonce(1));
    line = hear(call);
    listener.take(line.data(), line.size());
    line = hear(listener);
    listener.take(line.data() + sizeof(Greeting), sizeof(Proof));
    EXPECT_EQ(listener.state(), JoinState::refused);
}

TEST(PacketJoin, WantsNoMoreThanItsLines) {
    std::mt19937 random(1);
    for (int turn = 0; turn < 2000; ++turn) {
        Join join = Join::listen(self_of(2), nonce(2));
        while (join.state() == JoinState::more) {
            ASSERT_LE(join.wanted(), kOpeningBytes);
            const auto byte = static_cast<unsigned char>(random());
            join.take(&byte, 1);
        }
        EXPECT_EQ(join.state(), JoinState::refused);
        EXPECT_EQ(join.unsent_bytes(), 0U);
        EXPECT_EQ(join.peer(), -1);
    }
}

}  // namespace
