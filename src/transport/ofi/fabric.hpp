// libfabric's objects for one PE, and the provider that was chosen for them.
//
// One reliable-datagram endpoint; an address vector that is a table, so that a PE's number is its
// address; one completion queue; heap, static data and arena registered once, each whole.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "transport/transport.hpp"

namespace isthmus::transport::ofi {

template <typename T>
struct Close {
    void operator()(T* object) const { fi_close(&object->fid); }
};
template <typename T>
using Owned = std::unique_ptr<T, Close<T>>;

struct FreeInfo {
    void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

// How a far PE's segment is addressed.
struct Target {
    std::uint64_t base = 0;  // what an offset is added to
    std::uint64_t key = 0;
};

// The best provider on this host, or null and why. `setting` names one; empty: any. `why` is also
// what speaks for the choice. Where it is to leave the machine, none that does not.
Info choose_provider(const char* setting, bool leaves_machine, std::string& why);

class Fabric {
  public:
    // Ends the job with a message if there is no provider or it fails.
    explicit Fabric(const Services& services);
    ~Fabric();

    // This endpoint's own address.
    std::vector<char> address() const;
    // What everyone must know of this PE: address, and keys and bases where the provider makes
    // them.
    std::size_t card_bytes() const;
    void write_card(char* card) const;
    // Everyone's, so far apart.
    void connect(const char* cards, std::size_t distance);
    std::vector<char> address_of(int pe) const;
    // Collective: one more segment, by now that of everyone.
    void publish(std::uint32_t id, const Segment& segment);

    // Some providers want the memory on this side registered as well (FI_MR_LOCAL), and its
    // descriptor with each operation; injected data excepted.
    bool wants_descriptors() const { return (info_->domain_attr->mr_mode & FI_MR_LOCAL) != 0; }
    // Once, of the transport's own memory. Null without such a provider.
    void* register_own(void* memory, std::size_t bytes);
    // False: the provider wants one, and the memory is in no published segment.
    bool find_descriptor(const void* memory, std::size_t bytes, void*& descriptor) const;

    fid_ep* endpoint() const { return endpoint_.get(); }
    fid_cq* queue() const { return queue_.get(); }
    fid_fabric* fabric() const { return fabric_.get(); }
    const fi_info& info() const { return *info_; }
    // -1 if the provider has nothing to sleep on.
    int descriptor() const { return descriptor_; }
    // Puts, and requests behind them, take effect in the order they were issued in.
    bool is_ordered() const { return ordered_; }
    // Reads take effect in the order they were issued in.
    bool has_ordered_reads() const { return ordered_reads_; }
    const Target& target(int pe, std::uint32_t segment) const {
        return targets_[static_cast<std::size_t>(pe) * kSegments + segment];
    }
    // Segments are addressed by offsets, not by the target's addresses.
    bool has_offsets() const { return (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) == 0; }
    // Anybody may tell it, by the head of a message, that an operation of this PE's has ended.
    bool believes_heads() const { return believes_heads_; }
    // All but the memory stays as it is until the process ends.
    void leave_open();
    std::string describe() const;

  private:
    void choose();
    void open();
    void register_segment(std::uint32_t id, const Segment& segment);
    Owned<fid_mr> register_memory(std::uint32_t id, const Segment& memory, std::uint64_t access);
    Target own_target(std::uint32_t id, const Segment& segment) const;
    // Of a provider with keys of our choice and offsets, once the PE has registered the segment.
    Target chosen_target(int pe, std::uint32_t segment) const { return {0, key_of(pe, segment)}; }
    // Keys and bases are the provider's, and must be exchanged.
    bool has_own_targets() const {
        return (info_->domain_attr->mr_mode & (FI_MR_VIRT_ADDR | FI_MR_PROV_KEY)) != 0;
    }
    Target& target_of(int pe, std::uint32_t segment) {
        return const_cast<Target&>(std::as_const(*this).target(pe, segment));
    }
    // Targets that are exchanged, and once more those that have come.
    void cover(int pe, Target* targets, std::size_t bytes) const;
    std::size_t address_room() const;
    std::uint64_t key_of(int pe, std::uint32_t segment) const;
    [[noreturn]] void fail(const char* call, int error) const;

    const Services& services_;
    Info info_;
    Owned<fid_fabric> fabric_;
    Owned<fid_domain> domain_;
    Owned<fid_av> addresses_;
    Owned<fid_cq> queue_;
    Owned<fid_ep> endpoint_;
    Owned<fid_mr> regions_[kSegments];
    Owned<fid_mr> own_region_;
    int descriptor_ = -1;
    bool ordered_ = false;
    bool ordered_reads_ = false;
    bool believes_heads_ = false;
    std::vector<Target> targets_;
    std::uint64_t exchanges_ = 0;  // of targets, behind the first one
};

}  // namespace isthmus::transport::ofi
