#include "core/queues/queue.hpp"

#include "base/settings.hpp"
#include "base/thread_sanitizer.hpp"
#include "core/copy/copy.hpp"
#include "core/copy/prefetch.hpp"
#include "core/queues/far_queue.hpp"
#include "core/wait/event.hpp"

namespace isthmus {
namespace {

constexpr std::uint64_t kMagic = 0x31455545'55510003;

// Tells the consumer that this PE waits for room, for as long as it does.
class Blocked {
  public:
    explicit Blocked(RingControl& control) : control_(control) {
        word().fetch_or(bit(), std::memory_order_relaxed);
        control_.blocked_count.fetch_add(1, std::memory_order_seq_cst);
    }
    Blocked(const Blocked&) = delete;
    Blocked& operator=(const Blocked&) = delete;
    // The bit stays: another thread of this PE may wait too, and a wake-up too many does no harm.
    ~Blocked() { control_.blocked_count.fetch_sub(1, std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t>& word() { return control_.blocked[job.me / 64]; }
    static std::uint64_t bit() { return bit_of(job.me); }
    RingControl& control_;
};

// Those of this host; who waits on others, their bits taken.
PeSet wake_blocked(RingControl& control) {
    PeSet elsewhere{};
    PeSet waiting;
    for (std::size_t word = 0; word < waiting.size(); ++word)
        waiting[word] = control.blocked[word].load(std::memory_order_relaxed);
    for_each_pe(waiting, [&](int pe) {
        if (!far::present || is_near(pe)) return wake(pe);
        // Relaxed: whoever waits asks for room by a message, and what it finds is ordered by that.
        const auto before =
            control.blocked[pe / 64].fetch_and(~bit_of(pe), std::memory_order_relaxed);
        if ((before & bit_of(pe)) == 0) return;  // somebody else has
        control.blocked_count.fetch_sub(1, std::memory_order_relaxed);
        add(elsewhere, pe);
    });
    return elsewhere;
}

// Sizes are no reason to refuse a message; the rest is in the first cell, which holds no frame.
constexpr std::uint64_t kEndedCapacity = std::uint64_t{1} << 62;
RingControl ended_ring{kMagic, kEndedCapacity, kDestroyed, kClosed, 0, 0, {}, 0};
alignas(64) char ended_cells[kCell];

}  // namespace

RingControl* EndedRing::control() {
    return &ended_ring;
}
RingProducer EndedRing::producer() {
    return {&ended_ring, ended_cells, job.me};
}
RingProducer RingProducer::closed_ring(std::uint64_t capacity) {
    RingProducer producer = EndedRing::producer();
    producer.mask_ = capacity - 1;
    return producer;
}
RingConsumer EndedRing::consumer() {
    return {&ended_ring, ended_cells};
}

RingControl* format_ring(char* memory, std::uint64_t capacity) {
    auto* control = new (memory) RingControl{};
    control->capacity = capacity;
    // Release: pairs with find_ring in another PE.
    __atomic_store_n(&control->magic, kMagic, __ATOMIC_RELEASE);
    return control;
}

RingControl* find_ring(char* memory) {
    auto* control = reinterpret_cast<RingControl*>(memory);
    return __atomic_load_n(&control->magic, __ATOMIC_ACQUIRE) == kMagic ? control : nullptr;
}

PeSet close_ring_here(RingControl& control, int owner, std::uint32_t why) {
    // Release, and before the bit in `tail`: whoever finds that finds the reason
    // (RingProducer::closed, destroyed, RingConsumer::over).
    control.closed.fetch_or(why, std::memory_order_release);
    control.tail.fetch_or(kClosed, std::memory_order_acq_rel);
    wake(owner);
    return wake_blocked(control);
}

void close_ring(RingControl& control, int owner, std::uint32_t why) {
    nudge(close_ring_here(control, owner, why));
}

void mark_blocked(RingControl& control, int pe) {
    if ((control.blocked[pe / 64].fetch_or(bit_of(pe), std::memory_order_relaxed) & bit_of(pe)) ==
        0)
        control.blocked_count.fetch_add(1, std::memory_order_seq_cst);
    fence_writers();  // partner: RingConsumer::wake_producers
}

std::uint64_t allowed_bytes(std::uint64_t capacity) {
    const std::uint64_t cells = number(Setting::outstanding);
    return cells == 0 || cells > capacity / kCell ? capacity : cells * kCell;
}

RingProducer::RingProducer(RingControl* control, char* cells, int owner)
    : control_(control),
      cells_(cells),
      owner_(owner),
      mask_(control->capacity - 1),
      room_(allowed_bytes(control->capacity)) {
    set_most(room_);
    look_at_head();
}

std::uint64_t RingProducer::look_at_head() {
    // Acquire: pairs with the release in RingConsumer::release; the cells are free and cleared.
    const std::uint64_t head = control_->head.load(std::memory_order_acquire);
    thread_sanitizer::acquired(control_);
    // Release: partner is has_room in another thread, which writes into those cells.
    shared(known_head_).store(head, std::memory_order_release);
    return head;
}

bool RingProducer::has_room(std::uint64_t position, std::uint64_t bytes) {
    if (position + bytes - shared(known_head_).load(std::memory_order_acquire) <= most()) [[likely]]
        return true;
    const std::uint64_t head = look_at_head();
    // A position from before the head: others have gone on since it was read, and the
    // compare-and-swap will say so.
    return position < head || position + bytes - head <= most() ||
           (position == head && bytes <= control_->capacity);
}

// Frames of many cells are alone in a ring of little room, and far shorter than it.
void RingProducer::keep_for_notices(std::uint64_t bytes) {
    set_most(std::min(most(), capacity() - bytes));
    room_ = most();
}

void RingProducer::send_notice(const void* notice, std::uint64_t size) {
    // Acquire and release as of any frame. There is room: it is kept for them.
    const std::uint64_t position = control_->tail.fetch_add(kCell, std::memory_order_acq_rel);
    look_at_head();
    auto& frame = *reinterpret_cast<FrameHead*>(cells_ + (position & mask_));
    copy(&frame + 1, notice, size);
    frame.size = kNotice;
    frame.cells = 1;
    publish(frame, position);
    wake(owner_);
}

std::uint64_t RingProducer::room_beyond(std::uint64_t bytes) {
    const std::uint64_t head = look_at_head();
    const std::uint64_t taken = position() - head;
    // A tail from before the head, if others go on: nothing is taken.
    return std::min(most(), (taken <= capacity() ? taken : 0) + bytes);
}

void RingProducer::fail_after(std::uint64_t bytes) {
    const std::uint64_t room = room_beyond(bytes);
    std::uint64_t before = shared(room_).load(std::memory_order_relaxed);
    // Who has stopped it goes on with it.
    while (before != 0 &&
           !shared(room_).compare_exchange_weak(before, room, std::memory_order_relaxed)) {
    }
}

void RingProducer::go_on(std::uint64_t bytes) {
    shared(room_).store(room_beyond(bytes), std::memory_order_relaxed);
}

// The consumer has read these cells, so the first store to each would wait for its processor, and
// the next compare-and-swap for that store. Only if nobody else enqueues: they would be others'.
void RingProducer::claim_ahead(std::uint64_t position, std::uint64_t bytes) {
    if (position != shared(own_end_).load(std::memory_order_relaxed) || bytes > kClaimedFrame)
        return;
    const std::uint64_t begin = position + kClaimedAhead;
    const std::uint64_t head = shared(known_head_).load(std::memory_order_relaxed);
    if (begin + bytes - head > control_->capacity) return;  // the consumer's still
    for (std::uint64_t cell = 0; cell < bytes; cell += kCell)
        prefetch_for_write(cells_ + ((begin + cell) & mask_));
}

FrameHead* RingProducer::claim(std::uint64_t bytes, std::uint64_t& position) {
    position = control_->tail.load(std::memory_order_relaxed);
    std::uint64_t padding = 0;
    for (;;) {
        if ((position & kClosed) != 0) return nullptr;
        const std::uint64_t place = position & mask_;
        padding = place + bytes > control_->capacity ? control_->capacity - place : 0;
        if (!has_room(position, padding + bytes)) return nullptr;
        // Only the place is decided here; what is in it becomes visible by its head.
        if (control_->tail.compare_exchange_weak(position, position + padding + bytes,
                                                 std::memory_order_acq_rel,
                                                 std::memory_order_relaxed))
            break;
    }
    claim_ahead(position, bytes);
    shared(own_end_).store(position + padding + bytes, std::memory_order_relaxed);
    if (padding != 0) {
        auto* head = reinterpret_cast<FrameHead*>(cells_ + (position & mask_));
        head->size = kPadding;
        head->cells = static_cast<std::uint32_t>(padding / kCell);
        *reinterpret_cast<std::uint64_t*>(head + 1) = 0;  // RingReader
        publish(*head, position);
        position += padding;
    }
    return reinterpret_cast<FrameHead*>(cells_ + (position & mask_));
}

bool RingProducer::send(const void* message, std::uint64_t size) {
    return send_with(size, [&](void* place) { copy(place, message, size); });
}

void* RingProducer::reserve(std::uint64_t size) {
    const std::uint64_t bytes = frame_bytes(size);
    std::uint64_t position = 0;
    FrameHead* const head = claim(bytes, position);
    if (!head) [[unlikely]]
        return nullptr;
    head->size = static_cast<std::uint32_t>(size);  // what a commit may not exceed
    head->cells = static_cast<std::uint32_t>(bytes / kCell);
    head->mark.store(position, std::memory_order_relaxed);  // commit makes it visible
    return head + 1;
}

void* RingProducer::reserve_wait(std::uint64_t size, std::uint64_t deadline, Routine routine) {
    if (void* message = reserve(size)) [[likely]]
        return message;
    const Blocked blocked(*control_);
    void* message = nullptr;
    wait_wakeable({routine, owner_}, deadline, [&] {
        if (closed()) return true;
        message = reserve(size);
        return message != nullptr;
    });
    return message;
}

void RingProducer::commit(void* message, std::uint64_t size) {
    FrameHead* head = static_cast<FrameHead*>(message) - 1;
    const std::uint64_t position = head->mark.load(std::memory_order_relaxed);
    head->size = static_cast<std::uint32_t>(size);
    publish(*head, position);
    wake(owner_);
}

bool RingConsumer::visible(std::uint64_t position) const {
    if (frame(position).mark.load(std::memory_order_acquire) != (position | kVisible)) return false;
    thread_sanitizer::acquired(control_);
    return true;
}

void RingConsumer::skip_padding() {
    if (frame(next_).size == kPadding) next_ += frame(next_).cells * kCell;
}

const void* RingConsumer::peek(std::uint64_t& size) {
    if (!visible(next_)) return nullptr;
    skip_padding();
    if (!visible(next_)) return nullptr;
    size = frame(next_).size;
    return &frame(next_) + 1;
}

const void* RingConsumer::take(std::uint64_t& size) {
    const void* const message = peek(size);
    if (message) next_ += frame(next_).cells * kCell;
    return message;
}

void RingConsumer::free_frame() {
    const std::uint32_t cells = frame(head_).cells;
    for (std::uint32_t cell = 1; cell < cells; ++cell)
        frame(head_ + cell * kCell).mark.store(0, std::memory_order_relaxed);
    head_ += cells * kCell;
}

// And what was released before its turn.
void RingConsumer::free_oldest() {
    do {
        free_frame();
        if (head_ != next_ && frame(head_).size == kPadding) free_frame();
    } while (head_ != next_ &&
             (frame(head_).mark.load(std::memory_order_relaxed) & kReleased) != 0);
    control_->head.store(head_, std::memory_order_release);  // partner: RingProducer::look_at_head
    wake_producers();
}

bool RingConsumer::release() {
    if (head_ == next_) return false;
    if (frame(head_).size == kPadding) free_frame();
    if (head_ == next_) return false;
    free_oldest();
    return true;
}

bool RingConsumer::release(const void* message) {
    if (head_ == next_) return false;
    if (frame(head_).size == kPadding) free_frame();
    const auto place =
        static_cast<std::uint64_t>(static_cast<const char*>(message) - cells_) - sizeof(FrameHead);
    const std::uint64_t position = head_ + ((place - head_) & mask_);
    if (place > mask_ || place % kCell != 0 || position >= next_) return false;
    auto& mark = frame(position).mark;
    if (mark.load(std::memory_order_relaxed) != (position | kVisible)) return false;
    if (position == head_)
        free_oldest();
    else
        mark.store(position | kVisible | kReleased, std::memory_order_relaxed);
    return true;
}

// The processor's half of the barrier between the store of head and this look is the sleeper's
// membarrier (core/wait/sleep.hpp).
void RingConsumer::wake_producers() {
    __asm__ __volatile__("" ::: "memory");
    if (control_->blocked_count.load(std::memory_order_relaxed) == 0) [[likely]]
        return;
    nudge(wake_blocked(*control_));
}

std::uint64_t RingConsumer::messages_left() {
    std::uint64_t left = 0;
    std::uint64_t size = 0;
    while (take(size))
        ++left;
    return left;
}

std::uint64_t RingConsumer::drain(Routine routine) {
    std::uint64_t left = 0;
    std::uint64_t size = 0;
    for (; !over(); ++left)
        wait_for({routine}, [&] { return take(size) != nullptr; });
    return left;
}

}  // namespace isthmus
