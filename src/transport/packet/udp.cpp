#include "transport/packet/udp.hpp"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/limits.hpp"
#include "transport/packet/address.hpp"
#include "transport/service/socket_address.hpp"

namespace isthmus::transport::packet {
namespace {

constexpr int kRoom = 4 << 20;        // of the system's queues; it gives what it likes
constexpr std::size_t kMostCut = 64;  // datagrams that the system cuts from one piece
constexpr std::size_t kMostPiece = 65000;
constexpr std::size_t kGroups = 16;  // of one call

std::size_t head_bytes(const sockaddr_storage& to) {
    constexpr std::size_t kUdp = 8;
    return kUdp + (to.ss_family == AF_INET ? 20 : 40);
}

union Control {
    cmsghdr head;
    char room[64];
};

void set_segment(msghdr& message, Control& control, std::size_t bytes) {
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(sizeof(std::uint16_t));
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_UDP;
    head->cmsg_type = UDP_SEGMENT;
    head->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
    const auto segment = static_cast<std::uint16_t>(bytes);
    std::memcpy(CMSG_DATA(head), &segment, sizeof segment);
}

}  // namespace

Udp::~Udp() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

bool Udp::open(const sockaddr_storage& at) {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = socket(at.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor_ < 0) return false;
    // No piece longer than what the path is known to take is cut by the way.
    const bool is_four = at.ss_family == AF_INET;
    const int wants = IP_PMTUDISC_WANT;
    static_assert(IP_PMTUDISC_WANT == IPV6_PMTUDISC_WANT);
    setsockopt(descriptor_, is_four ? IPPROTO_IP : IPPROTO_IPV6,
               is_four ? IP_MTU_DISCOVER : IPV6_MTU_DISCOVER, &wants, sizeof wants);
    for (const int queue : {SO_RCVBUF, SO_SNDBUF})
        setsockopt(descriptor_, SOL_SOCKET, queue, &kRoom, sizeof kRoom);
    const int one = 1;
    setsockopt(descriptor_, SOL_UDP, UDP_GRO, &one, sizeof one);
    int segment = 0;
    socklen_t length = sizeof segment;
    cuts_ = getsockopt(descriptor_, SOL_UDP, UDP_SEGMENT, &segment, &length) == 0;
    room_.resize(kReads * kRead);
    return bind(descriptor_, reinterpret_cast<const sockaddr*>(&at), length_of(at)) == 0;
}

// Of no messages, which no network is asked about.
bool Udp::may_send() const {
    return sendmmsg(descriptor_, nullptr, 0, MSG_DONTWAIT) == 0 || !os::is_call_forbidden(errno);
}

bool Udp::may_receive() const {
    return recvmmsg(descriptor_, nullptr, 0, MSG_DONTWAIT, nullptr) == 0 ||
           !os::is_call_forbidden(errno);
}

std::size_t Udp::path_bytes(const sockaddr_storage& to) const {
    int mtu = 0;
    socklen_t length = sizeof mtu;
    const int probe = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool is_four = to.ss_family == AF_INET;
    const bool is_known =
        probe >= 0 &&
        ::connect(probe, reinterpret_cast<const sockaddr*>(&to), length_of(to)) == 0 &&
        getsockopt(probe, is_four ? IPPROTO_IP : IPPROTO_IPV6, is_four ? IP_MTU : IPV6_MTU, &mtu,
                   &length) == 0;
    if (probe >= 0) ::close(probe);
    constexpr std::size_t kEverywhere = 1280;  // what IPv6 demands of a path
    const std::size_t whole = is_known && mtu > 0 ? static_cast<std::size_t>(mtu) : kEverywhere;
    const std::size_t room = whole > head_bytes(to) ? whole - head_bytes(to) : 0;
    return std::clamp(room / 8 * 8, kLeastBytes, kMostBytes);
}

void Udp::send(const sockaddr_storage& to, std::span<const std::span<const std::byte>> datagrams) {
    while (!datagrams.empty()) {
        constexpr std::size_t kAtOnce = kGroups * 16;
        const std::size_t count = std::min(datagrams.size(), kAtOnce);
        send_some(to, datagrams.first(count));
        datagrams = datagrams.subspan(count);
    }
}

void Udp::send_some(const sockaddr_storage& to,
                    std::span<const std::span<const std::byte>> datagrams) {
    iovec pieces[kGroups * 16];
    mmsghdr messages[kGroups];
    Control controls[kGroups];
    std::size_t at = 0;
    while (at != datagrams.size()) {
        unsigned count = 0;
        for (; count < kGroups && at != datagrams.size(); ++count) {
            // Of one length, but for the last, which may be shorter.
            const std::size_t first = at;
            const std::size_t length = datagrams[first].size();
            std::size_t bytes = 0;
            while (at != datagrams.size() && (at == first || cuts_) && at - first < kMostCut &&
                   datagrams[at].size() <= length && bytes + datagrams[at].size() <= kMostPiece) {
                const std::span<const std::byte> each = datagrams[at];
                pieces[at++] = {const_cast<std::byte*>(each.data()), each.size()};
                bytes += each.size();
                if (each.size() < length) break;
            }
            msghdr& message = messages[count].msg_hdr;
            message = {};
            message.msg_name = const_cast<sockaddr_storage*>(&to);
            message.msg_namelen = length_of(to);
            message.msg_iov = pieces + first;
            message.msg_iovlen = at - first;
            if (at - first > 1) set_segment(message, controls[count], length);
        }
        for (unsigned done = 0; done < count;) {
            const int sent =
                sendmmsg(descriptor_, messages + done, count - done, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (sent > 0) {
                done += static_cast<unsigned>(sent);
                continue;
            }
            // A device that cannot cut, or a path that has become narrower.
            const bool was_cut = messages[done].msg_hdr.msg_iovlen > 1;
            if (was_cut && (errno == EINVAL || errno == EIO || errno == EMSGSIZE)) {
                cuts_ = false;
                const std::size_t from =
                    static_cast<std::size_t>(messages[done].msg_hdr.msg_iov - pieces);
                return send_some(to, datagrams.subspan(from));
            }
            if (errno == EAGAIN || errno == ENOBUFS) return;
            // A filter of the network may do that to a single one, for a while.
            if (os::is_call_forbidden(errno) && !may_send()) {
                send_error_.store(errno, std::memory_order_relaxed);
                return;
            }
            ++done;
        }
    }
}

bool Udp::has_more() const {
    int bytes = 0;
    return ioctl(descriptor_, FIONREAD, &bytes) == 0 && bytes > 0;
}

unsigned Udp::read() {
    iovec pieces[kReads];
    mmsghdr messages[kReads];
    Control controls[kReads];
    for (unsigned i = 0; i < kReads; ++i) {
        pieces[i] = {room_.data() + i * kRead, kRead};
        msghdr& message = messages[i].msg_hdr;
        message = {};
        message.msg_name = &from_[i];
        message.msg_namelen = sizeof from_[i];
        message.msg_iov = &pieces[i];
        message.msg_iovlen = 1;
        message.msg_control = &controls[i];
        message.msg_controllen = sizeof controls[i];
    }
    const int count = recvmmsg(descriptor_, messages, kReads, MSG_DONTWAIT, nullptr);
    if (count < 0 && os::is_call_forbidden(errno)) receive_error_ = errno;
    if (count <= 0) return 0;
    for (int i = 0; i < count; ++i) {
        lengths_[i] = pieces_[i] = messages[i].msg_len;
        msghdr& message = messages[i].msg_hdr;
        for (cmsghdr* each = CMSG_FIRSTHDR(&message); each; each = CMSG_NXTHDR(&message, each)) {
            if (each->cmsg_level != SOL_UDP || each->cmsg_type != UDP_GRO) continue;
            int segment = 0;
            std::memcpy(&segment, CMSG_DATA(each), sizeof segment);
            if (segment > 0) pieces_[i] = static_cast<std::size_t>(segment);
        }
        if (lengths_[i] == 0) pieces_[i] = 1;
    }
    return static_cast<unsigned>(count);
}

bool is_same(const sockaddr_storage& a, const sockaddr_storage& b) {
    if (a.ss_family != b.ss_family) return false;
    if (a.ss_family == AF_INET) {
        const auto& x = reinterpret_cast<const sockaddr_in&>(a);
        const auto& y = reinterpret_cast<const sockaddr_in&>(b);
        return x.sin_port == y.sin_port && x.sin_addr.s_addr == y.sin_addr.s_addr;
    }
    const auto& x = reinterpret_cast<const sockaddr_in6&>(a);
    const auto& y = reinterpret_cast<const sockaddr_in6&>(b);
    return x.sin6_port == y.sin6_port &&
           std::memcmp(&x.sin6_addr, &y.sin6_addr, sizeof x.sin6_addr) == 0;
}

}  // namespace isthmus::transport::packet
