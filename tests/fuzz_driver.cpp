// Runs a fuzz target without libFuzzer: the given words, mutations of them, and random bytes. The
// start value is printed, and may be given, so that a failure can be repeated.
//     NAME_fuzz SECONDS START WORD...      @PATH: what a file holds
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kLongest = 12000;

std::string content(const std::string& word) {
    if (word.empty() || word[0] != '@') return word;
    std::ifstream file(word.substr(1), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void run(const std::string& text) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

std::string mutate(std::string text, const std::vector<std::string>& words,
                   std::mt19937_64& random) {
    const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
    for (auto steps = 1 + below(4); steps > 0; --steps) {
        switch (below(6)) {
            // Bytes at random, for formats that are no text.
            case 4:
                for (auto bytes = below(80); bytes > 0; --bytes)
                    text += static_cast<char>(random());
                break;
            case 0: text.insert(below(text.size() + 1), 1, static_cast<char>(random())); break;
            case 1: text.erase(below(text.size() + 1), 1 + below(3)); break;
            case 2: text.insert(below(text.size() + 1), words[below(words.size())]); break;
            case 3:
                text.insert(below(text.size() + 1), std::to_string(random() >> below(64)));
                break;
            default:
                if (!text.empty()) text[below(text.size())] = static_cast<char>(random());
        }
    }
    text.resize(std::min(text.size(), kLongest));
    return text;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 64;
    const double seconds = std::atof(argv[1]);
    std::uint64_t start = std::strtoull(argv[2], nullptr, 10);
    if (start == 0) start = std::random_device{}();
    std::printf("start value %llu\n", static_cast<unsigned long long>(start));
    std::fflush(stdout);
    std::mt19937_64 random(start);
    std::vector<std::string> words{""};
    for (int i = 3; i < argc; ++i)
        words.push_back(content(argv[i]));
    for (const std::string& word : words)
        run(word);
    unsigned long inputs = words.size();
    const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
    while (std::clock() < end) {
        for (int i = 0; i < 100; ++i, ++inputs)
            run(mutate(words[random() % words.size()], words, random));
    }
    std::printf("%lu inputs\n", inputs);
}
