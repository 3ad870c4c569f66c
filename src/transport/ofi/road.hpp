// The transport `ofi`: libfabric's puts and gets where they do, requests to the peer's progress
// thread for the rest.
//
// Put: up to the provider's inject size the data leave with the call; up to kBounceBytes they are
// copied to a bounce buffer, which comes back with the completion; above that the call waits until
// the provider has taken them.
//
// Quiet: a completion says that the data have left, not that they have arrived. Where the provider
// keeps puts, gets and requests in order, quiet gets a word behind the puts from every PE that has
// been written to, or sends a request if requests went there, and waits for the answers. Where it
// does not, every put is delivery-complete, and quiet waits for these first.
//
// What is outstanding is known by PE: a mark for puts, one for requests. Setting a mark that is not
// set yet is done under `marking_` with the flag `outstanding_` (`asked_`), which says that there
// may be marks; the flush that takes the marks clears the flag when the answers are there.
//
// Threads: any thread may call. One thread at a time reads the completion queue and serves requests
// (`reading_`), so that requests of one PE are done in order.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "transport/ofi/answer.hpp"
#include "transport/ofi/attention.hpp"
#include "transport/ofi/fabric.hpp"
#include "transport/ofi/key_table.hpp"
#include "transport/ofi/marks.hpp"
#include "transport/ofi/pulse.hpp"
#include "transport/ofi/share.hpp"
#include "transport/ofi/watch.hpp"
#include "transport/ofi/wire.hpp"

namespace isthmus::transport::ofi {

inline constexpr std::size_t kBounceBytes = 16384;
inline constexpr std::size_t kBounceBuffers = 64;
inline constexpr std::size_t kReceives = 128;
inline constexpr std::uint32_t kPostedAtOnce = 128;  // requests to one PE that nobody answers
inline constexpr std::size_t kReadsBehind = 16;      // of quiet, at a time
inline constexpr std::size_t kTransfers = 256;       // that are left under way

// Behind every context that the provider is given, so that a completion finds its meaning. The
// provider's part comes first and is the provider's while the operation is under way.
struct Context {
    enum class Kind : std::uint8_t { receive, direct, bounce, transfer };
    Context() : kind(Kind::direct) {}  // the provider's part stays as it is: a get makes one a call
    fi_context2 provider;
    Kind kind;
    int pe = -1;
};
static_assert(std::is_standard_layout_v<Context>);

struct Receive {
    Context context;
    alignas(16) char buffer[sizeof(Request) + kRequestBytes];
};

// An operation whose buffer is the caller's: the caller waits for it.
struct Direct {
    Context context;
    std::atomic<bool> done{false};
};

// A part of what somebody waits for elsewhere; without a Pending that is quiet.
struct Transfer {
    Context context;
    Pending* pending = nullptr;
    bool confirms = false;  // as a Bounce's
};

struct Bounce {
    Context context;
    bool confirms = false;  // its completion means that the data have arrived
    alignas(64) char buffer[kBounceBytes];
};
static_assert(sizeof(Request) + kRequestBytes <= kBounceBytes);

// The memory of the transport's own that the provider reads and writes, in one piece.
struct Buffers {
    Bounce bounces[kBounceBuffers];
    Receive receives[kReceives];
    std::uint64_t behind[kReadsBehind];  // what quiet reads; under flushing_
};

class Road final : public Transport {
  public:
    explicit Road(const Services& services);
    ~Road() override;

    void put(int pe, Place dest, const void* source, std::size_t bytes) override;
    void get(int pe, void* dest, Place source, std::size_t bytes) override;
    std::uint64_t fetch_atomic(int pe, Place word, const Atomic& atomic) override;
    void post_atomic(int pe, Place word, const Atomic& atomic) override;
    void put_signal(int pe, Place dest, const void* source, std::size_t bytes, Place word,
                    const Atomic& signal) override;
    void tell(int pe, Place dest, const void* source, std::size_t bytes, Place word,
              const Atomic& signal) override;
    void fence() override;
    void quiet() override;
    void settle() override;
    void order_puts() override;
    std::uint64_t ask_state(int pe) override;
    void begin_get(int pe, void* dest, Place source, std::size_t bytes, Pending& pending) override;
    void put_nbi(int pe, Place dest, const void* source, std::size_t bytes) override;
    void get_nbi(int pe, void* dest, Place source, std::size_t bytes) override;
    void request(int pe, std::uint32_t handler, const void* payload, std::size_t bytes) override;
    std::size_t ask(int pe, std::uint32_t handler, const void* payload, std::size_t bytes,
                    void* answer, std::size_t room) override;
    void publish(std::uint32_t segment, const Segment& memory) override;
    void progress() override;
    bool sleep(std::uint64_t nanoseconds) override;
    const std::atomic<int>* before_quiet() const override { return &outstanding_; }
    const std::atomic<int>* before_fence() const override {
        return fabric_.is_ordered() ? &asked_ : nullptr;
    }
    Express express() const override;
    Address address_of(int pe, Place place) const override;
    FetchWord* fetch_word() const override { return fetch_word_here; }
    GetWord* get_word() const override {
        const bool express =
            fabric_.has_offsets() && heap_keys_.keys() && !fabric_.wants_descriptors();
        return express ? get_word_here : nullptr;
    }
    void wrote(int pe) override { mark_written(pe); }
    std::uint64_t refused() const override { return refused_.load(std::memory_order_relaxed); }
    const char* describe() const override { return description_.c_str(); }

  private:
    // Reads the completion queue and serves what it finds, unless another thread does. True if
    // there was something.
    bool look();
    // Calls until the provider takes it. Ends the job if it refuses.
    template <typename Call>
    void issue(int pe, Call&& call);
    template <typename Done>
    void wait(int pe, const char* what, Done&& done);

    static std::uint64_t fetch_word_here(Transport& road, std::uint64_t operand, int pe,
                                         std::uint64_t offset, std::uint32_t code,
                                         std::uint64_t compare);
    static std::uint64_t fetch_word_first(Transport& road, std::uint64_t operand, int pe,
                                          std::uint64_t offset, std::uint32_t code,
                                          std::uint64_t compare);
    static void get_word_here(Transport& road, void* dest, int pe, std::uint64_t offset,
                              std::size_t bytes);
    [[gnu::noinline]] void await_direct(int pe, Direct& direct, const char* what);
    [[gnu::cold, gnu::noinline]] void fetch_again(int pe, std::uint32_t code, std::uint64_t token,
                                                  std::uint64_t offset, std::uint64_t operand,
                                                  std::uint64_t compare);
    [[gnu::noinline]] std::uint64_t await_answer(int pe, AnswerSlot& slot);
    [[gnu::cold]] void put_again(int pe, Place dest, const void* source, std::size_t bytes);
    void put_long(int pe, Place dest, const void* source, std::size_t bytes);
    void write(int pe, Place dest, const void* source, std::size_t bytes, void* descriptor,
               Context& context);
    void put_aside(int pe, Place dest, const void* source, std::size_t bytes);
    void get_aside(int pe, void* dest, Place source, std::size_t bytes);
    Bounce& take_bounce(int pe);
    Bounce* free_bounce();
    Transfer& take_transfer(int pe, Pending* pending);
    void read_parts(int pe, void* dest, Place source, std::size_t bytes, Pending* pending);
    void begin_transfer(int pe);
    void finish(Transfer& transfer);
    void await_transfers();
    void give_back(Bounce& bounce);
    void write_long(int pe, Place dest, const void* source, std::size_t bytes);
    void send(int pe, Request request, const void* payload = nullptr);
    Request request_for(RequestKind kind, std::uint32_t handler, std::size_t bytes) const;
    Request request_for(RequestKind kind, Place word, const Atomic& atomic) const;

    // Behind the operation: who takes the mark and then asks for an answer asks behind it.
    void mark_written(int pe) {
        if (written_[pe].load(std::memory_order_relaxed) == 0) [[unlikely]]
            mark_first(pe, written_);
    }
    void mark_asked(int pe) {
        if (asked_of_[pe].load(std::memory_order_relaxed) == 0) [[unlikely]]
            mark_first(pe, asked_of_);
    }
    [[gnu::noinline]] void mark_first(int pe, Marks& marks);
    // The same of a request that nobody answers. Now and then this waits until they are served: the
    // provider keeps what the target has not yet taken, as much as comes.
    void mark_posted(int pe) {
        mark_asked(pe);
        auto& posted = posted_[static_cast<std::size_t>(pe)];
        if (posted.fetch_add(1, std::memory_order_relaxed) % kPostedAtOnce == kPostedAtOnce - 1)
            [[unlikely]]
            await_posted(pe);
    }
    [[gnu::cold, gnu::noinline]] void await_posted(int pe);
    void flush(bool all);
    AnswerSlot& needed_slot();
    void ask(AnswerSlot& slot);
    void read_behind();
    void await_confirmations();

    void post_receive(Receive& receive);
    void complete(const fi_cq_msg_entry& entry);
    void read_error();
    void serve(const char* bytes, std::size_t length);
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
    Milliseconds milliseconds() const;
    [[noreturn]] void lost(int pe, int error);

    Services services_;  // segments: under reading_, but for what does not change any more
    Fabric fabric_;
    std::string description_;
    // What the shortest ways need, laid ready.
    fid_ep* endpoint_ = nullptr;
    const std::uint64_t* keys_ = nullptr;  // of heaps, by PE
    ssize_t (*read_)(fid_ep*, void*, std::size_t, void*, fi_addr_t, std::uint64_t, std::uint64_t,
                     void*) = nullptr;
    ssize_t (*inject_message_)(fid_ep*, const void*, std::size_t, fi_addr_t) = nullptr;
    struct Sender {
        std::uint64_t secret;
        std::uint64_t from;
    } sender_{};
    std::size_t inject_ = 0;
    std::size_t longest_ = 0;  // message of the provider

    KeyTable heap_keys_;
    Marks written_;
    Marks asked_of_;
    std::vector<std::atomic<std::uint32_t>> posted_;  // by PE, ever
    Marks told_;  // by tell(), since this was last settled; relaxed
    std::mutex marking_;
    std::atomic<int> outstanding_{0};  // not 0: there may be marks, or answers are awaited
    std::atomic<int> asked_{0};        // the same of the marks of requests
    std::mutex flushing_;
    std::vector<int> asked_pes_;        // of this flush
    std::vector<int> written_pes_;      // likewise: without requests
    std::atomic<long> unconfirmed_{0};  // delivery-complete puts under way

    std::mutex bounce_guard_;
    std::unique_ptr<Buffers> buffers_;
    void* descriptor_ = nullptr;  // of the buffers, for providers that want one
    std::vector<Bounce*> free_bounces_;
    std::mutex transfer_guard_;
    std::unique_ptr<Transfer[]> transfers_;
    std::vector<Transfer*> free_transfers_;
    // Of those that quiet waits for. Counted up under marking_, together with outstanding_.
    std::atomic<long> under_way_{0};
    std::atomic<int> transfer_pe_{-1};  // of the latest one, to say who is waited for; relaxed

    std::mutex reading_;
    struct Reply {
        int pe;
        Request request;
        std::array<char, kAnswerBytes> payload{};  // request.bytes of it
    };
    // False if the provider, or the bounce buffers, have no room now.
    bool send_answer(Reply& reply);
    void answer_later(const Reply& reply);
    std::deque<Reply> answers_;              // under reading_
    std::deque<Receive*> unposted_;          // likewise: those that the provider had no room for
    std::uint32_t looks_ = 0;                // likewise
    Milliseconds now_ = 0;                   // of what is being served; under reading_
    std::atomic<std::uint64_t> refused_{0};  // packets that were none of this job's

    Attention attention_;
    int wake_event_ = -1;  // rings for a thread of the program in sleep()
    std::atomic<bool> stopping_{false};
    int stop_event_ = -1;
    std::vector<int> neighbours_;  // whom this PE always watches
    const std::uint64_t began_;
    Watch watch_;
    Milliseconds beats_seen_to_ = 0;  // when; of the thread
    Pulse pulse_;
    std::thread thread_;
};

// What is waited for.
inline constexpr const char* kRoom = "a put, or room for a request";
inline constexpr const char* kGet = "a get";
inline constexpr const char* kAnswer = "an atomic, or another answer";
inline constexpr const char* kQuiet = "a quiet";

template <typename Done>
void Road::wait(int pe, const char* what, Done&& done) {
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

template <typename Call>
void Road::issue(int pe, Call&& call) {
    ssize_t result = call();
    if (result == -FI_EAGAIN) [[unlikely]] {
        // Connecting, or its queues are full: the provider's own progress makes room.
        wait(pe, kRoom, [&] {
            result = call();
            return result != -FI_EAGAIN;
        });
    }
    if (result != 0) [[unlikely]]
        lost(pe, static_cast<int>(-result));
}

}  // namespace isthmus::transport::ofi
