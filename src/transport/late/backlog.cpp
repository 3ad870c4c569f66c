#include "transport/late/backlog.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "transport/late/here.hpp"

namespace isthmus::transport::late {
namespace {

bool is_copied(Kind kind) {
    return kind == Kind::put || kind == Kind::put_signal || kind == Kind::request;
}

const void* source_of(const Operation& operation) {
    return operation.copy.empty() ? operation.source : operation.copy.data();
}

}  // namespace

// Behind how many bytes a put is cut in two, where a word of the target begins; 0: it is not.
std::size_t Backlog::draw_cut(const Operation& operation) {
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    if (operation.kind != Kind::put && operation.kind != Kind::put_nbi) return 0;
    const std::size_t first = kWord - operation.place.offset % kWord;
    if (operation.bytes <= kWord) return 0;  // whole, or nothing of it
    const std::size_t places = (operation.bytes - 1 - first) / kWord + 1;
    if (cuts_.below(4) == 0) return 0;
    return first + kWord * cuts_.below(places);
}

void Backlog::add(Operation operation, std::uint64_t now) {
    const std::size_t cut = draw_cut(operation);
    if (cut == 0) return add_whole(std::move(operation), now);
    Operation rest = operation;
    rest.place.offset += cut;
    rest.source = static_cast<const char*>(operation.source) + cut;
    rest.bytes -= cut;
    operation.bytes = cut;
    add_whole(std::move(operation), now);
    add_whole(std::move(rest), now);
}

void Backlog::add_whole(Operation operation, std::uint64_t now) {
    operation.number = ++issued_;
    operation.epoch = epoch_;
    const std::uint64_t lateness = lateness_.lateness(manner_.longest);
    if (lateness == 0) return go(std::move(operation));
    operation.due = now + lateness;
    if (is_copied(operation.kind) && operation.bytes != 0) {
        const auto* const bytes = static_cast<const char*>(operation.source);
        operation.copy.assign(bytes, bytes + operation.bytes);
        copied_ += operation.bytes;
    }
    held_.push_back(std::move(operation));
    while (held_.size() > kMost || (copied_ > kMostBytes && !held_.empty()))
        go(take(0));
}

// In any order, drawn: another one each time may be the first.
template <typename Which>
void Backlog::release_which(Which&& which) {
    for (;;) {
        const std::size_t count = held_.size();
        if (count == 0) return;
        const std::size_t first = order_.below(count);
        std::size_t index = 0;
        while (index < count && !which(held_[(first + index) % count]))
            ++index;
        if (index == count) return;
        go(take((first + index) % count));
    }
}

Operation Backlog::take(std::size_t index) {
    Operation taken = std::move(held_[index]);
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(index));
    copied_ -= taken.copy.size();
    return taken;
}

void Backlog::release(int pe) {
    release_which([pe](const Operation& held) { return pe == Channel::kAll || held.pe == pe; });
}

std::uint64_t Backlog::pause_until(std::uint64_t now) {
    const std::uint64_t pause = pauses_.pause(manner_.longest);
    std::uint64_t last = 0;
    for (const Operation& held : held_)
        last = std::max(last, held.due);
    return pause == 0 || held_.empty() ? 0 : std::min(last, now + pause);
}

void Backlog::precede(int pe) {
    release_which(
        [this, pe](const Operation& held) { return held.pe == pe && held.epoch < epoch_; });
    const std::uint64_t unfenced = unfenced_[static_cast<std::size_t>(pe)];
    if (unfenced != 0 && unfenced < epoch_) fence_road();
}

std::uint64_t Backlog::release_due(std::uint64_t now) {
    release_which([now](const Operation& held) { return held.due <= now; });
    return next_due();
}

std::uint64_t Backlog::next_due() const {
    std::uint64_t next = kNever;
    for (const Operation& held : held_)
        next = std::min(next, held.due);
    return next;
}

// All that has gone by the road is before all that goes from now on.
void Backlog::fence_road() {
    base_.fence();
    std::fill(unfenced_.begin(), unfenced_.end(), 0);
}

void Backlog::go(Operation operation) {
    release_which([&operation](const Operation& held) {
        return held.pe == operation.pe &&
               (held.epoch < operation.epoch ||
                (operation.kind == Kind::request && held.number < operation.number));
    });
    const std::uint64_t unfenced = unfenced_[static_cast<std::size_t>(operation.pe)];
    if (unfenced != 0 && unfenced < operation.epoch) fence_road();
    if (perform_here(operation)) return;
    perform(operation);
    unfenced_[static_cast<std::size_t>(operation.pe)] = operation.epoch;
}

// By this processor, if the memory is mapped here.
bool Backlog::perform_here(const Operation& operation) {
    if (operation.kind == Kind::request || !manner_.find) return false;
    const bool is_word = operation.kind == Kind::atomic || operation.kind == Kind::fetch_nbi;
    const std::size_t bytes = is_word ? operation.atomic.width : operation.bytes;
    char* const there = manner_.find(operation.pe, operation.place, bytes);
    if (!there) return false;
    // What went before comes before: partner is the acquire of who waits for what goes now.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    switch (operation.kind) {
        case Kind::get_nbi: move(operation.dest, there, bytes); return true;
        case Kind::atomic: fetch_here(there, operation.atomic); break;
        case Kind::fetch_nbi: {
            const std::uint64_t before = fetch_here(there, operation.atomic);
            move(operation.dest, &before, bytes);
            break;
        }
        case Kind::put_signal:
        case Kind::put_signal_nbi: {
            char* const word = manner_.find(operation.pe, operation.word, operation.atomic.width);
            if (!word) return false;
            move(there, source_of(operation), bytes);
            fetch_here(word, operation.atomic);
            break;
        }
        default: move(there, source_of(operation), bytes);
    }
    manner_.stir(operation.pe);
    return true;
}

void Backlog::perform(const Operation& operation) {
    const void* const source = source_of(operation);
    switch (operation.kind) {
        case Kind::put: base_.put(operation.pe, operation.place, source, operation.bytes); break;
        case Kind::put_nbi:
            base_.put_nbi(operation.pe, operation.place, source, operation.bytes);
            break;
        case Kind::get_nbi:
            base_.get_nbi(operation.pe, operation.dest, operation.place, operation.bytes);
            break;
        case Kind::atomic:
            base_.post_atomic(operation.pe, operation.place, operation.atomic);
            break;
        case Kind::put_signal:
            base_.put_signal(operation.pe, operation.place, source, operation.bytes, operation.word,
                             operation.atomic);
            break;
        case Kind::put_signal_nbi:
            base_.put_signal_nbi(operation.pe, operation.place, source, operation.bytes,
                                 operation.word, operation.atomic);
            break;
        case Kind::fetch_nbi:
            base_.fetch_atomic_nbi(operation.pe, operation.place, operation.atomic, operation.dest);
            break;
        case Kind::request: base_.request(operation.pe, operation.handler, source, operation.bytes);
    }
}

}  // namespace isthmus::transport::late
