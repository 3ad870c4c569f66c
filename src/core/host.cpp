#include "core/host.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/lasting.hpp"
#include "base/os.hpp"
#include "core/exchange.hpp"
#include "core/far.hpp"
#include "core/fork.hpp"
#include "core/job.hpp"
#include "core/session.hpp"
#include "core/start_watch.hpp"
#include "core/window.hpp"

namespace isthmus {
namespace {

// What each PE tells all others about itself.
struct Card {
    std::uint64_t socket;  // number in the name of its socket
    // One running kernel (its boot) and one network namespace; 0: not known.
    std::uint64_t kernel : 48;
    std::uint64_t slots : 16;  // of its window
};
static_assert(sizeof(Card) == 16);

// Asked already by the library's constructor.
constinit Lasting<std::unique_ptr<Exchange>> lasting_exchange;
constinit std::unique_ptr<Exchange>& exchange = *lasting_exchange;
Lasting<std::vector<int>> lasting_files;
constinit std::vector<int>& files = *lasting_files;  // by PE; -1: not of this host
// By PE: the number of its host; by that number: its first PE and its name.
Lasting<std::vector<int>> lasting_numbers;
constinit std::vector<int>& numbers = *lasting_numbers;
Lasting<std::vector<int>> lasting_firsts;
constinit std::vector<int>& firsts = *lasting_firsts;
using HostName = std::array<char, 64>;
Lasting<std::vector<HostName>> lasting_names;
constinit std::vector<HostName>& names = *lasting_names;

// FNV-1a: no secret, and what it claims is proved.
std::uint64_t mix(std::uint64_t hash, const void* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        hash = (hash ^ static_cast<const unsigned char*>(bytes)[i]) * 0x100000001b3u;
    return hash;
}

// Without both facts nothing is claimed.
std::uint64_t own_kernel() {
    struct stat space {};
    if (stat("/proc/self/ns/net", &space) != 0) return 0;
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    char boot[64];
    const auto count = read(file, boot, sizeof boot);
    close(file);
    if (count < 36) return 0;
    const std::uint64_t number = space.st_ino;
    const std::uint64_t hash = mix(mix(0xcbf29ce484222325u, boot, 36), &number, sizeof number);
    return std::max<std::uint64_t>(hash >> 16, 1);
}

Card own_card() {
    Card card{0, own_kernel(), static_cast<std::uint16_t>(window_slots())};
    if (getrandom(&card.socket, sizeof card.socket, 0) != sizeof card.socket)
        card.socket = os::monotonic_nanoseconds() ^ static_cast<std::uint64_t>(getpid()) << 40;
    return card;
}

socklen_t name_socket(std::uint64_t number, sockaddr_un& address) {
    address = {};
    address.sun_family = AF_UNIX;
    const int length = std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1,
                                     "isthmus-%016llx", static_cast<unsigned long long>(number));
    return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                  static_cast<std::size_t>(length));
}

// What goes over the socket, with the file beside it: who speaks, the listener's number, which only
// the job knows, and the processors that the speaker may use.
struct Hello {
    std::uint64_t socket;
    std::int32_t pe;
    cpu_set_t processors;
};

// Signals are the program's, and what waits with a time limit is not restarted behind a handler.
template <typename Call>
auto retried(const Call& call) {
    for (;;) {
        if (const auto result = call(); result != -1 || errno != EINTR) return result;
    }
}

bool send_file(int socket, const Hello& hello, int file) {
    iovec data{const_cast<Hello*>(&hello), sizeof hello};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &file, sizeof file);
    const auto sent = retried([&] { return sendmsg(socket, &message, MSG_NOSIGNAL); });
    return sent == static_cast<ssize_t>(sizeof hello);
}

// -1 unless a whole hello and one file came.
int receive_file(int socket, Hello& hello) {
    iovec data{&hello, sizeof hello};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const auto received =
        retried([&] { return recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL); });
    if (received != static_cast<ssize_t>(sizeof hello)) return -1;
    const cmsghdr* const head = CMSG_FIRSTHDR(&message);
    if (!head || head->cmsg_type != SCM_RIGHTS || head->cmsg_len != CMSG_LEN(sizeof(int)))
        return -1;
    int file = -1;
    std::memcpy(&file, CMSG_DATA(head), sizeof file);
    return file;
}

class Socket {
  public:
    Socket() : file_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
    explicit Socket(int file) : file_(file) {
        // A peer that dies in between must not hold the others for ever.
        const timeval patience{60, 0};
        if (file_ >= 0) setsockopt(file_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }
    Socket(Socket&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket() {
        if (file_ >= 0) close(file_);
    }
    int file() const { return file_; }

  private:
    int file_;
};

std::string failed(const char* what, int pe) {
    return std::string("PE ") + std::to_string(pe) +
           " says that it runs on this host, but its memory cannot be had: " + what + ": " +
           std::strerror(errno);
}

// Every PE calls those with lower numbers and says hello, which needs nobody's answer; then it
// takes the calls of those with higher numbers and answers them; then it hears its own answers.
// `processors` gets those of all.
std::string swap_files(const Socket& listener, const std::vector<Card>& cards,
                       const std::vector<int>& mates, cpu_set_t& processors) {
    const cpu_set_t own = processors;
    std::vector<std::pair<int, Socket>> called;
    std::size_t higher = 0;
    const Card& mine = cards[static_cast<std::size_t>(job.me)];
    for (const int pe : mates) {
        if (pe > job.me) ++higher;
        if (pe >= job.me) continue;
        const Card& card = cards[static_cast<std::size_t>(pe)];
        Socket call(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_un address;
        const socklen_t length = name_socket(card.socket, address);
        const int connected = retried([&] {
            return connect(call.file(), reinterpret_cast<const sockaddr*>(&address), length);
        });
        if (connected != 0) return failed("connect", pe);
        if (!send_file(call.file(), {card.socket, job.me, own}, job.file))
            return failed("sendmsg", pe);
        called.emplace_back(pe, std::move(call));
    }
    while (higher != 0) {
        const Socket call(
            retried([&] { return accept4(listener.file(), nullptr, nullptr, SOCK_CLOEXEC); }));
        if (call.file() < 0)
            return std::string("the PEs of this host cannot hand over their memory: accept: ") +
                   std::strerror(errno);
        Hello hello{};
        const int file = receive_file(call.file(), hello);
        // Somebody else's call: hang up.
        if (file < 0) continue;
        if (hello.socket != mine.socket || hello.pe <= job.me || hello.pe >= job.pes ||
            files[static_cast<std::size_t>(hello.pe)] >= 0) {
            close(file);
            continue;
        }
        files[static_cast<std::size_t>(hello.pe)] = file;
        CPU_OR(&processors, &processors, &hello.processors);
        if (!send_file(call.file(), {mine.socket, job.me, own}, job.file))
            return failed("sendmsg", hello.pe);
        --higher;
    }
    for (const auto& [pe, call] : called) {
        Hello hello{};
        const int file = receive_file(call.file(), hello);
        if (file < 0 || hello.pe != pe) return failed("recvmsg", pe);
        files[static_cast<std::size_t>(pe)] = file;
        CPU_OR(&processors, &processors, &hello.processors);
    }
    return "";
}

// From here on the PEs of this host share the header that its first PE made.
std::string share_header(int first) {
    if (first != job.me) {
        JobHeader* const own = job.header;
        const int file = files[static_cast<std::size_t>(first)];
        void* const place =
            mmap(nullptr, sizeof(JobHeader), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (place == MAP_FAILED) return failed("mmap", first);
        auto* const shared = static_cast<JobHeader*>(place);
        if (shared->magic != kJobMagic)
            return "PE " + std::to_string(first) + " runs another version of the library";
        const PeStatus& from = own->pe[job.me];
        PeStatus& to = shared->pe[job.me];
        const auto relaxed = std::memory_order_relaxed;
        to.process.store(from.process.load(relaxed), relaxed);
        to.window_shift.store(from.window_shift.load(relaxed), relaxed);
        to.data_size.store(from.data_size.load(relaxed), relaxed);
        to.data_checksum.store(from.data_checksum.load(relaxed), relaxed);
        to.routine.store(from.routine.load(relaxed), relaxed);
        to.waiting_for.store(-1, relaxed);
        to.state.store(PeState::loaded, std::memory_order_release);
        job.header = shared;
        job.noted = &shared->pe[job.me].routine;
    }
    return "";
}

// A host's number is that of its first PE among the first PEs. The slots of a window reach an
// aligned group of as many PEs; a machine whose PEs lie in several groups counts as several hosts.
void number_hosts(const std::vector<Card>& cards) {
    std::map<std::array<std::uint64_t, 3>, int> known;  // by kernel, slots and group
    for (std::size_t pe = 0; pe < cards.size(); ++pe) {
        const auto next = static_cast<int>(firsts.size());
        const std::array<std::uint64_t, 3> group{cards[pe].kernel, cards[pe].slots,
                                                 pe / cards[pe].slots};
        const auto [found, is_new] = known.emplace(group, next);
        if (cards[pe].kernel == 0 || is_new) firsts.push_back(static_cast<int>(pe));
        numbers.push_back(cards[pe].kernel == 0 ? next : found->second);
    }
}

std::string join(const Socket& listener) {
    const Card card = own_card();
    sockaddr_un address;
    const socklen_t length = name_socket(card.socket, address);
    if (listener.file() < 0 ||
        bind(listener.file(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
        listen(listener.file(), kMaxHostPes) != 0)
        return std::string("cannot open a socket for this host: ") + std::strerror(errno);
    std::vector<Card> cards(static_cast<std::size_t>(job.pes));
    {
        const StartWatch watch(job.me);
        gather_by_groups(*exchange, &card, sizeof card, cards.data());
    }
    number_hosts(cards);
    std::vector<int> mates;
    for (int pe = 0; pe < job.pes; ++pe) {
        if (host_number(pe) != host_number(job.me)) continue;
        mates.push_back(pe);
        job.host.set(static_cast<std::size_t>(pe));
    }
    files.assign(cards.size(), -1);
    files[static_cast<std::size_t>(job.me)] = job.file;
    cpu_set_t processors;
    CPU_ZERO(&processors);
    sched_getaffinity(0, sizeof processors, &processors);
    if (std::string why = swap_files(listener, cards, mates, processors); !why.empty()) return why;
    job.header->pes = static_cast<std::uint32_t>(job.pes);
    job.header->processors = static_cast<std::uint32_t>(CPU_COUNT(&processors));
    exchange->meet();
    return share_header(mates.front());
}

}  // namespace

std::string join_managed_job() {
    std::string why;
    try {
        exchange = find_exchange(why);
        if (!exchange) return why.empty() ? "the process manager does not answer" : why;
        if (exchange->rank() != job.me)
            return std::string(exchange->name()) + " gives this process rank " +
                   std::to_string(exchange->rank()) + ", its environment " + std::to_string(job.me);
        if (exchange->size() > kMaxPes)
            return std::to_string(exchange->size()) + " PEs are too many: at most " +
                   std::to_string(kMaxPes) + " in a job";
        job.pes = exchange->size();
        // Where the session is closed by then. Else finalize_at_exit.
        on_exit(
            [](int, void*) {
                if (session_count() == 0) leave_manager();
            },
            nullptr);
        return join(Socket());
    } catch (const std::exception& problem) {
        return std::string(exchange ? exchange->name() : "process manager") + ": " + problem.what();
    }
}

int memory_file(int pe) {
    return files.empty() ? job.file : files[static_cast<std::size_t>(pe)];
}

const std::vector<int>& first_pes() {
    if (firsts.empty()) firsts.push_back(0);
    return firsts;
}

int host_number(int pe) {
    return numbers.empty() ? 0 : numbers[static_cast<std::size_t>(pe)];
}

int header_owner() {
    return first_pes()[static_cast<std::size_t>(host_number(job.me))];
}

void exchange_host_names() {
    if (first_pes().size() < 2) return;
    HostName mine{};
    host_name().copy(mine.data(), mine.size() - 1);
    std::vector<HostName> all(first_pes().size());
    gather_of_hosts(mine.data(), mine.size(), all.data());
    names = std::move(all);
}

std::string host_of(int pe) {
    const bool known = pe >= 0 && pe < job.pes && !names.empty();
    return known ? names[static_cast<std::size_t>(host_number(pe))].data() : host_name();
}

Exchange* process_manager() {
    return exchange.get();
}

int first_on_host(int pe) {
    // Where the window is forbidden every PE counts as a host.
    if (job.near.count() != job.host.count()) return pe;
    return first_pes()[static_cast<std::size_t>(host_number(pe))];
}

void meet_other_hosts() {
    if (!exchange || job.host.count() == static_cast<std::size_t>(job.pes)) return;
    try {
        exchange->meet();
    } catch (const std::exception& problem) {
        fail(exchange->name(), problem.what());
    }
}

void leave_manager() {
    if (forked_child) return;
    if (exchange) exchange->leave();
    // Its destructor has nothing to add, and leak checkers look for who still knows it.
    static constinit Lasting<std::unique_ptr<Exchange>> left;
    *left = std::move(exchange);
}

namespace {

// A manager that is told to end the job may throw away what it has not read yet of the output.
// Waits until it has read it, half a second at most.
void await_reader(int file) {
    struct stat facts {};
    if (fstat(file, &facts) != 0 || !(S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode))) return;
    int unread = 0;
    for (int i = 0; i < 100; ++i) {
        if (ioctl(file, FIONREAD, &unread) != 0 || unread == 0) return;
        os::sleep_nanoseconds(5'000'000);
    }
}

}  // namespace

void end_managed_job(int status) {
    if (!exchange) return;
    await_reader(STDOUT_FILENO);
    await_reader(STDERR_FILENO);
    os::sleep_nanoseconds(20'000'000);  // what was read is passed on
    // While there is time: the process manager kills the mates, too.
    for (int pe = 0; far::present && pe < job.pes; ++pe) {
        if (job.host.test(static_cast<std::size_t>(pe)))
            os::remove_provider_files(job.header->pe[pe].process.load(std::memory_order_relaxed));
    }
    exchange->end(status);
}

}  // namespace isthmus
