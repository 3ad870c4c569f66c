// The handlers of this PE, by id, and how a message that is there is handed to one.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "message/message.hpp"

namespace isthmus::messages {

struct Entry {
    // Bits of a message's head that may be anything; 0: not registered, and no head is like that.
    // Release by enter_handler, acquire by deliver: the rest is there.
    std::atomic<std::uint64_t> free;
    std::uint64_t expected;  // the others
    Handler* function;
    void* context;
};
extern Entry entries[kHandlers] __attribute__((visibility("hidden")));

inline constexpr std::uint32_t kAnyArguments = ~std::uint32_t{0};

// False: the id is taken. `takes` has bits of both lines.
bool enter_handler(std::uint32_t id, Handler* function, void* context, std::uint32_t takes,
                   std::uint32_t argument_bytes);
// False: it is not registered.
bool remove_handler(std::uint32_t id);
void forget_handlers();

// Of a face whose programs know handlers by other numbers: ids from `first` on, `count` of them,
// are told as 0 and on. What is said of one that is not registered: by which routine, and the rest
// of the sentence. Both last for ever.
struct FaceNames {
    std::uint32_t first;
    std::uint32_t count;
    const char* routine;
    const char* not_registered;
};
void name_handlers(const FaceNames& names);

// Ends the job: the handler does not take what has come.
[[noreturn, gnu::cold, gnu::noinline]] void refuse_delivery(const Message& message);

// Calls the handler of the message, whose id is below kHandlers. `head` is its last word.
[[gnu::always_inline]] inline void deliver(Message& message, std::uint64_t head) {
    const Entry* entry = entries;
    __asm__ __volatile__("" : "+r"(entry));  // in a loop it would take a register for good
    entry += static_cast<std::uint16_t>(head);
    const std::uint64_t free = entry->free.load(std::memory_order_acquire);
    if (((head ^ entry->expected) & ~free) != 0) [[unlikely]]
        refuse_delivery(message);
    entry->function(entry->context, &message);
}

// The same of one that is not short, and lies in a ring.
[[gnu::noinline]] void deliver_payload(const Head& head, std::size_t bytes);

// The same of one that lies in a ring, of `bytes` bytes.
[[gnu::always_inline]] inline void deliver(const Head& head, std::size_t bytes) {
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
}

}  // namespace isthmus::messages
