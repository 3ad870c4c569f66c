// global_ptr: put and get by assignment for objects of every size, arithmetic, comparison,
// conversion, atomics; and what the concepts refuse.
#include <isthmus.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "check.h"

namespace {

using isthmus::global_ptr;
using isthmus::movable_as_bytes;
using isthmus::symmetric_block;

// ---- what may be moved as bytes

struct Point {
    int x, y;
};
struct Odd {
    unsigned char bytes[13];
};
struct Large {
    double values[100];
};
struct WithDestructor {
    ~WithDestructor() {}
};
struct WithVirtual {
    virtual ~WithVirtual() = default;
};
struct NotCopied {
    NotCopied(const NotCopied&) = delete;
    int x;
};
enum class Colour : unsigned char { red, green };
// Classes that point to their own kind, and one to a class that is finished later only.
struct Node {
    long key;
    global_ptr<Node> next;
    global_ptr<const Node> first;
};
struct Branch;
struct Root {
    global_ptr<Branch> top;
};
struct Branch {
    Root above;
    global_ptr<Branch> left, right;
};
struct NeverMoved {  // may be named where it is not finished; refused where it would be moved
    std::string text;
    global_ptr<NeverMoved> next;
};

static_assert(movable_as_bytes<int> && movable_as_bytes<const double> && movable_as_bytes<Point> &&
              movable_as_bytes<Odd> && movable_as_bytes<Large> && movable_as_bytes<Colour> &&
              movable_as_bytes<std::array<int, 4>> && movable_as_bytes<global_ptr<int>>);
static_assert(!movable_as_bytes<std::string> && !movable_as_bytes<std::vector<int>> &&
              !movable_as_bytes<std::unique_ptr<int>> && !movable_as_bytes<WithDestructor> &&
              !movable_as_bytes<WithVirtual> && !movable_as_bytes<NotCopied> &&
              !movable_as_bytes<std::mutex> && !movable_as_bytes<std::atomic<int>> &&
              !movable_as_bytes<std::tuple<int, std::string>>);
static_assert(!movable_as_bytes<std::string_view> && !movable_as_bytes<std::span<int>> &&
              !movable_as_bytes<const std::span<int, 3>> &&
              !movable_as_bytes<std::reference_wrapper<int>>);
static_assert(!movable_as_bytes<int*> && !movable_as_bytes<int&> && !movable_as_bytes<int[4]> &&
              !movable_as_bytes<void> && !movable_as_bytes<volatile int> &&
              !movable_as_bytes<int Point::*> && !movable_as_bytes<void()>);

// The refusal reaches everything that moves: naming the type is an error that names the concept.
template <typename T>
concept pointable = requires {
    typename global_ptr<T>;
};
template <typename T>
concept shareable = requires {
    typename isthmus::shared_array<T>;
};
template <typename T>
concept viewable = requires {
    typename isthmus::array_view<T, 2>;
};
template <typename T>
concept aggregated = requires {
    typename isthmus::aggregator<T>;
};
template <typename T>
concept sendable = requires(const isthmus::queue& q, const T& object) {
    q.push(object);
};
template <typename T>
concept storable = requires(const isthmus::segment& s, T (&objects)[2]) {
    s.put(objects, 0);
};
template <typename T>
concept everywhere =
    pointable<T> && shareable<T> && viewable<T> && aggregated<T> && sendable<T> && storable<T>;
template <typename T>
concept nowhere = !pointable<T> && !shareable<T> && !viewable<T> && !aggregated<T> &&
                  !sendable<T> && !storable<T>;
static_assert(everywhere<int> && everywhere<Point> && everywhere<Odd>);
static_assert(nowhere<std::vector<std::string>> && nowhere<WithVirtual> &&
              nowhere<std::unique_ptr<int>> && nowhere<std::mutex> && nowhere<int*>);
// A string or a vector is no object, but a range of them: what is in it may be sent.
static_assert(everywhere<Node> && everywhere<Branch> && pointable<const Node>);
static_assert(!shareable<NeverMoved> && !viewable<NeverMoved> && !sendable<NeverMoved> &&
              !storable<NeverMoved>);
static_assert(!pointable<void> && !pointable<int[]> && !pointable<int()> && !pointable<int&>);
static_assert(!pointable<std::string> && !shareable<std::string> && sendable<std::string> &&
              !aggregated<std::vector<int>> && sendable<std::vector<int>>);
static_assert(!aggregated<Large>);  // more than 256 bytes
static_assert(!shareable<const int> && !aggregated<const int>);

// What a pointer to const refuses, and which conversions there are.
template <typename P, typename V>
concept assignable = requires(P p, V v) {
    *p = v;
};
static_assert(assignable<global_ptr<int>, int> && !assignable<global_ptr<const int>, int>);
static_assert(!assignable<global_ptr<Point>, std::string>);
static_assert(std::convertible_to<global_ptr<int>, global_ptr<const int>>);
static_assert(!std::convertible_to<global_ptr<const int>, global_ptr<int>>);
static_assert(!std::convertible_to<global_ptr<int>, global_ptr<long>>);
static_assert(!std::convertible_to<global_ptr<int>, int*> &&
              !std::convertible_to<int*, global_ptr<int>>);
static_assert(!std::convertible_to<global_ptr<int>, bool>);  // only where a condition is wanted
template <typename T>
concept added_to = requires(isthmus::global_ref<T> r) {
    r += T();
};
static_assert(!added_to<int>);  // would be a get and a put
template <typename T>
concept atomic_at = requires {
    typename isthmus::global_atomic<T>;
};
static_assert(atomic_at<long> && atomic_at<unsigned> && !atomic_at<double> && !atomic_at<short> &&
              !atomic_at<Point>);
static_assert(std::is_trivially_copyable_v<global_ptr<int>> && sizeof(global_ptr<int>) == 16);

int me, pes, right, left;

template <typename T>
T pattern(int from, unsigned salt) {
    T value;
    unsigned char bytes[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i)
        bytes[i] = static_cast<unsigned char>(i * 7 + static_cast<unsigned>(from) * 31 + salt);
    std::memcpy(static_cast<void*>(&value), bytes, sizeof(T));
    return value;
}

template <typename T>
bool same(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

// Everyone stores into its right neighbour and reads from its left one.
template <typename T>
void assign(unsigned salt) {
    symmetric_block<T> block(4);
    global_ptr<T> p(block.data(), right);
    *p = pattern<T>(me, salt);
    p[2] = pattern<T>(me, salt + 1);
    p[3] = p[2];  // a get and a put
    isthmus::barrier();
    CHECK(same(block[0], pattern<T>(left, salt)));
    CHECK(same(block[2], pattern<T>(left, salt + 1)) && same(block[3], block[2]));
    const global_ptr<const T> q = global_ptr<T>(block.data(), left);
    const T read = *q;
    const int before_left = (left + pes - 1) % pes;
    CHECK(same(read, pattern<T>(before_left, salt)));
    CHECK(same(q[2].get(), pattern<T>(before_left, salt + 1)));
}

void arithmetic() {
    symmetric_block<long> block(10);
    const global_ptr<long> p(block.data(), right);
    CHECK(p + 3 == 3 + p && (p + 3) - p == 3 && (p + 3) - 1 == p + 2);
    global_ptr<long> q = p;
    CHECK(q++ == p && q == p + 1 && ++q == p + 2 && q-- == p + 2 && --q == p);
    q += 5;
    q -= 2;
    CHECK(q == p + 3 && q > p && p < q && p <= p && q != p);
    CHECK(&q[-3] == p && &*q == q);
    CHECK(q.where() == right && q.home() == block.data() + 3);
    CHECK((global_ptr<long>(block.data(), 0) < global_ptr<long>(block.data(), 1)));
    // Null.
    const global_ptr<long> null;
    CHECK(!null && null == nullptr && null.where() == -1 && null.local() == nullptr &&
          p != nullptr);
    CHECK(null.direct() == nullptr);
    // local and direct
    const global_ptr<long> mine(block.data(), me);
    CHECK(mine.local() == block.data() && mine.is_local() && mine.direct() == block.data());
    CHECK(pes == 1 || p.local() == nullptr);
    *p = 1000 + me;
    isthmus::barrier();
    CHECK(p.direct() ? *p.direct() == 1000 + me : has_far_pes());
    CHECK(block[0] == 1000 + left);
    CHECK((global_ptr<long>(block.data(), pes).direct() == nullptr));
    // Of another type, and a member.
    const auto bytes = isthmus::global_cast<unsigned char>(p);
    CHECK((bytes[0].get() == static_cast<unsigned char>(1000 + me)));
    symmetric_block<Point> points(2);
    const global_ptr<Point> there(points.data(), right);
    there.member(&Point::y)[0] = 77 + me;
    isthmus::barrier();
    CHECK(points[0].y == 77 + left && points[0].x == 0);
    // A pointer to heap memory means the same at every PE: send one.
    symmetric_block<global_ptr<long>> mailbox(1);
    *global_ptr<global_ptr<long>>(mailbox.data(), right) = global_ptr<long>(block.data() + 9, me);
    isthmus::barrier();
    *mailbox[0] = 5000 + me;  // into my left neighbour's block[9]
    isthmus::barrier();
    CHECK(block[9] == 5000 + right);
}

int at_static_place[2];

void statics() {
    *global_ptr<int>(at_static_place, right) = 42 + me;
    isthmus::barrier();
    CHECK(at_static_place[0] == 42 + left && at_static_place[1] == 0);
}

void blocks() {
    symmetric_block<int> block(1000);
    std::vector<int> values(1000);
    for (int i = 0; i < 1000; ++i)
        values[static_cast<std::size_t>(i)] = me * 1000 + i;
    const global_ptr<int> there(block.data(), right);
    isthmus::put(values, there).or_fail();
    isthmus::barrier();
    for (int i = 0; i < 1000; ++i)
        CHECK(block[static_cast<std::size_t>(i)] == left * 1000 + i);
    isthmus::barrier();
    std::array<int, 10> part{};
    {
        isthmus::event arrived = isthmus::async_get(there + 100, part);
        CHECK(arrived.wait() == ISTHMUS_OK && arrived.ready());
    }
    CHECK(part[0] == me * 1000 + 100 && part[9] == me * 1000 + 109);
    isthmus::barrier();
    isthmus::event sent[2] = {isthmus::async_put(part, there),
                              isthmus::async_put(part, there + 10)};
    isthmus::wait_all(sent).or_fail();
    isthmus::barrier();
    CHECK(block[0] == left * 1000 + 100 && block[19] == left * 1000 + 109);
    // What is wrong is said, and nothing moves.
    std::array<int, 4> none{};
    CHECK(isthmus::put(none, global_ptr<int>(block.data(), pes)) == ISTHMUS_ARGUMENT);
    CHECK(isthmus::get(global_ptr<int>(none.data(), me), part) == ISTHMUS_BOUNDS);
    const isthmus::status wrong = isthmus::put(none, global_ptr<int>(block.data(), -1));
    CHECK(!wrong && std::string(wrong.text()).find("out of range") != std::string::npos);
    CHECK(std::string(wrong.name()) == "ISTHMUS_ARGUMENT");
}

template <typename T>
void atomics() {
    symmetric_block<T> words(3);
    const isthmus::global_atomic<T> sum(global_ptr<T>(words.data(), 0));
    const isthmus::global_atomic<T> bits(global_ptr<T>(words.data() + 1, 0));
    for (int i = 0; i < 1000; ++i)
        sum.fetch_add(T(2));
    bits.fetch_or(T(1) << me);
    // A lock made of compare_exchange.
    const isthmus::global_atomic<T> lock(global_ptr<T>(words.data() + 2, 0));
    T expected = 0;
    while (!lock.compare_exchange(expected, T(me + 1))) {
        CHECK(expected != 0);
        expected = 0;
        usleep(10);
    }
    CHECK(lock.load() == T(me + 1));
    CHECK(lock.exchange(0) == T(me + 1));
    isthmus::barrier();
    CHECK(sum.load() == T(2000 * pes) && bits.load() == T((1 << pes) - 1));
    isthmus::barrier();
    if (me == 0) {
        CHECK(bits.fetch_and(T(1)) == T((1 << pes) - 1) && bits.fetch_xor(T(3)) == T(1));
        bits.store(T(9));
        CHECK(words[1] == T(9));
    }
}

// A pointer that was cast reaches the same bytes, also for the compiler.
void casts() {
    const symmetric_block<double> numbers(1);
    const symmetric_block<Colour> colours(1);
    double& number = *numbers.data();
    Colour& colour = *colours.data();
    const auto bits = isthmus::global_cast<std::uint64_t>(global_ptr<double>(&number, me));
    const auto byte = isthmus::global_cast<unsigned char>(global_ptr<Colour>(&colour, me));
    int wrong = 0;
    for (int round = 0; round < 100; ++round) {
        number = 0;
        *bits = 0x3ff0000000000000u;
        wrong += number != 1;
        number = 2;
        wrong += (*bits).get() != 0x4000000000000000u;
        colour = Colour::red;
        *byte = 1;
        wrong += colour != Colour::green;
    }
    CHECK(wrong == 0);
    isthmus::barrier();
}

// A list with one node at each PE, in the order of PEs, walked from PE 0's by everyone.
void chain() {
    const symmetric_block<Node> nodes(1);
    const global_ptr<Node> first(nodes.data(), 0);
    const global_ptr<Node> next = me + 1 < pes ? global_ptr<Node>(nodes.data(), me + 1) : nullptr;
    *global_ptr<Node>(nodes.data(), me) = Node{me + 1, next, first};
    isthmus::barrier();
    long sum = 0;
    for (global_ptr<Node> p = first; p;) {
        const Node node = *p;
        CHECK(node.key == p.where() + 1 && Node(*node.first).key == 1);
        sum += node.key;
        p = *p.member(&Node::next);
    }
    CHECK(sum == long(pes) * (pes + 1) / 2);
    isthmus::barrier();
}

// Iterators of the standard library, also for what exchanges objects.
void algorithms() {
    constexpr int kCount = 100;
    const symmetric_block<int> block(kCount);
    const global_ptr<int> first(block.data(), right), last = first + kCount;
    std::vector<int> mine(kCount);
    std::iota(mine.rbegin(), mine.rend(), 1000 * me);
    isthmus::barrier();
    std::copy(mine.begin(), mine.end(), first);
    CHECK(first[0] == 1000 * me + 99 && first[99] == 1000 * me);
    std::sort(first, last);
    CHECK(std::is_sorted(first, last) && first[0] == 1000 * me);
    std::ranges::reverse(first, last);
    std::ranges::sort(first, last);
    CHECK(first[0] == 1000 * me && first[99] == 1000 * me + 99);
    std::swap_ranges(mine.begin(), mine.begin() + 2, first);
    CHECK(first[0] == 1000 * me + 99 && mine[0] == 1000 * me);
    swap(first[0], first[99]);
    swap(first[99], mine[0]);
    CHECK(first[99] == 1000 * me && mine[0] == 1000 * me + 99);
    const auto moved = std::ranges::rotate(first, first + 1, last);
    CHECK(moved.size() == 1 && std::ranges::count(first, last, 1000 * me) == 1);
    isthmus::barrier();
}

}  // namespace

int main() {
    const isthmus::job job;
    me = isthmus::pe();
    pes = isthmus::pes();
    right = (me + 1) % pes;
    left = (me + pes - 1) % pes;
    assign<char>(1);
    assign<short>(2);
    assign<int>(3);
    assign<long>(4);
    assign<Colour>(5);
    assign<double>(6);
    assign<Point>(7);
    assign<Odd>(8);
    assign<std::array<int, 16>>(9);
    assign<Large>(10);
    arithmetic();
    statics();
    blocks();
    casts();
    chain();
    algorithms();
    atomics<std::int32_t>();
    atomics<std::uint64_t>();
    return 0;
}
