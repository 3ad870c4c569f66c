// The consumer's end of a ring where each message is used up, in place, before the next is looked
// at: less state than RingConsumer, and a look that other threads may take as well. It wakes nobody
// who waits for room: producers of such a ring use send(), send_with() and send_cell() alone.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/is_zero.hpp"
#include "base/thread_sanitizer.hpp"
#include "core/queues/queue.hpp"

namespace isthmus {

class RingReader {
  public:
    // Of no ring: nothing comes.
    constexpr RingReader() : frame_(&kNothing), awaited_(kVisible) {}
    RingReader(const RingReader&) = delete;
    RingReader& operator=(const RingReader&) = delete;
    void open(RingControl* control, char* cells) { open(control->head, cells, control->capacity); }
    // `head`: where it says what is free again.
    void open(std::atomic<std::uint64_t>& head, char* cells, std::uint64_t capacity) {
        head_ = &head;
        cells_ = cells;
        cell_mask_ = capacity - kCell;
        look_at(head.load(std::memory_order_relaxed) | kVisible);
    }
    void close() {
        frame_.store(&kNothing, std::memory_order_relaxed);
        awaited_.store(kVisible, std::memory_order_relaxed);
    }

    // Whether something has come. Any thread; while one reads, another may see an old pair of words
    // and say no, or yes. Relaxed: serve() acquires.
    bool has_come() const {
        const FrameHead* const frame = frame_.load(std::memory_order_relaxed);
        return is_equal(awaited_, frame->mark.load(std::memory_order_relaxed));
    }

    // Calls use(head of the frame) for what has come, `most` messages at most; how many. One thread
    // at a time, and not from within. use() is given paddings as well, whose first word is 0, so
    // that it need not look at the size where it is not 0; false of a padding.
    template <typename Use>
    [[gnu::always_inline]] int serve(int most, Use&& use) {
        return serve_each(most, use, [] {});
    }
    // The same of one that streams: its lines are fetched ahead of their use, which the processor
    // does by itself for a dozen messages only. But a line that is fetched before it is written is
    // taken away from its producer, and a stream goes at a fifth of its rate then. So those alone
    // that are known to be there: every kLookEvery cells one look at the cell kLookAhead further
    // on.
    template <typename Use>
    [[gnu::always_inline]] int serve_stream(int most, Use&& use) {
        std::uint64_t there = 0;  // no cell before it is still to be written
        return serve_each(most, use, [&] {
            const std::uint64_t awaited = awaited_.load(std::memory_order_relaxed);
            if ((awaited & (kLookEvery - kCell)) == 0) {
                // Relaxed: a hint. Of a cell within a frame it says no, or by chance yes.
                const std::uint64_t far = awaited + kLookAhead;
                there = frame_at(far)->mark.load(std::memory_order_relaxed) == far ? far : 0;
            }
            if (awaited + kFetchAhead < there) __builtin_prefetch(frame_at(awaited + kFetchAhead));
        });
    }
    // The same for what is most often one message, without a loop: rest() serves what comes behind
    // it.
    template <typename Use, typename Rest>
    [[gnu::always_inline]] int serve_first(Use&& use, Rest&& rest) {
        FrameHead* const frame = frame_.load(std::memory_order_relaxed);
        if (!is_there(*frame)) return 0;
        if (!use(*frame)) [[unlikely]]
            return rest();
        if (move_on()) [[unlikely]]
            return 1 + rest();
        return 1;
    }

  private:
    static constexpr std::uint64_t kLookEvery = 16 * kCell;
    static constexpr std::uint64_t kFetchAhead = 16 * kCell;
    static constexpr std::uint64_t kLookAhead = kFetchAhead + kLookEvery;
    static inline constinit FrameHead kNothing{};
    FrameHead* frame_at(std::uint64_t awaited) const {
        return reinterpret_cast<FrameHead*>(cells_ + (awaited & cell_mask_));
    }
    void look_at(std::uint64_t awaited) {
        frame_.store(frame_at(awaited), std::memory_order_relaxed);
        awaited_.store(awaited, std::memory_order_relaxed);
    }
    template <typename Use, typename FetchAhead>
    [[gnu::always_inline]] int serve_each(int most, Use& use, FetchAhead&& fetch_ahead) {
        int used = 0;
        while (used < most) {
            FrameHead* const frame = frame_.load(std::memory_order_relaxed);
            if (!is_there(*frame)) break;
            fetch_ahead();
            if (use(*frame)) ++used;
            move_on();
        }
        return used;
    }
    // Acquire: partner is RingProducer::publish; the message is there.
    [[gnu::always_inline]] bool is_there(const FrameHead& frame) const {
        if (frame.mark.load(std::memory_order_acquire) != awaited_.load(std::memory_order_relaxed))
            return false;
        thread_sanitizer::acquired(head_);
        return true;
    }
    // Gives the frame back. Whether the next may be there. The two words are kept up to date, not
    // in registers: most often there is one message.
    [[gnu::always_inline]] bool move_on() {
        FrameHead* const frame = frame_.load(std::memory_order_relaxed);
        const std::uint64_t bytes = frame->cells == 1 ? kCell : clear_inner(frame);
        const std::uint64_t awaited = awaited_.load(std::memory_order_relaxed) + bytes;
        thread_sanitizer::released(head_);
        // Release: partner is RingProducer::look_at_head; the cells are free and cleared.
        head_->store(awaited - kVisible, std::memory_order_release);
        FrameHead* const next = frame_at(awaited);
        frame_.store(next, std::memory_order_relaxed);
        awaited_.store(awaited, std::memory_order_relaxed);
        return next->mark.load(std::memory_order_relaxed) == awaited;
    }
    // What lies in the inner cells could look like a head of the coming lap. A frame does not wrap.
    // Returns the bytes of the frame.
    [[gnu::noinline]] static std::uint64_t clear_inner(FrameHead* frame) {
        char* const begin = reinterpret_cast<char*>(frame);
        const std::uint64_t bytes = frame->cells * kCell;
        for (std::uint64_t cell = kCell; cell < bytes; cell += kCell)
            reinterpret_cast<FrameHead*>(begin + cell)->mark.store(0, std::memory_order_relaxed);
        return bytes;
    }

    // The next frame, and the mark that it has when it is there.
    std::atomic<FrameHead*> frame_;
    std::atomic<std::uint64_t> awaited_;
    std::atomic<std::uint64_t>* head_ = nullptr;
    char* cells_ = nullptr;
    std::uint64_t cell_mask_ = 0;
};

}  // namespace isthmus
