// Segments, events, queues, aggregators and channels as C++ objects: lifetimes, moves, errors, and
// that each function reaches its C counterpart.
#include <isthmus.hpp>

#include <sys/mman.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

namespace {

int me, pes, right, left;

struct Item {
    std::int64_t number;
    std::int32_t from;
};

// All atomics, on a word that nobody else writes.
template <typename T>
void moved_words(const isthmus::segment& segment, std::uint64_t offset) {
    const auto is = [&](T value) { return segment.peek<T>(offset).or_fail() == value; };
    segment.poke<T>(offset, 12).or_fail();
    segment.post_min<T>(offset, -3).or_fail();
    CHECK(is(-3) && segment.fetch_max<T>(offset, 12).or_fail() == -3 && is(12));
    segment.post_max<T>(offset, 13).or_fail();
    CHECK(is(13) && segment.fetch_min<T>(offset, 12).or_fail() == 13 && is(12));
    segment.post_and<T>(offset, 6).or_fail();
    CHECK(is(4) && segment.fetch_or<T>(offset, 3).or_fail() == 4 && is(7));
    segment.post_or<T>(offset, 8).or_fail();
    CHECK(is(15) && segment.fetch_and<T>(offset, 9).or_fail() == 15 && is(9));
    segment.post_xor<T>(offset, 1).or_fail();
    CHECK(is(8) && segment.fetch_xor<T>(offset, 12).or_fail() == 8 && is(4));
    CHECK(segment.fetch_clear<T>(offset).or_fail() == 4 && is(0));
}

void segments() {
    const auto id = [](int pe) { return 500 + static_cast<std::uint64_t>(pe); };
    isthmus::segment mine = isthmus::segment::create(id(me), 4096).or_fail();
    CHECK(mine && mine.owner() == me && mine.size() == 4096 && mine.id() == id(me));
    const auto twice = isthmus::segment::create(id(me), 4096);
    CHECK(!twice && twice.code() == ISTHMUS_EXISTS);
    isthmus::segment theirs = isthmus::segment::clone(id(right)).or_fail();

    std::vector<long> values{1, 2, 3};
    theirs.put(values, 64).or_fail();
    theirs.async_put(values, 128).wait().or_fail();
    theirs.fence().or_fail();
    theirs.async_fence().wait().or_fail();
    theirs.post_add(0, 1).or_fail();
    theirs.post_add<std::int32_t>(8, 5).or_fail();
    isthmus::condition arrived(mine.objects<std::int64_t>(0, 1)[0], isthmus::comparison::equal, 1);
    arrived.wait();
    CHECK(mine.objects<long>(64, 3)[2] == 3 && mine.objects<long>(128, 3)[0] == 1);
    isthmus::barrier();

    std::vector<long> read(3);
    theirs.get(64, read).or_fail();
    CHECK(read == values);
    CHECK(theirs.peek(0).or_fail() == 1 && theirs.peek<std::int32_t>(8).or_fail() == 5);
    CHECK(theirs.fetch_add(0, 2).or_fail() == 1);
    CHECK(theirs.swap<std::int32_t>(8, 6).or_fail() == 5);
    CHECK(theirs.compare_swap(0, 3, 4).or_fail() == 3);
    CHECK(theirs.compare_swap<std::int32_t>(8, 1, 4).or_fail() == 6);
    theirs.poke(16, -1).or_fail();
    theirs.poke<std::int32_t>(24, -2).or_fail();
    std::int64_t before = 0;
    theirs.async_fetch_add(16, 1, before).wait().or_fail();
    std::int32_t narrow = 0;
    theirs.async_peek(24, narrow).wait().or_fail();
    CHECK(narrow == -2);
    theirs.async_swap(24, 70, narrow).wait().or_fail();
    CHECK(narrow == -2);
    theirs.async_compare_swap(24, 70, 71, narrow).wait().or_fail();
    theirs.async_fetch_min(24, 12, narrow).wait().or_fail();
    CHECK(narrow == 71);
    theirs.async_fetch_max(24, 13, narrow).wait().or_fail();
    theirs.async_fetch_and(24, 12, narrow).wait().or_fail();
    CHECK(narrow == 13);
    theirs.async_fetch_or(24, 3, narrow).wait().or_fail();
    theirs.async_fetch_xor(24, -1, narrow).wait().or_fail();
    CHECK(narrow == 15);
    theirs.async_fetch_clear(24, narrow).wait().or_fail();
    CHECK(narrow == -16);
    CHECK(theirs.async_fetch_clear(4096, narrow).wait() == ISTHMUS_BOUNDS);
    theirs.poke<std::int32_t>(24, -2).or_fail();
    CHECK(before == -1 && theirs.peek<std::int32_t>(24).or_fail() == -2);
    CHECK(theirs.post_add(4096, 1) == ISTHMUS_BOUNDS);
    CHECK(theirs.get(4090, read) == ISTHMUS_BOUNDS);
    isthmus::event refused = theirs.async_get(4090, read);
    CHECK(refused.ready() && refused.wait() == ISTHMUS_BOUNDS);

    moved_words<std::int64_t>(theirs, 256);
    moved_words<std::int32_t>(theirs, 264);

    // A pointer into a segment means the same to everybody.
    const isthmus::global_ptr<long> p = theirs.pointer<long>(200);
    CHECK(p.where() == right);
    *p = 900 + me;
    isthmus::barrier();
    CHECK(mine.objects<long>(200, 1)[0] == 900 + left &&
          *mine.pointer<long>(200).local() == 900 + left);

    // Default segments, and the counterpart of a symmetric object.
    isthmus::symmetric_block<long> block(8);
    const auto heap = isthmus::segment::of(right).or_fail();
    const std::uint64_t offset = heap.offset_of(block.data() + 3).or_fail();
    heap.post_add(offset, 40 + me).or_fail();
    isthmus::barrier();
    CHECK(block[3] == 40 + left);
    CHECK(isthmus::segment::of(pes).code() == ISTHMUS_ARGUMENT);

    isthmus::segment moved = std::move(theirs);
    CHECK(moved && !theirs && theirs.size() == 0);
    CHECK(theirs.put(values, 64) == ISTHMUS_STALE && theirs.post_add(0, 1) == ISTHMUS_STALE);
    CHECK(theirs.peek(0).code() == ISTHMUS_STALE && theirs.fence() == ISTHMUS_STALE);
    CHECK(isthmus::segment().put(values, 0) == ISTHMUS_STALE);
    isthmus::barrier();
    mine.destroy().or_fail();
    isthmus::barrier();
    CHECK(moved.post_add(0, 1) == ISTHMUS_STALE);
    isthmus::barrier();

    const auto room =
        isthmus::segment::create(id(me), 65536, ISTHMUS_DEFAULT_ACCESS | ISTHMUS_ALLOCATOR)
            .or_fail();
    const std::uint64_t a = room.allocate(100).or_fail();
    const std::uint64_t b = room.allocate(100, 256).or_fail();
    CHECK(a != b && b % 256 == 0);
    room.free(a).or_fail();
    room.free(b).or_fail();
    CHECK(room.free(b) == ISTHMUS_ARGUMENT);
    CHECK(room.allocate(1 << 20).code() == ISTHMUS_NO_MEMORY);
    CHECK(isthmus::segment::clone(99999, 0.01).code() == ISTHMUS_TIMEOUT);
    isthmus::barrier();
}

// Memory of the owner's is where it was to the owner; a pointer into it leads everybody there.
void pointers_into_adopted_memory() {
    constexpr std::size_t kBytes = 8192;
    using Pointer = isthmus::global_ptr<long>;
    void* const pages =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    static_cast<long*>(pages)[3] = 70 + me;
    isthmus::symmetric_block<Pointer> sent(static_cast<std::size_t>(pes));
    {
        isthmus::segment made =
            isthmus::segment::create(ISTHMUS_ANY_ID, kBytes, 0, pages).or_fail();
        const isthmus::segment mine = std::move(made);
        CHECK(static_cast<void*>(mine.data()) == pages && !made.pointer<long>(24));
        const Pointer p = mine.pointer<long>(24);
        CHECK(p.where() == me && *p == 70 + me && *p.local() == 70 + me);
        for (int pe = 0; pe < pes; ++pe)
            *isthmus::global_ptr<Pointer>(sent.data() + me, pe) = p;
        isthmus::barrier();
        const Pointer q = sent[static_cast<std::size_t>(left)];
        CHECK(q.where() == left && *q == 70 + left);
        CHECK(q.direct() ? *q.direct() == 70 + left : has_far_pes());
        const auto clone = isthmus::segment::clone(mine.id(), 0).or_fail();
        CHECK(clone.pointer<long>(24) == p);
        q[1] = 90 + me;
        isthmus::global_atomic<long>(q).fetch_add(5);
        isthmus::barrier();
        CHECK(static_cast<long*>(pages)[3] == 75 + me &&
              static_cast<long*>(pages)[4] == 90 + right);
        isthmus::barrier();
    }
    CHECK(munmap(pages, kBytes) == 0);
    // Symmetric memory, and the library's.
    isthmus::symmetric_block<long> block(512);
    const auto heap = isthmus::segment::create(ISTHMUS_ANY_ID, 4096, 0, block.data()).or_fail();
    CHECK(heap.pointer<long>(16) == isthmus::global_ptr<long>(block.data() + 2, me));
    const auto own = isthmus::segment::create(ISTHMUS_ANY_ID, 4096).or_fail();
    CHECK(own.pointer<long>(16).home() == reinterpret_cast<long*>(own.data()) + 2);
    isthmus::barrier();
}

void events() {
    alignas(8) std::int64_t words[2] = {0, 0};
    const isthmus::condition conditions[2] = {{words[0], isthmus::comparison::greater, 0},
                                              {words[1], isthmus::comparison::not_equal, 0}};
    CHECK(!conditions[0].ready() && conditions[0].wait_for(0.01) == ISTHMUS_TIMEOUT);
    CHECK(isthmus::wait_any(conditions, 0.01).code() == ISTHMUS_TIMEOUT);
    std::atomic<bool> found = false;
    std::thread writer([&] {
        usleep(20000);
        __atomic_store_n(&words[1], 3, __ATOMIC_RELEASE);
        while (!found.load(std::memory_order_acquire))  // however busy the machine is
            usleep(1000);
        __atomic_store_n(&words[0], 1, __ATOMIC_RELEASE);
    });
    CHECK(isthmus::wait_any(conditions).or_fail() == 1);
    found.store(true, std::memory_order_release);
    isthmus::wait_all(conditions).or_fail();
    writer.join();
    std::int32_t narrow = 4;
    CHECK(isthmus::condition(narrow, isthmus::comparison::less_equal, 4).ready());
    // Operations, among them one that could not be begun.
    const isthmus::segment heap = isthmus::segment::of(right).or_fail();
    std::vector<char> bytes(8);
    isthmus::event two[2];
    two[1] = heap.async_get(heap.size() - 4, bytes);
    CHECK(isthmus::wait_any(std::span<const isthmus::event>(two), 1).or_fail() == 0);
    CHECK(isthmus::wait_all(std::span<isthmus::event>(two), 1) == ISTHMUS_BOUNDS);
    CHECK(isthmus::wait_all(std::span<isthmus::event>(two), 0).ok());
    std::int64_t never = 0;
    isthmus_event unmet;
    isthmus_event_arm(&unmet, &never, ISTHMUS_NE, 0);
    {
        isthmus::event pending = isthmus::event::of([&](isthmus_event* e) {
            *e = unmet;
            return 0;
        });
        const std::span<isthmus::event> one(&pending, 1);
        CHECK(isthmus::wait_all(one, 0.01) == ISTHMUS_TIMEOUT);
        CHECK(isthmus::wait_any(std::span<const isthmus::event>(one), 0.01).code() ==
              ISTHMUS_TIMEOUT);
        never = 1;
        isthmus::wait_all(one).or_fail();
    }
    CHECK(isthmus::condition().ready() && isthmus::event().ready());
    // Each event says its own reason, whatever has failed since.
    const auto says = [](const isthmus::status& why, const char* what) {
        return std::string(why.text()).find(what) != std::string::npos;
    };
    isthmus::event high = heap.async_put(bytes, heap.size() - 1);
    isthmus::event wide = heap.async_put(bytes, heap.size() - 2);
    CHECK(isthmus::segment::of(pes).code() == ISTHMUS_ARGUMENT);
    const std::string at_high = "offset " + std::to_string(heap.size() - 1);
    const std::string at_wide = "offset " + std::to_string(heap.size() - 2);
    isthmus::event other = std::move(high);
    CHECK(high.wait().ok());
    const isthmus::status why = other.wait();
    CHECK(why == ISTHMUS_BOUNDS && says(why, at_high.c_str()));
    CHECK(other.wait().ok());
    CHECK(says(wide.wait(), at_wide.c_str()));
    isthmus::event three[3];
    three[1] = heap.async_put(bytes, heap.size() - 1);
    three[2] = heap.async_put(bytes, heap.size() - 2);
    const isthmus::status first = isthmus::wait_all(std::span<isthmus::event>(three));
    CHECK(first == ISTHMUS_BOUNDS && says(first, at_high.c_str()));
    // A time-out takes no reason away.
    std::int64_t later = 0;
    isthmus_event_arm(&unmet, &later, ISTHMUS_NE, 0);
    isthmus::event mixed[2];
    mixed[0] = heap.async_put(bytes, heap.size() - 1);
    mixed[1] = isthmus::event::of([&](isthmus_event* e) {
        *e = unmet;
        return 0;
    });
    CHECK(isthmus::wait_all(std::span<isthmus::event>(mixed), 0.01) == ISTHMUS_TIMEOUT);
    later = 1;
    const isthmus::status kept = isthmus::wait_all(std::span<isthmus::event>(mixed));
    CHECK(kept == ISTHMUS_BOUNDS && says(kept, at_high.c_str()));
}

void queues() {
    const auto id = [](int pe) { return 700 + static_cast<std::uint64_t>(pe); };
    isthmus::queue inbox = isthmus::queue::create(id(me), 8192).or_fail();
    {
        isthmus::queue outbox = isthmus::queue::clone(id(right)).or_fail();
        CHECK(outbox.limit() == inbox.limit() && outbox.id() == id(right));
        for (int i = 0; i < 5000; ++i) {
            outbox.push(Item{i, me}).or_fail();
            const isthmus::message message = inbox.take().or_fail();
            const Item item = message.as<Item>();
            CHECK(item.number == i && item.from == left);
        }
        std::vector<int> many(100, me);
        outbox.push(many).or_fail();
        outbox.async_push(many).wait().or_fail();
        outbox.try_push(many).or_fail();
        outbox.try_push(7.5).or_fail();
        for (int i = 0; i < 3; ++i) {
            const isthmus::message message = inbox.take().or_fail();
            CHECK(message.objects<int>().size() == 100 && message.objects<int>()[99] == left);
        }
        inbox.arrival().wait();
        CHECK(inbox.take(0).or_fail().as<double>() == 7.5);
        CHECK(inbox.take(0).code() == ISTHMUS_AGAIN);
        CHECK(inbox.take(0.01).code() == ISTHMUS_TIMEOUT);
        std::vector<char> too_large(5000);
        CHECK(outbox.push(too_large) == ISTHMUS_TOO_LARGE);
        CHECK(outbox.take(0).code() == ISTHMUS_RIGHTS);
        isthmus::barrier();
        outbox.push(1).or_fail();
        outbox.close().or_fail();
        CHECK(outbox.push(1) == ISTHMUS_CLOSED);
    }
    CHECK(inbox.take().or_fail().as<int>() == 1);
    CHECK(inbox.take().code() == ISTHMUS_CLOSED);
    isthmus::barrier();
    CHECK(inbox.destroy().or_fail() == 0 && !inbox);
    CHECK(inbox.destroy().or_fail() == 0);
    isthmus::barrier();

    // An end that is not given up because a message is reserved, is one still.
    isthmus::queue again = isthmus::queue::create(id(me), 4096).or_fail();
    {
        isthmus::queue end = isthmus::queue::clone(id(right)).or_fail();
        void* place = nullptr;
        OK(isthmus_enqueue_reserve(end.native(), 8, &place));
        CHECK(end.destroy().code() == ISTHMUS_ARGUMENT && end);
        std::memset(place, 0, 8);
        OK(isthmus_enqueue_commit(end.native(), place, 8));
        CHECK(end.destroy().or_fail() == 0 && !end);
    }
    CHECK(again.take().or_fail().as<long>() == 0);
    isthmus::queue moved = std::move(again);
    const isthmus::queue* const without[] = {&again, &inbox};
    for (const isthmus::queue* const empty : without) {
        std::vector<int> many(2);
        CHECK(!*empty && empty->push(1) == ISTHMUS_STALE && empty->try_push(1) == ISTHMUS_STALE);
        CHECK(empty->async_push(many).wait() == ISTHMUS_STALE);
        CHECK(empty->take(0).code() == ISTHMUS_STALE && empty->close() == ISTHMUS_STALE);
        CHECK(empty->id() == 0 && empty->limit() == 0);
        CHECK(strstr(empty->push(1).text(), "empty"));
    }
    CHECK(moved);
    isthmus::barrier();
}

void aggregators() {
    std::vector<long> counted(static_cast<std::size_t>(pes));
    const auto count = [&](int source, std::span<const Item> items) {
        for (const Item& item : items) {
            CHECK(item.from == source);
            counted[static_cast<std::size_t>(source)] += item.number;
        }
    };
    isthmus::aggregator<Item> any(count);                   // by std::function
    auto exact = isthmus::aggregator_of<Item>(count, 512);  // by its own type
    const auto use = [&](auto& aggregator) {
        for (int round = 0; round < 2; ++round) {
            for (std::int64_t i = 0; i < 1000; ++i)
                for (int pe = 0; pe < pes; ++pe)
                    aggregator.push(pe, Item{i, me}).or_fail();
            aggregator.flush().or_fail();
            (void)aggregator.progress().or_fail();
            aggregator.finish().or_fail();
        }
        for (long& sum : counted)
            CHECK(std::exchange(sum, 0) == 2 * 999 * 1000 / 2);
        isthmus::barrier();
        CHECK(aggregator.push(pes, Item{}) == ISTHMUS_ARGUMENT);
    };
    use(any);
    use(exact);
    auto moved = std::move(exact);
    use(moved);
    CHECK(moved && !exact && exact.push(0, Item{}) == ISTHMUS_STALE);
    CHECK(exact.flush() == ISTHMUS_STALE && exact.finish() == ISTHMUS_STALE);
    CHECK(exact.progress().code() == ISTHMUS_STALE);
}

// Moving onto an aggregator finishes what it was, with the handler it had.
void aggregator_replaced() {
    struct Handler {
        long* sum;
        std::unique_ptr<long> alive;
        void operator()(int, std::span<const long> items) {
            CHECK(alive && *alive == 1);
            for (const long item : items)
                *sum += item;
        }
    };
    const auto handler = [](long& sum) { return Handler{&sum, std::make_unique<long>(1)}; };
    long first = 0, second = 0;
    {
        isthmus::aggregator<long, Handler> one(handler(first));
        for (int pe = 0; pe < pes; ++pe)
            one.push(pe, 5).or_fail();
        one = isthmus::aggregator<long, Handler>(handler(second));
        CHECK(first == 5L * pes && second == 0);
        for (int pe = 0; pe < pes; ++pe)
            one.push(pe, 7).or_fail();
        isthmus::aggregator<long, Handler> empty = std::move(one);
        one = std::move(empty);
        for (int pe = 0; pe < pes; ++pe)
            one.push(pe, 7).or_fail();
    }
    CHECK(first == 5L * pes && second == 14L * pes);
}

// A channel's fence orders operations on different segments, which isthmus_fence does not.
void channels() {
    const auto id = [](int pe, int which) {
        return 800 + static_cast<std::uint64_t>(pe * 2 + which);
    };
    const auto data = isthmus::segment::create(id(me, 0), 4096).or_fail();
    const auto flag = isthmus::segment::create(id(me, 1), 4096).or_fail();
    const auto far_data = isthmus::segment::clone(id(right, 0)).or_fail();
    const auto far_flag = isthmus::segment::clone(id(right, 1)).or_fail();
    const std::span<long> values = data.objects<long>(0, 8);
    const std::span<std::int64_t> flags = flag.objects<std::int64_t>(0, 2);
    isthmus::channel channel;
    for (long round = 1; round <= 2000; ++round) {
        std::vector<long> sent(8, round);
        channel.put(sent, far_data, 0).or_fail();
        channel.fence();
        channel.post_add(far_flag, 0, 1).or_fail();
        isthmus::condition(flags[0], isthmus::comparison::greater_equal, round).wait();
        for (const long& value : values)
            CHECK(__atomic_load_n(&value, __ATOMIC_RELAXED) == round);
        // My left neighbour may go on once I have said so; I, once my right one has.
        const auto back = isthmus::segment::clone(id(left, 1)).or_fail();
        channel.poke(back, 8, round).or_fail();
        isthmus::condition(flags[1], isthmus::comparison::greater_equal, round).wait();
    }
    channel.completion().wait().or_fail();
    channel.quiet();
    CHECK(channel.issued() == 6000);
    std::vector<long> read(8);
    channel.get(far_data, 0, read).or_fail();
    channel.quiet();
    CHECK(read[7] == 2000);
    CHECK(channel.post_add(far_flag, 4096, 1) == ISTHMUS_BOUNDS && channel.issued() == 6001);
    isthmus::barrier();
}

void gathers() {
    std::vector<isthmus::segment> segments;
    isthmus::segment mine =
        isthmus::segment::create(900 + static_cast<std::uint64_t>(me), 1024).or_fail();
    for (std::size_t i = 0; i < 64; ++i)
        mine.objects<Item>(0, 64)[i] = {static_cast<std::int64_t>(i * 3), me};
    isthmus::barrier();
    for (int pe = 0; pe < pes; ++pe)
        segments.push_back(isthmus::segment::clone(900 + static_cast<std::uint64_t>(pe)).or_fail());
    isthmus::gather<Item> gather = isthmus::gather<Item>::create(segments).or_fail();
    std::vector<Item> items(500);
    const auto source = [](std::size_t i) { return i % static_cast<std::size_t>(pes); };
    for (std::size_t i = 0; i < items.size(); ++i)
        gather.push(static_cast<std::uint32_t>(source(i)), i % 64 * sizeof(Item), items[i])
            .or_fail();
    isthmus::gather<Item> moved = std::move(gather);
    moved.wait().or_fail();
    for (std::size_t i = 0; i < items.size(); ++i)
        CHECK(items[i].number == static_cast<std::int64_t>(i % 64 * 3) &&
              items[i].from == static_cast<int>(source(i)));
    CHECK(moved.push(0, 1024 - sizeof(Item) + 1, items[0]) == ISTHMUS_BOUNDS);
    CHECK(moved.push(static_cast<std::uint32_t>(pes), 0, items[0]) == ISTHMUS_ARGUMENT);
    const auto none = isthmus::gather<Item>::create(std::span<const isthmus::segment>());
    CHECK(!none && none.code() == ISTHMUS_ARGUMENT);
    CHECK(moved && !gather && gather.push(0, 0, items[0]) == ISTHMUS_STALE);
    CHECK(gather.wait() == ISTHMUS_STALE);
    isthmus::barrier();
}

}  // namespace

// Objects may outlive their session; they are destroyed without one, in another one, and at exit.
std::vector<isthmus::segment> outliving;

void outlive() {
    {
        const isthmus::job job;
        for (std::uint64_t i = 0; i < 3; ++i)
            outliving.push_back(
                isthmus::segment::create(7000 + 100 * i + static_cast<unsigned>(isthmus::pe()), 64)
                    .or_fail());
    }
    outliving.pop_back();
}

void views_of_nothing() {
    const isthmus::remote_view<long, 1> nothing;
    long here[1] = {};
    CHECK(nothing.where() == -1);
    CHECK(isthmus::put(isthmus::array_view(here, 0), nothing) == ISTHMUS_STALE);
    // Aligned is what has an aligned address, whatever the offset.
    alignas(16) static char memory[64];
    const isthmus::segment uneven =
        isthmus::segment::create(ISTHMUS_ANY_ID, 56, 0, memory + 8).or_fail();
    CHECK(uneven.objects<long double>(8, 1).size() == 1);
}

int main() {
    outlive();
    const isthmus::job job;
    me = isthmus::pe();
    pes = isthmus::pes();
    right = (me + 1) % pes;
    left = (me + pes - 1) % pes;
    segments();
    pointers_into_adopted_memory();
    events();
    queues();
    aggregators();
    aggregator_replaced();
    channels();
    gathers();
    outliving.pop_back();
    views_of_nothing();
    return 0;
}
