// A job whose PEs are threads of this process, with the road loop between them: for unit tests of
// everything that is far.
#pragma once

#include <sched.h>

#include <barrier>
#include <cstring>
#include <functional>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "transport/loop/link.hpp"
#include "transport/service/whole_road.hpp"

namespace isthmus::transport::test {

using LoopRoad = service::Road<loop::Link>;

// The same link with everything in order: as late, but nothing overtakes. A write is then done when
// its data have left, so the service asks behind it.
class OrderedLink : public loop::Link {
  public:
    explicit OrderedLink(const Services& services) : Link(services), limits_(Link::limits()) {
        limits_.ordered = true;
    }
    const Limits& limits() const { return limits_; }
    long send(int pe, Pieces pieces, Order) { return Link::send(pe, pieces, Order::strict); }

  private:
    Limits limits_;
};
using OrderedLoopRoad = service::Road<OrderedLink>;

// How a PE opens its road. Given as a function, not as a type, a test's text is compiled once for
// all roads.
using OpenRoad = std::unique_ptr<Transport> (*)(const Services&);
template <typename Road>
std::unique_ptr<Transport> open_road(const Services& services) {
    return std::make_unique<Road>(services);
}
// For tests of what holds on several roads.
struct NamedRoad {
    const char* name;
    OpenRoad open;
};
inline std::ostream& operator<<(std::ostream& out, const NamedRoad& road) {
    return out << road.name;
}

// Services are functions without an argument for whom they serve: each PE's program and the
// threads that it starts know.
struct LoopJob;
inline thread_local LoopJob* this_job = nullptr;
inline thread_local int this_pe = -1;

struct LoopJob {
    static constexpr std::size_t kHeapBytes = std::size_t{1} << 20;

    explicit LoopJob(int count)
        : pes(count), meeting(count), heaps(at(count)), serves_by_itself(at(count), true) {
        for (auto& heap : heaps)
            heap.resize(kHeapBytes / sizeof(std::uint64_t));
    }

    using Program = std::function<void(int me, Transport& road)>;

    // Runs the program at every PE, on a road of its own.
    template <typename Road = LoopRoad>
    void run(std::uint64_t seed, std::uint64_t delay, const Program& program) {
        run(open_road<Road>, seed, delay, program);
    }
    void run(OpenRoad open, std::uint64_t seed, std::uint64_t delay, const Program& program) {
        std::vector<std::thread> threads;
        for (int pe = 0; pe < pes; ++pe)
            threads.emplace_back([&, pe] {
                this_job = this;
                this_pe = pe;
                Services services;
                services.me = pe;
                services.pes = pes;
                services.secret = {0x5e, 0xed, static_cast<unsigned char>(seed)};
                services.segments[kHeap] = {reinterpret_cast<char*>(heaps[at(pe)].data()),
                                            kHeapBytes};
                services.seed = seed;
                services.delay_nanoseconds = delay;
                services.spins = false;
                services.thread = serves_by_itself[at(pe)];
                services.gather = gather;
                services.fail = [](const char* what) { throw std::runtime_error(what); };
                services.lost = [](int, const char* what) { throw std::runtime_error(what); };
                services.gone = gone;
                services.wait = [](int, const char*, bool (*done)(void*), void* argument) {
                    while (!done(argument))
                        sched_yield();
                };
                services.serve = [](int, std::uint32_t handler, const void* payload,
                                    std::size_t bytes, void* answer) {
                    if (handler != 7 || bytes > kAnswerBytes) return kRefused;
                    std::memcpy(answer, payload, bytes);
                    return bytes;
                };
                services.stir = [] {};
                const std::unique_ptr<Transport> road = open(services);
                program(pe, *road);
                road->settle();
                // Nobody goes while others may ask something of it.
                meeting.arrive_and_wait();
            });
        for (std::thread& thread : threads)
            thread.join();
    }
    void meet() { meeting.arrive_and_wait(); }
    std::uint64_t* heap(int pe) { return heaps[at(pe)].data(); }

    const int pes;
    std::barrier<> meeting;
    std::vector<std::vector<std::uint64_t>> heaps;
    // By PE: without, it serves others only while its program calls progress().
    std::vector<bool> serves_by_itself;
    void (*gone)(int pe, const char* what) = nullptr;
    std::vector<char> gathered;

  private:
    static std::size_t at(int pe) { return static_cast<std::size_t>(pe); }
    static void gather(const void* mine, std::size_t bytes, void* all) {
        LoopJob& job = *this_job;
        if (this_pe == 0) job.gathered.resize(at(job.pes) * bytes);
        job.meet();
        std::memcpy(job.gathered.data() + at(this_pe) * bytes, mine, bytes);
        job.meet();
        std::memcpy(all, job.gathered.data(), job.gathered.size());
        job.meet();
    }
};

}  // namespace isthmus::transport::test
