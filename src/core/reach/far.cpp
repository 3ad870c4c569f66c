#include "core/reach/far.hpp"

#include <string>

#include "base/error.hpp"
#include "base/os.hpp"
#include "core/copy/copy.hpp"
#include "core/job/arena_layout.hpp"
#include "core/job/job.hpp"
#include "core/reach/operation.hpp"
#include "core/wait/wait.hpp"

namespace isthmus {

namespace far {

View view;
Express express;

namespace {

using transport::Place;

Routine noted_routine() {
    return job.status().routine.load(std::memory_order_relaxed);
}

// Where `address` lies in the published memory. Constants are in none of it: false. In the arena of
// another PE nothing is known of its end here.
bool find_place(const void* address, std::size_t bytes, Place& place) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (job.heap.contains(address) && bytes <= job.heap.end() - at) [[likely]] {
        place = {transport::kHeap, at - job.heap.begin};
        return true;
    }
    if (job.data.contains(address) && bytes <= job.data.end() - at) {
        place = {transport::kData, at - job.data.begin};
        return true;
    }
    if (job.arena.size != 0 && at - job.arena.begin < arena_room()) {
        place = {transport::kArena, at - job.arena.begin};
        return true;
    }
    if (job.library_count == 0) return false;
    const StaticRange library = static_range(address);
    if (library.range.size == 0 || bytes > library.range.end() - at) return false;
    place = {transport::kData, at - library.range.begin + library.offset};
    return true;
}

Place word_of(const void* address, const Atomic& atomic, const char* routine) {
    require_aligned(address, atomic.width, routine);
    return place_of(address, atomic.width, routine);
}

}  // namespace

void refuse_alignment(const void* word, unsigned width, const char* routine) {
    refuse(routine, Text("address ", InHex(word), " is not aligned to ", width, " bytes"));
}

Place place_of(const void* address, std::size_t bytes, const char* routine) {
    Place place;
    if (!find_place(address, bytes, place)) [[unlikely]] {
        const Text why = why_not_symmetric(address, bytes);
        refuse(routine, why.empty()
                            ? Text("address ", InHex(address),
                                   " is a constant of the program, which may be read, not written")
                            : why);
    }
    return place;
}

bool is_published(const void* address, std::size_t bytes) {
    Place place;
    return find_place(address, bytes, place);
}

char* own_memory(const Place& place, std::size_t bytes) {
    if (place.segment == transport::kData && place.offset >= job.data.size) {
        const auto [range, offset] = static_range_at(place.offset);
        const std::uint64_t within = place.offset - offset;
        return bytes > range.size || within > range.size - bytes
                   ? nullptr
                   : reinterpret_cast<char*>(range.begin + within);
    }
    const Range published[] = {job.heap, job.data, job.arena};
    static_assert(std::size(published) == transport::kSegments);
    if (place.segment >= transport::kSegments) return nullptr;
    const Range& within = published[place.segment];
    if (place.offset > within.size || bytes > within.size - place.offset) return nullptr;
    return reinterpret_cast<char*>(within.begin + place.offset);
}

void put_again(const void* dest, const void* source, std::size_t bytes, int pe) {
    const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(dest) - view.heap;
    road->put(pe, {transport::kHeap, offset}, source, bytes);
}

void note_written(int pe) {
    road->wrote(pe);
}

bool find_address(const void* memory, std::size_t bytes, int pe, transport::Address& address) {
    Place place;
    if (!express.call.put || !find_place(memory, bytes, place)) return false;
    address = road->address_of(pe, place);
    return true;
}

bool put_otherwise(void* dest, const void* source, std::size_t bytes, int pe) {
    Place place;
    if (static_cast<std::uint32_t>(pe) >= view.pes || bytes == 0 || !find_place(dest, bytes, place))
        return false;
    view.road->put(pe, place, source, bytes);
    return true;
}

bool put_otherwise_on(Channel& on, void* dest, const void* source, std::size_t bytes, int pe) {
    Place place;
    if (static_cast<std::uint32_t>(pe) >= view.pes || bytes == 0 || !find_place(dest, bytes, place))
        return false;
    on.put(pe, place, source, bytes);
    return true;
}

std::int64_t pe_of_fault(std::uintptr_t address) {
    const auto first = reinterpret_cast<std::uintptr_t>(express.call.keys);
    if (first == 0 || address - first >= transport::kKeyRoom) return -1;
    return static_cast<std::int64_t>((address - first) / sizeof(std::uint64_t));
}

void put(void* dest, const void* source, std::size_t bytes, int pe, const char* routine,
         Channel* on) {
    const OnRoad on_road(routine);
    if (bytes == 0) return;
    on->put(pe, place_of(dest, bytes, routine), source, bytes);
}

void get(void* dest, const void* source, std::size_t bytes, int pe, const char* routine) {
    if (bytes == 0) return;
    Place place;
    if (find_place(source, bytes, place)) [[likely]] {
        const OnRoad on_road(routine);
        return road->get(pe, dest, place, bytes);
    }
    if (const Text why = why_not_symmetric(source, bytes); !why.empty()) refuse(routine, why);
    copy(dest, source, bytes);  // a constant: the same at every PE
}

void put_nbi(void* dest, const void* source, std::size_t bytes, int pe, const char* routine,
             Channel* on) {
    const OnRoad on_road(routine);
    if (bytes == 0) return;
    on->put_nbi(pe, place_of(dest, bytes, routine), source, bytes);
}

void get_nbi(void* dest, const void* source, std::size_t bytes, int pe, const char* routine,
             Channel* on) {
    Place place;
    if (bytes == 0 || !find_place(source, bytes, place)) [[unlikely]]
        return get(dest, source, bytes, pe, routine);
    const OnRoad on_road(routine);
    on->get_nbi(pe, dest, place, bytes);
}

std::uint64_t fetch_atomic(const void* word, int pe, const Atomic& atomic, const char* routine) {
    const OnRoad on_road(routine);
    return road->fetch_atomic(pe, word_of(word, atomic, routine), atomic);
}

void post_atomic(void* word, int pe, const Atomic& atomic, const char* routine, Channel* on) {
    const OnRoad on_road(routine);
    on->post_atomic(pe, word_of(word, atomic, routine), atomic);
}

void put_signal(void* dest, const void* source, std::size_t bytes, std::uint64_t* word,
                const Atomic& signal, int pe, const char* routine, Channel* on) {
    const OnRoad on_road(routine);
    const Place there = word_of(word, signal, routine);
    if (bytes == 0) return on->post_atomic(pe, there, signal);
    on->put_signal(pe, place_of(dest, bytes, routine), source, bytes, there, signal);
}

void put_signal_nbi(void* dest, const void* source, std::size_t bytes, std::uint64_t* word,
                    const Atomic& signal, int pe, const char* routine, Channel* on) {
    const OnRoad on_road(routine);
    const Place there = word_of(word, signal, routine);
    if (bytes == 0) return on->post_atomic(pe, there, signal);
    on->put_signal_nbi(pe, place_of(dest, bytes, routine), source, bytes, there, signal);
}

void fetch_atomic_nbi(const void* word, int pe, const Atomic& atomic, void* result,
                      const char* routine, Channel* on) {
    const OnRoad on_road(routine);
    on->fetch_atomic_nbi(pe, word_of(word, atomic, routine), atomic, result);
}

void tell(void* dest, const void* source, std::size_t bytes, std::uint64_t* word,
          std::uint64_t value, int pe, const char* routine) {
    const Atomic signal{AtomicKind::set, 8, value, 0};
    const Place there = word_of(word, signal, routine);
    road->tell(pe, bytes == 0 ? there : place_of(dest, bytes, routine), source, bytes, there,
               signal);
}

void count_up(std::uint64_t* word, int pe) {
    const Place there = place_of(word, sizeof *word, routine_name(noted_routine()));
    road->tell(pe, there, nullptr, 0, there, {AtomicKind::add, 8, 1, 0});
}

void fence() {
    if (!road) return;
    const OnRoad on_road("a fence");
    road->fence();
}

void quiet() {
    if (!road) return;
    const OnRoad on_road("a quiet");
    road->quiet();
}

void settle() {
    if (!road) return;
    const OnRoad on_road("a quiet");
    road->settle();
}

void order_puts() {
    const OnRoad on_road;
    road->order_puts();
}

void begin_get(void* dest, const void* source, std::size_t bytes, int pe, Pending& pending,
               const char* routine) {
    const OnRoad on_road(routine);
    if (bytes != 0) road->begin_get(pe, dest, place_of(source, bytes, routine), bytes, pending);
}

namespace {

// Relaxed: for messages.
std::atomic<const char*> awaited_now = nullptr;

bool is_done(const Pending& reads) {
    // Acquire: partner is Pending::finish.
    return reads.reached.load(std::memory_order_acquire) == reads.number;
}

}  // namespace

const char* awaited() {
    return awaited_now.load(std::memory_order_relaxed);
}

void wait_until_done(int pe, const char* what, bool (*done)(void*), void* argument) {
    const OffRoad off_road;
    const auto is_done = [&] { return off_road.back_for([&] { return done(argument); }); };
    // A poll here is a look at the network, some fifty times the cost of a look at memory.
    for (std::uint32_t polls = 0; polls < job.spin / 50; ++polls) {
        if (is_done()) return;
    }
    // Sleeps when the answer is late, or when a yield was: then somebody computes, and would go on
    // doing so for the scheduler's turn.
    constexpr int kYields = 1000;
    constexpr std::uint64_t kLongYield = 100'000;  // nanoseconds
    struct Told {
        explicit Told(const char* what) { awaited_now.store(what, std::memory_order_relaxed); }
        ~Told() { awaited_now.store(nullptr, std::memory_order_relaxed); }
    } const told(what);
    Waiter waiter({noted_routine(), pe, nullptr, WaitFor::memory, Condition::answer});
    for (int yields = 0; yields < kYields; ++yields) {
        if (is_done()) return;
        const std::uint64_t before = os::monotonic_nanoseconds();
        waiter.step();
        if (os::monotonic_nanoseconds() - before > kLongYield) break;
    }
    while (!is_done()) {
        // Without a PE it may be another thread that is waited for.
        if (pe >= 0 && sleep())
            waiter.look();
        else
            waiter.step();
    }
}

void await(const Pending& pending, int pe) {
    if (is_done(pending)) return;
    wait_until_done(
        pe, "a get",
        [](void* argument) {
            progress();
            return is_done(*static_cast<const Pending*>(argument));
        },
        const_cast<Pending*>(&pending));
}

void request(int pe, std::uint32_t handler, const void* payload, std::size_t bytes, Channel* on) {
    on->request(pe, handler, payload, bytes);
}

std::size_t ask(int pe, std::uint32_t handler, const void* payload, std::size_t bytes, void* answer,
                std::size_t room) {
    const OnRoad on_road;
    return road->ask(pe, handler, payload, bytes, answer, room);
}

}  // namespace far

void fetch_from(void* dest, const void* source, std::size_t bytes, int pe) {
    operation::get(operation::find(source, pe), dest, source, bytes, pe,
                   routine_name(job.status().routine));
}

void store_to(void* dest, const void* source, std::size_t bytes, int pe) {
    operation::put(operation::find(dest, pe), dest, source, bytes, pe,
                   routine_name(job.status().routine));
}

}  // namespace isthmus
