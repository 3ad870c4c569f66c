#include "message/fetch.hpp"

#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/lasting.hpp"
#include "core/copy/copy.hpp"
#include "core/job/job.hpp"
#include "core/reach/far.hpp"
#include "core/reach/handle.hpp"
#include "core/reach/operation.hpp"
#include "core/wait/status.hpp"
#include "message/handlers.hpp"
#include "message/post.hpp"

namespace isthmus::messages {
namespace {

struct alignas(16) Line {
    char bytes[16];
};

}  // namespace

struct Fetched {
    Fetched(int from, const char* by) : pe(from), routine(by) {}
    int pe;
    const char* routine;
    far::Handle* handle = nullptr;  // null: nothing is under way
    std::unique_ptr<Line[]> buffer;
    alignas(8) char arguments[kEnvelopedArguments];
    Parcel parcel{};
};

namespace {

// Guards the queue; held for moments, and not while a handler runs.
constinit std::mutex guard;
Lasting<std::deque<std::unique_ptr<Fetched>>> queue;
std::atomic<std::size_t> count = 0;  // relaxed: who finds some takes the lock

void run(const Fetched& fetched) {
    const Parcel& parcel = fetched.parcel;
    Message message;
    message.arguments = fetched.arguments;
    message.payload = parcel.size == 0 ? nullptr : parcel.dest;
    message.size = parcel.size;
    const std::uint64_t head = head_word(
        parcel.handler, parcel.kind, static_cast<std::uint32_t>(fetched.pe), parcel.argument_bytes);
    std::memcpy(&message.handler, &head, sizeof head);
    const OwnHandler running;
    deliver(message, head);
}

// The oldest, if all of it is here. Those behind it wait for it, which orders them.
std::unique_ptr<Fetched> take() {
    const std::lock_guard lock(guard);
    if (queue->empty() || !far::test(*queue->front()->handle)) return nullptr;
    std::unique_ptr<Fetched> first = std::move(queue->front());
    queue->pop_front();
    count.fetch_sub(1, std::memory_order_relaxed);
    post.due.fetch_sub(kOneCome, std::memory_order_relaxed);
    return first;
}

}  // namespace

Fetch::Fetch(int pe, const char* routine)
    : fetched_(whole(routine, [&] { return std::make_unique<Fetched>(pe, routine).release(); })) {
    if (!is_near(pe)) fetched_->handle = &far::take_handle(routine);
}

Fetch::~Fetch() {
    delete fetched_;
}

char* Fetch::buffer(std::size_t bytes) {
    fetched_->buffer = whole(fetched_->routine,
                             [&] { return std::make_unique<Line[]>(bytes / sizeof(Line) + 1); });
    return fetched_->buffer[0].bytes;
}

void Fetch::add(void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    const int pe = fetched_->pe;
    if (fetched_->handle) {
        // Constants of the program, which are here.
        if (!far::is_published(source, bytes))
            return far::get(dest, source, bytes, pe, fetched_->routine);
        far::begin_get(*fetched_->handle, dest, source, bytes, pe, fetched_->routine);
        return;
    }
    operation::get(operation::find(source, pe), dest, source, bytes, pe, fetched_->routine);
}

void Fetch::answer(const Parcel& parcel) {
    std::memcpy(fetched_->arguments, parcel.arguments, parcel.argument_bytes);
    fetched_->parcel = parcel;
    if (!fetched_->handle) return run(*fetched_);
    const std::lock_guard lock(guard);
    whole(fetched_->routine, [&] { queue->emplace_back(fetched_); });
    fetched_ = nullptr;
    count.fetch_add(1, std::memory_order_relaxed);
    post.due.fetch_add(kOneCome, std::memory_order_relaxed);
}

int serve_fetched(int most) {
    int handled = 0;
    while (handled < most && count.load(std::memory_order_relaxed) != 0) {
        const std::unique_ptr<Fetched> first = take();
        if (!first) break;
        run(*first);
        ++handled;
    }
    return handled;
}

void forget_fetched() {
    const std::lock_guard lock(guard);
    queue->clear();
    count.store(0, std::memory_order_relaxed);
}

}  // namespace isthmus::messages
