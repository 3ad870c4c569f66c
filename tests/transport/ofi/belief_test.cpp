#include "transport/ofi/belief.hpp"

#include <gtest/gtest.h>
#include <rdma/fi_errno.h>

namespace isthmus::transport::ofi {
namespace {

fi_cq_err_entry failure(void* context, std::uint64_t flags, int error) {
    fi_cq_err_entry entry{};
    entry.op_context = context;
    entry.flags = flags;
    entry.err = error;
    return entry;
}

TEST(Belief, OperationsMayBeDone) {
    EXPECT_TRUE(Belief::may_be_done(FI_RMA | FI_READ));
    EXPECT_TRUE(Belief::may_be_done(FI_RMA | FI_WRITE));
    EXPECT_TRUE(Belief::may_be_done(FI_MSG | FI_SEND));
    EXPECT_TRUE(Belief::may_be_done(FI_MSG | FI_RECV));
}

TEST(Belief, NoAtomicIsEverDone) {
    EXPECT_FALSE(Belief::may_be_done(FI_ATOMIC | FI_READ));
    EXPECT_FALSE(Belief::may_be_done(FI_ATOMIC | FI_WRITE));
}

TEST(Belief, AnOperationThatFailsTellsItsKind) {
    Belief belief;
    int frame = 0;
    EXPECT_TRUE(belief.may_have_failed(failure(&frame, FI_RMA | FI_READ, FI_ECONNRESET), false));
    EXPECT_FALSE(belief.may_have_failed(failure(&frame, 0, FI_EOPNOTSUPP), false));
    // As the stranger says: any number.
    EXPECT_FALSE(belief.may_have_failed(failure(&frame, 0, FI_ECONNRESET), false));
}

TEST(Belief, AContextIsNotLookedAt) {
    Belief belief;
    void* const gone = reinterpret_cast<void*>(16);
    EXPECT_FALSE(belief.may_have_failed(failure(gone, 0, FI_EIO), false));
    EXPECT_TRUE(belief.may_have_failed(failure(gone, FI_RMA | FI_WRITE, FI_ENOTCONN), false));
}

TEST(Belief, WhatWasToBeReceivedMayFailInAnyWay) {
    Belief belief;
    int buffer = 0;
    EXPECT_TRUE(belief.may_have_failed(failure(&buffer, 0, FI_ETRUNC), true));
    EXPECT_TRUE(belief.may_have_failed(failure(&buffer, FI_MSG | FI_RECV, FI_ECANCELED), true));
    EXPECT_TRUE(belief.holds());
}

TEST(Belief, AnAnswerToAnUnusedBufferIsKnownByItsError) {
    Belief belief;
    EXPECT_FALSE(belief.may_have_failed(failure(nullptr, 0, FI_EOPNOTSUPP), false));
    EXPECT_FALSE(belief.may_have_failed(failure(nullptr, 0, FI_EIO), false));
    EXPECT_FALSE(belief.may_have_failed(failure(nullptr, 0, -FI_EINVAL), false));
}

TEST(Belief, WhatIsOfNoOperationIsToldTwice) {
    Belief belief, later(false);
    const auto fails = [](Belief& one) {
        EXPECT_TRUE(one.may_have_failed(failure(nullptr, 0, FI_EINVAL), false));
    };
    fails(belief), fails(belief);
    EXPECT_TRUE(belief.holds());
    fails(belief), fails(belief), fails(belief);
    EXPECT_FALSE(belief.holds());
    fails(later);
    EXPECT_TRUE(later.holds());
    // Of a kind, without a context: a connection that went wrong.
    Belief other;
    EXPECT_TRUE(other.may_have_failed(failure(nullptr, FI_SEND, FI_ENOTCONN), false));
    EXPECT_TRUE(other.holds());
}

}  // namespace
}  // namespace isthmus::transport::ofi
