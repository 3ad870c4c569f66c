#include "transport/several/several.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

namespace isthmus::transport::several {
namespace {

using SideParts = Parts<Channel, Channel>;

// "0-3,8", of those that this road leads to.
std::string pes_of(const RoadOf& road_of, std::size_t road) {
    std::string text;
    for (std::size_t pe = 0; pe < road_of.size(); ++pe) {
        if (road_of[pe] != road) continue;
        std::size_t last = pe;
        while (last + 1 < road_of.size() && road_of[last + 1] == road)
            ++last;
        text += (text.empty() ? "" : ",") + std::to_string(pe);
        if (last != pe) text += "-" + std::to_string(last);
        pe = last;
    }
    return text;
}

}  // namespace

Several::Several(std::vector<std::unique_ptr<Transport>> roads, RoadOf by_pe)
    : Shared{std::move(by_pe), {}}, Parts(std::move(roads), Shared::road_of, Shared::handles) {
    for (std::size_t road = 0; road < parts_.size(); ++road) {
        const std::string pes = pes_of(road_of_, road);
        if (pes.empty()) continue;
        description_ +=
            (description_.empty() ? "to PE " : "; to PE ") + pes + ": " + parts_[road]->describe();
    }
    lay_short_calls_ready();
}

std::unique_ptr<Channel> Several::open_channel() {
    std::vector<std::unique_ptr<Channel>> sides;
    for (auto& part : parts_)
        sides.push_back(part->open_channel());
    return std::make_unique<SideParts>(std::move(sides), road_of_, handles_);
}

void Several::settle() {
    for (auto& part : parts_)
        part->settle();
}

void Several::publish(std::uint32_t segment, const Segment& memory) {
    for (auto& part : parts_)
        part->publish(segment, memory);
}

void Several::progress() {
    for (auto& part : parts_)
        part->progress();
}

void Several::say_end(int status) {
    for (auto& part : parts_)
        part->say_end(status);
}

std::uint64_t Several::refused() const {
    std::uint64_t sum = 0;
    for (const auto& part : parts_)
        sum += part->refused();
    return sum;
}

// ---- sleep

// Who waits for one road looks at that one only: the others are served here.
bool Several::sleep(std::uint64_t nanoseconds) {
    progress();
    std::array<Alarm, kMostRoads> alarms;
    std::array<pollfd, 2 * kMostRoads> ends{};
    std::size_t asleep = 0;
    bool rings = false;
    for (; asleep < parts_.size(); ++asleep) {
        Alarm& alarm = alarms[asleep];
        if (!parts_[asleep]->fall_asleep(alarm)) break;
        ends[2 * asleep] = {alarm.other_thread, POLLIN, 0};
        ends[2 * asleep + 1] = {alarm.network, POLLIN, 0};
        rings = rings || alarm.rings;
    }
    const bool sleeps = asleep == parts_.size();
    if (sleeps && !rings) {
        const timespec length{static_cast<time_t>(nanoseconds / 1'000'000'000),
                              static_cast<long>(nanoseconds % 1'000'000'000)};
        ppoll(ends.data(), 2 * asleep, &length, nullptr);
    }
    for (std::size_t road = 0; road < asleep; ++road) {
        alarms[road].other_rang = ends[2 * road].revents != 0;
        parts_[road]->wake_up(alarms[road]);
    }
    if (sleeps) progress();
    return sleeps;
}

// Several within several: nobody makes that.
bool Several::fall_asleep(Alarm&) {
    return false;
}

void Several::wake_up(const Alarm&) {}

// ---- the short operations

void Several::lay_short_calls_ready() {
    short_.self = static_cast<Transport*>(this);
    short_.get = get_short;
    short_.fetch = fetch_short;
    bool puts = false;
    short_.longest = ~std::size_t{0};
    for (auto& part : parts_) {
        const ShortCalls& calls = calls_.emplace_back(part->short_calls());
        if (calls.post) {
            short_.post = post_frame;
            short_.post_more = post_more;
            short_.post_road = this;
            short_.post_word = calls.post_word;  // that of all
        }
        if (!calls.put) continue;
        puts = true;
        short_.longest = std::min(short_.longest, calls.longest);
    }
    const auto pes = static_cast<int>(road_of_.size());
    if (!puts || !keys_.make(pes)) {
        short_.longest = 0;
        return;
    }
    written_ = std::make_unique<std::atomic<std::uint8_t>[]>(road_of_.size());
    for (int pe = 0; pe < pes; ++pe) {
        const ShortCalls& calls = calls_[road(pe)];
        keys_.set(pe, calls.put ? calls.keys[pe] : 0);
        written_[static_cast<std::size_t>(pe)].store(1, std::memory_order_relaxed);
    }
    short_.put = put_short;
    short_.put_road = this;
    short_.keys = keys_.keys();
    short_.written = written_.get();
}

// Looking up the key has checked the PE. A road without a short put asks for put().
long Several::put_short(void* road, const void* source, std::size_t bytes, std::uint64_t pe,
                        std::uint64_t offset, std::uint64_t key) {
    auto& self = *static_cast<Several*>(road);
    const auto to = static_cast<int>(pe);
    const ShortCalls& calls = self.calls_[self.road(to)];
    if (!calls.put) return 1;
    const long result = calls.put(calls.put_road, source, bytes, pe, offset, key);
    // Acquire: partner is the release of who sets the mark first, in the road.
    if (result == 0 && calls.written[pe].load(std::memory_order_acquire) == 0) self.wrote(to);
    return result;
}

// A road without takes it as a request.
void Several::post_frame(char* frame, void* self, std::size_t bytes, std::uint64_t pe) {
    auto& several = *static_cast<Several*>(self);
    const auto to = static_cast<int>(pe);
    const ShortCalls& calls = several.calls_[several.road(to)];
    if (calls.post) return calls.post(frame, calls.post_road, bytes, pe);
    several.request(to, handler_of(frame), frame + kFrameRoom, bytes - kFrameRoom);
}

void Several::post_more(char* frame, void* self, std::size_t bytes, std::uint64_t pe,
                        const void* rest, std::size_t count) {
    auto& several = *static_cast<Several*>(self);
    const auto to = static_cast<int>(pe);
    const ShortCalls& calls = several.calls_[several.road(to)];
    if (calls.post) return calls.post_more(frame, calls.post_road, bytes, pe, rest, count);
    char request[kRequestBytes];
    const std::size_t head = bytes - kFrameRoom;
    std::memcpy(request, frame + kFrameRoom, head);
    if (count != 0) std::memcpy(request + head, rest, count);
    several.request(to, handler_of(frame), request, head + count);
}

void Several::get_short(void* self, void* dest, int pe, std::uint64_t offset, std::size_t bytes) {
    auto& several = static_cast<Several&>(*static_cast<Transport*>(self));
    const ShortCalls& calls = several.calls_[several.road(pe)];
    if (calls.get) return calls.get(calls.self, dest, pe, offset, bytes);
    several.get(pe, dest, {kHeap, offset}, bytes);
}

std::uint64_t Several::fetch_short(void* self, std::uint64_t operand, int pe, std::uint64_t offset,
                                   std::uint32_t code, std::uint64_t compare) {
    auto& several = static_cast<Several&>(*static_cast<Transport*>(self));
    const ShortCalls& calls = several.calls_[several.road(pe)];
    if (calls.fetch) return calls.fetch(calls.self, operand, pe, offset, code, compare);
    return several.fetch_atomic(pe, {kHeap, offset}, atomic_of(code, operand, compare));
}

}  // namespace isthmus::transport::several
