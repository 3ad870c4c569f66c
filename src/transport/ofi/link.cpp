#include "transport/ofi/link.hpp"

#include <algorithm>
#include <cstdlib>
#include <type_traits>

namespace isthmus::transport::ofi {

Link::Link(const Services& services)
    : services_(services), fabric_(services), belief_(fi_version() < FI_VERSION(1, 18)) {
    limits_.ordered = fabric_.is_ordered();
    limits_.ordered_reads = fabric_.has_ordered_reads();
    limits_.inject = fabric_.info().tx_attr->inject_size;
    limits_.message = limits_.write = fabric_.info().ep_attr->max_msg_size;
    believes_heads_ = fabric_.believes_heads();
    endpoint_ = fabric_.endpoint();
    read_ = endpoint_->rma->read;
    inject_message_ = endpoint_->msg->inject;
    send_ = endpoint_->msg->send;
}

// rxm 1.17 does not come back from the closing of a connection over which a part of a message has
// come and not the rest.
Link::~Link() {
    if (!believes_heads_ || gets_receives_back()) return;
    fabric_.leave_open();
    static_cast<void>(own_.release());
}

bool Link::gets_receives_back() {
    if (!receives_) return true;
    std::size_t left = 0;
    for (std::size_t i = 0; i < kReceives; ++i) {
        Receive& receive = receives_[i];
        const bool is_offered = !receive.aside && std::find(unposted_.begin(), unposted_.end(),
                                                            &receive) == unposted_.end();
        receive.aside = !is_offered;
        if (!is_offered) continue;
        ++left;
        fi_cancel(&endpoint_->fid, &receive.ticket);
    }
    const auto came = [&](const void* context) {
        for (std::size_t i = 0; i < kReceives; ++i) {
            if (context != &receives_[i].ticket || receives_[i].aside) continue;
            receives_[i].aside = true;
            --left;
        }
    };
    // Of what is there already. To look for more is to see a connection end, which is the same.
    while (left != 0) {
        fi_cq_err_entry error{};
        if (fi_cq_readerr(fabric_.queue(), &error, 0) <= 0) return false;
        came(error.op_context);
    }
    return true;
}

void* Link::own_memory(std::size_t bytes) {
    constexpr std::size_t kLine = 64;
    const std::size_t mine = (kReceives * sizeof(Receive) + kLine - 1) / kLine * kLine;
    const std::size_t all = (mine + bytes + kLine - 1) / kLine * kLine;
    own_.reset(std::aligned_alloc(kLine, all));
    if (!own_) services_.fail("the system has no memory for the transport's buffers");
    own_descriptor_ = fabric_.register_own(own_.get(), all);
    receives_ = static_cast<Receive*>(own_.get());
    for (std::size_t i = 0; i < kReceives; ++i) {
        auto* const receive = new (&receives_[i]) Receive;
        receive->ticket.kind = Ticket::Kind::own;
        post_receive(*receive);
    }
    return static_cast<char*>(own_.get()) + mine;
}

void Link::connect(const char* cards, std::size_t distance) {
    fabric_.connect(cards, distance);
    if (heap_keys_.make(services_.pes)) {
        for (int pe = 0; pe < services_.pes; ++pe)
            heap_keys_.set(pe, fabric_.target(pe, kHeap).key);
    }
    keys_ = heap_keys_.keys();
}

void Link::set_aside(Receive& receive) {
    receive.aside = true;
    aside_.push_back(&receive);
    // Not all of them, however busy strangers keep this PE.
    if (aside_.size() > kReceives / 2) post_aside(1);
}

void Link::post_aside(std::size_t count) {
    for (; count != 0; --count) {
        Receive* const receive = aside_.front();
        aside_.pop_front();
        receive->aside = false;
        post_receive(*receive);
    }
}

void Link::post_receive(Receive& receive) {
    const ssize_t result = fi_recv(endpoint_, receive.buffer, sizeof receive.buffer,
                                   own_descriptor_, FI_ADDR_UNSPEC, &receive.ticket);
    // The next look tries again: the provider gets on by being looked at.
    if (result == -FI_EAGAIN)
        unposted_.push_back(&receive);
    else if (result != 0)
        services_.fail((std::string("fi_recv: ") + fi_strerror(static_cast<int>(-result))).c_str());
}

void Link::add_short_put(ShortCalls& calls) const {
    if (!limits_.ordered || limits_.inject < sizeof(long double) || !fabric_.has_offsets() ||
        !keys_)
        return;
    // libfabric's own call, but for the type of its first argument and of its result: a function of
    // ours between the two would cost each short put some instructions more.
    using Call = decltype(endpoint_->rma->inject);
    static_assert(std::is_same_v<Call, ssize_t (*)(fid_ep*, const void*, std::size_t, fi_addr_t,
                                                   std::uint64_t, std::uint64_t)>);
    static_assert(sizeof(ssize_t) == sizeof(long) && sizeof(fi_addr_t) == sizeof(std::uint64_t));
    calls.put = reinterpret_cast<ShortCalls::Put*>(endpoint_->rma->inject);
    calls.put_road = endpoint_;
    calls.longest = limits_.inject;
    calls.keys = keys_;
}

}  // namespace isthmus::transport::ofi
