// Remote memory access and put with signal: every routine, every type, every width; to the next PE
// and to oneself, in the heap and in static data, in every kind of context.
#include "harness.hpp"

namespace {

using test::Arena;
using test::Contexts;
using test::later;
using test::same;
using test::sample;
using test::TestContext;
using test::untouched;

constexpr int kElements = 12;
constexpr int kSourceSlot = 0;  // values that others get
constexpr int kSignalSlot = 1;  // signal words

template <typename T>
struct Element {
    SHMEM_TABLE_ELEMENT(MEMBER, T, x)
};

// P: what the pointers point to, T itself or void.
template <typename P>
struct Block {
    SHMEM_TABLE_BLOCK_(MEMBER, P, put, get)
};
template <typename P>
struct Strided {
    SHMEM_TABLE_STRIDED_(MEMBER, P, iput, iget, ibput, ibget)
};
template <typename P>
struct Signal {
    SHMEM_TABLE_SIGNAL_(MEMBER, P, put_signal)
    SHMEM_TABLE_SIGNAL_(MEMBER, P, put_signal_nbi)
};

class Test {
  public:
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    const int next = (me + 1) % pes;
    const int previous = (me + pes - 1) % pes;
    Arena arena;
    Contexts contexts;

    // Calls body(context or null, place, target, origin): `target` is whom this PE works on,
    // `origin` is the PE that works on this one the same way.
    template <typename Body>
    void everywhere(Body&& body) {
        for (const Arena::Place place : {Arena::heap, Arena::data}) {
            for (const bool self : {false, true}) {
                const int target = self ? me : next;
                const int origin = self ? me : previous;
                body(static_cast<const TestContext*>(nullptr), place, target, origin);
                for (const TestContext& context : contexts)
                    body(&context, place, target, origin);
            }
        }
    }

    template <typename T>
    void begin() {
        shmem_barrier_all();
        arena.clear();
        slot_ = 2;
        for (const Arena::Place place : {Arena::heap, Arena::data}) {
            std::memset(arena.at<char>(place, kSignalSlot), 0, Arena::kSlotBytes);
            for (int i = 0; i < kElements; ++i)
                arena.at<T>(place, kSourceSlot)[i] = sample<T>(i, me);
        }
        for (int i = 0; i < kElements; ++i)
            local_value<T>(i) = sample<T>(i, me);
        signals_ = 0;
        shmem_barrier_all();
    }
    void end() {
        contexts.quiet();
        shmem_barrier_all();
        test::run_deferred();
    }
    int new_slot() { return slot_++; }
    int new_signal() { return signals_++; }

    template <typename T>
    T& local_value(int i) {
        return reinterpret_cast<T*>(local_)[i];
    }
    template <typename T>
    const T* local() {
        return &local_value<T>(0);
    }

  private:
    int slot_ = 2;
    int signals_ = 0;
    alignas(16) char local_[kElements * 16];
};

std::string where(const TestContext* context, Arena::Place place, int target) {
    return std::string(context == nullptr ? "no context" : context->name) + ", " +
           Arena::name(place) + ", target PE " + std::to_string(target);
}

template <typename T>
void test_element(Test& t, const Element<T>& r) {
    t.begin<T>();
    t.everywhere([&](const TestContext* c, Arena::Place place, int target, int origin) {
        const std::string text = where(c, place, target);
        T* box = t.arena.at<T>(place, t.new_slot());
        const T* source = t.arena.at<T>(place, kSourceSlot);
        for (int i = 0; i < kElements; ++i) {
            T got;
            if (c == nullptr) {
                r.x_p(box + i, t.local<T>()[i], target);
                got = r.x_g(source + i, target);
            } else {
                r.ctx_x_p(c->context, box + i, t.local<T>()[i], c->pe(target));
                got = r.ctx_x_g(c->context, source + i, c->pe(target));
            }
            EXPECT_CHOSEN(c, r.x_g, r.ctx_x_g, same(got, sample<T>(i, target)),
                          text + ", element " + std::to_string(i));
        }
        later([=, &r] {
            for (int i = 0; i < kElements; ++i)
                EXPECT_CHOSEN(c, r.x_p, r.ctx_x_p, same(box[i], sample<T>(i, origin)),
                              text + ", element " + std::to_string(i));
            EXPECT_CHOSEN(c, r.x_p, r.ctx_x_p, untouched(box[kElements]),
                          text + ": wrote past the end");
        });
    });
    t.end();
}

// True if box[i] == the origin's source[i] for i < count and the rest is as it was.
template <typename T>
bool holds_block(const T* box, int count, int origin) {
    for (int i = 0; i < count; ++i) {
        if (!same(box[i], sample<T>(i, origin))) return false;
    }
    return untouched(box[count]);
}

template <typename T, typename P>
void test_block(Test& t, const Block<P>& r) {
    t.begin<T>();
    const auto check_put = [&](auto& plain, auto& with_context, const TestContext* c,
                               Arena::Place place, int target, int origin) {
        const std::string text = where(c, place, target);
        for (const int count : {kElements, 1, 0}) {
            T* box = t.arena.at<T>(place, t.new_slot());
            if (c == nullptr)
                plain(box, t.local<T>(), static_cast<std::size_t>(count), target);
            else
                with_context(c->context, box, t.local<T>(), static_cast<std::size_t>(count),
                             c->pe(target));
            test::Record* record = c == nullptr ? plain.record : with_context.record;
            later([=] {
                test::expect(*record, holds_block(box, count, origin), __FILE__, __LINE__,
                             text + ", elements " + std::to_string(count));
            });
        }
    };
    const auto check_get = [&](auto& plain, auto& with_context, const TestContext* c,
                               Arena::Place place, int target) {
        const std::string text = where(c, place, target);
        for (const int count : {kElements, 1, 0}) {
            T box[kElements + 1];
            std::memset(static_cast<void*>(box), Arena::kUntouched, sizeof box);
            const T* source = t.arena.at<T>(place, kSourceSlot);
            if (c == nullptr) {
                plain(box, source, static_cast<std::size_t>(count), target);
                shmem_quiet();
            } else {
                with_context(c->context, box, source, static_cast<std::size_t>(count),
                             c->pe(target));
                shmem_ctx_quiet(c->context);
            }
            test::expect(*(c == nullptr ? plain.record : with_context.record),
                         holds_block(box, count, target), __FILE__, __LINE__,
                         text + ", elements " + std::to_string(count));
        }
    };
    t.everywhere([&](const TestContext* c, Arena::Place place, int target, int origin) {
        check_put(r.put, r.ctx_put, c, place, target, origin);
        check_put(r.put_nbi, r.ctx_put_nbi, c, place, target, origin);
        check_get(r.get, r.ctx_get, c, place, target);
        check_get(r.get_nbi, r.ctx_get_nbi, c, place, target);
    });
    t.end();
}

struct Strides {
    int dst, sst, block, count;  // plain strided: block is 1
};

// True if box holds the blocks of the origin at stride dst, and between them nothing was written.
template <typename T>
bool holds_strided(const T* box, const Strides& s, int origin) {
    int extent = s.count == 0 ? 0 : (s.count - 1) * s.dst + s.block;
    for (int i = 0; i <= extent; ++i) {
        const int number = i / s.dst;
        const int within = i % s.dst;
        const bool written = number < s.count && within < s.block;
        if (written ? !same(box[i], sample<T>(number * s.sst + within, origin))
                    : !untouched(box[i]))
            return false;
    }
    return true;
}

template <typename T, typename P>
void test_strided(Test& t, const Strided<P>& r) {
    t.begin<T>();
    const Strides single[] = {
        {1, 1, 1, kElements}, {2, 3, 1, 4}, {3, 1, 1, 5}, {1, 2, 1, 6}, {2, 2, 1, 0}};
    const Strides blocks[] = {{2, 2, 2, 6}, {3, 5, 2, 3}, {5, 3, 3, 4}, {4, 4, 1, 3}, {2, 2, 1, 0}};
    const auto check = [&](auto& plain, auto& with_context, const TestContext* c,
                           Arena::Place place, int target, int origin, const Strides& s,
                           bool is_put, bool is_block) {
        test::Record* record = c == nullptr ? plain.record : with_context.record;
        const std::string text = where(c, place, target) + ", strides " + std::to_string(s.dst) +
                                 " and " + std::to_string(s.sst);
        T local_box[40];
        std::memset(static_cast<void*>(local_box), Arena::kUntouched, sizeof local_box);
        T* dest = is_put ? t.arena.at<T>(place, t.new_slot()) : local_box;
        const T* source = is_put ? t.local<T>() : t.arena.at<T>(place, kSourceSlot);
        const auto count = static_cast<std::size_t>(s.count);
        const auto block = static_cast<std::size_t>(s.block);
        const auto call = [&](auto&&... last) {
            if (c == nullptr)
                plain(dest, source, s.dst, s.sst, last..., target);
            else
                with_context(c->context, dest, source, s.dst, s.sst, last..., c->pe(target));
        };
        if constexpr (std::is_invocable_v<decltype(plain), T*, const T*, ptrdiff_t, ptrdiff_t,
                                          std::size_t, std::size_t, int>)
            call(block, count);
        else
            call(count);
        (void)is_block;
        if (is_put)
            later([=] {
                test::expect(*record, holds_strided(dest, s, origin), __FILE__, __LINE__, text);
            });
        else
            test::expect(*record, holds_strided(dest, s, target), __FILE__, __LINE__, text);
    };
    t.everywhere([&](const TestContext* c, Arena::Place place, int target, int origin) {
        for (const Strides& s : single) {
            check(r.iput, r.ctx_iput, c, place, target, origin, s, true, false);
            check(r.iget, r.ctx_iget, c, place, target, origin, s, false, false);
        }
        for (const Strides& s : blocks) {
            check(r.ibput, r.ctx_ibput, c, place, target, origin, s, true, true);
            check(r.ibget, r.ctx_ibget, c, place, target, origin, s, false, true);
        }
    });
    t.end();
}

template <typename T, typename P>
void test_signal(Test& t, const Signal<P>& r) {
    t.begin<T>();
    const auto check = [&](auto& plain, auto& with_context, const TestContext* c,
                           Arena::Place place, int target, int origin) {
        test::Record* record = c == nullptr ? plain.record : with_context.record;
        const std::string text = where(c, place, target);
        T* box = t.arena.at<T>(place, t.new_slot());
        std::uint64_t* signal = t.arena.at<std::uint64_t>(place, kSignalSlot) + t.new_signal();
        const auto call = [&](std::size_t count, std::uint64_t value, int operation) {
            if (c == nullptr)
                plain(box, t.local<T>(), count, signal, value, operation, target);
            else
                with_context(c->context, box, t.local<T>(), count, signal, value, operation,
                             c->pe(target));
        };
        // Set, then add: with a fence between them, as puts to one signal are not ordered.
        call(kElements, 0x100000000u + static_cast<unsigned>(t.me), SHMEM_SIGNAL_SET);
        if (c == nullptr)
            shmem_fence();
        else
            shmem_ctx_fence(c->context);
        call(0, 5, SHMEM_SIGNAL_ADD);
        const std::uint64_t expected = 0x100000005u + static_cast<unsigned>(origin);
        later([=] {
            shmem_signal_wait_until(signal, SHMEM_CMP_EQ, expected);
            test::expect(*record, holds_block(box, kElements, origin), __FILE__, __LINE__, text);
            test::expect(*record, shmem_signal_fetch(signal) == expected, __FILE__, __LINE__,
                         text + ", signal");
        });
    };
    t.everywhere([&](const TestContext* c, Arena::Place place, int target, int origin) {
        check(r.put_signal, r.ctx_put_signal, c, place, target, origin);
        check(r.put_signal_nbi, r.ctx_put_signal_nbi, c, place, target, origin);
    });
    t.end();
}

#ifndef TEST_INLINE
struct SignalWords {
    SHMEM_TABLE_BOTH_(MEMBER, void, set, (uint64_t * a, uint64_t s, int pe), (a, s, pe))
    SHMEM_TABLE_BOTH_(MEMBER, void, add, (uint64_t * a, uint64_t s, int pe), (a, s, pe))
    test::Routine<uint64_t(const uint64_t*)> fetch;
    test::Routine<uint64_t(uint64_t*, int, uint64_t)> wait_until;
};

void test_signal_words(Test& t) {
    static const SignalWords r = {{"shmem_signal_set", shmem_signal_set},
                                  {"shmem_ctx_signal_set", shmem_ctx_signal_set},
                                  {"shmem_signal_add", shmem_signal_add},
                                  {"shmem_ctx_signal_add", shmem_ctx_signal_add},
                                  {"shmem_signal_fetch", shmem_signal_fetch},
                                  {"shmem_signal_wait_until", shmem_signal_wait_until}};
    t.begin<char>();
    t.everywhere([&](const TestContext* c, Arena::Place place, int target, int origin) {
        std::uint64_t* words = t.arena.at<std::uint64_t>(place, kSignalSlot) + 2 * t.new_signal();
        if (c == nullptr) {
            r.set(words, 7, target);
            r.add(words + 1, ~std::uint64_t{0} - 1, target);
        } else {
            r.ctx_set(c->context, words, 7, c->pe(target));
            r.ctx_add(c->context, words + 1, ~std::uint64_t{0} - 1, c->pe(target));
        }
        (void)origin;
        EXPECT(r.wait_until, r.wait_until(words, SHMEM_CMP_GT, 5) == 7, "value returned");
        EXPECT(r.wait_until, r.wait_until(words + 1, SHMEM_CMP_NE, 0) == ~std::uint64_t{0} - 1,
               "value returned");
        EXPECT_CHOSEN(c, r.set, r.ctx_set, r.fetch(words) == 7, where(c, place, target));
        EXPECT_CHOSEN(c, r.add, r.ctx_add, r.fetch(words + 1) == ~std::uint64_t{0} - 1,
                      where(c, place, target));
        EXPECT(r.fetch, r.fetch(words) == 7, where(c, place, target));
    });
    t.end();
}

#endif

template <int Bits>
struct Bytes {
    unsigned char bytes[Bits / 8];
};

void run(Test& t) {
#define TEST_TYPE(T, N)                                                             \
    {                                                                               \
        static const Element<T> element = {SHMEM_TABLE_ELEMENT(INITIALISER, T, N)}; \
        test_element<T>(t, element);                                                \
    }
    SHMEM_RMA_TYPES(TEST_TYPE)
#undef TEST_TYPE
#define TEST_TYPE(T, N)                                                                       \
    {                                                                                         \
        static const Block<T> block = {SHMEM_TABLE_BLOCK_(INITIALISER, T, N##_put, N##_get)}; \
        test_block<T, T>(t, block);                                                           \
    }
    SHMEM_RMA_TYPES(TEST_TYPE)
#undef TEST_TYPE
#define TEST_BITS(BITS)                                                   \
    {                                                                     \
        static const Block<void> block = {                                \
            SHMEM_TABLE_BLOCK_(INITIALISER, void, put##BITS, get##BITS)}; \
        test_block<Bytes<BITS>, void>(t, block);                          \
    }
    SHMEM_ELEMENT_SIZES(TEST_BITS)
#undef TEST_BITS
    static const Block<void> memory = {SHMEM_TABLE_BLOCK_MEMORY(INITIALISER)};
    test_block<unsigned char, void>(t, memory);
#ifndef TEST_INLINE
#define TEST_TYPE(T, N)                                                                      \
    {                                                                                        \
        static const Strided<T> strided = {                                                  \
            SHMEM_TABLE_STRIDED_(INITIALISER, T, N##_iput, N##_iget, N##_ibput, N##_ibget)}; \
        test_strided<T, T>(t, strided);                                                      \
        static const Signal<T> signal = {SHMEM_TABLE_PUT_SIGNAL(INITIALISER, T, N)};         \
        test_signal<T, T>(t, signal);                                                        \
    }
    SHMEM_RMA_TYPES(TEST_TYPE)
#undef TEST_TYPE
#define TEST_BITS(BITS)                                                                       \
    {                                                                                         \
        static const Strided<void> strided = {SHMEM_TABLE_STRIDED_(                           \
            INITIALISER, void, iput##BITS, iget##BITS, ibput##BITS, ibget##BITS)};            \
        test_strided<Bytes<BITS>, void>(t, strided);                                          \
        static const Signal<void> signal = {SHMEM_TABLE_PUT_SIGNAL_SIZED(INITIALISER, BITS)}; \
        test_signal<Bytes<BITS>, void>(t, signal);                                            \
    }
    SHMEM_ELEMENT_SIZES(TEST_BITS)
#undef TEST_BITS
    static const Signal<void> signal = {
        SHMEM_TABLE_SIGNAL_(INITIALISER, void, putmem_signal)
            SHMEM_TABLE_SIGNAL_(INITIALISER, void, putmem_signal_nbi)};
    test_signal<unsigned char, void>(t, signal);
    test_signal_words(t);
#endif
}

}  // namespace

int main() {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    {
        Test t;
        run(t);
    }
    shmem_finalize();
#ifdef TEST_INLINE
    return test::finish("rma_inline", me, pes);
#else
    return test::finish("rma", me, pes);
#endif
}
