// Packets (src/packet/) between PEs, over one connection of TCP for each pair that talks; or by
// datagrams (courier.hpp), where the connection is for the join, the farewell, and to tell of a
// PE's end.
//
// A write is packets `put`, which the other side's poll() places; a read is a packet `get`, which
// it answers with `data`; messages of the service are `core_request`. A connection keeps order, and
// the other side does what comes in that order: so does this link (Limits::ordered).
//
// Sending: short packets are gathered by connection (outbox.hpp). They leave at once if nothing has
// left for kGather, messages if nothing has for kGatherMessages, which others may be waiting for,
// and if something has come from that PE since: two that answer each other gather nothing. Else
// with the next look, with more than kBatch of them, or when the timer says so: under load there is
// no system call for each. Long blocks leave from where they lie.
//
// Receiving never waits for sending: puts are placed, answers to gets are small notes in the
// outbox, and who asks has a bound on gets. So two PEs that both have a full connection go on.
#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "packet/answer.hpp"
#include "transport/link.hpp"
#include "transport/packet/door.hpp"
#include "transport/packet/inbox.hpp"
#include "transport/packet/outbox.hpp"
#include "transport/packet/peer.hpp"

namespace isthmus::transport::packet {

// Kinds of packets that a PE serves on this road, a bit each; all of them are needed of others.
constexpr std::uint32_t bit_of(Kind kind) {
    return std::uint32_t{1} << static_cast<unsigned>(kind);
}
inline constexpr std::uint32_t kServedKinds = bit_of(Kind::put) | bit_of(Kind::get) |
                                              bit_of(Kind::data) | bit_of(Kind::nack) |
                                              bit_of(Kind::core_request) | bit_of(Kind::bye);

// Errors beyond those of the system and of the door: a cause of the format's is added.
inline constexpr int kChanged = 19999;  // somebody else has written to the connection
inline constexpr int kRefused = 20000;
inline constexpr int kIllegal = 30000;

class Link {
  public:
    struct Scratch {};
    using Ticket = BasicTicket<Scratch>;
    struct Local {};
    static constexpr long kFull = -EAGAIN;
    static constexpr const char* kThreadName = "isthmus-packet";

    static constexpr std::size_t kInject = 4096;
    static constexpr std::size_t kMessage = 16384;
    static constexpr std::size_t kLongest = std::size_t{1} << 30;
    static constexpr std::uint64_t kGather = 50'000;  // nanoseconds
    static constexpr std::uint64_t kGatherMessages = 5'000;
    static constexpr std::uint64_t kLongestGather = 16 * kGather;
    static constexpr std::size_t kBatch = std::size_t{32} << 10;

    // Records, and datagrams always.
    static bool proves(const Services& services) {
        return services.seals || is_by_datagrams(services);
    }
    static bool is_by_datagrams(const Services& services) {
        return std::strcmp(services.protocol, "udp") == 0;
    }
    explicit Link(const Services& services);
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    ~Link();

    const Limits& limits() const { return limits_; }
    std::size_t card_bytes() const { return sizeof(sockaddr_in6); }
    void write_card(char* card) const { std::memcpy(card, &door_->address(), card_bytes()); }
    void connect(const char* cards, std::size_t distance);
    std::vector<char> address_of(int pe) const;
    // Bytes by datagrams, both ways, as far as they have been acknowledged.
    std::uint64_t carried(int pe);
    void publish(std::uint32_t segment, const Segment& memory);

    long send(int pe, Pieces pieces, Order order);
    void* own_memory(std::size_t bytes);
    Local own_local() const { return {}; }
    bool find_local(const void*, std::size_t, Local&) const { return true; }
    long send_from(int pe, const void* source, std::size_t bytes, Ticket& ticket);
    long write_now(int pe, Place place, const void* source, std::size_t bytes);
    long write(int pe, Place place, const void* source, std::size_t bytes, Local local,
               Ticket& ticket);
    long read(int pe, void* dest, Place place, std::size_t bytes, Local local, Ticket& ticket);

    // Unless there is a connection, or a call is under way.
    void call(int pe);
    // As Transport has it. Says it to those whose connection is not in the middle of something.
    void say_end(int status);
    template <typename Sink>
    bool poll(Sink& sink);
    int descriptor() const { return events_; }
    bool may_sleep();
    void woke() { sleepers_.fetch_sub(1, std::memory_order_relaxed); }
    std::string error_text(int error) const;
    // Of a PE that has never joined and may live: how it has been tried. Empty: of no other error.
    std::string tried(int pe, int error) const;
    std::string describe() const;
    // Of a PE whose signs of life come and whose packets do not: what has to pass besides. Empty:
    // connections alone.
    std::string needs_from_filters(int pe) const;

    // ---- the shortest ways

    bool has_short_reads() const { return true; }
    long read_heap(int pe, void* dest, std::uint64_t offset, std::size_t bytes, Ticket& ticket) {
        return read(pe, dest, {kHeap, offset}, bytes, {}, ticket);
    }
    void add_short_put(ShortCalls&) const {}
    Address address_of(int, Place) const { return {}; }

  private:
    template <typename Sink>
    class Receipt;

    Peer& peer(int pe) { return *peers_[static_cast<std::size_t>(pe)]; }
    std::uint16_t number(int pe) const { return static_cast<std::uint16_t>(pe); }
    bool open_ports(const Self& self);
    // Ends the job: the system refuses what the road cannot do without.
    void fail_call(const char* call, int error) const;
    Head head_for(Kind kind, int pe, std::uint32_t token) const;
    Head farewell(int pe, ::isthmus::packet::Bye how, int status) const;
    // Under the peer's guard: 0, or an error. Calls the PE if there is no connection; what is
    // queued leaves when there is one.
    long enter(Peer& peer, int pe);
    // Behind what was queued, and may wait for so many nanoseconds for more.
    void queued(Peer& peer, int pe, std::uint64_t gather);
    void flush(Peer& peer, int pe);
    // Under the peer's guard.
    void say_end_to(Peer& peer, int pe, int status);
    // By TCP. True: all has left.
    static bool write_out(Peer& peer, Outbox& outbox, long& error);
    // Whether something was there that had waited for as long as the timer lets it.
    bool flush_dirty();
    void mark_dirty(Peer& peer, int pe);
    void note_ended(const std::vector<Outbox::Mark>& marks);
    void add_ended(const std::vector<Outbox::Mark>& marks);
    void set_timer();
    template <typename Sink>
    bool take_news(Sink& sink);
    void join(Door::Joined& joined);
    void add_readable(Peer& peer, int pe);
    template <typename Sink>
    bool read_talker(Sink& sink);
    void note_talker(int pe) {
        in_turn_ = pe == talker_ ? std::min(in_turn_ + 1, kDialogue) : 0;
        talker_ = pe;
        talked_ = now_;
        peer(pe).has_come.store(true, std::memory_order_relaxed);
    }
    // The talker's packets ring in the set no more, or again.
    void see_to_dialogue(bool by_program);
    void set_apart();
    void take_back();
    // Under the peer's guard.
    void ring_again(Peer& to, int pe);
    int listened_to(const Peer& to) const {
        return by_datagrams_ ? udp_.descriptor() : to.stream.descriptor();
    }
    static epoll_event event_of_peer(int pe) {
        return event_for(Event::peer, static_cast<std::uint64_t>(pe),
                         EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
    }
    static epoll_event event_of_datagrams() { return event_for(Event::datagrams, 0, EPOLLIN); }
    // Nobody else has said anything for long.
    bool is_in_dialogue() const { return in_turn_ == kDialogue && talker_ != kNobody; }
    template <typename Sink>
    bool read_from(int pe, Sink& sink, bool is_told = true);
    template <typename Sink>
    void lose(int pe, int error, Sink& sink);
    template <typename Sink>
    bool hand_over_ended(Sink& sink);

    // ---- by datagrams (datagrams.hpp)
    // Behind what was sent or heard: repetitions and answers may be due later.
    void mark_timed(Peer& to, int pe);
    void see_to_time();
    void set_clock_for_sleep();
    bool has_read_all();
    void set_clock(std::uint64_t when);
    // What was heard may make room, and asks for answers. Under the peer's guard.
    void go_on(Peer& to, int pe, Microseconds now);
    void narrow(Peer& to, int pe);
    void begin_courier(Peer& to, int pe, const Door::Joined& joined);
    bool may_be_from(const Peer& sender, int pe, const sockaddr_storage& from) const;
    // Until the others have all that was sent, or have gone.
    void settle();
    bool is_settled(int pe);
    template <typename Sink>
    bool take_datagrams(Sink& sink);
    template <typename Sink>
    void take_datagram(const sockaddr_storage& from, std::span<std::byte> datagram,
                       Microseconds now, Sink& sink);

    const Services& services_;
    Limits limits_;
    Interface interface_;
    int events_ = -1;
    int timer_ = -1;
    int clock_ = -1;  // of datagrams
    bool by_datagrams_ = false;
    bool has_records_ = false;  // on its connections: by datagrams always, for the farewell
    Udp udp_;
    std::unique_ptr<Door> door_;
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };
    std::unique_ptr<void, Free> own_;
    std::vector<std::unique_ptr<Peer>> peers_;  // by PE
    std::vector<sockaddr_storage> addresses_;   // likewise

    std::mutex segments_guard_;
    char* bases_[kSegments] = {};
    ::isthmus::packet::SegmentEntry entries_[kSegments];

    // PEs to which something is queued that nobody is about to send.
    std::mutex dirty_guard_;
    std::vector<int> dirty_;
    std::atomic<std::size_t> dirty_count_{0};  // relaxed, as the other counts: hints about when
    std::atomic<bool> is_timed_{false};        // the timer is set
    std::atomic<std::uint64_t> gathers_for_{kGather};  // it is set for so long; relaxed
    // PEs whose datagrams wait for time to pass.
    std::mutex timed_guard_;
    std::vector<int> timed_;
    std::atomic<std::size_t> timed_count_{0};          // relaxed, all three: hints about when
    std::atomic<std::uint64_t> rings_at_{0};           // microseconds; 0: the clock is not set
    std::atomic<std::uint64_t> due_at_{Flow::kNever};  // the first of them
    std::atomic<std::uint64_t> looked_at_{0};          // when time was last seen to
    std::atomic<unsigned> waiting_{0};                 // how many of them waited for an answer then
    std::atomic<unsigned> unread_{0};  // how often in turn has_read_all() has found datagrams
    std::mutex ended_guard_;
    std::vector<Ticket*> ended_;
    std::atomic<std::size_t> ended_count_{0};

    // ---- of poll()
    static constexpr int kNobody = -1;
    static constexpr int kDialogue = 16;
    static constexpr int kAgain = 4;
    static constexpr std::uint64_t kTurn = 20'000;  // nanoseconds
    static constexpr std::uint64_t kDialogueTurn = 40'000;
    int talker_ = kNobody;   // the PE from which something came last
    int in_turn_ = 0;        // how often it came from there, up to kDialogue
    bool is_apart_ = false;  // as this thread knows `apart_`
    // The talker whose packets do not ring: set and taken back under its guard. How many sleep on
    // the set, or are about to. Sequentially consistent, both: set_apart() and may_sleep() each
    // write one and then read the other.
    std::atomic<int> apart_{kNobody};
    std::atomic<int> sleepers_{0};
    std::uint64_t now_ = 0;     // when this look began; nanoseconds, as the next two
    std::uint64_t talked_ = 0;  // when something last came
    std::uint64_t asked_ = 0;   // when the set was last asked
    Workspace workspace_;
    std::vector<int> readable_;
    std::vector<int> reading_;                 // of this turn, the next one last
    std::vector<std::pair<int, int>> failed_;  // PE and error: it cannot be called
    std::vector<int> flushing_;
    std::vector<Ticket*> ending_;
    std::vector<int> heard_;
    std::vector<std::byte> early_;
    std::atomic<std::size_t> readable_count_{0};
    std::uint64_t door_seen_to_ = 0;
};

}  // namespace isthmus::transport::packet

#include "transport/packet/datagrams.hpp"
#include "transport/packet/poll.hpp"
