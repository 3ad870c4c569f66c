// Whether what a queue tells of an operation of this PE's can be true.
//
// Over libfabric's `tcp;ofi_rxm` anybody who reaches a PE's port may send a message whose head says
// that it answers an atomic. rxm 1.17 takes the buffer that the head names for that of the atomic,
// reports whatever operation has it, or had it last, as done or failed, and gives it free, perhaps
// for the second time: two of the next operations may then share one, of which the first is never
// reported and the second twice, once before its time. This PE has libfabric make no atomics, so
// nothing that is true is told in that way:
//
//   * it is done, as an atomic: a buffer keeps the kind of what it was last in a message for;
//   * it has failed, without the kind of operation, which an operation's own failure has;
//   * the same without a context: the buffer has not been used yet. No other failure that is of no
//     operation is of these kinds; and rxm tells each of the others twice, once for what is sent
//     and once for what comes.
//
// The context may be of a get whose call has returned: nothing here looks at it.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>

#include <cstdint>

namespace isthmus::transport::ofi {

class Belief {
  public:
    // `is_told_twice`: as above. Later versions may have it otherwise.
    explicit Belief(bool is_told_twice = true) : is_told_twice_(is_told_twice) {}

    // What is done. One test where it is a put or a get.
    static bool may_be_done(std::uint64_t flags) {
        return (flags & FI_RMA) != 0 || (flags & FI_ATOMIC) == 0;
    }
    // What has failed. `is_receive`: the context is that of a buffer for what others send.
    bool may_have_failed(const fi_cq_err_entry& error, bool is_receive) {
        if (is_receive || error.flags != 0) return true;
        if (error.op_context) return false;
        if (error.err == FI_EOPNOTSUPP || error.err == FI_EIO || error.err < 0) return false;
        is_odd_ = !is_odd_;
        return true;
    }
    // The queue is empty: what is told twice has been.
    bool holds() const { return !is_odd_ || !is_told_twice_; }

  private:
    const bool is_told_twice_;
    bool is_odd_ = false;
};

}  // namespace isthmus::transport::ofi
