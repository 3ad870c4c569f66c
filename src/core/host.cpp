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

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/lasting.hpp"
#include "base/os.hpp"
#include "core/exchange.hpp"
#include "core/fork.hpp"
#include "core/job.hpp"
#include "core/session.hpp"

namespace isthmus {
namespace {

// What each PE tells all others about itself.
struct Card {
    std::uint64_t socket;             // number in the name of its socket
    std::uint64_t network_namespace;  // of the kernel below
    char kernel[40];                  // one running kernel: its boot
    char host[64];
    cpu_set_t processors;
};

// Asked already by the library's constructor.
constinit Lasting<std::unique_ptr<Exchange>> lasting_exchange;
constinit std::unique_ptr<Exchange>& exchange = *lasting_exchange;
Lasting<std::vector<int>> lasting_files;
constinit std::vector<int>& files = *lasting_files;  // by PE; -1: not of this host
Lasting<std::vector<std::array<char, 64>>> lasting_hosts;
constinit std::vector<std::array<char, 64>>& hosts = *lasting_hosts;
Lasting<std::vector<int>> lasting_firsts;
constinit std::vector<int>& firsts = *lasting_firsts;  // by PE: the lowest one on its host

Card own_card() {
    Card card{};
    if (getrandom(&card.socket, sizeof card.socket, 0) != sizeof card.socket)
        card.socket = os::monotonic_nanoseconds() ^ static_cast<std::uint64_t>(getpid()) << 40;
    struct stat facts {};
    if (stat("/proc/self/ns/net", &facts) == 0) card.network_namespace = facts.st_ino;
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        [[maybe_unused]] const auto count = read(file, card.kernel, sizeof card.kernel - 1);
        close(file);
    }
    const std::string name = host_name();
    name.copy(card.host, sizeof card.host - 1);
    sched_getaffinity(0, sizeof card.processors, &card.processors);
    return card;
}

// Without both facts nothing is claimed.
bool may_be_one_host(const Card& a, const Card& b) {
    return a.kernel[0] != '\0' && a.network_namespace != 0 &&
           a.network_namespace == b.network_namespace &&
           std::memcmp(a.kernel, b.kernel, sizeof a.kernel) == 0;
}

socklen_t name_socket(std::uint64_t number, sockaddr_un& address) {
    address = {};
    address.sun_family = AF_UNIX;
    const int length = std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1,
                                     "isthmus-%016llx", static_cast<unsigned long long>(number));
    return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                  static_cast<std::size_t>(length));
}

// What goes over the socket, with the file beside it: who speaks, and the listener's number, which
// only the job knows.
struct Hello {
    std::uint64_t socket;
    std::int32_t pe;
};

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
    return sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof hello);
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
    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL) !=
        static_cast<ssize_t>(sizeof hello))
        return -1;
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
std::string swap_files(const Socket& listener, const std::vector<Card>& cards,
                       const std::vector<int>& mates) {
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
        if (connect(call.file(), reinterpret_cast<sockaddr*>(&address), length) != 0)
            return failed("connect", pe);
        if (!send_file(call.file(), {card.socket, job.me}, job.file)) return failed("sendmsg", pe);
        called.emplace_back(pe, std::move(call));
    }
    while (higher != 0) {
        const Socket call(accept4(listener.file(), nullptr, nullptr, SOCK_CLOEXEC));
        if (call.file() < 0) return failed("accept", -1);
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
        if (!send_file(call.file(), {mine.socket, job.me}, job.file))
            return failed("sendmsg", hello.pe);
        --higher;
    }
    for (const auto& [pe, call] : called) {
        Hello hello{};
        const int file = receive_file(call.file(), hello);
        if (file < 0 || hello.pe != pe) return failed("recvmsg", pe);
        files[static_cast<std::size_t>(pe)] = file;
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

std::string join(const Socket& listener) {
    const Card card = [] {
        Card own = own_card();
        return own;
    }();
    sockaddr_un address;
    const socklen_t length = name_socket(card.socket, address);
    if (listener.file() < 0 ||
        bind(listener.file(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
        listen(listener.file(), kMaxPes) != 0)
        return std::string("cannot open a socket for this host: ") + std::strerror(errno);
    std::vector<Card> cards(static_cast<std::size_t>(job.pes));
    exchange->gather(&card, sizeof card, cards.data());
    std::vector<int> mates;
    cpu_set_t processors = card.processors;
    hosts.resize(cards.size());
    for (int pe = 0; pe < job.pes; ++pe) {
        const Card& other = cards[static_cast<std::size_t>(pe)];
        std::memcpy(hosts[static_cast<std::size_t>(pe)].data(), other.host, sizeof other.host - 1);
        if (!may_be_one_host(card, other) && pe != job.me) continue;
        mates.push_back(pe);
        job.host.set(static_cast<std::size_t>(pe));
        CPU_OR(&processors, &processors, &other.processors);
    }
    firsts.resize(cards.size());
    for (std::size_t pe = 0; pe < cards.size(); ++pe) {
        std::size_t first = 0;
        while (first != pe && !may_be_one_host(cards[first], cards[pe]))
            ++first;
        firsts[pe] = static_cast<int>(first);
    }
    files.assign(cards.size(), -1);
    files[static_cast<std::size_t>(job.me)] = job.file;
    if (std::string why = swap_files(listener, cards, mates); !why.empty()) return why;
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
                   std::to_string(kMaxPes) + " so far";
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

std::string host_of(int pe) {
    if (pe >= 0 && static_cast<std::size_t>(pe) < hosts.size())
        return hosts[static_cast<std::size_t>(pe)].data();
    return host_name();
}

int first_on_host(int pe) {
    // Where the window is forbidden every PE counts as a host.
    if (job.near.count() != job.host.count()) return pe;
    return firsts.empty() ? 0 : firsts[static_cast<std::size_t>(pe)];
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
    static_cast<void>(exchange.release());  // its destructor has nothing to add
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
    exchange->end(status);
}

namespace {

// Where the PEs of one job file exchange: a page each, far behind the header.
constexpr std::uint64_t kBoardOffset = std::uint64_t{1} << 30;
constexpr std::size_t kBoardBytes = 4096;
static_assert(sizeof(JobHeader) <= kBoardOffset &&
              kBoardOffset + kMaxPes * kBoardBytes <= region(0));

void gather_in_job_file(const void* mine, std::size_t bytes, void* all) {
    if (bytes > kBoardBytes) fail("shmem_init", "more than a page to exchange");
    const std::size_t length = static_cast<std::size_t>(job.pes) * kBoardBytes;
    void* const place = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, job.file,
                             static_cast<off_t>(kBoardOffset));
    if (place == MAP_FAILED)
        fail("shmem_init", std::string("cannot map the job file: ") + std::strerror(errno));
    char* const board = static_cast<char*>(place);
    std::memcpy(board + static_cast<std::size_t>(job.me) * kBoardBytes, mine, bytes);
    start_barrier();
    for (std::size_t pe = 0; pe < static_cast<std::size_t>(job.pes); ++pe)
        std::memcpy(static_cast<char*>(all) + pe * bytes, board + pe * kBoardBytes, bytes);
    start_barrier();
    munmap(place, length);
}

}  // namespace

void gather(const void* mine, std::size_t bytes, void* all) {
    if (!exchange) return gather_in_job_file(mine, bytes, all);
    try {
        exchange->gather(mine, bytes, all);
    } catch (const std::exception& problem) {
        fail(exchange->name(), problem.what());
    }
}

}  // namespace isthmus
