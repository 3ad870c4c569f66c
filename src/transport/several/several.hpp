// Several roads in one job, as one: each PE is reached by one of them, the same one by all others.
// A job with one road has nothing of this in its way.
//
// The roads know nothing of each other. Order and completion are promised between two PEs, and
// between two PEs, in one direction, lies one road. The threads of two roads may serve requests at
// the same time: who makes the roads lets them in one by one.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/road_list.hpp"
#include "transport/service/key_table.hpp"
#include "transport/several/handles.hpp"
#include "transport/several/parts.hpp"
#include "transport/transport.hpp"

namespace isthmus::transport::several {

// A sleep asks for the descriptors of all.
using isthmus::kMostRoads;

// What the roads share, made before them.
struct Shared {
    RoadOf road_of;
    Handles handles;
};

class Several : private Shared, public Parts<Transport, Transport> {
  public:
    // `by_pe`: by PE, a number in `roads`, of which there are up to kMostRoads.
    Several(std::vector<std::unique_ptr<Transport>> roads, RoadOf by_pe);

    std::unique_ptr<Channel> open_channel() override;
    void tell(int pe, Place dest, const void* source, std::size_t bytes, Place word,
              const Atomic& signal) override {
        to(pe).tell(pe, dest, source, bytes, word, signal);
    }
    void settle() override;
    using Parts::begin_get;
    void begin_get(int pe, void* dest, Place source, std::size_t bytes, Pending& pending) override {
        to(pe).begin_get(pe, dest, source, bytes, pending);
    }
    std::uint64_t ask_state(int pe, Asking why) override { return to(pe).ask_state(pe, why); }
    std::size_t ask(int pe, std::uint32_t handler, const void* payload, std::size_t bytes,
                    void* answer, std::size_t room) override {
        return to(pe).ask(pe, handler, payload, bytes, answer, room);
    }
    void publish(std::uint32_t segment, const Segment& memory) override;
    ShortCalls short_calls() const override { return short_; }
    Address address_of(int pe, Place place) const override { return to(pe).address_of(pe, place); }
    void progress() override;
    bool sleep(std::uint64_t nanoseconds) override;
    bool fall_asleep(Alarm& alarm) override;
    void wake_up(const Alarm& alarm) override;
    void say_end(int status) override;
    std::uint64_t refused() const override;
    const char* describe() const override { return description_.c_str(); }

  private:
    static long put_short(void* road, const void* source, std::size_t bytes, std::uint64_t pe,
                          std::uint64_t offset, std::uint64_t key);
    static void post_frame(char* frame, void* self, std::size_t bytes, std::uint64_t pe);
    static void post_more(char* frame, void* self, std::size_t bytes, std::uint64_t pe,
                          const void* rest, std::size_t count);
    static void get_short(void* self, void* dest, int pe, std::uint64_t offset, std::size_t bytes);
    static std::uint64_t fetch_short(void* self, std::uint64_t operand, int pe,
                                     std::uint64_t offset, std::uint32_t code,
                                     std::uint64_t compare);
    void lay_short_calls_ready();

    std::vector<ShortCalls> calls_;  // by road
    ShortCalls short_;
    service::KeyTable keys_;
    // By PE, all set: put_short() tells the road itself.
    std::unique_ptr<std::atomic<std::uint8_t>[]> written_;
    std::string description_;
};

}  // namespace isthmus::transport::several
