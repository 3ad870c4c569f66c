// isthmus/kernel.hpp: kernels with functions of their own, lambdas as handlers, segments of
// different sizes and rights, two rounds of kernels in one process.
#include <isthmus/kernel.hpp>

#include <array>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

namespace {

int round_number = 0;

void check(bool condition, const char* what, int line) {
    if (condition) return;
    std::fprintf(stderr, "objects.cpp:%d: %s (%s)\n", line, what, isthmus_error_text());
    isthmus_exit(1);
}
#define CHECK(condition) check((condition), #condition, __LINE__)

constexpr int kAdd = 5;
constexpr int kAsk = 6;
constexpr int kTold = 7;

// Kernel 0 holds a table; the others put into it and ask.
void server(isthmus::kernel& me) {
    std::vector<double> sums(100);
    int calls = 0;
    me.handle(kAdd, [&](const isthmus::kernel_message& message) {
          for (const double value : message.payload<double>())
              sums[static_cast<std::size_t>(message.argument(0))] += value;
          ++calls;
      }).or_fail();
    me.handle(kAsk, [&](const isthmus::kernel_message& message) {
          const auto first = static_cast<std::size_t>(message.argument(0));
          const std::span<const double> some(&sums[first], 3);
          message.reply_with(kTold, some, {message.source()}).or_fail();
      }).or_fail();
    CHECK(me.segment_bytes(0) == 64 && me.segment().size() == 64);
    me.barrier();
    me.barrier();
    CHECK(calls == me.count() - 1);
    CHECK(me.segment<std::int64_t>()[0] == 0);
}

void client(isthmus::kernel& me) {
    std::array<double, 3> told{};
    me.handle(kTold, [&](const isthmus::kernel_message& message) {
          CHECK(message.is_answer() && message.source() == 0 && message.token() == 17);
          CHECK(message.argument(0) == me.id() && message.argument(1) == 0);
          const auto come = message.payload<double>();
          std::copy(come.begin(), come.end(), told.begin());
      }).or_fail();
    CHECK(me.handle(kTold, [](const isthmus::kernel_message&) {}).code() == ISTHMUS_EXISTS);
    CHECK(me.segment_bytes(0) == 64 && me.segment_bytes(me.id()) == 4096);
    CHECK(me.segment<double>(4000).size() == 12 && me.segment(4096).empty());
    me.barrier();
    const std::vector<double> values{0.5, 1.5, static_cast<double>(me.id())};
    me.send_medium({.kernel = 0, .handler = kAdd, .arguments = {me.id() % 100}}, values).or_fail();
    me.wait_replies(1).or_fail();
    me.send_short(
          {.kernel = 0, .handler = kAsk, .token = 17, .arguments = {me.id() - 1}, .async = true})
        .or_fail();
    while (told[1] == 0)
        me.poll();
    CHECK(told[1] == 2 + me.id());
    // Kernel 0's segment may not be written; it may be read.
    CHECK(me.send_long({.kernel = 0}, values, 0).code() == ISTHMUS_RIGHTS);
    me.get_long({.kernel = 0, .handler = ISTHMUS_KERNEL_REPLY}, 0, 64, 1024).or_fail();
    me.wait_replies(1, 60).or_fail();
    // To the next client, and the kernel itself.
    const int next = me.id() + 1 < me.count() ? me.id() + 1 : 1;
    me.send_medium({.kernel = next, .arguments = {round_number}}, std::string("abc")).or_fail();
    const auto come = me.receive(60).or_fail();
    CHECK(come.payload<char>()[2] == 'c' && come.argument(0) == round_number);
    CHECK(me.receive(0).code() == ISTHMUS_TIMEOUT);
    const isthmus::kernel::range here[] = {{0, 8}};
    const isthmus::kernel::range there[] = {{16, 4}, {32, 4}};
    me.segment<std::uint32_t>()[0] = 1;
    me.segment<std::uint32_t>()[1] = 2;
    me.send_vectored({.kernel = next, .handler = ISTHMUS_KERNEL_ARRIVE}, here, there).or_fail();
    me.send_strided({.kernel = next, .handler = ISTHMUS_KERNEL_ARRIVE}, {0, 4, 4, 2},
                    {64, 16, 4, 2})
        .or_fail();
    me.wait_arrivals(2).or_fail();
    CHECK(me.segment<std::uint32_t>()[8] == 2 && me.segment<std::uint32_t>()[20] == 2);
    me.wait_replies(3).or_fail();
    me.barrier();
}

}  // namespace

int main() {
    for (round_number = 0; round_number < 2; ++round_number) {
        // One that the job may not have.
        isthmus::kernels table;
        table.add(0, server, 64, ISTHMUS_READ).add(77, server).any(client, 4096);
        CHECK(table.run() == 0);
    }
}
