// The operations of a channel over a channel of each road's.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "transport/several/handles.hpp"
#include "transport/transport.hpp"

namespace isthmus::transport::several {

// The road that leads to each PE, by number of the PE.
using RoadOf = std::vector<std::uint8_t>;

// `Base` is what it is, `Part` what each road has of that: the road, or a channel beside it.
template <typename Base, typename Part>
class Parts : public Base {
  public:
    Parts(std::vector<std::unique_ptr<Part>> parts, const RoadOf& road_of, Handles& handles)
        : parts_(std::move(parts)), road_of_(road_of), handles_(handles) {}

    void put(int pe, Place dest, const void* source, std::size_t bytes) override {
        to(pe).put(pe, dest, source, bytes);
    }
    void get(int pe, void* dest, Place source, std::size_t bytes) override {
        to(pe).get(pe, dest, source, bytes);
    }
    std::uint64_t fetch_atomic(int pe, Place word, const Atomic& atomic) override {
        return to(pe).fetch_atomic(pe, word, atomic);
    }
    void post_atomic(int pe, Place word, const Atomic& atomic) override {
        to(pe).post_atomic(pe, word, atomic);
    }
    void put_signal(int pe, Place dest, const void* source, std::size_t bytes, Place word,
                    const Atomic& signal) override {
        to(pe).put_signal(pe, dest, source, bytes, word, signal);
    }
    void put_nbi(int pe, Place dest, const void* source, std::size_t bytes) override {
        to(pe).put_nbi(pe, dest, source, bytes);
    }
    void get_nbi(int pe, void* dest, Place source, std::size_t bytes) override {
        to(pe).get_nbi(pe, dest, source, bytes);
    }
    void request(int pe, std::uint32_t handler, const void* payload, std::size_t bytes) override {
        to(pe).request(pe, handler, payload, bytes);
    }

    // Between a PE and another lies one road, so each road orders what goes there.
    void order_puts() override {
        for (auto& part : parts_)
            part->order_puts();
    }
    void fence() override {
        for (auto& part : parts_)
            part->fence();
    }
    // All roads are asked before one is waited for.
    void quiet() override {
        Completion handle;
        begin_quiet(Channel::kAll, handle);
        await(handle);
    }
    void quiet(const int* pes, std::size_t count) override {
        for (std::size_t road = 0; road < parts_.size(); ++road) {
            std::array<int, 64> some{};
            std::size_t found = 0;
            for (std::size_t i = 0; i < count; ++i) {
                if (road_of_[static_cast<std::size_t>(pes[i])] != road) continue;
                some[found++] = pes[i];
                if (found < some.size()) continue;
                parts_[road]->quiet(some.data(), found);
                found = 0;
            }
            if (found != 0) parts_[road]->quiet(some.data(), found);
        }
    }

    using Base::begin_get;
    void begin_put(int pe, Place dest, const void* source, std::size_t bytes,
                   Completion& handle) override {
        to(pe).begin_put(pe, dest, source, bytes, handles_.of(handle, road(pe)));
    }
    void begin_get(int pe, void* dest, Place source, std::size_t bytes,
                   Completion& handle) override {
        to(pe).begin_get(pe, dest, source, bytes, handles_.of(handle, road(pe)));
    }
    void begin_quiet(int pe, Completion& handle) override {
        if (pe != Channel::kAll) return to(pe).begin_quiet(pe, handles_.of(handle, road(pe)));
        for (std::size_t each = 0; each < parts_.size(); ++each) {
            // Acquire: partner is the release with which the road says that all answers are there.
            const std::atomic<int>* const before = parts_[each]->before_quiet();
            if (before && before->load(std::memory_order_acquire) == 0) continue;
            parts_[each]->begin_quiet(pe, handles_.of(handle, static_cast<std::uint8_t>(each)));
        }
    }
    bool test(Completion& handle) override {
        return handles_.drop(
            handle, [&](std::size_t each, Completion& part) { return parts_[each]->test(part); });
    }
    void await(Completion& handle) override {
        // Each is asked before one is waited for.
        if (test(handle)) return;
        handles_.drop(handle, [&](std::size_t each, Completion& part) {
            parts_[each]->await(part);
            return true;
        });
    }

    // Two words that may be raised at any time are not one that can be read.
    const std::atomic<int>* before_quiet() const override { return nullptr; }
    const std::atomic<int>* before_fence() const override { return nullptr; }
    // What puts short ones tells one road, and knows no channel of its.
    const std::atomic<std::uint8_t>* written() const override { return nullptr; }
    void wrote(int pe) override { to(pe).wrote(pe); }

  protected:
    std::uint8_t road(int pe) const { return road_of_[static_cast<std::size_t>(pe)]; }
    Part& to(int pe) const { return *parts_[road(pe)]; }

    std::vector<std::unique_ptr<Part>> parts_;
    const RoadOf& road_of_;
    Handles& handles_;
};

}  // namespace isthmus::transport::several
