#include "bootstrap/pmi1.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <stdexcept>

#include "base/limits.hpp"
#include "base/text.hpp"

namespace isthmus::bootstrap {
namespace {

// To a manager that has gone: an error, and no signal that ends the process before its own end. It
// is the last word: what is asked before is not asked of one that has gone, as far as is known.
ssize_t write_to(int file, const char* bytes, std::size_t count) {
    const ssize_t sent = send(file, bytes, count, MSG_NOSIGNAL);
    const bool may_write = errno == ENOTSOCK || os::is_call_forbidden(errno);
    return sent < 0 && may_write ? write(file, bytes, count) : sent;
}

}  // namespace

bool parse_pmi_line(std::string_view line, std::map<std::string, std::string>& words) {
    words.clear();
    while (!line.empty()) {
        if (line.front() == ' ') {
            line.remove_prefix(1);
            continue;
        }
        const std::string_view word = line.substr(0, line.find(' '));
        const auto equals = word.find('=');
        if (equals == std::string_view::npos || equals == 0) return false;
        words[std::string(word.substr(0, equals))] = word.substr(equals + 1);
        line.remove_prefix(word.size());
    }
    return true;
}

std::string encode_bytes(const void* bytes, std::size_t count) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    text.reserve(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto byte = static_cast<const unsigned char*>(bytes)[i];
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

bool decode_bytes(std::string_view text, void* bytes, std::size_t count) {
    if (text.size() != 2 * count) return false;
    const auto digit = [](char c) {
        return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    };
    for (std::size_t i = 0; i < count; ++i) {
        const int high = digit(text[2 * i]);
        const int low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        static_cast<unsigned char*>(bytes)[i] = static_cast<unsigned char>(high << 4 | low);
    }
    return true;
}

std::vector<int> ranks_beside(std::string_view mapping, int rank, int size) {
    constexpr std::string_view kHead = "(vector,";
    constexpr int kMost = 1 << 20;
    if (!mapping.starts_with(kHead) || !mapping.ends_with("))") || size > kMost) return {};
    mapping = mapping.substr(kHead.size(), mapping.size() - kHead.size() - 1);
    std::vector<std::array<int, 3>> blocks;
    while (!mapping.empty()) {
        std::array<int, 3> block{};
        for (std::size_t i = 0; i < block.size(); ++i) {
            if (!mapping.starts_with(i == 0 ? '(' : ',')) return {};
            const auto [rest, error] =
                std::from_chars(mapping.data() + 1, mapping.data() + mapping.size(), block[i]);
            if (error != std::errc{} || block[i] < (i == 0 ? 0 : 1) || block[i] > kMost) return {};
            mapping.remove_prefix(static_cast<std::size_t>(rest - mapping.data()));
        }
        if (!mapping.starts_with(')')) return {};
        mapping.remove_prefix(mapping.starts_with("),") ? 2 : 1);
        blocks.push_back(block);
    }
    std::vector<int> nodes;  // by rank
    const auto is_full = [&] { return nodes.size() >= static_cast<std::size_t>(size); };
    while (!is_full() && !blocks.empty()) {
        for (const auto& [first, count, each] : blocks) {
            for (int i = 0; i < count && !is_full(); ++i)
                nodes.insert(nodes.end(), static_cast<std::size_t>(std::min(each, size)),
                             first + i);
        }
    }
    std::vector<int> beside;
    for (int other = 0; is_full() && rank < size && other < size; ++other) {
        if (nodes[static_cast<std::size_t>(other)] == nodes[static_cast<std::size_t>(rank)])
            beside.push_back(other);
    }
    return beside;
}

std::string mapping_of(const std::vector<int>& ranks_of_nodes) {
    std::string text = "(vector";
    for (std::size_t node = 0, next = 0; node < ranks_of_nodes.size(); node = next) {
        while (next < ranks_of_nodes.size() && ranks_of_nodes[next] == ranks_of_nodes[node])
            ++next;
        text += ",(" + std::to_string(node) + "," + std::to_string(next - node) + "," +
                std::to_string(ranks_of_nodes[node]) + ")";
    }
    return text + ")";
}

Pmi1::Pmi1(int file, int rank, int size) : file_(file), rank_(rank), size_(size) {
    fcntl(file_, F_SETFD, FD_CLOEXEC);  // no child of the program speaks for it
}

void Pmi1::begin() {
    ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init");
    const Words limits = ask("cmd=get_maxes", "maxes");
    if (const auto found = limits.find("vallen_max"); found != limits.end()) {
        const int value = std::atoi(found->second.c_str());
        if (value >= 64) longest_ = static_cast<std::size_t>(value);
    }
    space_ = ask("cmd=get_my_kvsname", "my_kvsname")["kvsname"];
    if (space_.empty()) throw std::runtime_error("no name for the key-value space");
}

Pmi1::~Pmi1() {
    if (file_ >= 0) close(file_);
}

void Pmi1::write_line(const std::string& line) {
    const std::string text = line + "\n";
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t count = write(file_, text.data() + done, text.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) throw std::runtime_error(std::string("write: ") + std::strerror(errno));
        done += static_cast<std::size_t>(count);
    }
}

std::string Pmi1::read_line() {
    for (;;) {
        if (const auto end = rest_.find('\n'); end != std::string::npos) {
            std::string line = rest_.substr(0, end);
            rest_.erase(0, end + 1);
            return line;
        }
        if (rest_.size() > (std::size_t{1} << 20)) throw std::runtime_error("a line without end");
        char buffer[4096];
        const ssize_t count = read(file_, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) throw std::runtime_error("the process manager has closed the connection");
        rest_.append(buffer, static_cast<std::size_t>(count));
    }
}

Pmi1::Words Pmi1::ask(const std::string& command, const char* reply) {
    write_line(command);
    const std::string line = read_line();
    Words words;
    if (!parse_pmi_line(line, words) || words["cmd"] != reply ||
        (words.contains("rc") && words["rc"] != "0"))
        throw std::runtime_error("\"" + line + "\" is no answer to \"" + command.substr(0, 60) +
                                 "\"");
    return words;
}

// In pieces that fit in a value; hexadecimal doubles them.
void Pmi1::share(const void* mine, std::size_t bytes, std::span<const Part> parts) {
    const std::size_t piece = longest_ / 2 - 1;
    const std::string prefix = "isthmus-" + std::to_string(shares_++) + "-";
    const auto key = [&](int rank, std::size_t offset) {
        return prefix + std::to_string(rank) + "-" + std::to_string(offset / piece);
    };
    for (std::size_t offset = 0; offset < bytes; offset += piece) {
        const std::size_t length = std::min(piece, bytes - offset);
        ask("cmd=put kvsname=" + space_ + " key=" + key(rank_, offset) +
                " value=" + encode_bytes(static_cast<const char*>(mine) + offset, length),
            "put_result");
    }
    meet();
    for (const Part& part : parts) {
        for (std::size_t offset = 0; offset < part.bytes; offset += piece) {
            const std::size_t length = std::min(piece, part.bytes - offset);
            Words words =
                ask("cmd=get kvsname=" + space_ + " key=" + key(part.rank, offset), "get_result");
            if (!decode_bytes(words["value"], static_cast<char*>(part.to) + offset, length))
                throw std::runtime_error("rank " + std::to_string(part.rank) +
                                         " has put something else");
        }
    }
}

void Pmi1::meet() {
    ask("cmd=barrier_in", "barrier_out");
}

std::vector<int> Pmi1::host_ranks() {
    write_line("cmd=get kvsname=" + space_ + " key=" + kMappingKey);
    Words words;
    if (!parse_pmi_line(read_line(), words) || words["rc"] != "0") return {};
    return ranks_beside(words["value"], rank_, size_);
}

// One line without an answer; from any thread, perhaps while another one reads, and from a handler
// of a signal, perhaps within malloc.
void Pmi1::end(int status) {
    // Acquire: partner is take_last_words().
    const bool has_words = has_words_.load(std::memory_order_acquire);
    const Text line("cmd=abort exitcode=", status, has_words ? " " : "\n");
    const std::string_view begin = line;
    if (!has_words) {
        [[maybe_unused]] const auto written = write_to(file_, begin.data(), begin.size());
        return;
    }
    iovec parts[] = {{const_cast<char*>(begin.data()), begin.size()},
                     {words_.data(), words_.size()}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = std::size(parts);
    // Where that call is forbidden the words still get there.
    if (sendmsg(file_, &message, MSG_NOSIGNAL) < 0 && os::is_call_forbidden(errno)) [[maybe_unused]]
        const auto written = writev(file_, parts, static_cast<int>(std::size(parts)));
}

// Whatever it answers, one of another version might not know it.
void Pmi1::note_start(bool is_in_it) {
    if (!space_.starts_with(kOwnSpaces)) return;
    write_line(std::string("cmd=") + kStartCommand + " in=" + (is_in_it ? "1" : "0"));
    read_line();
}

// Nothing is answered.
bool Pmi1::tell_own_manager(std::string_view line) const {
    return space_.starts_with(kOwnSpaces) && write_to(file_, line.data(), line.size()) > 0;
}

bool Pmi1::note_death(int signal) {
    return tell_own_manager(Text("cmd=", kDeathCommand, " signal=", signal, "\n"));
}

void Pmi1::note_leave() {
    tell_own_manager(Text("cmd=", kLeaveCommand, "\n"));
}

bool Pmi1::take_last_words(const std::string& line) {
    constexpr std::size_t kMost = 4000;
    if (!space_.starts_with(kOwnSpaces)) return false;
    if (has_words_.load(std::memory_order_relaxed)) return true;
    words_ = std::string(kLastWords) + "=" +
             encode_bytes(line.data(), std::min(line.size(), kMost)) + "\n";
    has_words_.store(true, std::memory_order_release);
    return true;
}

// A manager that has stopped must not keep the process; a program's signals must not send it off
// early, because Hydra ends a job in which somebody went before he took the answer.
bool Pmi1::has_answer_within(std::chrono::milliseconds time) const {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point end = Clock::now() + time;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd answer{file_, POLLIN, 0};
        const int count = poll(&answer, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
        if (count >= 0 || errno != EINTR) return count == 1;
    }
}

pid_t Pmi1::who_hung_up() const {
    pollfd end{file_, POLLRDHUP, 0};
    if (poll(&end, 1, 0) != 1 || (end.revents & (POLLHUP | POLLRDHUP)) == 0) return 0;
    ucred other{};
    socklen_t size = sizeof other;
    return getsockopt(file_, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 ? other.pid : 0;
}

// From a handler of a signal as well, perhaps on top of this: then it is said once, and who comes
// second waits likewise. If nothing of it works the manager sees the process go.
void Pmi1::leave() {
    constexpr std::string_view kLine = "cmd=finalize\n";
    if (!says_farewell_.exchange(true, std::memory_order_relaxed) &&
        write(file_, kLine.data(), kLine.size()) < 0)
        return;
    char answer[256];
    if (has_answer_within(std::chrono::seconds(5))) [[maybe_unused]]
        const auto count = read(file_, answer, sizeof answer);
}

}  // namespace isthmus::bootstrap
