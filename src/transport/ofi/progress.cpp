// The receiving half of the road: completions and requests of others.
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/blocked_signals.hpp"
#include "transport/ofi/road.hpp"
#include "transport/perform.hpp"

namespace isthmus::transport::ofi {
namespace {

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
    {
        const BlockedSignals blocked;
        thread_ = std::thread([this] { run(); });
    }
    // By this thread: who looks at the process now finds it.
    pthread_setname_np(thread_.native_handle(), "isthmus-ofi");
    place_thread();
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
    const ssize_t result = fi_recv(fabric_.endpoint(), receive.buffer, sizeof receive.buffer,
                                   descriptor_, FI_ADDR_UNSPEC, &receive.context);
    // The next look tries again: the provider gets on by being looked at.
    if (result == -FI_EAGAIN)
        unposted_.push_back(&receive);
    else if (result != 0)
        services_.fail((std::string("fi_recv: ") + fi_strerror(static_cast<int>(-result))).c_str());
}

void Road::progress() {
    attention_.during([&] {
        look();
        return true;
    });
}

bool Road::sleep(std::uint64_t nanoseconds) {
    if (fabric_.descriptor() < 0 || !attention_.fall_asleep()) return false;
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
    attention_.wake_up();
    return true;
}

bool Road::look() {
    const std::unique_lock lock(reading_, std::try_to_lock);
    if (!lock) return false;
    for (std::size_t left = unposted_.size(); left != 0; --left) {
        Receive* const receive = unposted_.front();
        unposted_.pop_front();
        post_receive(*receive);
    }
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
        if (attention_.is_asleep()) ring(wake_event_);
        // There is hardly more, and to find that out takes a system call.
        if (count < static_cast<ssize_t>(kEntries)) break;
    }
    // Puts of others leave no completion: a thread that looks over and over wakes for them, too.
    if (found || ++looks_ % 32 == 0) services_.stir();
    if (!answers_.empty()) send_answers();
    return found;
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
    if (error == EMFILE)  // this PE's own want
        services_.fail(("no descriptor is left for the connection to PE " + std::to_string(pe) +
                        "; raise ulimit -n")
                           .c_str());
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

}  // namespace isthmus::transport::ofi

extern "C" __attribute__((visibility("default"))) isthmus::transport::Transport*
isthmus_open_transport(const isthmus::transport::Services& services) {
    if (services.version != isthmus::transport::kContractVersion) return nullptr;
    return new isthmus::transport::ofi::Road(services);
}
