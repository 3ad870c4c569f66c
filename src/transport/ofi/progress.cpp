// The receiving half of the road: completions, requests of others, and the thread that sees to them
// while the program computes.
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include "transport/ofi/road.hpp"
#include "transport/perform.hpp"

namespace isthmus::transport::ofi {
namespace {

std::uint64_t thread_nanoseconds() {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(used.tv_nsec);
}

void ring(int event) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(event, &one, sizeof one);
}

Milliseconds patience(const Services& services) {
    return static_cast<Milliseconds>(std::min(services.detect_seconds, 1e6) * 1000);
}

}  // namespace

Road::Road(const Services& services)
    : services_(services),
      fabric_(services_),
      written_(services.pes),
      asked_of_(services.pes),
      posted_(static_cast<std::size_t>(services.pes)),
      told_(services.pes),
      buffers_(std::make_unique_for_overwrite<Buffers>()),
      transfers_(std::make_unique<Transfer[]>(kTransfers)),
      began_(now_nanoseconds()),
      watch_(services.pes, patience(services)),
      pulse_(services.secret, services.me, services.pes) {
    inject_ = fabric_.is_ordered() ? fabric_.info().tx_attr->inject_size : 0;
    longest_ = fabric_.info().ep_attr->max_msg_size;
    description_ = fabric_.describe();
    // What is begun is ended without memory.
    asked_pes_.reserve(2 * static_cast<std::size_t>(services.pes));
    written_pes_.reserve(static_cast<std::size_t>(services.pes));
    descriptor_ = fabric_.register_own(buffers_.get(), sizeof(Buffers));
    for (Bounce& bounce : buffers_->bounces) {
        bounce.context.kind = Context::Kind::bounce;
        free_bounces_.push_back(&bounce);
    }
    for (std::size_t i = 0; i < kTransfers; ++i) {
        transfers_[i].context.kind = Context::Kind::transfer;
        free_transfers_.push_back(&transfers_[i]);
    }
    for (Receive& receive : buffers_->receives) {
        receive.context.kind = Context::Kind::receive;
        post_receive(receive);
    }
    if (services_.thread && services_.detect_seconds > 0) {
        const std::vector<char> address = fabric_.address();
        pulse_.open(address.data(), address.size());
    }
    fabric_.connect(pulse_.port());
    if (heap_keys_.make(services_.pes)) {
        for (int pe = 0; pe < services_.pes; ++pe)
            heap_keys_.set(pe, fabric_.target(pe, kHeap).key);
    }
    endpoint_ = fabric_.endpoint();
    keys_ = heap_keys_.keys();
    read_ = endpoint_->rma->read;
    inject_message_ = endpoint_->msg->inject;
    sender_ = {fabric_.secret(), static_cast<std::uint64_t>(services_.me)};
    if (services_.detect_seconds > 0)
        neighbours_.assign(services_.watched, services_.watched + services_.watched_count);
    wake_event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!services_.thread) return;
    stop_event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are the program's
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    // By this thread: who looks at the process now finds it.
    pthread_setname_np(thread_.native_handle(), "isthmus-ofi");
    place_thread();
}

// Unless told, not on the core that its PE is bound to, which computes.
void Road::place_thread() {
    cpu_set_t processors;
    CPU_ZERO(&processors);
    for (int processor = 0; processor < CPU_SETSIZE; ++processor)
        CPU_SET(processor, &processors);
    const cpu_set_t* const chosen = services_.thread_processors;
    const int error = pthread_setaffinity_np(thread_.native_handle(), sizeof processors,
                                             chosen ? chosen : &processors);
    if (error != 0 && chosen)
        services_.fail((std::string("the progress thread may run on none of the processors of "
                                    "ISTHMUS_PROGRESS_PROCESSORS: ") +
                        std::strerror(error))
                           .c_str());
}

Road::~Road() {
    stopping_.store(true, std::memory_order_release);
    if (thread_.joinable()) {
        ring(stop_event_);
        thread_.join();
    }
    if (stop_event_ >= 0) ::close(stop_event_);
    if (wake_event_ >= 0) ::close(wake_event_);
}

void Road::post_receive(Receive& receive) {
    ssize_t result = -FI_EAGAIN;
    while (result == -FI_EAGAIN)
        result = fi_recv(fabric_.endpoint(), receive.buffer, sizeof receive.buffer, descriptor_,
                         FI_ADDR_UNSPEC, &receive.context);
    if (result != 0)
        services_.fail((std::string("fi_recv: ") + fi_strerror(static_cast<int>(-result))).c_str());
}

void Road::progress() {
    call_long([&] {
        look();
        return true;
    });
}

bool Road::sleep(std::uint64_t nanoseconds) {
    bool nobody = false;
    if (fabric_.descriptor() < 0 ||
        !asleep_.compare_exchange_strong(nobody, true, std::memory_order_relaxed))
        return false;
    fid* queue = &fabric_.queue()->fid;
    // Without the provider's leave there may be work that the descriptor does not show.
    if (fi_trywait(fabric_.fabric(), &queue, 1) == 0) {
        pollfd ends[] = {{wake_event_, POLLIN, 0}, {fabric_.descriptor(), POLLIN, 0}};
        const timespec length{0, static_cast<long>(nanoseconds)};
        ppoll(ends, 2, &length, nullptr);
        std::uint64_t count = 0;
        if (ends[0].revents != 0) {
            [[maybe_unused]] const auto bytes = ::read(wake_event_, &count, sizeof count);
        }
    }
    looked_.store(now_nanoseconds(), std::memory_order_relaxed);
    asleep_.store(false, std::memory_order_relaxed);
    return true;
}

void Road::look() {
    const std::unique_lock lock(reading_, std::try_to_lock);
    if (!lock) return;
    constexpr std::size_t kEntries = 16;
    fi_cq_msg_entry entries[kEntries];
    bool found = false;
    for (;;) {
        const ssize_t count = fi_cq_read(fabric_.queue(), entries, kEntries);
        if (count == -FI_EAVAIL) {
            read_error();
            continue;
        }
        if (count <= 0) break;
        now_ = milliseconds();
        for (ssize_t i = 0; i < count; ++i)
            complete(entries[i]);
        found = true;
        // Another thread's: what was found may be what it waits for.
        if (asleep_.load(std::memory_order_relaxed)) ring(wake_event_);
        // There is hardly more, and to find that out takes a system call.
        if (count < static_cast<ssize_t>(kEntries)) break;
    }
    // Puts of others leave no completion: a thread that looks over and over wakes for them, too.
    if (found || ++looks_ % 32 == 0) services_.stir();
    if (!answers_.empty()) send_answers();
}

void Road::complete(const fi_cq_msg_entry& entry) {
    auto* const context = static_cast<Context*>(entry.op_context);
    if (!context) return;
    switch (context->kind) {
        case Context::Kind::receive: {
            auto& receive = *reinterpret_cast<Receive*>(context);
            serve(receive.buffer, entry.len);
            return post_receive(receive);
        }
        case Context::Kind::direct: {
            if ((entry.flags & FI_WRITE) && !fabric_.is_ordered())
                unconfirmed_.fetch_sub(1, std::memory_order_release);
            // Release, and last: the waiter's frame is gone behind it.
            reinterpret_cast<Direct*>(context)->done.store(true, std::memory_order_release);
            return;
        }
        case Context::Kind::transfer: return finish(*reinterpret_cast<Transfer*>(context));
        case Context::Kind::bounce: {
            auto& bounce = *reinterpret_cast<Bounce*>(context);
            if (bounce.confirms) unconfirmed_.fetch_sub(1, std::memory_order_release);
            return give_back(bounce);
        }
    }
}

void Road::read_error() {
    fi_cq_err_entry error{};
    if (fi_cq_readerr(fabric_.queue(), &error, 0) <= 0) return;
    auto* const context = static_cast<Context*>(error.op_context);
    if (context && context->kind == Context::Kind::receive) {
        // Longer than any request of ours, or cut off.
        if (error.err == FI_ECANCELED || stopping_.load(std::memory_order_relaxed)) return;
        refused_.fetch_add(1, std::memory_order_relaxed);
        return post_receive(*reinterpret_cast<Receive*>(context));
    }
    if (stopping_.load(std::memory_order_relaxed)) return;
    lost(context ? context->pe : -1, error.err);
}

void Road::lost(int pe, int error) {
    services_.lost(pe, (std::string("the connection failed: ") + fi_strerror(error)).c_str());
    std::abort();
}

// ---- requests of others

void Road::serve(const char* bytes, std::size_t length) {
    Request asked;
    const char* payload = nullptr;
    if (!parse(bytes, length, fabric_.secret(), static_cast<std::uint32_t>(services_.pes), asked,
               payload)) {
        refused_.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    const auto from = static_cast<int>(asked.from);
    watch_.heard(from, now_);
    const Atomic atomic{asked.atomic, asked.width, asked.operand, asked.compare};
    std::uint64_t before = 0;
    bool good = true;
    switch (asked.kind) {
        case RequestKind::put_signal: {
            char* const dest =
                locate(services_.segments, asked.data_segment, asked.data_offset, asked.bytes);
            char* const word = locate(services_.segments, asked.segment, asked.offset, asked.width);
            good = dest != nullptr && word != nullptr;
            if (!good) break;
            std::memcpy(dest, payload, asked.bytes);
            good = perform(word, atomic, before);
            break;
        }
        case RequestKind::post_atomic:
        case RequestKind::fetch_atomic: {
            char* const word = locate(services_.segments, asked.segment, asked.offset, asked.width);
            good = word != nullptr && perform(word, atomic, before);
            if (good && asked.kind == RequestKind::fetch_atomic) answer(asked, before);
            break;
        }
        case RequestKind::flush: answer(asked, 0); break;
        case RequestKind::answer: good = deliver(asked.token, asked.operand); break;
        case RequestKind::long_answer: good = deliver(asked.token, payload, asked.bytes); break;
        case RequestKind::core:
        case RequestKind::ask: good = answer_core(asked, payload); break;
        case RequestKind::heartbeat:
            if (asked.operand != 0) {
                Request alive;
                alive.kind = RequestKind::heartbeat;
                alive.compare = services_.state ? services_.state() : 0;
                answer_later({from, alive});
            } else {
                watch_.answered(from, asked.compare);
            }
            break;
        case RequestKind::count: good = false;
    }
    if (!good) refused_.fetch_add(1, std::memory_order_relaxed);
}

// Also inside calls of the program that throw nothing.
void Road::answer_later(const Reply& reply) {
    try {
        answers_.push_back(reply);
    } catch (const std::bad_alloc&) {
        services_.fail("the system has no memory for an answer to another PE");
    }
}

void Road::answer(const Request& asked, std::uint64_t value) {
    Request reply;
    reply.kind = RequestKind::answer;
    reply.token = asked.token;
    reply.operand = value;
    answer_later({static_cast<int>(asked.from), reply});
}

// False if the core knows no such request.
bool Road::answer_core(const Request& asked, const char* payload) {
    Reply reply{static_cast<int>(asked.from), {}};
    const std::size_t bytes = services_.serve(reply.pe, static_cast<std::uint32_t>(asked.operand),
                                              payload, asked.bytes, reply.payload.data());
    if (bytes > kAnswerBytes) return false;
    if (asked.kind != RequestKind::ask) return true;
    reply.request.kind = RequestKind::long_answer;
    reply.request.token = asked.token;
    reply.request.bytes = static_cast<std::uint32_t>(bytes);
    answer_later(reply);
    return true;
}

bool Road::send_answer(Reply& reply) {
    reply.request.secret = fabric_.secret();
    reply.request.from = static_cast<std::uint32_t>(services_.me);
    const auto to = static_cast<fi_addr_t>(reply.pe);
    ssize_t result = 0;
    if (!has_payload(reply.request.kind)) {
        result = fi_inject(fabric_.endpoint(), &reply.request, kShortRequest, to);
    } else {
        Bounce* const bounce = free_bounce();
        if (!bounce) return false;
        bounce->confirms = false;
        bounce->context.pe = reply.pe;
        std::memcpy(bounce->buffer, &reply.request, sizeof reply.request);
        std::memcpy(bounce->buffer + sizeof reply.request, reply.payload.data(),
                    reply.request.bytes);
        iovec local{bounce->buffer, sizeof reply.request + reply.request.bytes};
        fi_msg message{};
        message.msg_iov = &local;
        message.desc = &descriptor_;
        message.iov_count = 1;
        message.addr = to;
        message.context = &bounce->context;
        result = fi_sendmsg(fabric_.endpoint(), &message, FI_COMPLETION);
        if (result != 0) give_back(*bounce);
    }
    if (result == -FI_EAGAIN) return false;
    if (result != 0 && !stopping_.load(std::memory_order_relaxed))
        lost(reply.pe, static_cast<int>(-result));
    return true;
}

// Never waits: this may run inside a wait. What the provider does not take now stays in line.
void Road::send_answers() {
    for (std::size_t left = answers_.size(); left != 0; --left) {
        Reply reply = answers_.front();
        answers_.pop_front();
        if (!send_answer(reply)) answer_later(reply);
    }
}

// ---- the thread

void Road::run() {
    // Acquire: partner is the release in the destructor.
    prctl(PR_SET_TIMERSLACK, 1000);  // nanoseconds: its pauses are short
    Share share(services_.thread_share);
    const int ends = open_ends();
    bool beats_came = false;
    while (!stopping_.load(std::memory_order_acquire)) {
        leave_to_program();
        keep_to(share);
        look();
        see_to_beats(beats_came);
        beats_came = false;
        fid* queue = &fabric_.queue()->fid;
        // The provider's leave to sleep: there may be work that the descriptor does not show.
        const bool may_sleep =
            fabric_.descriptor() < 0 || fi_trywait(fabric_.fabric(), &queue, 1) == 0;
        // Puts of others leave no completion here. The provider may have taken some in, by being
        // asked for its leave as well; what comes from now on rings.
        services_.stir();
        if (!may_sleep) continue;
        epoll_event woken[3];
        const int count = epoll_wait(ends, woken, 3, pause_milliseconds());
        for (int i = 0; i < count; ++i)
            beats_came |= woken[i].data.fd == pulse_.descriptor();
    }
    ::close(ends);
}

// What ends the thread's sleep. A set that is kept: each sleep costs less than by poll().
int Road::open_ends() const {
    const int ends = epoll_create1(EPOLL_CLOEXEC);
    for (const int end : {stop_event_, fabric_.descriptor(), pulse_.descriptor()}) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = end;
        if (end >= 0 && (ends < 0 || epoll_ctl(ends, EPOLL_CTL_ADD, end, &event) != 0))
            services_.fail((std::string("epoll_ctl: ") + std::strerror(errno)).c_str());
    }
    return ends;
}

void Road::keep_to(Share& share) {
    if (share.is_all()) return;
    const std::uint64_t rest = share.rest(now_nanoseconds(), thread_nanoseconds());
    if (rest == 0) return;
    pollfd end{stop_event_, POLLIN, 0};
    const timespec length{static_cast<time_t>(rest / 1'000'000'000),
                          static_cast<long>(rest % 1'000'000'000)};
    ppoll(&end, 1, &length, nullptr);
}

// Returns when the program has not looked for a moment. What comes in that moment waits for it, so
// it is no longer than a thread's wake-up on a busy machine. While the program goes on looking the
// pauses grow with the time that it does: each takes the processor from somebody, and what comes
// when it stops waits for the end of the pause, an eighth of that time at most.
void Road::leave_to_program() {
    constexpr std::uint64_t kMoment = 50'000;  // nanoseconds
    constexpr std::uint64_t kLongest = 2'000'000;
    const std::uint64_t began = now_nanoseconds();
    while (!stopping_.load(std::memory_order_acquire)) {
        const std::uint64_t now = now_nanoseconds();
        const std::uint64_t looked = looked_.load(std::memory_order_relaxed);
        if (!asleep_.load(std::memory_order_relaxed) &&
            calling_.load(std::memory_order_relaxed) == 0 && now > looked && now - looked > kMoment)
            return;
        // A program that waits for long keeps the thread here.
        see_to_beats(false);
        const std::uint64_t pause = std::clamp((now - began) / 8, kMoment, kLongest);
        const timespec length{0, static_cast<long>(pause)};
        nanosleep(&length, nullptr);
    }
}

int Road::pause_milliseconds() const {
    const std::unique_lock lock(const_cast<std::mutex&>(reading_), std::try_to_lock);
    if (!lock || !answers_.empty() || fabric_.descriptor() < 0) return 1;
    return 100;
}

// ---- signs of life

// A look costs a system call or two, so without a reason only now and then.
void Road::see_to_beats(bool came) {
    constexpr Milliseconds kInterval = 20;
    const Milliseconds now = milliseconds();
    if (!came && now - beats_seen_to_ < kInterval) return;
    beats_seen_to_ = now;
    take_beats();
    watch_neighbours();
}

Milliseconds Road::milliseconds() const {
    return static_cast<Milliseconds>((now_nanoseconds() - began_) / 1'000'000);
}

std::uint64_t Road::ask_state(int pe) {
    watch(pe, Watch::Why::waiting);
    return watch_.state(pe);
}

void Road::watch_neighbours() {
    for (const int pe : neighbours_)
        watch(pe, Watch::Why::neighbour);
}

void Road::watch(int pe, Watch::Why why) {
    const Milliseconds now = milliseconds();
    const Watch::Action action = watch_.look(pe, now, why);
    // A PE that serves only when its program calls may be computing.
    if (action.lost && services_.thread) {
        char text[96];
        std::snprintf(text, sizeof text, "nothing heard of it for %.1f s (ISTHMUS_DETECT_SECONDS)",
                      static_cast<double>(action.silence) / 1000);
        services_.lost(pe, text);
    }
    if (action.beat) {
        const std::vector<char> address = fabric_.address_of(pe);
        pulse_.send(address.data(), address.size(), fabric_.pulse_port_of(pe), true);
    }
    if (!action.ask) return;
    const std::unique_lock lock(reading_, std::try_to_lock);
    if (!lock) return;  // the next look asks
    Request question;
    question.kind = RequestKind::heartbeat;
    question.operand = 1;
    answer_later({pe, question});
    watch_.asked(pe, now);
    send_answers();
}

void Road::take_beats() {
    const Milliseconds now = milliseconds();
    const unsigned strange = pulse_.receive([&](int pe, bool question) {
        watch_.heard(pe, now);
        if (!question) return;
        const std::vector<char> address = fabric_.address_of(pe);
        pulse_.send(address.data(), address.size(), fabric_.pulse_port_of(pe), false);
    });
    if (strange != 0) refused_.fetch_add(strange, std::memory_order_relaxed);
}

}  // namespace isthmus::transport::ofi

extern "C" __attribute__((visibility("default"))) isthmus::transport::Transport*
isthmus_open_transport(const isthmus::transport::Services& services) {
    if (services.version != isthmus::transport::kContractVersion) return nullptr;
    return new isthmus::transport::ofi::Road(services);
}
