// Puts and gets by requests, over a link that only notes what it is given.
#include "transport/service/one_sided.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>

using namespace isthmus::transport;
using namespace isthmus::transport::service;

namespace {

struct FakeLink {
    struct Scratch {};
    static constexpr long kFull = -11;
    static constexpr const char* kThreadName = "fake";

    static bool proves(const Services&) { return false; }
    explicit FakeLink(const Services&) {}
    const Limits& limits() const { return limits_; }
    std::size_t card_bytes() const { return 0; }
    void write_card(char*) const {}
    void connect(const char*, std::size_t) {}
    std::vector<char> address_of(int) const { return {}; }
    void publish(std::uint32_t, const Segment&) {}
    long send(int, Pieces pieces, Order order) {
        if (full) return kFull;
        std::string& message = sent.emplace_back();
        for (const Piece& piece : pieces)
            message.append(static_cast<const char*>(piece.bytes), piece.count);
        orders.push_back(order);
        return 0;
    }
    template <typename Sink>
    bool poll(Sink&) {
        return false;
    }
    int descriptor() const { return -1; }
    bool may_sleep() { return true; }
    std::string error_text(int) const { return {}; }
    std::string describe() const { return {}; }

    Limits limits_{4096, 4096, 0, false, false};
    bool full = false;
    std::deque<std::string> sent;
    std::deque<Order> orders;
};
static_assert(Link<FakeLink>);

using Moves = OneSided<FakeLink>;

Services services() {
    Services of;
    of.me = 1;
    of.pes = 4;
    of.secret.fill(99);
    return of;
}

// What PE 1 seals for others.
Seals& seals() {
    static Seals made(services().secret, 0, Purpose::request, 1, 4);
    return made;
}

// Of a message to `pe`, who opens it.
Request head(const std::string& message, int pe) {
    Seals theirs(services().secret, 0, Purpose::request, pe, 4);
    EXPECT_TRUE(theirs.open(message.data(), message.size()));
    Request request;
    const char* payload = nullptr;
    EXPECT_TRUE(parse(message.data(), message.size(), 4, request, payload));
    return request;
}

Request answer_to(const Request& asked, RequestKind kind, std::uint32_t bytes) {
    Request answer;
    answer.kind = kind;
    answer.token = asked.token;
    answer.bytes = bytes;
    return answer;
}

struct Ends {
    std::vector<Moves::Ticket*> tickets;
    void done(Moves::Ticket& ticket) { tickets.push_back(&ticket); }
};

TEST(OneSided, AReadEndsWithItsDataAndOnce) {
    const Services of = services();
    Moves link(of, seals());
    Moves::Ticket ticket;
    Moves::Local local;
    char into[4] = "";
    ASSERT_EQ(link.read(2, into, {kHeap, 24}, 4, local, ticket), 0);
    const Request asked = head(link.sent.at(0), 2);
    EXPECT_EQ(asked.kind, RequestKind::get);
    EXPECT_EQ(asked.data_offset, 24u);
    EXPECT_EQ(asked.operand, 4u);
    EXPECT_EQ(link.orders.at(0), Order::strict);
    EXPECT_EQ(link.end(answer_to(asked, RequestKind::confirm, 0), ""), nullptr);
    EXPECT_EQ(link.end(answer_to(asked, RequestKind::data, 3), "abc"), nullptr);
    EXPECT_EQ(link.end(answer_to(asked, RequestKind::data, 4), "abcd"), &ticket);
    EXPECT_EQ(std::string(into, 4), "abcd");
    EXPECT_EQ(link.end(answer_to(asked, RequestKind::data, 4), "wxyz"), nullptr);
    EXPECT_EQ(std::string(into, 4), "abcd");
}

TEST(OneSided, ALateAnswerDoesNotEndTheNextOfItsSlot) {
    const Services of = services();
    Moves link(of, seals());
    Moves::Ticket first;
    Moves::Ticket second;
    Moves::Local local;
    char into[4] = "";
    ASSERT_EQ(link.read(2, into, {kHeap, 0}, 4, local, first), 0);
    const Request asked = head(link.sent.at(0), 2);
    ASSERT_EQ(link.end(answer_to(asked, RequestKind::data, 4), "abcd"), &first);
    ASSERT_EQ(link.read(2, into, {kHeap, 0}, 4, local, second), 0);
    EXPECT_NE(head(link.sent.at(1), 2).token, asked.token);
    EXPECT_EQ(link.end(answer_to(asked, RequestKind::data, 4), "wxyz"), nullptr);
}

TEST(OneSided, AWriteOutOfOrderEndsWhenItIsConfirmed) {
    const Services of = services();
    Moves link(of, seals());
    Moves::Ticket ticket;
    ASSERT_EQ(link.write(3, {kData, 8}, "abcd", 4, {}, ticket), 0);
    const Request asked = head(link.sent.at(0), 3);
    EXPECT_EQ(asked.kind, RequestKind::put);
    EXPECT_EQ(link.orders.at(0), Order::loose);
    EXPECT_EQ(link.sent.at(0).substr(sizeof(Request)), "abcd");
    Ends ends;
    EXPECT_FALSE(link.poll(ends));
    EXPECT_EQ(link.end(answer_to(asked, RequestKind::confirm, 0), ""), &ticket);
}

TEST(OneSided, AWriteInOrderEndsWithTheNextPoll) {
    struct Ordered : FakeLink {
        explicit Ordered(const Services& of) : FakeLink(of) { limits_.ordered = true; }
    };
    const Services of = services();
    OneSided<Ordered> link(of, seals());
    BasicTicket<OneSided<Ordered>::Scratch> ticket;
    struct {
        int count = 0;
        void done(BasicTicket<OneSided<Ordered>::Scratch>&) { ++count; }
    } ends;
    ASSERT_EQ(link.write(3, {kData, 8}, "abcd", 4, {}, ticket), 0);
    EXPECT_EQ(head(link.sent.at(0), 3).token, 0u);
    EXPECT_TRUE(link.poll(ends));
    EXPECT_FALSE(link.poll(ends));
    EXPECT_EQ(ends.count, 1);
}

TEST(OneSided, WhatDoesNotLeaveLeavesNothing) {
    const Services of = services();
    Moves link(of, seals());
    Moves::Ticket ticket;
    Moves::Local local;
    char into[4];
    link.full = true;
    EXPECT_EQ(link.read(2, into, {kHeap, 0}, 4, local, ticket), FakeLink::kFull);
    EXPECT_EQ(link.write(2, {kHeap, 0}, "abcd", 4, local, ticket), FakeLink::kFull);
    link.full = false;
    ASSERT_EQ(link.read(2, into, {kHeap, 0}, 4, local, ticket), 0);
    EXPECT_EQ(head(link.sent.at(0), 2).token & 0xfffff, 0u) << "the first slot is free again";
}

}  // namespace
