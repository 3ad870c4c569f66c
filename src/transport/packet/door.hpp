// Where connections begin: this PE's own calls of others, and the callers at its port, each until
// it has proved who it is (join.hpp) and is handed over.
//
// A stranger costs little, and holds nobody up: all callers are heard at once, each for
// kHearSeconds in all, as this process has turns (below), and of more than kMostCallers beside the
// job's PEs one has to go: who has said nothing rather than who has a ticket of the job, from where
// no PE is rather than from a PE's address, and of these the oldest. So who floods the port pushes
// out only others that have said nothing, and a PE says its ticket with its call.
//
// One connection between two PEs. If both call at once, the one with the lower number decides: its
// own call counts as long as it goes on, and the other's is hung up on; else it gives its own up
// and welcomes the other's. The higher one welcomes each call, and has joined when it is thanked,
// or when it is welcome itself. So both mean the same connection, and that before a packet has been
// sent.
//
// A call that is taken and then not answered is given up and made again, and counts no more against
// the other side's: somebody on the way may swallow what is said one way, and not the other way.
//
// Time is what this process has had of it to read in: of a pause between two turns, on a machine
// that many PEs share, kLongestTurn counts. What others have said lies there unread meanwhile, and
// they have had no more turns themselves. Who has proved to be a PE and is welcome may have joined:
// it is not given up for time at all.
//
// Any thread may call(); all else is for one at a time (the link's poll()).
#pragma once

#include <sys/epoll.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "transport/packet/address.hpp"
#include "transport/packet/join.hpp"
#include "transport/packet/stream.hpp"
#include "transport/service/attention.hpp"

namespace isthmus::transport::packet {

// What an event of the set of descriptors is about: its kind in the highest byte.
enum class Event : std::uint8_t { port, timer, guest, peer, datagrams, clock };
constexpr std::uint64_t event_of(Event kind, std::uint64_t number) {
    return static_cast<std::uint64_t>(kind) << 56 | number;
}
inline epoll_event event_for(Event kind, std::uint64_t number, std::uint32_t how) {
    epoll_event event{};
    event.events = how;
    event.data.u64 = event_of(kind, number);
    return event;
}
constexpr Event kind_of(std::uint64_t event) {
    return static_cast<Event>(event >> 56);
}
constexpr std::uint64_t number_of(std::uint64_t event) {
    return event & ~(std::uint64_t{0xff} << 56);
}

class Door {
  public:
    using Clock = std::uint64_t (*)();  // nanoseconds

    // Errors beyond those of the system.
    static constexpr int kNotProved = 10001;
    static constexpr int kOtherVersion = 10002;
    static constexpr int kNotAnswered = 10003;
    static constexpr int kHungUp = 10004;

    static constexpr std::size_t kMostCallers = 64;
    static constexpr std::uint64_t kHearSeconds = 10;
    static constexpr std::uint64_t kLongestTurn = 200'000'000;
    // For so long, or a quarter of the patience, a call need not go on; the next one for longer.
    static constexpr std::uint64_t kGoOn = 1'000'000'000;

    // What has become of those at the door, since this was last asked.
    struct Joined {
        int pe = -1;
        Stream stream;
        // What both have drawn for what this PE sends, and for what the other one does.
        struct Keys {
            Proof out{}, in{};
        };
        Keys datagrams, long_datagrams, records;
        bool with_aes = false;  // both have it
    };
    struct News {
        std::vector<Joined> joined;
        std::vector<std::pair<int, int>> failed;  // PE and error: it cannot be called
        unsigned refused = 0;                     // who said what no PE of this job says
        unsigned silent = 0;                      // who said nothing, and had to go
        const char* forbidden = nullptr;          // a call of the system without which none join
        int error = 0;                            // of that
        bool any() const {
            return !joined.empty() || !failed.empty() || refused + silent != 0 || forbidden;
        }
    };

    // `events`: a set of epoll. `patience`: nanoseconds for which a PE is called again; for twice
    // as long where it takes calls, or without end if it may be `busy` with other things.
    Door(const Self& self, int events, std::uint64_t patience, bool may_be_busy = false,
         Clock clock = service::now_nanoseconds)
        : self_(self),
          events_(events),
          patience_(patience),
          may_be_busy_(may_be_busy),
          clock_(clock),
          looked_(clock()) {}
    Door(const Door&) = delete;
    Door& operator=(const Door&) = delete;
    ~Door();

    // At this address, at any port. False, with the error in errno.
    bool listen(const sockaddr_storage& at);
    const sockaddr_storage& address() const { return address_; }

    // A PE may call from there, whatever its port.
    void expect(const sockaddr_storage& at);
    // Calls the PE, again and again, unless that is under way. 0, or an error with a minus.
    long call(int pe, const sockaddr_storage& at);
    void accept_all();
    void attend(std::uint64_t guest);
    // Callers that have had their time have to go, and PEs are called again. Now and then.
    void see_to_time();
    // PEs that have joined need no other connection.
    bool is_joined(int pe) const { return joined_[static_cast<std::size_t>(pe)] != 0; }
    // The PE has proved itself, and may have joined.
    bool welcomes(int pe) const;
    // How a PE that cannot be called has been tried, for people. Empty: it has not.
    std::string tried(int pe) const;
    News take_news();
    std::size_t guests() const;

  private:
    struct Guest {
        Guest(Stream&& connection, const Join& its_join, int whom, bool is_from_pe,
              std::uint64_t now)
            : stream(std::move(connection)),
              join(its_join),
              called(whom),
              is_expected(is_from_pe),
              since(now),
              moved(now) {}
        // Who has to go first is less.
        std::tuple<bool, bool, std::uint64_t> worth() const {
            return {join.peer() >= 0, is_expected, since};
        }
        Stream stream;
        Join join;
        int called;           // the PE that is called; -1: it is a caller
        bool is_expected;     // from an address of the job's PEs
        std::uint64_t since;  // when it came
        std::uint64_t moved;  // when it last went on
        bool is_connected = false;
        bool is_welcome = false;
    };
    using Guests = std::map<std::uint64_t, Guest>;
    // Of a PE that is called.
    struct Attempt {
        sockaddr_storage at{};
        std::uint64_t guest = 0;  // 0: none is under way
        std::uint64_t first = 0;  // when it was first called in vain; 0: never
        std::uint64_t again = 0;  // when it may be called again
        std::uint64_t pause = 0;
        std::uint64_t go_on = 0;  // so long the next call need not go on
        unsigned calls = 0;
        unsigned taken = 0;  // of them
        bool counts = true;  // none has been left without an answer
    };

    long begin(int pe, Attempt& attempt);
    std::uint64_t first_go_on() const { return std::min(kGoOn, patience_ / 4); }
    void pump(Guests::iterator guest);
    void let_in(Guests::iterator guest);
    void hand_over(Guests::iterator guest, int pe);
    // Of a caller that goes: whether it is of the job is not known.
    void drop(Guests::iterator guest, bool is_refused);
    void send_away(Guests::iterator guest, bool may_be_slow);
    void failed(Guests::iterator guest, int error, bool for_good = false);
    void put_off(int pe, int error, bool for_good, std::uint64_t began);
    void forget(Guests::iterator guest);
    void see_to_call(Guests::iterator guest);
    void take_turn();
    bool evict(bool for_want);
    bool enter(Stream&& stream, const Join& join, int called, bool is_expected);
    // If the system refuses that call to this process.
    void note_forbidden(const char* call, int error);
    bool may_be_ours(const Guest& guest) const;

    const Self self_;
    const int events_;
    const std::uint64_t patience_;
    const bool may_be_busy_;
    const Clock clock_;
    Stream port_;
    int spare_ = -1;  // a descriptor for the case that there is no other one
    sockaddr_storage address_{};
    mutable std::mutex guard_;  // of what follows
    std::uint64_t looked_;      // when this process had its last turn, by the clock
    std::uint64_t time_ = 1;    // that it has had, in nanoseconds
    Guests guests_;
    std::uint64_t numbers_ = 0;
    std::size_t callers_ = 0;
    unsigned forbidden_ = 0;  // callers in turn that could not be taken
    // When the system last had no memory for a call, and since when it has had none.
    std::uint64_t wanted_ = 0;
    std::uint64_t wanting_since_ = 0;
    std::map<int, Attempt> attempts_;
    // By PE of a higher number: its call that is welcome, for which this one's has been given up.
    std::map<int, std::uint64_t> coming_;
    std::set<std::string> expected_;  // addresses, as text without the port
    // By PE, when it joined; 0: it has not.
    std::vector<std::uint64_t> joined_ =
        std::vector<std::uint64_t>(static_cast<std::size_t>(self_.pes));
    News news_;
};

}  // namespace isthmus::transport::packet
