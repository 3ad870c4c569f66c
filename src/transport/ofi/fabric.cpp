#include "transport/ofi/fabric.hpp"

#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include "base/limits.hpp"
#include "transport/service/seal.hpp"
#include "transport/service/wire.hpp"

namespace isthmus::transport::ofi {
namespace {

constexpr std::uint32_t kVersion = FI_VERSION(1, 17);
constexpr std::size_t kAddressBytes = 256;

// Best first. What is not listed is taken after `net` and before `shm`; sockets and udp are not
// taken unless asked for: the one takes milliseconds an operation, the other loses its peers.
constexpr std::array kRanking{"cxi",  "efa", "psm3",        "opx", "verbs;ofi_rxm",
                              "psm2", "psm", "tcp;ofi_rxm", "tcp", "net"};
constexpr int kFirstByIp = 7;  // in kRanking: from here on by the kernel's sockets
static_assert(std::string_view(kRanking[kFirstByIp]) == "tcp;ofi_rxm");
constexpr std::array kRefused{"sockets", "udp", "usnic", "UDP"};

// libfabric reads these when it is first asked for something. What rxm lays ready for messages is
// by its own measure 75 MB a process; ours are short, and puts and gets do not use it.
void spare_memory() {
    static_assert(sizeof(service::Request) + kRequestBytes <= 4096);
    constexpr int kUnlessSet = 0;
    setenv("FI_OFI_RXM_BUFFER_SIZE", "4096", kUnlessSet);
    setenv("FI_OFI_RXM_MSG_RX_SIZE", "64", kUnlessSet);
}

int rank_of(const char* provider) {
    for (std::size_t i = 0; i < kRanking.size(); ++i) {
        if (std::strcmp(provider, kRanking[i]) == 0) return static_cast<int>(i);
    }
    return std::strcmp(provider, "shm") == 0 ? 1000 : 100;
}

bool is_refused(std::string_view provider) {
    for (const std::string_view name : kRefused) {
        if (provider.starts_with(name)) return true;
    }
    return false;
}

// A loopback address reaches nobody on another host; it is the last of its provider's.
bool is_loopback(const fi_info& info) {
    return info.domain_attr && info.domain_attr->name &&
           std::strcmp(info.domain_attr->name, "lo") == 0;
}

// Reaches nobody on another machine.
bool stays_here(const fi_info& info) {
    return is_loopback(info) || std::strcmp(info.fabric_attr->prov_name, "shm") == 0;
}

// Without FI_ATOMIC: with it tcp;ofi_rxm gives up the order between puts, gets and messages, and
// its atomics are not atomic against the target's processor. Atomics go as requests.
Info hints_for(const char* provider) {
    Info hints(fi_allocinfo());
    hints->caps =
        FI_MSG | FI_RMA | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE | FI_SEND | FI_RECV;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->mr_mode =
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    hints->domain_attr->threading = FI_THREAD_SAFE;
    hints->domain_attr->av_type = FI_AV_TABLE;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    if (*provider != '\0') hints->fabric_attr->prov_name = strdup(provider);
    return hints;
}

}  // namespace

Fabric::Fabric(const Services& services) : services_(services) {
    choose();
    open();
    for (std::uint32_t id = 0; id < kSegments; ++id)
        register_segment(id, services_.segments[id]);
}

Fabric::~Fabric() {
    // Children before parents; the endpoint before what is bound to it.
    endpoint_.reset();
    own_region_.reset();
    for (auto& region : regions_)
        region.reset();
}

void Fabric::leave_open() {
    static_cast<void>(endpoint_.release());
    static_cast<void>(queue_.release());
    static_cast<void>(addresses_.release());
    static_cast<void>(domain_.release());
    static_cast<void>(fabric_.release());
}

void Fabric::fail(const char* call, int error) const {
    const std::string provider =
        info_ ? std::string(info_->fabric_attr->prov_name) : std::string("libfabric");
    const int known = error < 0 ? -error : error;
    // Of a want of descriptors libfabric says anything, and has closed some of its own by then.
    constexpr int kFew = 8;
    const int room = os::room_for_files(kFew);
    std::string advice = " (ISTHMUS_FABRIC chooses the provider; `fi_info` lists them)";
    if (known == EMFILE)
        advice = os::advice_on_call(EMFILE);
    else if (room < kFew)
        advice = ", with room for " + std::to_string(room) + " descriptors more" +
                 os::advice_on_call(EMFILE);
    services_.fail((provider + ": " + call + ": " + fi_strerror(known) + advice).c_str());
    std::abort();
}

Info choose_provider(const char* setting, bool leaves_machine, std::string& why) {
    fi_info* list = nullptr;
    const Info hints = hints_for(setting);
    const int error = fi_getinfo(kVersion, nullptr, nullptr, 0, hints.get(), &list);
    const Info all(list);
    const fi_info* best = nullptr;
    std::string others;
    bool stays = false;
    for (const fi_info* each = list; error == 0 && each; each = each->next) {
        const char* const name = each->fabric_attr->prov_name;
        if (*setting == '\0' && is_refused(name)) continue;
        if (leaves_machine && stays_here(*each)) {
            stays = true;
            continue;
        }
        const std::string quoted = std::string(" ") + name + ",";
        if (others.find(quoted) == std::string::npos) others += quoted;
        const auto order = [](const fi_info& info) {
            return rank_of(info.fabric_attr->prov_name) * 2 + (is_loopback(info) ? 1 : 0);
        };
        if (!best || order(*each) < order(*best)) best = each;
    }
    if (!best && stays) {
        why =
            "this host has no network address but that of its loop-back device, by which no other "
            "host reaches it; is its network up?";
        return nullptr;
    }
    if (!best) {
        why = std::string("no libfabric provider") +
              (*setting ? " named " + std::string(setting) : "") +
              " offers reliable datagrams with messages, puts and gets: " +
              fi_strerror(error == 0 ? FI_ENODATA : -error) +
              " (ISTHMUS_FABRIC chooses the provider; `fi_info` lists them)";
        return nullptr;
    }
    others.pop_back();
    why = *setting ? "asked for by ISTHMUS_FABRIC"
                   : "the first in order of speed of those that serve here:" + others +
                         " (ISTHMUS_FABRIC chooses another)";
    return Info(fi_dupinfo(best));
}

void Fabric::choose() {
    spare_memory();
    std::string why;
    // A cable that is pulled for a moment is no reason to give up, nor to take the loop-back
    // device.
    const auto patience = std::chrono::duration<double>(services_.detect_seconds);
    const auto began = std::chrono::steady_clock::now();
    do {
        info_ = choose_provider(services_.provider, services_.leaves_machine, why);
        if (info_ || !services_.leaves_machine) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    } while (std::chrono::steady_clock::now() - began < patience);
    if (!info_) {
        services_.fail(why.c_str());
        std::abort();
    }
    // What our caps and modes do not need must not be asked for.
    info_->mode &= FI_CONTEXT | FI_CONTEXT2;
    constexpr std::uint64_t kNeeded = FI_ORDER_RAW | FI_ORDER_WAW | FI_ORDER_SAW | FI_ORDER_SAS;
    const auto covers = [](std::uint64_t order) { return (order & kNeeded) == kNeeded; };
    // Puts, gets and sends complete in the queue unless injected.
    info_->tx_attr->op_flags = FI_COMPLETION;
    ordered_ = covers(info_->tx_attr->msg_order) && covers(info_->rx_attr->msg_order) &&
               info_->ep_attr->max_order_raw_size >= sizeof(std::uint64_t) &&
               info_->ep_attr->max_order_waw_size >= sizeof(std::uint64_t);
    believes_heads_ = std::strcmp(info_->fabric_attr->prov_name, "tcp;ofi_rxm") == 0;
    ordered_reads_ = (info_->tx_attr->msg_order & info_->rx_attr->msg_order & FI_ORDER_RAR) != 0;
}

void Fabric::open() {
    fid_fabric* fabric = nullptr;
    if (const int error = fi_fabric(info_->fabric_attr, &fabric, nullptr)) fail("fi_fabric", error);
    fabric_.reset(fabric);
    fid_domain* domain = nullptr;
    if (const int error = fi_domain(fabric, info_.get(), &domain, nullptr))
        fail("fi_domain", error);
    domain_.reset(domain);

    fi_av_attr table{};
    table.type = FI_AV_TABLE;
    table.count = static_cast<std::size_t>(services_.pes);
    fid_av* addresses = nullptr;
    if (const int error = fi_av_open(domain, &table, &addresses, nullptr))
        fail("fi_av_open", error);
    addresses_.reset(addresses);

    fi_cq_attr attributes{};
    attributes.format = FI_CQ_FORMAT_MSG;
    attributes.size = 4096;
    attributes.wait_obj = FI_WAIT_FD;
    fid_cq* queue = nullptr;
    int error = fi_cq_open(domain, &attributes, &queue, nullptr);
    if (error != 0) {  // shm has nothing to sleep on
        attributes.wait_obj = FI_WAIT_NONE;
        error = fi_cq_open(domain, &attributes, &queue, nullptr);
    }
    if (error != 0) fail("fi_cq_open", error);
    queue_.reset(queue);
    if (attributes.wait_obj == FI_WAIT_FD && fi_control(&queue->fid, FI_GETWAIT, &descriptor_) != 0)
        descriptor_ = -1;

    fid_ep* endpoint = nullptr;
    if (const int problem = fi_endpoint(domain, info_.get(), &endpoint, nullptr))
        fail("fi_endpoint", problem);
    endpoint_.reset(endpoint);
    if (const int problem = fi_ep_bind(endpoint, &addresses->fid, 0)) fail("fi_ep_bind", problem);
    // Every receive completes; of the sends, puts and gets only those that ask for it.
    if (const int problem =
            fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_SELECTIVE_COMPLETION))
        fail("fi_ep_bind", problem);
    if (const int problem = fi_ep_bind(endpoint, &queue->fid, FI_RECV)) fail("fi_ep_bind", problem);
    if (const int problem = fi_enable(endpoint)) fail("fi_enable", problem);
}

// Of our choice, where the provider lets us choose: another one for each PE, segment and session,
// which who knows some of them learns nothing from, since they come from the job's secret by a
// keyed hash. So nothing is exchanged. As many bits as the provider compares; a PE's segments
// differ in the lowest two.
std::uint64_t Fabric::key_of(int pe, std::uint32_t segment) const {
    static_assert(kSegments < 4);  // the last one is the transport's own memory
    const std::size_t bytes = info_->domain_attr->mr_key_size;
    const std::uint64_t mask = bytes < 8 ? (std::uint64_t{1} << 8 * bytes) - 1 : ~std::uint64_t{0};
    std::uint64_t keys[kSegments + 1];
    service::derive_key(services_.secret, services_.session, service::Purpose::memory, pe, pe, keys,
                        sizeof keys);
    return (keys[segment] & mask & ~std::uint64_t{3}) | segment;
}

Owned<fid_mr> Fabric::register_memory(std::uint32_t id, const Segment& memory,
                                      std::uint64_t access) {
    fid_mr* region = nullptr;
    if (const int error = fi_mr_reg(domain_.get(), memory.base, memory.size, access, 0,
                                    key_of(services_.me, id), 0, &region, nullptr))
        fail("fi_mr_reg", error);
    Owned<fid_mr> owned(region);
    if ((info_->domain_attr->mr_mode & FI_MR_ENDPOINT) == 0) return owned;
    if (const int problem = fi_mr_bind(region, &endpoint_->fid, 0)) fail("fi_mr_bind", problem);
    if (const int problem = fi_mr_enable(region)) fail("fi_mr_enable", problem);
    return owned;
}

void Fabric::register_segment(std::uint32_t id, const Segment& segment) {
    if (segment.size == 0) return;
    const std::uint64_t here = wants_descriptors() ? FI_READ | FI_WRITE : 0;
    regions_[id] = register_memory(id, segment, here | FI_REMOTE_READ | FI_REMOTE_WRITE);
}

void* Fabric::register_own(void* memory, std::size_t bytes) {
    if (!wants_descriptors()) return nullptr;
    own_region_ = register_memory(kSegments, {static_cast<char*>(memory), bytes},
                                  FI_SEND | FI_RECV | FI_READ | FI_WRITE);
    return fi_mr_desc(own_region_.get());
}

bool Fabric::find_descriptor(const void* memory, std::size_t bytes, void*& descriptor) const {
    descriptor = nullptr;
    if (!wants_descriptors()) return true;
    const auto at = reinterpret_cast<std::uintptr_t>(memory);
    for (std::uint32_t id = 0; id < kSegments; ++id) {
        const Segment& segment = services_.segments[id];
        const std::uintptr_t offset = at - reinterpret_cast<std::uintptr_t>(segment.base);
        if (!regions_[id] || offset > segment.size || bytes > segment.size - offset) continue;
        descriptor = fi_mr_desc(regions_[id].get());
        return true;
    }
    return false;
}

// Who has them can read and write the memory.
void Fabric::cover(int pe, Target* targets, std::size_t bytes) const {
    service::cover(services_.secret, services_.session, pe, exchanges_, targets, bytes);
}

Target Fabric::own_target(std::uint32_t id, const Segment& segment) const {
    if (!regions_[id]) return {};
    const bool by_address = (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
    return {by_address ? reinterpret_cast<std::uint64_t>(segment.base) : 0,
            fi_mr_key(regions_[id].get())};
}

void Fabric::publish(std::uint32_t id, const Segment& segment) {
    register_segment(id, segment);
    Target mine = own_target(id, segment);
    if (!has_own_targets()) {
        for (int pe = 0; pe < services_.pes; ++pe)
            target_of(pe, id) = chosen_target(pe, id);
        return;
    }
    std::vector<Target> all(static_cast<std::size_t>(services_.pes));
    ++exchanges_;
    cover(services_.me, &mine, sizeof mine);
    services_.gather(&mine, sizeof mine, all.data());
    for (int pe = 0; pe < services_.pes; ++pe) {
        Target& theirs = all[static_cast<std::size_t>(pe)];
        cover(pe, &theirs, sizeof theirs);
        target_of(pe, id) = theirs;
    }
}

std::vector<char> Fabric::address() const {
    std::vector<char> address(kAddressBytes);
    std::size_t length = address.size();
    if (const int error = fi_getname(&endpoint_->fid, address.data(), &length))
        fail("fi_getname", error);
    address.resize(length);
    return address;
}

std::vector<char> Fabric::address_of(int pe) const {
    std::vector<char> address(kAddressBytes);
    std::size_t length = address.size();
    if (fi_av_lookup(addresses_.get(), static_cast<fi_addr_t>(pe), address.data(), &length) != 0)
        length = 0;
    address.resize(std::min(length, address.size()));
    return address;
}

// Bytes of an address in the table that all PEs exchange: equally many everywhere.
std::size_t Fabric::address_room() const {
    switch (info_->addr_format) {
        case FI_SOCKADDR_IN: return sizeof(sockaddr_in);
        case FI_SOCKADDR_IN6: return sizeof(sockaddr_in6);
        default: return kAddressBytes;
    }
}

// A PE's card: its address, padded, and its targets where the provider makes them.
std::size_t Fabric::card_bytes() const {
    return address_room() + (has_own_targets() ? sizeof(Target) * kSegments : 0);
}

void Fabric::write_card(char* card) const {
    const std::size_t room = address_room();
    const std::vector<char> own = address();
    std::memset(card, 0, room);
    std::memcpy(card, own.data(), std::min(own.size(), room));
    if (!has_own_targets()) return;
    Target targets[kSegments];
    for (std::uint32_t id = 0; id < kSegments; ++id)
        targets[id] = own_target(id, services_.segments[id]);
    cover(services_.me, targets, sizeof targets);
    std::memcpy(card + room, targets, sizeof targets);
}

void Fabric::connect(const char* cards, std::size_t distance) {
    const bool by_pe = has_own_targets();
    for (int pe = 0; pe < services_.pes; ++pe) {
        const char* const card = cards + static_cast<std::size_t>(pe) * distance;
        fi_addr_t index = FI_ADDR_NOTAVAIL;
        if (fi_av_insert(addresses_.get(), card, 1, &index, 0, nullptr) != 1 ||
            index != static_cast<fi_addr_t>(pe))
            fail("fi_av_insert", FI_EADDRNOTAVAIL);
        Target theirs[kSegments];
        if (by_pe) {
            std::memcpy(theirs, card + address_room(), sizeof theirs);
            cover(pe, theirs, sizeof theirs);
        }
        for (std::uint32_t id = 0; id < kSegments; ++id)
            targets_.push_back(by_pe ? theirs[id] : chosen_target(pe, id));
    }
}

std::string Fabric::describe() const {
    return std::string(info_->fabric_attr->prov_name) + " (libfabric " +
           std::to_string(FI_MAJOR(fi_version())) + "." + std::to_string(FI_MINOR(fi_version())) +
           ", " + (info_->domain_attr->name ? info_->domain_attr->name : "no device") +
           "): atomics and signals by request to the target's progress thread; quiet by " +
           (ordered_ ? "a request behind the puts" : "delivery-complete puts and a request") +
           (wants_descriptors() ? "; what lies outside of symmetric memory is copied aside" : "");
}

}  // namespace isthmus::transport::ofi

extern "C" __attribute__((visibility("default"))) void isthmus_explain_transport(
    const char* provider, char* text, std::size_t bytes) {
    using namespace isthmus::transport::ofi;
    std::string why;
    const Info info = choose_provider(provider, false, why);
    const std::string version =
        std::to_string(FI_MAJOR(fi_version())) + "." + std::to_string(FI_MINOR(fi_version()));
    std::string answer = "!" + why;
    if (info)
        answer = std::string(info->fabric_attr->prov_name) + " on " +
                 (info->domain_attr->name ? info->domain_attr->name : "no device") +
                 " (libfabric " + version + ")\n" + why +
                 "; puts and gets by the provider, atomics and signals by the target's progress "
                 "thread";
    answer.copy(text, bytes - 1);
    text[std::min(answer.size(), bytes - 1)] = '\0';
}

extern "C" __attribute__((visibility("default"))) bool isthmus_transport_has_hardware() {
    using namespace isthmus::transport::ofi;
    std::string why;
    constexpr bool kLeavesMachine = true;
    const Info info = choose_provider("", kLeavesMachine, why);
    return info && rank_of(info->fabric_attr->prov_name) < kFirstByIp;
}
