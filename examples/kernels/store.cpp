// A store of words and numbers, spread over all kernels by a hash: each counts the words of its own
// text, wherever their counts are kept, and asks for some.
//
// New here: handlers of the program's with a payload and arguments, each kernel's own; a reply from
// within a handler; kernels with different functions (kernel 0 asks, the others count).
#include <isthmus/kernel.hpp>

#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace {

constexpr int kAdd = 5;   // payload: a word; argument 0: how much more
constexpr int kAsk = 6;   // payload: a word
constexpr int kTell = 7;  // argument 0: its count
constexpr int kWords = 1000;

// The same at every kernel, by FNV-1a.
int keeper_of(std::string_view word, int kernels) {
    std::uint32_t hash = 0x811c9dc5u;
    for (const char letter : word)
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x01000193u;
    return static_cast<int>(hash % static_cast<std::uint32_t>(kernels));
}
std::string payload_of(const isthmus::kernel_message& message) {
    const auto letters = message.payload<char>();
    return {letters.begin(), letters.end()};
}

// A kernel's part of the store, which others reach by its handlers.
class Store {
  public:
    explicit Store(isthmus::kernel& me) : me_(me) {
        me.handle(kAdd, [this](const isthmus::kernel_message& message) {
              counts_[payload_of(message)] += message.argument(0);
          }).or_fail();
        me.handle(kAsk, [this](const isthmus::kernel_message& message) {
              const auto found = counts_.find(payload_of(message));
              message.reply(kTell, {found == counts_.end() ? 0 : found->second}).or_fail();
          }).or_fail();
        me.handle(kTell, [this](const isthmus::kernel_message& message) {
              told_ = message.argument(0);
          }).or_fail();
        me.barrier();  // registered everywhere
    }
    void add(const std::string& word, std::int64_t more) {
        const int kernel = keeper_of(word, me_.count());
        me_.send_medium({.kernel = kernel, .handler = kAdd, .arguments = {more}}, word).or_fail();
        ++sent_;
    }
    // Behind it all that was added is counted.
    void finish() { me_.wait_replies(std::exchange(sent_, 0)).or_fail(); }
    std::int64_t ask(const std::string& word) {
        const int kernel = keeper_of(word, me_.count());
        me_.send_medium({.kernel = kernel, .handler = kAsk}, word).or_fail();
        me_.wait_replies(1).or_fail();
        while (told_ < 0)
            me_.poll();  // the answer may come behind the reply that is counted
        return std::exchange(told_, -1);
    }

  private:
    isthmus::kernel& me_;
    std::map<std::string, std::int64_t> counts_;
    std::int64_t told_ = -1;
    std::uint64_t sent_ = 0;
};

void counting(isthmus::kernel& me) {
    Store store(me);
    for (int i = 0; i < kWords; ++i)
        store.add("word" + std::to_string(i % (10 * me.id())), i);
    store.finish();
    me.barrier();  // counted
    me.barrier();  // asked
}

void asking(isthmus::kernel& me) {
    Store store(me);
    me.barrier();
    std::int64_t sum = 0;
    for (int i = 0; i < 10 * me.count(); ++i)
        sum += store.ask("word" + std::to_string(i));
    const std::int64_t right = std::int64_t{kWords} * (kWords - 1) / 2 * (me.count() - 1);
    std::printf("%d kernels have counted to %lld%s\n", me.count() - 1, static_cast<long long>(sum),
                sum == right && store.ask("nothing") == 0 ? "" : ", WRONG");
    if (sum != right) isthmus_exit(1);
    me.barrier();
}

}  // namespace

int main() {
    return isthmus::kernels().add(0, asking).any(counting).run();
}
