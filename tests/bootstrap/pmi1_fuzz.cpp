// A process manager's answers: lines, their words and the bytes that values carry. The first line
// is taken apart as such; all of them are what a manager answers to one command after the other.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "bootstrap/pmi1.hpp"

using namespace isthmus;

namespace {

void take_apart(std::string_view line) {
    std::map<std::string, std::string> words;
    if (!bootstrap::parse_pmi_line(line, words)) return;
    for (const auto& [key, value] : words) {
        if (key.empty() || key.find_first_of("= ") != std::string::npos) std::abort();
        if (value.find(' ') != std::string::npos) std::abort();
        std::string bytes(value.size() / 2, '\0');
        if (bootstrap::decode_bytes(value, bytes.data(), bytes.size()) &&
            bootstrap::encode_bytes(bytes.data(), bytes.size()) != value)
            std::abort();
    }
}

// The whole conversation, with a manager who has said everything before it was asked.
void converse(std::string_view answers) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;
    if (write(ends[1], answers.data(), answers.size()) != static_cast<ssize_t>(answers.size()))
        std::abort();
    shutdown(ends[1], SHUT_WR);
    try {
        bootstrap::Pmi1 manager(ends[0], 0, 2);
        manager.begin();
        char mine[600] = {}, theirs[600];
        const Exchange::Part parts[] = {{1, theirs, sizeof theirs}};
        manager.share(mine, sizeof mine, parts);
        manager.leave();
    } catch (const std::runtime_error&) {
        // What is no answer is refused.
    }
    close(ends[1]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    take_apart(text.substr(0, text.find('\n')));
    converse(text);
    return 0;
}
