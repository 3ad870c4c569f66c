#include "transport/loop/link.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "transport/service/attention.hpp"

namespace isthmus::transport::loop {
namespace {

// Before each message: when it is handed over. Who sent it is proved behind that, by its seal.
struct Head {
    std::uint32_t from;
    std::uint32_t loose;
};

constexpr uid_t kNobody = static_cast<uid_t>(-1);

// Who has sent it, as the kernel knows.
uid_t user_of(msghdr& message) {
    for (cmsghdr* head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_CREDENTIALS) continue;
        ucred sender{};
        std::memcpy(&sender, CMSG_DATA(head), sizeof sender);
        return sender.uid;
    }
    return kNobody;
}

}  // namespace

// Most come soon, some late, a few much later than others; and some at once, which overtakes most.
std::uint64_t Delays::due(int from, Order order, std::uint64_t now) {
    const std::uint64_t draw = random_();
    std::uint64_t length = longest_ == 0 ? 0 : (draw >> 8) % longest_;
    if (draw % 4 == 0)
        length = 0;
    else if (draw % 16 != 1)
        length /= 8;
    std::uint64_t due = now + length;
    if (order == Order::strict) {
        std::uint64_t& latest = strict_[static_cast<std::size_t>(from)];
        due = latest = std::max(latest, due);
    }
    return due;
}

Link::Link(const Services& services)
    : services_(services),
      delays_(services.seed * 1024 + static_cast<std::uint64_t>(services.me), services.pes,
              services.delay_nanoseconds) {
    socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    ends_ = epoll_create1(EPOLL_CLOEXEC);
    // Bound to no name it gets one that nobody else has, an abstract one: it goes with the socket.
    sockaddr_un none{};
    none.sun_family = AF_UNIX;
    socklen_t length = sizeof own_.address;
    auto* const own = reinterpret_cast<sockaddr*>(&own_.address);
    const int yes = 1;
    bool good = socket_ >= 0 && timer_ >= 0 && ends_ >= 0 &&
                setsockopt(socket_, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) == 0 &&
                bind(socket_, reinterpret_cast<sockaddr*>(&none), sizeof none.sun_family) == 0 &&
                getsockname(socket_, own, &length) == 0;
    own_.length = length;
    for (const int end : {socket_, timer_}) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = end;
        good = good && epoll_ctl(ends_, EPOLL_CTL_ADD, end, &event) == 0;
    }
    if (!good) services.fail((std::string("loop: a socket: ") + std::strerror(errno)).c_str());
}

Link::~Link() {
    for (const int end : {ends_, timer_, socket_}) {
        if (end >= 0) ::close(end);
    }
}

void Link::connect(const char* cards, std::size_t distance) {
    for (int pe = 0; pe < services_.pes; ++pe, cards += distance)
        std::memcpy(&names_.emplace_back(), cards, sizeof(Name));
}

std::uint64_t Link::now() {
    return service::now_nanoseconds();
}

long Link::send(int pe, Pieces pieces, Order order) {
    Head head{static_cast<std::uint32_t>(services_.me), order == Order::loose ? 1u : 0u};
    iovec parts[4] = {{&head, sizeof head}};
    std::size_t count = 1;
    for (const Piece& piece : pieces) {
        if (piece.count != 0) parts[count++] = {const_cast<void*>(piece.bytes), piece.count};
    }
    Name& to = names_[static_cast<std::size_t>(pe)];
    msghdr message{};
    message.msg_namelen = to.length;
    message.msg_name = &to.address;
    message.msg_iov = parts;
    message.msg_iovlen = count;
    if (sendmsg(socket_, &message, MSG_NOSIGNAL) >= 0) return 0;
    return errno == EAGAIN || errno == ENOBUFS ? kFull : -errno;
}

// Everything that has come: what is not taken from a socket stops its senders.
void Link::take_in() {
    const std::lock_guard lock(guard_);
    char buffer[sizeof(Head) + kMessage];
    // Files that a stranger sends along find no room, and are closed.
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
    for (;;) {
        iovec data{buffer, sizeof buffer};
        msghdr message{};
        message.msg_iov = &data;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        const ssize_t bytes = recvmsg(socket_, &message, MSG_TRUNC | MSG_CMSG_CLOEXEC);
        if (bytes < 0) break;
        // The program may have become another since, and so may its mates.
        if (const uid_t sender = user_of(message); sender != user_ && sender != (user_ = getuid()))
            continue;
        Head head;
        if (static_cast<std::size_t>(bytes) < sizeof head ||
            static_cast<std::size_t>(bytes) > sizeof buffer)
            continue;
        std::memcpy(&head, buffer, sizeof head);
        if (head.from >= static_cast<std::uint32_t>(services_.pes)) continue;
        const std::uint64_t due = delays_.due(
            static_cast<int>(head.from), head.loose != 0 ? Order::loose : Order::strict, now());
        kept_.emplace(due, Message(buffer + sizeof head, buffer + bytes));
    }
    set_timer();
}

// Under guard_: who sleeps wakes when the next one is due, whoever has taken it in.
void Link::set_timer() {
    const std::uint64_t next = kept_.empty() ? 0 : kept_.begin()->first;
    if (next == set_to_) return;
    set_to_ = next;
    const itimerspec until{
        {0, 0},
        {static_cast<time_t>(next / 1'000'000'000), static_cast<long>(next % 1'000'000'000)}};
    timerfd_settime(timer_, TFD_TIMER_ABSTIME, &until, nullptr);
}

bool Link::may_sleep() {
    take_in();
    const std::lock_guard lock(guard_);
    return kept_.empty() || kept_.begin()->first > now();
}

std::string Link::error_text(int error) const {
    return std::strerror(error);
}

std::string Link::describe() const {
    return "loop (Unix sockets, seed " + std::to_string(services_.seed) + ", up to " +
           std::to_string(services_.delay_nanoseconds / 1000) +
           " us late): puts, gets and atomics by request to the target's progress thread; slow and "
           "out of order on purpose";
}

}  // namespace isthmus::transport::loop
