// Messages in C++: lambdas as handlers, typed arguments of every shape, payloads, replies, locks.
#include <isthmus.hpp>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#define CHECK(condition)                                                                       \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            std::fprintf(stderr, "PE %d: %s:%d: %s (%s)\n", isthmus::pe(), __FILE__, __LINE__, \
                         #condition, isthmus_error_text());                                    \
            isthmus_exit(1);                                                                   \
        }                                                                                      \
    } while (0)

namespace {

struct point {
    double x, y;
    char name;
};

double landing[1000];

void wait_for(const std::int64_t& word, std::int64_t value) {
    isthmus_event event;
    CHECK(isthmus_event_arm(&event, &word, ISTHMUS_GE, value) == ISTHMUS_OK);
    CHECK(isthmus::wait_polling(event));
}

// A barrier that polls: others may still want what this PE's handlers do.
std::int64_t met = 0;
void meet() {
    static std::int64_t expected = 0;
    expected += isthmus::pes();
    for (int pe = 0; pe < isthmus::pes(); ++pe)
        CHECK(isthmus::message_id<>(6).request(pe));
    wait_for(met, expected);
    isthmus::barrier();
}

// Of whose completion the sender learns: by a counter, an event, a handle.
std::int64_t completed = 0;
void tracked() {
    const int me = isthmus::pe();
    const int pe = (me + 1) % isthmus::pes();
    std::int64_t come = 0;
    isthmus::message_handler take(13, [&](const isthmus::incoming&, int value, char letter) {
        CHECK(value == 7 && letter == 'x');
        ++come;
    });
    isthmus::message_handler take_payload(14, [&](const isthmus::incoming& from) {
        for (const double value : from.payload<double>())
            CHECK(value == 1.5);
        ++come;
    });
    meet();
    completed = 0;
    const std::vector<double> values(20, 1.5);
    const std::span<double> there(landing, 20);
    std::array<double, 20> here{};
    isthmus_event event = ISTHMUS_EVENT_TRUE;
    isthmus::message_completion done;
    CHECK(done.is_complete());
    CHECK(take.by(done).request(pe, 7, 'x'));
    CHECK(done.finish());
    CHECK(take.by(done).try_request(pe, 7, 'x'));
    CHECK(done.finish());
    CHECK(take.by(event).request(pe, 7, 'x'));
    CHECK(isthmus::wait_polling(event));
    const auto counted = take_payload.by(completed);
    CHECK(counted.request_with(pe, values));
    CHECK(counted.request_into(pe, values, landing));
    wait_for(completed, 2);
    const isthmus::object_blocks<const double> from{values.data(), 2, 1, 10};
    CHECK(counted.request_strided(pe, from, isthmus::object_blocks<double>{landing, 2, 1, 10}));
    const isthmus::message_range source[] = {isthmus::message_range_of(values)};
    const isthmus::message_range dest[] = {isthmus::message_range_of(there)};
    CHECK(counted.request_vectored(pe, source, dest));
    wait_for(completed, 4);
    meet();
    CHECK(come == 7);
    CHECK(counted.get_with(pe, there));
    CHECK(counted.get_into(pe, there, here.data()));
    const isthmus::object_blocks<double> column{landing, 2, 1, 10};
    CHECK(counted.get_strided(pe, column, isthmus::object_blocks<double>{here.data(), 2, 1, 10}));
    const isthmus::message_range own[] = {isthmus::message_range_of(here)};
    CHECK(counted.get_vectored(pe, dest, own));
    wait_for(completed, 8);
    CHECK(come == 11 && here[0] == 1.5);
    meet();
}

// Columns of matrices, lists of ranges; and gets, whose handlers run here.
double matrix[20][10];
double columns[20][10];
std::array<int, 30> numbers;
std::array<int, 30> answered_numbers;
void pieces() {
    const int me = isthmus::pe();
    const int pes = isthmus::pes();
    const auto column = [](double(&of)[20][10], int index) {
        return isthmus::object_blocks<double>{&of[0][index], 10, 1, 20};
    };
    std::int64_t got = 0;
    std::int64_t put = 0;
    std::int64_t back = 0;
    isthmus::message_handler returned(12, [&](const isthmus::incoming& from) {
        CHECK(!from.is_request());
        ++back;
    });
    isthmus::message_handler come(10, [&](const isthmus::incoming& from, int index) {
        CHECK(from.payload<double>().data() == &matrix[0][index]);
        CHECK(from.payload<double>().size() == 1);
        for (int row = 0; row < 20; ++row)
            CHECK(matrix[row][index] == from.source() * 100 + row);
        if (index == 0)
            from.reply_strided(returned, column(matrix, 0), column(columns, 0)).or_fail();
        else
            from.reply(returned).or_fail();
        ++put;
    });
    isthmus::message_handler listed(11, [&](const isthmus::incoming& from) {
        CHECK(from.payload<int>().data() == &numbers[20] && from.payload<int>().size() == 3);
        CHECK(numbers[20] == 1 && numbers[21] == 2 && numbers[22] == 3 && numbers[2] == 4);
        const isthmus::message_range whole[] = {isthmus::message_range_of(numbers)};
        const isthmus::message_range there[] = {isthmus::message_range_of(answered_numbers)};
        from.reply_vectored(returned, whole, there).or_fail();
    });
    isthmus::message_handler answer(13, [&](const isthmus::incoming& from, int kind) {
        CHECK(!from.is_request());
        if (kind == 0) CHECK(from.payload<int>().size() == 30 && from.payload<int>()[29] == 29);
        ++got;
    });
    std::iota(numbers.begin(), numbers.end(), 0);
    for (int row = 0; row < 20; ++row)
        columns[row][3] = me * 100 + row;
    meet();
    const int to = (me + 1) % pes;
    // Each column of `matrix` has one writer.
    const isthmus::object_blocks<const double> mine{&columns[0][3], 10, 1, 20};
    CHECK(come.request_strided(to, mine, column(matrix, 0), 0));
    wait_for(put, 1);
    wait_for(back, 1);
    for (int row = 0; row < 20; ++row)
        CHECK(columns[row][0] == columns[row][3]);
    int into[30] = {};
    CHECK(answer.get_with(to, numbers, 0));
    wait_for(got, 1);
    CHECK(answer.get_into(to, numbers, into, 1));
    wait_for(got, 2);
    CHECK(into[0] == 0 && into[29] == 29);
    double taken[20];
    CHECK(answer.get_strided(to, column(matrix, 0), isthmus::object_blocks<double>{taken, 1, 1, 20},
                             2));
    wait_for(got, 3);
    for (int row = 0; row < 20; ++row)
        CHECK(taken[row] == me * 100 + row);
    const isthmus::message_range from[] = {{&numbers[7], sizeof(int)}, {&numbers[1], sizeof(int)}};
    const isthmus::message_range pair[] = {{into, 2 * sizeof(int)}};
    CHECK(answer.get_vectored(to, from, pair, 3));
    wait_for(got, 4);
    CHECK(into[0] == 7 && into[1] == 1);
    meet();
    const int values[] = {1, 2, 3, 4};
    const isthmus::message_range source[] = {isthmus::message_range_of(values)};
    const isthmus::message_range dest[] = {{&numbers[20], 3 * sizeof(int)},
                                           {&numbers[2], sizeof(int)}};
    if (me == pes - 1) {
        CHECK(listed.request_vectored(0, source, dest));
        wait_for(back, 2);
        CHECK(answered_numbers[20] == 1 && answered_numbers[2] == 4);
    }
    meet();
}

void test() {
    const int me = isthmus::pe();
    const int pes = isthmus::pes();
    std::int64_t done = 0;
    std::int64_t sum = 0;
    isthmus::message_lock lock;

    isthmus::message_handler answered(
        2,
        [&](const isthmus::incoming& from, int pe, long long value) {
            CHECK(!from.is_request() && from.source() == pe && value == pe * 1000 + me);
            ++done;
        },
        ISTHMUS_MESSAGE_REPLY);
    isthmus::message_handler mixed(1, [&](const isthmus::incoming& from, char c, point p, short s,
                                          const std::uint64_t& word) {
        CHECK(from.is_request() && c == 'c' && p.x == 1.5 && p.y == from.source() && p.name == 'n');
        CHECK(s == -3 && word == ~std::uint64_t{0});
        const std::lock_guard guard(lock);
        ++sum;
        from.reply(answered, me, me * 1000LL + from.source()).or_fail();
    });
    isthmus::message_handler nothing(3, [&](const isthmus::incoming&) noexcept { ++done; });
    isthmus::message_handler block(4, [&](const isthmus::incoming& from, int first) {
        const auto values = from.payload<double>();
        for (std::size_t i = 0; i < values.size(); ++i)
            CHECK(values[i] == first + static_cast<double>(i));
        if (from.is_request())
            from.reply_with(isthmus::message_id<int>(4), values, first).or_fail();
        else
            ++done;
    });
    isthmus::message_handler placed(5, [&, calls = 0](const isthmus::incoming& from) mutable {
        CHECK(++calls > 0 && from.payload<double>().data() == landing);
        CHECK(from.payload<double>().size() == 1000 && landing[999] == 999);
        ++done;
    });
    isthmus::message_handler meeting(6, [](const isthmus::incoming&) { ++met; });
    isthmus::barrier();

    for (int pe = 0; pe < pes; ++pe)
        CHECK(mixed.request(pe, 'c', point{1.5, double(me), 'n'}, -3, ~std::uint64_t{0}));
    wait_for(done, pes);
    wait_for(sum, pes);

    // By the id alone; and without waiting, until there is room.
    while (!isthmus::message_id<>(3).try_request((me + 1) % pes))
        isthmus::poll();
    wait_for(done, pes + 1);

    std::vector<double> values(100);
    std::iota(values.begin(), values.end(), 7.0);
    for (int pe = 0; pe < pes; ++pe)
        CHECK(block.request_with(pe, values, 7));
    wait_for(done, 2 * pes + 1);

    std::vector<double> many(1000);
    std::iota(many.begin(), many.end(), 0.0);
    if (me == pes - 1) CHECK(placed.request_into(0, many, landing));
    if (me == 0) wait_for(done, 2 * pes + 2);

    pieces();
    tracked();
    CHECK(nothing.request(pes).code() == ISTHMUS_ARGUMENT);
    static_assert(!std::is_copy_constructible_v<decltype(nothing)>);
    meet();
}

}  // namespace

int main() {
    isthmus::job job;
    test();
    test();  // the ids are free again
    return 0;
}
