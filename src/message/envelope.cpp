#include "message/envelope.hpp"

#include <atomic>
#include <cstring>
#include <mutex>

#include "core/job/job.hpp"
#include "core/job/window.hpp"
#include "core/reach/far.hpp"
#include "core/wait/sleep.hpp"
#include "message/handlers.hpp"
#include "message/traced.hpp"

namespace isthmus::messages {
namespace {

// A place as one word that is not 0.
constexpr int kSegmentShift = 56;
constexpr std::uint64_t packed(const transport::Place& place) {
    return std::uint64_t{place.segment + 1} << kSegmentShift | place.offset;
}
// Null: it is no word of the program's or the library's.
std::int64_t* word_at(std::uint64_t count) {
    const transport::Place place{static_cast<std::uint32_t>(count >> kSegmentShift) - 1,
                                 count & ((std::uint64_t{1} << kSegmentShift) - 1)};
    char* const word = far::own_memory(place, sizeof(std::int64_t));
    if (reinterpret_cast<std::uintptr_t>(word) % sizeof(std::int64_t) != 0) return nullptr;
    return reinterpret_cast<std::int64_t*>(word);
}

// What is at this address here, at `pe`.
void count_up(std::int64_t* word, int pe) {
    if (!is_near(pe)) return far::count_up(reinterpret_cast<std::uint64_t*>(word), pe);
    // Release: partner is the acquire of who looks at it, behind what the handler has done.
    __atomic_fetch_add(translate(word, pe), 1, __ATOMIC_ACQ_REL);
    wake(pe);
}

constinit std::mutex guard;  // of these
std::int64_t* words = nullptr;
std::int64_t issued[kTickets];
std::size_t next = 0;

}  // namespace

Enveloped::Enveloped(const Parcel& parcel, const std::uint64_t (&counts)[2]) : parcel_(parcel) {
    const Envelope envelope{parcel.handler, -1, {counts[0], counts[1]}, 0};
    std::memcpy(arguments_, &envelope, sizeof envelope);
    if (parcel.argument_bytes != 0)
        std::memcpy(arguments_ + sizeof envelope, parcel.arguments, parcel.argument_bytes);
    parcel_.handler = kEnveloped;
    parcel_.arguments = arguments_;
    parcel_.argument_bytes = static_cast<std::uint16_t>(parcel.argument_bytes + sizeof(Envelope));
}

std::uint64_t count_of(const std::int64_t* word, const char* routine) {
    return packed(far::place_of(word, sizeof *word, routine));
}

void open_envelope(Message& message) {
    Envelope envelope;
    std::memcpy(&envelope, message.arguments, sizeof envelope);
    Message inner = message;
    inner.arguments = static_cast<const char*>(message.arguments) + sizeof envelope;
    inner.argument_bytes = static_cast<std::uint16_t>(message.argument_bytes - sizeof envelope);
    inner.handler = static_cast<std::uint16_t>(envelope.handler);
    std::uint64_t head;
    std::memcpy(&head, &inner.handler, sizeof head);
    {
        const TracedHandling handling(envelope, inner);
        deliver(inner, head);
    }
    // That of a get runs where it was asked for.
    const int sender = (message.kind & kReply) != 0 ? job.me : message.source;
    for (const std::uint64_t count : envelope.counts) {
        if (count != 0) count_up(word_at(count), sender);
    }
}

bool is_envelope(const void* bytes, std::size_t size, std::size_t argument_bytes) {
    Envelope envelope;
    if (argument_bytes < sizeof envelope || size < sizeof envelope) return false;
    std::memcpy(&envelope, bytes, sizeof envelope);
    if (envelope.handler >= kEnveloped) return false;
    for (const std::uint64_t count : envelope.counts) {
        if (count != 0 && !word_at(count)) return false;
    }
    return true;
}

bool take_ticket(Ticket& ticket) {
    const std::lock_guard lock(guard);
    for (std::size_t looked = 0; looked < kTickets; ++looked) {
        const std::size_t index = next++ % kTickets;
        // Acquire: whoever counted it up has nothing more to do with it.
        if (__atomic_load_n(words + index, __ATOMIC_ACQUIRE) != issued[index]) continue;
        ticket = {words + index, ++issued[index]};
        return true;
    }
    return false;
}

bool are_tickets_out() {
    const std::lock_guard lock(guard);
    if (!words) return false;
    for (std::size_t index = 0; index < kTickets; ++index) {
        // Relaxed: for a report.
        if (__atomic_load_n(words + index, __ATOMIC_RELAXED) == issued[index]) return false;
    }
    return true;
}

void give_back(const Ticket& ticket) {
    const std::lock_guard lock(guard);
    --issued[ticket.word - words];
}

void open_tickets(std::int64_t* at) {
    const std::lock_guard lock(guard);
    words = at;
    // Not written where nobody has used them: pages that are not touched cost nothing.
    for (std::size_t index = 0; index < kTickets; ++index) {
        if (issued[index] != 0) words[index] = issued[index] = 0;
    }
}

}  // namespace isthmus::messages
