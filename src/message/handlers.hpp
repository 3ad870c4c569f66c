// The handlers of this PE, by id, and how a message that is there is handed to one.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/routine.hpp"
#include "base/thread_sanitizer.hpp"
#include "message/message.hpp"

namespace isthmus::messages {

struct Entry {
    // Bits of a message's head that may be anything; 0: not registered. Release by who enters it,
    // acquire by deliver: the rest is there.
    std::atomic<std::uint64_t> free;
    // The same, and the others as they are to be; 0, which no head is: it goes deliver_otherwise.
    std::atomic<std::uint64_t> whole;
    Handler* function;
    void* context;
};
extern Entry entries[kHandlers] __attribute__((visibility("hidden")));

inline constexpr std::uint32_t kAnyArguments = ~std::uint32_t{0};

// False: the id is taken. `takes` has bits of both lines.
bool enter_handler(std::uint32_t id, Handler* function, void* context, std::uint32_t takes,
                   std::uint32_t argument_bytes);
// The same of a handler of a face with `without_form` (FaceNames), which is given the message and
// this context until the handler is given a form.
bool enter_handler_without_form(std::uint32_t id, void* context);
// From now on messages of one of these sizes (of `takes`) with so many bytes of arguments are given
// to this function; all others as before. The first form stays.
void give_form(std::uint32_t id, Handler* function, std::uint32_t takes,
               std::uint32_t argument_bytes);
// From now on, or no longer: each message that a handler is given is counted (message/counts.hpp).
// At the end of a session, before forget_handlers(), the counts are told; or where the job ends
// otherwise, of what the others have been given until then. Also in handlers of signals: false in
// one that has interrupted the telling, which goes on when it returns.
enum class AtEnd : bool { all, this_one };
void count_messages();
bool tell_counts(AtEnd at_end);
// False: it is not registered.
bool remove_handler(std::uint32_t id);
void forget_handlers();

// Of a face whose programs know handlers by other numbers: ids from `first` on, `count` of them,
// are told as 0 and on. What is said of one that is not registered: by which routine, and the rest
// of the sentence. Both last for ever. And what takes messages whose handler has no form, or
// another; and what stall reports say of who waits to send.
struct FaceNames {
    std::uint32_t first;
    std::uint32_t count;
    const char* routine;
    const char* not_registered;
    Handler* without_form;
    Routine request;
    Routine reply;
    const char* (*word)(std::uint32_t number);  // how the program calls it; null: by no word
};
void name_handlers(const FaceNames& names);
// How programs know a handler: the face's routine, up to a '_', a number, and a word or null.
struct HandlerName {
    const char* face;
    std::uint32_t number;
    const char* word;
};
HandlerName name_of(std::uint32_t id);
// By which routine its messages are sent, without their sizes.
Routine request_routine(std::uint32_t id);
Routine reply_routine(std::uint32_t id);

// The handler has no form, or another; else ends the job, for the handler does not take it.
[[gnu::cold, gnu::noinline]] void deliver_otherwise(Message& message);

// Whether the handler takes messages with this head; if so, what has been written before it was
// registered is there.
[[gnu::always_inline]] inline bool takes(const Entry& entry, std::uint64_t head) {
#if defined(__x86_64__) && !defined(ISTHMUS_THREAD_SANITIZER)
    // As below, where the words lie: compilers load atomics into registers first.
    bool whole;
    __asm__ __volatile__("orq %2, %1\n\tcmpq %3, %1"
                         : "=@cce"(whole), "+r"(head)
                         : "m"(entry.free), "m"(entry.whole)
                         : "memory");
    return whole;
#else
    const std::uint64_t free = entry.free.load(std::memory_order_acquire);
    return (head | free) == entry.whole.load(std::memory_order_relaxed);
#endif
}

// Calls the handler of the message, whose id is that of the entry. `head` is its last word.
[[gnu::always_inline]] inline void deliver(const Entry& entry, Message& message,
                                           std::uint64_t head) {
    if (!takes(entry, head)) [[unlikely]]
        return deliver_otherwise(message);
    entry.function(entry.context, &message);
}

// Those of ids from `first` on, as something that takes no register for good in a loop.
[[gnu::always_inline]] inline const Entry* entries_from(std::uint32_t first) {
    const Entry* entry = entries + first;
    __asm__ __volatile__("" : "+r"(entry));
    return entry;
}
// The same of a message whose id is below kHandlers.
[[gnu::always_inline]] inline void deliver(Message& message, std::uint64_t head) {
    deliver(entries_from(0)[static_cast<std::uint16_t>(head)], message, head);
}

// What lies in a ring and is a notice goes there: whoever opens lanes says where
// (message/lanes.hpp).
extern void (*take_notice)(const Head& notice) __attribute__((visibility("hidden")));

// The same of one that is not short, and lies in a ring. False: it is none, but a padding or a
// notice.
[[gnu::noinline]] bool deliver_payload(const Head& head, std::size_t bytes);

// The same of one that lies in a ring, of `bytes` bytes.
[[gnu::always_inline]] inline bool deliver(const Head& head, std::size_t bytes) {
    std::uint64_t word;
    std::memcpy(&word, &head, sizeof word);
    if ((word & kShort << 16) == 0) [[unlikely]]
        return deliver_payload(head, bytes);
    Message message;
    message.arguments = &head + 1;
    message.payload = nullptr;
    message.size = 0;
    std::memcpy(&message.handler, &word, sizeof word);
    deliver(message, word);
    return true;
}

}  // namespace isthmus::messages
