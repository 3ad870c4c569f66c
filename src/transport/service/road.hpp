// A road over any link: requests to the peer's progress thread for all that the link does not do,
// and who waits for what.
//
// Put: up to the link's inject size the data leave with the call; up to kBounceBytes they are
// copied to a bounce buffer, which comes back when the write ends; above that the call waits until
// the link has done with them.
//
// Quiet: the end of a write says that the data have left, not that they have arrived. Where the
// link keeps puts, gets and requests in order, quiet gets a word behind the puts from every PE that
// has been written to, or sends a request if requests went there, and waits for the answers. Where
// it does not, writes end when they have arrived, and quiet waits for that.
//
// What is outstanding is known by channel (outstanding.hpp): what ends by itself, and by PE a mark
// for puts and one for requests. Quiet takes the marks, asks behind them, and waits for all with a
// number up to the latest. A handle is the same in two halves: begin and test.
//
// Threads: any thread may call. One thread at a time reads the completion queue and serves requests
// (`reading_`), so that requests of one PE are done in order.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "transport/link.hpp"
#include "transport/service/answer.hpp"
#include "transport/service/attention.hpp"
#include "transport/service/marks.hpp"
#include "transport/service/one_sided.hpp"
#include "transport/service/outstanding.hpp"
#include "transport/service/pulse.hpp"
#include "transport/service/seal.hpp"
#include "transport/service/share.hpp"
#include "transport/service/watch.hpp"
#include "transport/service/wire.hpp"

namespace isthmus::transport::service {

inline constexpr std::size_t kBounceBytes = 16384;
inline constexpr std::size_t kBounceBuffers = 64;
inline constexpr std::uint32_t kPostedAtOnce = 128;  // requests to one PE that nobody answers
inline constexpr std::size_t kTransfers = 256;       // that are left under way

template <Link L>
class SideChannel;

template <Link L>
class Road final : public Transport {
    // A link that does not write and read does so by requests.
    static constexpr bool kOneSided = OneSidedLink<L>;
    using Mover = std::conditional_t<kOneSided, L, OneSided<L>>;
    using Ticket = BasicTicket<typename Mover::Scratch>;
    using Local = typename Mover::Local;
    static_assert(std::is_standard_layout_v<Ticket>);

    // An operation whose buffer is the caller's: the caller waits for it.
    struct Direct {
        Ticket ticket;
        std::atomic<bool> done{false};
    };
    // A part of what somebody waits for elsewhere: by `pending`, by quiet (`of` has it in its
    // list), or both.
    struct Transfer {
        Ticket ticket;
        Pending* pending = nullptr;
        Outstanding* of = nullptr;
        Outstanding::Entry entry;
        // Of one that asks behind others: the token of the answer it waits for, 0 if it is a read;
        // and who comes behind it among those that have not left.
        std::uint64_t token = 0;
        std::uint64_t number = 0;  // of the seal of its question, once it has one
        std::size_t index = 0;     // its place among the transfers
        Transfer* next_unsent = nullptr;
    };
    struct Bounce {
        Ticket ticket;
        Outstanding* of = nullptr;  // has it in its list: its end means that the data have arrived
        Outstanding::Entry entry;
        alignas(64) char buffer[kBounceBytes];
    };
    static_assert(sizeof(Request) + kRequestBytes <= kBounceBytes);

    // The memory of the service's own that the link reads and writes, in one piece.
    struct Buffers {
        Bounce bounces[kBounceBuffers];
        std::uint64_t behind;  // where what quiet reads goes; nobody looks at it
    };

  public:
    explicit Road(const Services& services);
    ~Road() override;

    // The road's own channel.
    void put(int pe, Place dest, const void* source, std::size_t bytes) override {
        put_on(own_, pe, dest, source, bytes);
    }
    void get(int pe, void* dest, Place source, std::size_t bytes) override;
    std::uint64_t fetch_atomic(int pe, Place word, const Atomic& atomic) override;
    void post_atomic(int pe, Place word, const Atomic& atomic) override {
        post_on(own_, pe, word, atomic);
    }
    void put_signal(int pe, Place dest, const void* source, std::size_t bytes, Place word,
                    const Atomic& signal) override {
        put_signal_on(own_, pe, dest, source, bytes, word, signal);
    }
    void put_nbi(int pe, Place dest, const void* source, std::size_t bytes) override {
        put_nbi_on(own_, pe, dest, source, bytes);
    }
    void get_nbi(int pe, void* dest, Place source, std::size_t bytes) override {
        read_parts(&own_, pe, dest, source, bytes, nullptr);
    }
    void request(int pe, std::uint32_t handler, const void* payload, std::size_t bytes) override {
        request_on(own_, pe, handler, payload, bytes);
    }
    void order_puts() override { order_puts_on(own_); }
    void fence() override { fence_on(own_); }
    void quiet() override { quiet_on(own_); }
    void quiet(const int* pes, std::size_t count) override { quiet_on(own_, pes, count); }
    void begin_put(int pe, Place dest, const void* source, std::size_t bytes,
                   Completion& handle) override {
        begin_put_on(own_, pe, dest, source, bytes, handle);
    }
    void begin_get(int pe, void* dest, Place source, std::size_t bytes,
                   Completion& handle) override {
        handle.concern(pe);
        read_parts(nullptr, pe, dest, source, bytes, &handle.parts);
    }
    void begin_quiet(int pe, Completion& handle) override { begin_quiet_on(own_, pe, handle); }
    bool test(Completion& handle) override { return test_on(own_, handle); }
    void await(Completion& handle) override { await_on(own_, handle); }
    const std::atomic<int>* before_quiet() const override { return own_.before_quiet(); }
    const std::atomic<int>* before_fence() const override {
        return ordered_ ? own_.before_fence() : nullptr;
    }

    std::unique_ptr<Channel> open_channel() override;
    void tell(int pe, Place dest, const void* source, std::size_t bytes, Place word,
              const Atomic& signal) override {
        tell_on(own_, pe, dest, source, bytes, word, signal);
    }
    void settle() override;
    std::uint64_t ask_state(int pe, Asking why) override;
    void begin_get(int pe, void* dest, Place source, std::size_t bytes, Pending& pending) override;
    std::size_t ask(int pe, std::uint32_t handler, const void* payload, std::size_t bytes,
                    void* answer, std::size_t room) override;
    void publish(std::uint32_t segment, const Segment& memory) override;
    void progress() override;
    bool sleep(std::uint64_t nanoseconds) override;
    bool fall_asleep(Alarm& alarm) override;
    void wake_up(const Alarm& alarm) override;
    ShortCalls short_calls() const override;
    Address address_of(int pe, Place place) const override;
    const std::atomic<std::uint8_t>* written() const override { return own_.written(); }
    void wrote(int pe) override { own_.mark_written(pe); }
    void say_end(int status) override {
        if constexpr (requires { link_.say_end(status); }) link_.say_end(status);
    }
    std::uint64_t refused() const override { return refused_.load(std::memory_order_relaxed); }
    const char* describe() const override { return description_.c_str(); }

  private:
    friend class SideChannel<L>;

    // Reads the completion queue and serves what it finds, unless another thread does. True if
    // there was something.
    bool look(bool by_program, std::uint64_t now);
    void woke() {
        if constexpr (requires { link_.woke(); }) link_.woke();
    }
    // Calls until the link takes it. Ends the job if it refuses.
    template <typename Call>
    void issue(int pe, Call&& call);
    // The same, of a message that has its number.
    template <typename Call>
    void issue_sealed(int pe, Call&& call);
    template <typename Call>
    [[gnu::cold, gnu::noinline]] void issue_held(int pe, long result, const Call& call);
    template <typename Done>
    void wait(int pe, const char* what, Done&& done);

    static std::uint64_t fetch_word_here(void* self, std::uint64_t operand, int pe,
                                         std::uint64_t offset, std::uint32_t code,
                                         std::uint64_t compare);
    static std::uint64_t fetch_word_first(void* self, std::uint64_t operand, int pe,
                                          std::uint64_t offset, std::uint32_t code,
                                          std::uint64_t compare);
    static void post_here(char* frame, void* self, std::size_t bytes, std::uint64_t pe);
    static void post_more_here(char* frame, void* self, std::size_t bytes, std::uint64_t pe,
                               const void* rest, std::size_t count);
    [[gnu::noinline]] static void post_more_otherwise(char* frame, void* self, std::size_t bytes,
                                                      std::uint64_t pe, const void* rest,
                                                      std::size_t count);
    long send_frame(int pe, const char* frame, std::size_t bytes) {
        return link_.send(pe, {{frame, bytes}}, Order::strict);
    }
    [[gnu::cold, gnu::noinline]] void post_bounce_again(Bounce& bounce, std::size_t bytes,
                                                        long result);
    [[gnu::cold, gnu::noinline]] void post_again(const char* frame, std::size_t bytes, int pe);
    static void get_word_here(void* self, void* dest, int pe, std::uint64_t offset,
                              std::size_t bytes);
    [[gnu::noinline]] void await_direct(int pe, Direct& direct, const char* what);
    [[gnu::cold, gnu::noinline]] void fetch_again(int pe, const ShortRequest& request);
    [[gnu::noinline]] std::uint64_t await_answer(int pe, AnswerSlot& slot);
    // The operations of any channel.
    [[gnu::always_inline]] void put_on(Outstanding& on, int pe, Place dest, const void* source,
                                       std::size_t bytes) {
        if (bytes > inject_) [[unlikely]]
            return put_long(on, pe, dest, source, bytes);
        if (link_.write_now(pe, dest, source, bytes) != 0) [[unlikely]]
            return put_again(on, pe, dest, source, bytes);
        on.mark_written(pe);
    }
    void post_on(Outstanding& on, int pe, Place word, const Atomic& atomic);
    void put_signal_on(Outstanding& on, int pe, Place dest, const void* source, std::size_t bytes,
                       Place word, const Atomic& signal);
    void tell_on(Outstanding& on, int pe, Place dest, const void* source, std::size_t bytes,
                 Place word, const Atomic& signal);
    void put_nbi_on(Outstanding& on, int pe, Place dest, const void* source, std::size_t bytes);
    void request_on(Outstanding& on, int pe, std::uint32_t handler, const void* payload,
                    std::size_t bytes);
    void order_puts_on(Outstanding& on);
    void fence_on(Outstanding& on);
    void quiet_on(Outstanding& on);
    void quiet_on(Outstanding& on, const int* pes, std::size_t count);
    void begin_put_on(Outstanding& on, int pe, Place dest, const void* source, std::size_t bytes,
                      Completion& handle);
    void begin_quiet_on(Outstanding& on, int pe, Completion& handle);
    bool is_complete(Outstanding& on, Completion& handle);
    bool test_on(Outstanding& on, Completion& handle);
    void await_on(Outstanding& on, Completion& handle);

    [[gnu::cold]] void put_again(Outstanding& on, int pe, Place dest, const void* source,
                                 std::size_t bytes);
    void put_long(Outstanding& on, int pe, Place dest, const void* source, std::size_t bytes);
    void write(int pe, Place dest, const void* source, std::size_t bytes, Local local,
               Ticket& ticket);
    void put_aside(Outstanding& on, int pe, Place dest, const void* source, std::size_t bytes);
    void get_aside(int pe, void* dest, Place source, std::size_t bytes);
    [[gnu::always_inline]] Bounce& take_bounce(int pe) {
        std::uint64_t free = free_bounces_.load(std::memory_order_relaxed);
        // Acquire: partner is give_back().
        while (free != 0)
            [[likely]] {
                const std::uint64_t left = free & (free - 1);
                const std::uint64_t before = free;
                if (free_bounces_.compare_exchange_weak(free, left, std::memory_order_acquire,
                                                        std::memory_order_relaxed)) [[likely]]
                    return *bounces_[static_cast<unsigned>(std::countr_zero(before))];
            }
        return await_bounce(pe);
    }
    Bounce* free_bounce();
    [[gnu::cold, gnu::noinline]] Bounce& await_bounce(int pe);
    Transfer& take_transfer(int pe, Outstanding* of, Kinds kind, Pending* pending);
    Transfer* free_transfer();
    Transfer& take_part(bool by_request);
    [[gnu::cold, gnu::noinline]] void add_transfer();
    void read_parts(Outstanding* on, int pe, void* dest, Place source, std::size_t bytes,
                    Pending* pending);
    void write_parts(Outstanding& on, int pe, Place dest, const void* source, std::size_t bytes,
                     Local local, Pending* pending);
    void finish(Transfer& transfer);
    void give_back(Bounce& bounce);
    void write_long(Outstanding& on, int pe, Place dest, const void* source, std::size_t bytes);
    void send(int pe, Request request, const void* payload = nullptr);
    Request request_for(RequestKind kind, std::uint32_t handler, std::size_t bytes) const;
    Request request_for(RequestKind kind, Place word, const Atomic& atomic) const;

    // Behind a request that nobody answers. Now and then this waits until they are served: the link
    // keeps what the target has not yet taken, as much as comes.
    void mark_posted(Outstanding& on, int pe) {
        on.mark_asked(pe);
        auto& posted = posted_[static_cast<std::size_t>(pe)];
        if (posted.fetch_add(1, std::memory_order_relaxed) % kPostedAtOnce == kPostedAtOnce - 1)
            [[unlikely]]
            await_posted(pe);
    }
    [[gnu::cold, gnu::noinline]] void await_posted(int pe);
    std::uint64_t confirm(Outstanding& on, int pe, Behind what);
    void send_unsent();
    void send_in_line();
    bool send_one(Transfer& transfer);
    bool answer_part(std::uint64_t token);
    void await_ended(Outstanding& on, std::uint64_t until, int pe, Kinds kinds);
    AnswerSlot& needed_slot();

    // What the link hands over, under reading_.
    struct Sink {
        Road& road;
        bool by_program;
        std::uint64_t began;
        std::uint64_t now() const { return began; }
        void begin() { road.now_ = road.milliseconds(began); }
        void message(const char* bytes, std::size_t count) { road.serve(bytes, count); }
        void done(Ticket& ticket) { road.complete(ticket); }
        void failed(int pe, int error) {
            if (!is_stopping() && !road.is_known_to_end(error)) road.lost(pe, error, true);
        }
        void job_ended(int pe, int status) {
            if (!is_stopping()) road.services_.job_ended(pe, status);
        }
        void refused() { road.refuse(); }
        void noise() { road.refused_.fetch_add(1, std::memory_order_relaxed); }
        void confused() {
            if (!is_stopping()) road.confused();
        }
        bool is_stopping() const { return road.stopping_.load(std::memory_order_relaxed); }
        bool is_of_program() const { return by_program; }
    };
    void connect();
    void complete(Ticket& ticket);
    bool serve_part(const Request& asked, const char* payload);
    void see_to_missing(const Request& beat);
    bool holds_back(int pe);
    void serve(const char* bytes, std::size_t length);
    void refuse(unsigned count = 1);
    bool opens(const char* bytes, std::size_t length);
    bool is_read_for_long();
    void answer(const Request& asked, std::uint64_t value);
    bool answer_core(const Request& asked, const char* payload);
    void send_answers();

    void run();
    int open_ends() const;
    int linger(std::uint64_t taken_in, int ends, epoll_event* woken, int most) const;
    void leave_to_program();
    void place_thread();
    void keep_to(Share& share);
    int pause_milliseconds() const;
    // Who and why as Watch has it: asks, or ends the job. Does nothing if that must wait.
    void watch(int pe, Watch::Why why);
    void watch_neighbours();
    void take_beats();
    void see_to_beats(bool came);
    Milliseconds milliseconds(std::uint64_t now) const;
    Milliseconds milliseconds() const { return milliseconds(now_nanoseconds()); }
    static bool is_broken(int error) {
        return error == ENOTCONN || error == ECONNRESET || error == ECONNREFUSED ||
               error == ECANCELED;
    }
    // A connection that ends adds nothing while somebody looks for the word of who may know why one
    // has: it would be looked for anew, from within, for each that ends meanwhile. Under reading_.
    bool is_known_to_end(int error) const { return awaits_word_ && is_broken(error); }
    [[noreturn, gnu::cold]] void confused();
    // `reads`: under reading_.
    [[noreturn]] void lost(int pe, int error, bool reads = false);

    static Mover open_link(const Services& services, Seals& seals) {
        if constexpr (kOneSided)
            return Mover(services);
        else
            return Mover(services, seals);
    }

    Services services_;  // segments: under reading_, but for what does not change any more
    Seals seals_;
    Mover link_;
    std::string description_;
    const bool ordered_;
    std::size_t inject_ = 0;   // of writes that are in order behind the call
    std::size_t longest_ = 0;  // write or read of the link

    Outstanding own_;  // the channel that every job has
    std::mutex sides_guard_;
    std::vector<Outstanding*> sides_;                 // of the others
    std::vector<std::atomic<std::uint32_t>> posted_;  // by PE, ever
    std::vector<std::atomic<int>> held_;  // by PE: sealed, and waiting for room. Relaxed: a hint
    Marks told_;                          // by tell(), since this was last settled; relaxed

    Buffers* buffers_ = nullptr;  // of the link's
    // Bits by number. Acquire by who takes one, release by who gives it back.
    std::atomic<std::uint64_t> free_bounces_{0};
    Bounce* bounces_[kBounceBuffers] = {};  // by number
    static_assert(kBounceBuffers == 64);
    std::mutex transfer_guard_;
    std::deque<Transfer> transfers_;
    std::vector<Transfer*> free_transfers_;
    std::uint64_t tokens_ = 0;  // how many there have been; under transfer_guard_
    // What asks behind others and has not left, in order.
    std::mutex unsent_guard_;
    Transfer* first_unsent_ = nullptr;
    Transfer* last_unsent_ = nullptr;
    std::atomic<bool> has_unsent_{false};  // relaxed: a hint

    std::mutex reading_;
    // Since when another thread has it, as far as who sleeps knows, and when one was met last; 0:
    // nobody has it.
    std::atomic<std::uint64_t> read_since_{0};
    std::atomic<std::uint64_t> met_reader_{0};
    struct Reply {
        int pe;
        Request request;
        const char* from = nullptr;  // the payload, read when it leaves; null: it is in `payload`
        std::array<char, kAnswerBytes> payload{};  // request.bytes of it
    };
    // False if the link, or the bounce buffers, have no room now.
    bool send_answer(Reply& reply);
    void answer_later(const Reply& reply);
    std::deque<Reply> answers_;  // under reading_
    struct BothWays {
        Missing sent;  // what this PE has sent
        Missing come;
    };
    std::map<int, BothWays> missing_;  // by PE; under reading_
    std::uint32_t looks_ = 0;          // likewise
    Milliseconds now_ = 0;             // of what is being served; under reading_
    bool awaits_word_ = false;         // of who knows why a connection has ended; under reading_
    std::atomic<std::uint64_t> refused_{0};  // packets that were none of this job's
    std::atomic<bool> stranger_came_{false};

    Attention attention_;
    int wake_event_ = -1;  // rings for a thread of the program in sleep()
    std::atomic<bool> stopping_{false};
    int stop_event_ = -1;
    std::vector<int> neighbours_;  // whom this PE always watches
    const std::uint64_t began_;
    Watch watch_;
    Milliseconds beats_seen_to_ = 0;  // when; of the thread
    Pulse pulse_;
    std::vector<std::uint16_t> pulse_ports_;  // by PE
    std::thread thread_;
};

// What is waited for.
inline constexpr const char* kRoom = "a put, or room for a request";
inline constexpr const char* kGet = "a get";
inline constexpr const char* kAnswer = "an atomic, or another answer";
inline constexpr const char* kQuiet = "a quiet";
inline constexpr const char* kHandle = "an operation with a handle";

template <Link L>
template <typename Done>
void Road<L>::wait(int pe, const char* what, Done&& done) {
    if (done()) return;
    struct State {
        Road& road;
        Done& done;
    } state{*this, done};
    services_.wait(
        pe, what,
        [](void* argument) {
            auto& [road, is_done] = *static_cast<State*>(argument);
            road.progress();
            return static_cast<bool>(is_done());
        },
        &state);
}

template <Link L>
template <typename Call>
void Road<L>::issue(int pe, Call&& call) {
    long result = call();
    if (result == L::kFull) [[unlikely]] {
        // Connecting, or its queues are full: the network's own progress makes room.
        wait(pe, kRoom, [&] {
            result = call();
            return result != L::kFull;
        });
    }
    if (result != 0) [[unlikely]]
        lost(pe, static_cast<int>(-result));
}

template <Link L>
template <typename Call>
void Road<L>::issue_sealed(int pe, Call&& call) {
    if (const long result = call(); result != 0) [[unlikely]]
        issue_held(pe, result, call);
}

template <Link L>
template <typename Call>
void Road<L>::issue_held(int pe, long result, const Call& call) {
    if (result != L::kFull) lost(pe, static_cast<int>(-result));
    std::atomic<int>& held = held_[static_cast<std::size_t>(pe)];
    held.fetch_add(1, std::memory_order_relaxed);
    issue(pe, call);
    held.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace isthmus::transport::service
