#include "core/session/file_swap.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/os.hpp"
#include "base/settings.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/session/reception.hpp"
#include "core/session/start_watch.hpp"

namespace isthmus {
namespace {

using Clock = Reception::Clock;
using namespace std::chrono_literals;

constexpr std::chrono::seconds kPatience{kMatesPatience};
// Between two tries to send while nothing comes: whoever makes room need not be of this job.
constexpr Clock::duration kShortestPause = 1ms;
constexpr Clock::duration kLongestPause = 64ms;
// So many mates find room under any limit.
constexpr std::size_t kFew = 16;

// Before the watch of the start says that a PE has stopped, which is wrong then.
Clock::duration patience_for_room() {
    const double detect = seconds(Setting::detect_seconds);
    if (detect <= 0) return kPatience;
    return std::min<Clock::duration>(kPatience,
                                     std::chrono::milliseconds(std::lround(detect * 1e3)));
}

class Swap {
  public:
    Swap(const Descriptor& listener, const std::vector<Mate>& mates, cpu_set_t& processors)
        : mates_(mates),
          me_(std::ranges::find(mates, job.me, &Mate::pe)),
          own_(processors),
          processors_(processors),
          reception_(listener.file(), me_->secret,
                     static_cast<std::size_t>(mates.end() - me_ - 1)) {}
    std::string run();
    std::string refused() const { return reception_.refused(); }

  private:
    using Place = std::vector<Mate>::const_iterator;
    struct Line {
        Place mate;
        Descriptor socket;
        bool is_due;  // the file has yet to be sent
    };

    std::string call(Place mate);
    // False: errno says why.
    bool send(Place mate, int socket);
    bool take(int pe, Descriptor file, const Hello& hello);
    bool accept(const Hello& hello, Descriptor file, Descriptor& socket);
    std::string hear(Line& line);
    std::string send_due();
    const Line* first_due() const;
    std::string late() const;
    std::string text_of_calls(int error) const;

    const std::vector<Mate>& mates_;
    const Place me_;
    const cpu_set_t own_;
    cpu_set_t& processors_;
    Reception reception_;
    std::vector<Line> called_;  // whose answers have not come
    std::vector<Line> owed_;    // who gets an answer yet
    std::size_t moved_ = 0;     // files, in either direction
    bool has_raised_limit_ = false;
};

// The mate is one if it runs for the same user: whoever has taken the name of a PE that has died
// gets nothing.
std::string Swap::call(Place mate) {
    sockaddr_un address;
    const socklen_t length = name_socket(mate->socket, address);
    Descriptor made = open_socket(kMatesPatience);
    if (made.file() < 0) return memory_failed("socket", mate->pe);
    const int connected = retried(
        [&] { return connect(made.file(), reinterpret_cast<const sockaddr*>(&address), length); });
    if (connected != 0) return memory_failed("connect", mate->pe);
    const PeerProcess who = peer_of(made.file());
    if (!who.known)
        return "getsockopt: " + std::string(std::strerror(who.error)) +
               os::advice_on_call(who.error) + ": so the kernel does not say who has PE " +
               std::to_string(mate->pe) + "'s socket on this host";
    if (!who.is_of_this_user())
        return "PE " + std::to_string(mate->pe) + " says that it runs on this host, but " +
               who.text() + " has its socket";
    const bool is_sent = send(mate, made.file());
    if (!is_sent && errno != ETOOMANYREFS) return memory_failed("sendmsg", mate->pe);
    // Who says nothing is taken for a stranger.
    if (!is_sent && !send_file(made.file(), {mate->secret, job.me, own_}, -1))
        return memory_failed("sendmsg", mate->pe);
    called_.push_back({mate, std::move(made), !is_sent});
    return "";
}

bool Swap::send(Place mate, int socket) {
    const Hello hello{mate->secret, job.me, own_};
    bool is_sent = send_file(socket, hello, job.file);
    if (!is_sent && errno == ETOOMANYREFS && !has_raised_limit_) {
        has_raised_limit_ = true;
        os::raise_open_files();
        is_sent = send_file(socket, hello, job.file);
    }
    if (is_sent) ++moved_;
    return is_sent;
}

bool Swap::take(int pe, Descriptor file, const Hello& hello) {
    int& place = host_table.files[static_cast<std::size_t>(pe)];
    if (place >= 0 || !holds_memory_of(file.file(), pe)) return false;
    place = file.release();
    CPU_OR(&processors_, &processors_, &hello.processors);
    ++moved_;
    return true;
}

bool Swap::accept(const Hello& hello, Descriptor file, Descriptor& socket) {
    const Place mate = std::ranges::find(mates_, hello.pe, &Mate::pe);
    if (hello.pe <= job.me || mate == mates_.end() || !take(mate->pe, std::move(file), hello))
        return false;
    if (send(mate, socket.file())) return true;
    if (errno != ETOOMANYREFS) return false;
    owed_.push_back({mate, std::move(socket), true});
    return true;
}

std::string Swap::hear(Line& line) {
    Hello hello{};
    Descriptor file;
    const int pe = line.mate->pe;
    errno = 0;
    if (receive_file(line.socket.file(), MSG_DONTWAIT, hello, file) != Heard::file)
        return errno == EAGAIN ? "" : memory_failed("recvmsg", pe);
    if (hello.pe != pe || !is_equal(hello.secret, me_->secret) || !take(pe, std::move(file), hello))
        return "PE " + std::to_string(pe) + " on this host gives an answer that is not its own";
    line.socket = Descriptor();
    return "";
}

// As long as there is room.
std::string Swap::send_due() {
    for (std::vector<Line>* const lines : {&owed_, &called_}) {
        for (Line& line : *lines) {
            if (!line.is_due) continue;
            line.is_due = !send(line.mate, line.socket.file());
            if (line.is_due && errno == ETOOMANYREFS) return "";
            if (line.is_due) return memory_failed("sendmsg", line.mate->pe);
        }
    }
    return "";
}

const Swap::Line* Swap::first_due() const {
    for (const std::vector<Line>* const lines : {&owed_, &called_}) {
        const auto found = std::ranges::find(*lines, true, &Line::is_due);
        if (found != lines->end()) return &*found;
    }
    return nullptr;
}

std::string Swap::text_of_calls(int error) const {
    const std::string what = "the PEs of this host cannot hand over their memory: ";
    if (!reception_.forbidden().empty()) return what + reception_.forbidden();
    if (reception_.want() != 0)
        return what + "accept4: " + std::strerror(reception_.want()) +
               os::advice_on_call(reception_.want());
    const std::string refused = reception_.refused();
    return what + std::to_string(mates_.end() - me_ - 1) +
           " were to call, and not all did within " + std::to_string(kMatesPatience) +
           " s: " + std::strerror(error) + (refused.empty() ? "" : "; " + refused);
}

// The time is over, and something is missing.
std::string Swap::late() const {
    if (const Line* const due = first_due()) {
        errno = ETOOMANYREFS;
        return memory_failed("sendmsg", due->mate->pe);
    }
    if (!reception_.has_all()) return text_of_calls(ETIMEDOUT);
    errno = ETIMEDOUT;
    return memory_failed("recvmsg", called_.front().mate->pe);
}

std::string Swap::run() {
    // Each mate takes some while it calls or is called, and each caller one.
    if (mates_.size() > kFew) os::raise_open_files();
    std::optional<WatchedWait> wait(std::in_place);  // another with each file that moves
    for (Place mate = mates_.begin(); mate != me_; ++mate) {
        if (std::string why = call(mate); !why.empty()) return why;
    }
    const Clock::time_point end = Clock::now() + kPatience;
    Clock::time_point end_of_want = Clock::now() + patience_for_room();
    Clock::duration pause = kShortestPause;
    while (!reception_.has_all() || !called_.empty() || !owed_.empty()) {
        const Clock::time_point now = Clock::now();
        const bool is_in_want = first_due() != nullptr;
        if (now >= end || (is_in_want && now >= end_of_want)) return late();
        std::vector<pollfd> answers;
        for (const Line& line : called_)
            answers.push_back({line.socket.file(), POLLIN, 0});
        const std::size_t before = moved_;
        if (!reception_.take_some(is_in_want ? std::min(end, now + pause) : end, answers,
                                  [this](const Hello& hello, Descriptor file, Descriptor& socket) {
                                      return accept(hello, std::move(file), socket);
                                  }))
            return text_of_calls(errno);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (answers[i].revents == 0) continue;
            if (std::string why = hear(called_[i]); !why.empty()) return why;
        }
        if (std::string why = send_due(); !why.empty()) return why;
        std::erase_if(called_, [](const Line& line) { return line.socket.file() < 0; });
        std::erase_if(owed_, [](const Line& line) { return !line.is_due; });
        pause = std::min(2 * pause, kLongestPause);
        if (moved_ == before) continue;
        pause = kShortestPause;
        end_of_want = Clock::now() + patience_for_room();
        wait.emplace();
    }
    reception_.close();
    return "";
}

}  // namespace

std::string memory_failed(const char* call, int pe) {
    // 0: it came without its file
    const int error = errno == 0 ? EMFILE : errno;
    const std::string who = "PE " + std::to_string(pe);
    // What it has opened for this it keeps open to its end.
    if (error == ECONNREFUSED || error == ECONNRESET || error == EPIPE)
        return who +
               ", which had come, has ended in shmem_init, or the program has closed its files: " +
               call + ": " + std::strerror(error);
    // As many files may be under way as this process may have open.
    const int lack = error == ETOOMANYREFS ? EMFILE : error;
    return who + " says that it runs on this host, but its memory cannot be had: " + call + ": " +
           std::strerror(error) + os::advice_on_call(lack);
}

std::string swap_files(const Descriptor& listener, const std::vector<Mate>& mates,
                       cpu_set_t& processors) {
    auto swap = std::make_unique<Swap>(listener, mates, processors);
    std::string why = swap->run();
    if (const std::string refused = swap->refused(); why.empty() && !refused.empty())
        say_from("shmem_init", refused);
    // As the listener: its lines stay open until this PE has said why, and to the end.
    if (!why.empty()) static_cast<void>(swap.release());
    return why;
}

}  // namespace isthmus
