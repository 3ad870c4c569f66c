// A road over another one, on which everything that the contract lets come late comes late, and
// everything that it lets overtake overtakes, by a seed: puts wait here, their sources are read
// late where the program must leave them alone, gets without waiting read late, atomics and signals
// overtake. What a program sees so it may see on a network. Without ISTHMUS_DELAY nothing of this
// is in a job.
//
// Requests of the core's that are answered, and tell(), go at once: they are the library's own
// protocols, which the contract gives an order.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "transport/late/backlog.hpp"
#include "transport/late/here.hpp"
#include "transport/late/schedule.hpp"
#include "transport/transport.hpp"

namespace isthmus::transport::late {

// The operations of a channel. `Base` is what it is, `Part` what it lies over: the road, or a
// channel beside it.
template <typename Base, typename Part>
class Over : public Base {
  public:
    Over(std::unique_ptr<Part> part, Schedule& schedule)
        : part_(std::move(part)),
          schedule_(schedule),
          backlog_(*part_, schedule.manner(), schedule.next_number()) {
        schedule_.add(backlog_);
    }
    ~Over() override {
        release(Channel::kAll);
        schedule_.remove(backlog_);
    }

    void put(int pe, Place dest, const void* source, std::size_t bytes) override {
        add({.kind = Kind::put, .pe = pe, .place = dest, .source = source, .bytes = bytes});
    }
    void put_nbi(int pe, Place dest, const void* source, std::size_t bytes) override {
        add({.kind = Kind::put_nbi, .pe = pe, .place = dest, .source = source, .bytes = bytes});
    }
    void get_nbi(int pe, void* dest, Place source, std::size_t bytes) override {
        add({.kind = Kind::get_nbi, .pe = pe, .place = source, .dest = dest, .bytes = bytes});
    }
    void post_atomic(int pe, Place word, const Atomic& atomic) override {
        add({.kind = Kind::atomic, .pe = pe, .place = word, .atomic = atomic});
    }
    void put_signal(int pe, Place dest, const void* source, std::size_t bytes, Place word,
                    const Atomic& signal) override {
        add_signal(Kind::put_signal, pe, dest, source, bytes, word, signal);
    }
    void put_signal_nbi(int pe, Place dest, const void* source, std::size_t bytes, Place word,
                        const Atomic& signal) override {
        add_signal(Kind::put_signal_nbi, pe, dest, source, bytes, word, signal);
    }
    // Where only the road leads an answer is waited for, which the schedule's thread must not do.
    void fetch_atomic_nbi(int pe, Place word, const Atomic& atomic, void* result) override {
        if (!find(pe, word, atomic.width)) return Base::fetch_atomic_nbi(pe, word, atomic, result);
        add({.kind = Kind::fetch_nbi, .pe = pe, .place = word, .atomic = atomic, .dest = result});
    }
    void request(int pe, std::uint32_t handler, const void* payload, std::size_t bytes) override {
        add({.kind = Kind::request,
             .pe = pe,
             .source = payload,
             .bytes = bytes,
             .handler = handler});
    }

    // What is waited for is not kept back, but comes behind what a fence has put before it.
    void get(int pe, void* dest, Place source, std::size_t bytes) override {
        precede(pe);
        if (const char* const there = find(pe, source, bytes))
            move(dest, there, bytes);
        else
            part_->get(pe, dest, source, bytes);
    }
    std::uint64_t fetch_atomic(int pe, Place word, const Atomic& atomic) override {
        precede(pe);
        char* const there = find(pe, word, atomic.width);
        if (!there) return part_->fetch_atomic(pe, word, atomic);
        const std::uint64_t before = fetch_here(there, atomic);
        schedule_.manner().stir(pe);
        return before;
    }

    // All of it is here, so it goes.
    void order_puts() override {
        release(Channel::kAll);
        part_->order_puts();
    }
    void fence() override {
        schedule_.with(backlog_, [](Backlog& backlog) { backlog.fence(); });
    }
    void quiet() override {
        schedule_.pause(backlog_);
        release(Channel::kAll);
        part_->quiet();
    }
    void quiet(const int* pes, std::size_t count) override {
        schedule_.pause(backlog_);
        for (std::size_t i = 0; i < count; ++i)
            release(pes[i]);
        part_->quiet(pes, count);
    }

    using Base::begin_get;
    void begin_put(int pe, Place dest, const void* source, std::size_t bytes,
                   Completion& handle) override {
        precede(pe);
        part_->begin_put(pe, dest, source, bytes, handle);
        went(pe);
    }
    void begin_get(int pe, void* dest, Place source, std::size_t bytes,
                   Completion& handle) override {
        precede(pe);
        part_->begin_get(pe, dest, source, bytes, handle);
    }
    void begin_quiet(int pe, Completion& handle) override {
        release(pe);
        part_->begin_quiet(pe, handle);
    }
    bool test(Completion& handle) override { return part_->test(handle); }
    void await(Completion& handle) override { part_->await(handle); }

    const std::atomic<int>* before_quiet() const override { return nullptr; }
    const std::atomic<int>* before_fence() const override { return nullptr; }
    const std::atomic<std::uint8_t>* written() const override { return nullptr; }
    void wrote(int pe) override { part_->wrote(pe); }

  protected:
    void add(Operation operation) {
        schedule_.with(backlog_, [&operation](Backlog& backlog) {
            backlog.add(std::move(operation), Schedule::now());
        });
    }
    void add_signal(Kind kind, int pe, Place dest, const void* source, std::size_t bytes,
                    Place word, const Atomic& signal) {
        add({.kind = kind,
             .pe = pe,
             .place = dest,
             .word = word,
             .atomic = signal,
             .source = source,
             .bytes = bytes});
    }
    void release(int pe) {
        schedule_.with(backlog_, [pe](Backlog& backlog) { backlog.release(pe); });
    }
    void precede(int pe) {
        schedule_.with(backlog_, [pe](Backlog& backlog) { backlog.precede(pe); });
    }
    void went(int pe) {
        schedule_.with(backlog_, [pe](Backlog& backlog) { backlog.went(pe); });
    }
    char* find(int pe, Place place, std::size_t bytes) const {
        const Manner& manner = schedule_.manner();
        return manner.find ? manner.find(pe, place, bytes) : nullptr;
    }

    std::unique_ptr<Part> part_;
    Schedule& schedule_;
    Backlog backlog_;
};

// Made before the road, and gone behind it.
struct Clock {
    explicit Clock(const Manner& manner) : schedule(manner) {}
    Schedule schedule;
};

class Late : private Clock, public Over<Transport, Transport> {
  public:
    // Throws std::system_error if the system gives no thread.
    Late(std::unique_ptr<Transport> road, const Manner& manner);

    std::unique_ptr<Channel> open_channel() override;
    void tell(int pe, Place dest, const void* source, std::size_t bytes, Place word,
              const Atomic& signal) override {
        part_->tell(pe, dest, source, bytes, word, signal);
    }
    void settle() override;
    using Over::begin_get;
    void begin_get(int pe, void* dest, Place source, std::size_t bytes, Pending& pending) override {
        precede(pe);
        part_->begin_get(pe, dest, source, bytes, pending);
    }
    std::uint64_t ask_state(int pe, Asking why) override { return part_->ask_state(pe, why); }
    std::size_t ask(int pe, std::uint32_t handler, const void* payload, std::size_t bytes,
                    void* answer, std::size_t room) override {
        release(pe);
        return part_->ask(pe, handler, payload, bytes, answer, room);
    }
    void publish(std::uint32_t segment, const Segment& memory) override {
        part_->publish(segment, memory);
    }
    // None: what is short is late as well.
    ShortCalls short_calls() const override;
    Address address_of(int pe, Place place) const override { return part_->address_of(pe, place); }
    void progress() override { part_->progress(); }
    bool sleep(std::uint64_t nanoseconds) override { return part_->sleep(nanoseconds); }
    bool fall_asleep(Alarm& alarm) override { return part_->fall_asleep(alarm); }
    void wake_up(const Alarm& alarm) override { part_->wake_up(alarm); }
    void say_end(int status) override { part_->say_end(status); }
    std::uint64_t refused() const override { return part_->refused(); }
    const char* describe() const override { return description_.c_str(); }

  private:
    std::string description_;
};

}  // namespace isthmus::transport::late
