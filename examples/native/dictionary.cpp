// Active messages: a dictionary that is spread over all PEs, a word at the PE that its letters
// choose. To insert a word is a request; to ask how often it has been inserted is a request and its
// reply. What runs at the other PE is a lambda, called inside a poll there.
#include <isthmus.hpp>

#include <cstdint>
#include <cstdio>
#include <map>
#include <span>
#include <string>

namespace {

std::map<std::string, std::int64_t> words;  // those of this PE
std::int64_t inserted = 0;                  // here
std::int64_t answers = 0;                   // to this PE
std::int64_t found = 0;
std::int64_t leaving = 0;  // PEs that ask no more

int owner(const std::string& word) {
    unsigned sum = 0;
    for (const char letter : word)
        sum = sum * 31 + static_cast<unsigned char>(letter);
    return static_cast<int>(sum % static_cast<unsigned>(isthmus::pes()));
}

std::string text(const isthmus::incoming& message) {
    const std::span<char> letters = message.payload<char>();
    return {letters.begin(), letters.end()};
}

// Handlers run here meanwhile.
void wait_until(const std::int64_t& count, std::int64_t value) {
    isthmus_event event;
    isthmus_event_arm(&event, &count, ISTHMUS_GE, value);
    isthmus::wait_polling(event).or_fail();
}

}  // namespace

int main() {
    const isthmus::job job;
    const int me = isthmus::pe();
    const int pes = isthmus::pes();

    const isthmus::message_handler insert(0, [](const isthmus::incoming& from) {
        ++words[text(from)];
        ++inserted;
    });
    const isthmus::message_handler answer(1, [](const isthmus::incoming&, std::int64_t times) {
        found += times;
        ++answers;
    });
    const isthmus::message_handler ask(2, [&](const isthmus::incoming& from) {
        const auto place = words.find(text(from));
        from.reply(answer, place == words.end() ? 0 : place->second).or_fail();
    });
    const isthmus::message_handler leave(3, [](const isthmus::incoming&) { ++leaving; });
    isthmus::barrier();  // every PE has registered its handlers

    // Each PE inserts 100 words as often as the number of PEs; all words are alike everywhere.
    constexpr int kWords = 100;
    std::int64_t mine = 0;
    for (int i = 0; i < kWords; ++i) {
        const std::string word = "word " + std::to_string(i);
        insert.request_with(owner(word), word).or_fail();
        mine += owner(word) == me ? 1 : 0;
    }
    wait_until(inserted, mine * pes);

    // This PE's share is complete; the others' when they say so.
    for (int pe = 0; pe < pes; ++pe)
        leave.request(pe).or_fail();
    wait_until(leaving, pes);
    for (int i = 0; i < kWords; ++i) {
        const std::string word = "word " + std::to_string(i);
        ask.request_with(owner(word), word).or_fail();
    }
    wait_until(answers, kWords);

    // Others may still ask: poll until all have said that they do not.
    for (int pe = 0; pe < pes; ++pe)
        leave.request(pe).or_fail();
    wait_until(leaving, 2 * std::int64_t{pes});
    isthmus::barrier();
    if (me == 0) std::printf("%d words, found %lld times\n", kWords, static_cast<long long>(found));
    return found == static_cast<std::int64_t>(kWords) * pes ? 0 : 1;
}
