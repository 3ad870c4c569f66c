#include "message/post.hpp"

#include <memory>
#include <mutex>

#include "base/lasting.hpp"
#include "base/settings.hpp"
#include "core/job/internal_layout.hpp"
#include "core/job/job.hpp"
#include "core/job/session_object.hpp"
#include "core/job/window.hpp"
#include "core/reach/far.hpp"
#include "core/wait/wait.hpp"
#include "message/counts.hpp"
#include "message/envelope.hpp"
#include "message/far_post.hpp"
#include "message/fetch.hpp"
#include "message/lanes.hpp"
#include "message/traced.hpp"

namespace isthmus::messages {
namespace {

constexpr std::uint64_t kCapacity = std::uint64_t{1} << 20;
constexpr std::uint64_t kRing = kRingOffset + kCapacity;
constexpr std::uint64_t kLanesOffset = (2 * kRing + kTicketsSize + 4095) & ~std::uint64_t{4095};
static_assert(kLanesOffset + kLanesSize + kCountsSize <= kMessageSize);
static_assert(kLargestMessage <= message_limit(kCapacity));

constexpr int kBatch = 64;  // messages of a ring that one poll handles

char* ring_memory(std::uint64_t number, int pe) {
    return translate(internal_object<char>(kMessageOffset) + number * kRing, pe);
}

void open_inbox(Inbox& inbox, std::uint64_t number) {
    char* const memory = ring_memory(number, job.me);
    RingControl* const control = format_ring(memory, kCapacity);
    inbox.reader.open(control, memory + kRingOffset);
}

// The capacity is everywhere the same; nothing of another PE's memory is touched.
RingProducer producer_of(std::uint64_t number, int pe) {
    char* const memory = ring_memory(number, pe);
    return {reinterpret_cast<RingControl*>(memory), memory + kRingOffset, pe, kCapacity};
}

// Relaxed, both: polls of threads that are there when it changes do one or the other.
void look_further(bool further) {
    post.looks_further = further;
    if (further)
        post.beyond.fetch_or(kLooksFurther, std::memory_order_relaxed);
    else
        post.beyond.fetch_and(static_cast<std::uint16_t>(~kLooksFurther),
                              std::memory_order_relaxed);
}

// What is_due() says, that far from anything coming. Behind the end of whoever adds to it.
void begin_due(bool further) {
    post.due.store(further ? kLooksFurther : 0, std::memory_order_relaxed);
}

// "PE 0 has no credit for requests to PE 5, which has 64 KiB of its requests to handle"
void add_room(std::string& report) {
    if (are_tickets_out())
        report += "isthmus:   PE " + std::to_string(job.me) + " has " + std::to_string(kTickets) +
                  " requests with an event or a handle under way, the most there may be: the next "
                  "one waits for one of them to be handled\n";
    const auto add = [&report](int pe, const char* what, const std::string& rest) {
        report += "isthmus:   PE " + std::to_string(job.me) + " has no " + what + " PE " +
                  std::to_string(pe) + ", which has " + rest + " to handle\n";
    };
    for (int pe = 0; pe < static_cast<int>(post.pes); ++pe) {
        Target& to = post.targets[pe];
        if (to.where == Where::near) {
            if (!to.requests.has_room_for(WantsRoom::at(pe, false, sizeof(Head))))
                add(pe, "room for requests in the ring of",
                    format_size(to.requests.taken()) + " of requests");
            if (!to.replies.has_room_for(WantsRoom::at(pe, true, sizeof(Head))))
                add(pe, "room for replies in the ring of",
                    format_size(to.replies.taken()) + " of replies");
        } else if (to.where == Where::far) {
            std::uint64_t allowed = 0;
            const std::size_t wanted = WantsRoom::at(pe, false, 0);
            if (const std::uint64_t taken = far_post::without_credit(pe, wanted, allowed);
                taken != 0)
                add(pe, "credit for requests to",
                    format_size(taken) + " (of " + format_size(allowed) + ") of its requests");
        }
    }
}

// Ends with the session. The targets stay until the next, for a thread that is on its way to one.
class Session final : private SessionObject {
  public:
    Session() : targets_(std::make_unique<Target[]>(static_cast<std::size_t>(job.pes))) {
        begin_due(job.checked || (far::present && !flag(Setting::progress)));
        if (far::present) far_post::open();
        for (int pe = 0; pe < job.pes; ++pe) {
            Target& target = targets_[static_cast<std::size_t>(pe)];
            target.pe = pe;
            if (!is_near(pe)) {
                target.pair = far_post::pair_with(pe);
                continue;
            }
            target.requests = producer_of(0, pe);
            target.requests.keep_for_notices(kLaneNotices);
            target.requests.fail_after_first(kLookInterval);
            target.replies = producer_of(1, pe);
            target.sleepers = &job.header->pe[pe].sleepers;
            target.where = pe == job.me ? Where::self : Where::near;
        }
        open_inbox(post.requests, 0);
        open_inbox(post.replies, 1);
        open_lanes(internal_object<LaneBoard>(kMessageOffset + kLanesOffset));
        count_messages();
        open_tickets(internal_object<std::int64_t>(kMessageOffset + 2 * kRing));
        look_further(job.checked || far::present);
        post.targets = targets_.get();
        post.head = head_word(0, 0, static_cast<std::uint32_t>(job.me), 0);
        post.pes = static_cast<std::uint32_t>(job.pes);
        post.traces = begin_tracing();
        post.plain_pes = job.checked || post.traces ? 0 : post.pes;
        runs_handler = is_in_handler;
        describe_room = add_room;
        enlist();
    }
    ~Session() { delist(); }
    using SessionObject::ended;

  private:
    void end() override {
        describe_room = nullptr;
        end_tracing();
        post.traces = false;
        tell_counts(AtEnd::all);
        post.pes = post.plain_pes = 0;
        look_further(true);
        if (far::present) far_post::close();  // a forked child has none
        for (Inbox* inbox : {&post.requests, &post.replies}) {
            inbox->reader.close();
            inbox->runner.store(nullptr, std::memory_order_relaxed);
        }
        close_lanes();
        forget_fetched();
        begin_due(true);
        forget_handlers();
    }
    std::unique_ptr<Target[]> targets_;
};

Lasting<std::unique_ptr<Session>> session;

// Behind the first.
[[gnu::noinline]] int serve_rest(Inbox& inbox) {
    return inbox.reader.serve(kBatch - 1, [](const FrameHead& frame) {
        return deliver(reinterpret_cast<const Head&>(*(&frame + 1)), frame.size);
    });
}

// Runs what has come into the ring, and then what serve_more() runs, if nobody else does.
template <typename More>
[[gnu::always_inline]] inline int serve(Inbox& inbox, More&& serve_more) {
    const void* nobody = nullptr;
    // Acquire: partner is the release below, of whoever read the ring before.
    if (!inbox.runner.compare_exchange_strong(nobody, this_thread(), std::memory_order_acquire,
                                              std::memory_order_relaxed)) [[unlikely]]
        return 0;
    int handled = inbox.reader.serve_first(
        [](const FrameHead& frame) {
            return deliver(reinterpret_cast<const Head&>(*(&frame + 1)), frame.size);
        },
        [&inbox] { return serve_rest(inbox); });
    handled += serve_more();
    inbox.runner.store(nullptr, std::memory_order_release);
    return handled;
}

constexpr auto kNothingMore = [] { return 0; };

int serve_replies() {
    if (!post.replies.reader.has_come() && !(far::present && far_post::has_replies())) return 0;
    return serve(post.replies, [] { return far::present ? far_post::serve_replies(kBatch) : 0; });
}

int serve_requests() {
    const bool has_lanes = !is_zero(post.lanes) && has_come_to_lanes();
    if (!post.requests.reader.has_come() && !has_lanes &&
        !(far::present && far_post::has_requests()))
        return 0;
    return serve(post.requests, [] {
        const int handled = is_zero(post.lanes) ? 0 : serve_lanes(kBatch);
        return handled + (far::present ? far_post::serve_requests(kBatch) : 0);
    });
}

// A look at the network costs as much as a dozen polls, and what comes waits for half of those that
// lie between two looks. Two threads may count one poll: no locked instruction for each.
void look_at_network() {
    constexpr std::uint32_t kPolls = 8;
    static std::atomic<std::uint32_t> polls = 0;
    const std::uint32_t number = polls.load(std::memory_order_relaxed);
    polls.store(number + 1, std::memory_order_relaxed);
    if (number % kPolls == 0) far::progress();
}

}  // namespace

void open_post() {
    if (*session && !(*session)->ended()) return;
    session->reset();
    *session = std::make_unique<Session>();
}

int poll_rings() {
    const int replies = serve(post.replies, kNothingMore);
    return replies + serve(post.requests, kNothingMore);
}

int poll_requests() {
    return serve(post.requests, kNothingMore);
}

int poll_rings_uncounted() {
    serve(post.replies, kNothingMore);
    serve(post.requests, kNothingMore);
    return 0;
}

int poll_requests_uncounted() {
    serve(post.requests, kNothingMore);
    return 0;
}

int poll_both() {
    int handled = 0;
    if (far::present) [[unlikely]] {
        look_at_network();
        handled = serve_fetched(kBatch);
    }
    handled += serve_replies();
    return handled + serve_requests();
}

int poll_replies() {
    return serve_replies();
}

}  // namespace isthmus::messages
