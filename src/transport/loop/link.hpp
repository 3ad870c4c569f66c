// The PEs of one host, or of one process, as if a network lay between them that is slow and
// reorders on purpose: what the contract lets come late comes late, what it lets overtake
// overtakes. So a fence, a quiet or a wait that is missing shows.
//
// Messages go over datagram sockets with names of the job's own, which every user can read, and
// send to: what other users send is dropped before it is kept. The receiver draws by a seed how
// long it keeps each one back: messages that are sent as strict keep their order, others do not.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "transport/link.hpp"

namespace isthmus::transport::loop {

// How long messages are kept back. Nothing here knows sockets or clocks.
class Delays {
  public:
    Delays(std::uint64_t seed, int pes, std::uint64_t longest)
        : random_(seed), longest_(longest), strict_(static_cast<std::size_t>(pes)) {}

    // When a message that came from this PE is handed over, in nanoseconds as `now` is. Times of
    // strict messages from one PE never go back.
    std::uint64_t due(int from, Order order, std::uint64_t now);

  private:
    std::mt19937_64 random_;
    const std::uint64_t longest_;
    std::vector<std::uint64_t> strict_;  // due times of the latest, by PE
};

class Link {
  public:
    struct Scratch {};
    static constexpr long kFull = -11;  // EAGAIN
    static constexpr const char* kThreadName = "isthmus-loop";
    static constexpr std::size_t kMessage = 8192 + 128;

    static bool proves(const Services&) { return false; }
    explicit Link(const Services& services);
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    ~Link();

    const Limits& limits() const { return limits_; }
    std::size_t card_bytes() const { return sizeof(Name); }
    void write_card(char* card) const { std::memcpy(card, &own_, sizeof own_); }
    void connect(const char* cards, std::size_t distance);
    std::vector<char> address_of(int) const { return {}; }
    void publish(std::uint32_t, const Segment&) {}

    long send(int pe, Pieces pieces, Order order);
    template <typename Sink>
    bool poll(Sink& sink);
    // Rings when a message comes, and when one that was kept back is due.
    int descriptor() const { return ends_; }
    bool may_sleep();
    std::string error_text(int error) const;
    std::string describe() const;

  private:
    using Message = std::vector<char>;
    // Of a socket, which the kernel has named.
    struct Name {
        std::uint32_t length = 0;
        sockaddr_un address{};
    };
    void take_in();
    void set_timer();
    static std::uint64_t now();

    const Services& services_;
    Limits limits_{kMessage, kMessage, 0, false, false};
    uid_t user_ = getuid();
    int socket_ = -1;
    int timer_ = -1;
    int ends_ = -1;  // epoll, of both
    Delays delays_;
    std::mutex guard_;                            // of what is kept: poll() hands over without it
    std::multimap<std::uint64_t, Message> kept_;  // by when they are due; equal: as they came
    std::uint64_t set_to_ = 0;                    // the timer; 0: it is not set
    Name own_;
    std::vector<Name> names_;  // by PE
};

template <typename Sink>
bool Link::poll(Sink& sink) {
    take_in();
    bool found = false;
    for (;;) {
        Message message;
        {
            const std::lock_guard lock(guard_);
            if (kept_.empty() || kept_.begin()->first > now()) break;
            message = std::move(kept_.begin()->second);
            kept_.erase(kept_.begin());
        }
        if (!found) sink.begin();
        found = true;
        sink.message(message.data(), message.size());
    }
    const std::lock_guard lock(guard_);
    set_timer();
    return found;
}

}  // namespace isthmus::transport::loop
