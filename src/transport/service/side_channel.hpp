// A channel beside the road's own: the same operations, and an account of its own of what is
// outstanding.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>

#include "transport/service/road.hpp"

namespace isthmus::transport::service {

template <Link L>
class SideChannel final : public Channel {
  public:
    explicit SideChannel(Road<L>& road) : road_(road), on_(road.services_.pes) {
        const std::lock_guard lock(road_.sides_guard_);
        road_.sides_.push_back(&on_);
    }
    ~SideChannel() override {
        road_.quiet_on(on_);
        const std::lock_guard lock(road_.sides_guard_);
        std::erase(road_.sides_, &on_);
    }

    void put(int pe, Place dest, const void* source, std::size_t bytes) override {
        road_.put_on(on_, pe, dest, source, bytes);
    }
    void get(int pe, void* dest, Place source, std::size_t bytes) override {
        road_.get(pe, dest, source, bytes);
    }
    std::uint64_t fetch_atomic(int pe, Place word, const Atomic& atomic) override {
        return road_.fetch_atomic(pe, word, atomic);
    }
    void post_atomic(int pe, Place word, const Atomic& atomic) override {
        road_.post_on(on_, pe, word, atomic);
    }
    void put_signal(int pe, Place dest, const void* source, std::size_t bytes, Place word,
                    const Atomic& signal) override {
        road_.put_signal_on(on_, pe, dest, source, bytes, word, signal);
    }
    void put_nbi(int pe, Place dest, const void* source, std::size_t bytes) override {
        road_.put_nbi_on(on_, pe, dest, source, bytes);
    }
    void get_nbi(int pe, void* dest, Place source, std::size_t bytes) override {
        road_.read_parts(&on_, pe, dest, source, bytes, nullptr);
    }
    void request(int pe, std::uint32_t handler, const void* payload, std::size_t bytes) override {
        road_.request_on(on_, pe, handler, payload, bytes);
    }
    void order_puts() override { road_.order_puts_on(on_); }
    void fence() override { road_.fence_on(on_); }
    void quiet() override { road_.quiet_on(on_); }
    void quiet(const int* pes, std::size_t count) override { road_.quiet_on(on_, pes, count); }
    void begin_put(int pe, Place dest, const void* source, std::size_t bytes,
                   Completion& handle) override {
        road_.begin_put_on(on_, pe, dest, source, bytes, handle);
    }
    void begin_get(int pe, void* dest, Place source, std::size_t bytes,
                   Completion& handle) override {
        road_.begin_get(pe, dest, source, bytes, handle);
    }
    void begin_quiet(int pe, Completion& handle) override { road_.begin_quiet_on(on_, pe, handle); }
    bool test(Completion& handle) override { return road_.test_on(on_, handle); }
    void await(Completion& handle) override { road_.await_on(on_, handle); }
    const std::atomic<int>* before_quiet() const override { return on_.before_quiet(); }
    const std::atomic<int>* before_fence() const override {
        return road_.ordered_ ? on_.before_fence() : nullptr;
    }
    const std::atomic<std::uint8_t>* written() const override { return on_.written(); }
    void wrote(int pe) override { on_.mark_written(pe); }

  private:
    Road<L>& road_;
    Outstanding on_;
};

template <Link L>
std::unique_ptr<Channel> Road<L>::open_channel() {
    return std::make_unique<SideChannel<L>>(*this);
}

}  // namespace isthmus::transport::service
