#include "transport/service/pulse.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <new>

#include "base/blocked_signals.hpp"
#include "transport/service/socket_address.hpp"

namespace isthmus::transport::service {
namespace {

// An address of IP with another port. False for any other network's.
struct Address {
    sockaddr_storage storage{};
    socklen_t length = 0;

    bool set(const void* bytes, std::size_t count, std::uint16_t port) {
        storage = socket_address(bytes, count);
        if (storage.ss_family == AF_INET && count >= sizeof(sockaddr_in))
            length = sizeof(sockaddr_in);
        else if (storage.ss_family == AF_INET6 && count >= sizeof(sockaddr_in6))
            length = sizeof(sockaddr_in6);
        if (length != 0) port_of(storage) = port;
        return length != 0;
    }
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

}  // namespace

Pulse::Pulse(const JobSecret& secret, std::uint64_t session, int me, int pes)
    : seals_(secret, session, Purpose::beat, me, pes),
      asked_(std::make_unique<Asked[]>(static_cast<std::size_t>(pes))) {}

Pulse::~Pulse() {
    if (file_ >= 0) close(file_);
}

void Pulse::open(const void* address, std::size_t bytes) {
    Address own;
    if (!own.set(address, bytes, 0)) return;
    file_ = socket(own.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file_ < 0) return;
    Address bound;
    bound.length = sizeof bound.storage;
    if (bind(file_, own.get(), own.length) != 0 ||
        getsockname(file_, bound.get(), &bound.length) != 0) {
        close(file_);
        file_ = -1;
        return;
    }
    port_ = port_of(bound.storage);
}

void Pulse::send(int pe, const void* address, std::size_t bytes, std::uint16_t port,
                 std::uint32_t answers) {
    Address to;
    if (file_ >= 0 && port != 0 && to.set(address, bytes, port))
        send_to(pe, to.get(), to.length, answers);
}

void Pulse::send_to(int pe, const sockaddr* address, socklen_t length, std::uint32_t answers) {
    Beat beat{{}, 0, 0, answers};
    seals_.seal(pe, &beat, sizeof beat);
    if (answers == 0) {
        Asked& asked = asked_[static_cast<std::size_t>(pe)];
        const std::uint32_t place = asked.count.fetch_add(1, std::memory_order_relaxed);
        asked.latest[place % kQuestions].store(answer_to(beat.number), std::memory_order_relaxed);
    }
    // Lost or refused: the next one may get through.
    [[maybe_unused]] const auto sent =
        sendto(file_, &beat, sizeof beat, MSG_NOSIGNAL, address, length);
}

unsigned Pulse::answer_all() {
    unsigned refused = 0;
    std::size_t bytes = 0;
    sockaddr_storage from{};
    unsigned left = kMostAtOnce;
    for (Beat beat; left != 0 && take(beat, bytes, &from); --left) {
        if (bytes != sizeof beat || !opens(beat))
            ++refused;
        else if (beat.answers == 0)
            send_to(static_cast<int>(beat.from), reinterpret_cast<const sockaddr*>(&from),
                    sizeof from, answer_to(beat.number));
    }
    return refused;
}

bool Pulse::has_asked(int pe, std::uint32_t answer) const {
    const auto& latest = asked_[static_cast<std::size_t>(pe)].latest;
    return std::any_of(std::begin(latest), std::end(latest), [&](const auto& question) {
        return question.load(std::memory_order_relaxed) == answer;
    });
}

// Without memory for its number it is lost, as datagrams may be.
bool Pulse::opens(const Beat& beat) {
    try {
        return seals_.open(&beat, sizeof beat);
    } catch (const std::bad_alloc&) {
        return false;
    }
}

bool Pulse::take(Beat& beat, std::size_t& bytes, sockaddr_storage* from) {
    if (file_ < 0) return false;
    ssize_t came = -1;
    // An error that an earlier datagram met is told once, instead of one that has come.
    for (int tries = 0; came < 0 && tries < 2; ++tries) {
        socklen_t room = sizeof *from;
        came = recvfrom(file_, &beat, sizeof beat, MSG_TRUNC, reinterpret_cast<sockaddr*>(from),
                        from ? &room : nullptr);
    }
    if (came < 0) return false;
    bytes = static_cast<std::size_t>(came);
    return true;
}

FirstAnswers::FirstAnswers(Pulse& pulse) : pulse_(pulse) {
    if (pulse.descriptor() < 0) return;
    stop_event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (stop_event_ < 0) return;  // the road needs one as well, and tells
    const BlockedSignals blocked;
    try {
        thread_ = std::thread([this] { run(); });
    } catch (...) {
        ::close(stop_event_);
        throw;
    }
}

FirstAnswers::~FirstAnswers() {
    end();
}

unsigned FirstAnswers::end() {
    if (!thread_.joinable()) return refused_;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(stop_event_, &one, sizeof one);
    thread_.join();
    ::close(stop_event_);
    return refused_;
}

void FirstAnswers::run() {
    pollfd ends[] = {{stop_event_, POLLIN, 0}, {pulse_.descriptor(), POLLIN, 0}};
    while (ends[0].revents == 0) {
        if (::poll(ends, 2, -1) < 0 && errno != EINTR) return;
        if (ends[1].revents != 0) refused_ += pulse_.answer_all();
    }
}

}  // namespace isthmus::transport::service
