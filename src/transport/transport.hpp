// The contract between the core and a road to the PEs that the window does not reach.
//
// The core asks for one-sided operations on places in far PEs' segments; a transport brings them
// there with whatever its network has, and decides once, when it is opened, how. It never knows
// which face called. A transport is a module of its own (libisthmus-NAME.so), so that the library
// runs where the network's libraries are not installed.
//
// Ordering, which every transport keeps: operations of this PE on one far PE between two fences are
// unordered; fence() orders those before it against those after it, of every kind; quiet() returns
// when all are complete at the target, whose program need not call the library for that.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace isthmus::transport {

// Of the tables below; core and module must agree.
inline constexpr std::uint32_t kContractVersion = 11;

// The published memory of a PE, the same segments at every PE: the symmetric heap, the executable's
// static data, and the arena of the native interface's segments, which is published later than the
// others and whose size differs.
enum SegmentId : std::uint32_t { kHeap, kData, kArena, kSegments };

struct Segment {
    char* base = nullptr;
    std::uint64_t size = 0;  // 0: there is none
};

// Where in a far PE's memory.
struct Place {
    std::uint32_t segment = 0;
    std::uint64_t offset = 0;
};

enum class AtomicKind : std::uint8_t {
    fetch,
    set,
    swap,
    compare_swap,
    add,
    bit_and,
    bit_or,
    bit_xor,
    minimum,  // signed
    maximum,
    count
};

// Kind and width as one number, for the shortest way. The lowest and the highest byte are the
// transport's.
constexpr std::uint32_t atomic_code(AtomicKind kind, std::size_t width) {
    return static_cast<std::uint32_t>(kind) << 8 | static_cast<std::uint32_t>(width) << 16;
}

// On a word of `width` bytes (2, 4 or 8), aligned to it. The target's processor does it, so that it
// is atomic with respect to operations through the window and to the target's own; those of one PE
// on one far PE are done in the order in which they were issued, sequentially consistent.
struct Atomic {
    AtomicKind kind = AtomicKind::fetch;
    std::uint8_t width = 8;
    std::uint64_t operand = 0;
    std::uint64_t compare = 0;
};

// Bytes of a request's payload, and of the answer to one that asks.
inline constexpr std::size_t kRequestBytes = 2048;
inline constexpr std::size_t kAnswerBytes = 192;
// What serve() returns for a request that is none.
inline constexpr std::size_t kRefused = ~std::size_t{0};

// Reads under way, of one who waits for them together. The memory is the core's; the transport
// takes one off `left` for each part that has come, and whoever takes the last one off writes
// `number` to `reached`.
struct Pending {
    std::atomic<std::int64_t> reached{0};
    std::atomic<std::int32_t> left{0};
    std::int64_t number = 0;
    void finish(std::int32_t parts) {
        // Acquire: the other parts' data are there as well.
        if (left.fetch_sub(parts, std::memory_order_acq_rel) == parts)
            reached.store(number, std::memory_order_release);  // partner: who waits
    }
};

// What the module is given. All of it outlives the transport.
struct Services {
    std::uint32_t version = kContractVersion;
    int me = 0;
    int pes = 0;
    Segment segments[kSegments];
    std::uint64_t secret = 0;                      // the same at every PE, random
    const char* provider = "";                     // the setting; empty: the transport chooses
    bool thread = true;                            // whether a thread serves this PE's memory
    const cpu_set_t* thread_processors = nullptr;  // where it may run; null: anywhere
    double thread_share = 1;                       // of a processor, at most
    bool spins = true;                             // the host has a processor for each PE
    double detect_seconds = 0;                     // a silent PE is dead after this; 0: never
    // The far PEs whose signs of life this PE watches all the time; somebody watches each.
    const int* watched = nullptr;
    int watched_count = 0;

    // Collective, while the transport is opened: everyone's bytes at everyone, by number of the PE.
    void (*gather)(const void* mine, std::size_t bytes, void* all) = nullptr;
    // Ends the job with a message.
    void (*fail)(const char* what) = nullptr;
    // The same where PE `pe` has failed: the core knows its host.
    void (*lost)(int pe, const char* what) = nullptr;
    // Waits for done(argument), giving way as the core's waits do. `pe` is who is waited for,
    // `what` the operation, for messages: "a get".
    void (*wait)(int pe, const char* what, bool (*done)(void*), void* argument) = nullptr;
    // A request for the core of this PE (below), from the thread that makes progress. Must neither
    // wait for another PE nor issue anything. Returns how many bytes it wrote to `answer`, at most
    // kAnswerBytes; or kRefused.
    std::size_t (*serve)(int from, std::uint32_t handler, const void* payload, std::size_t bytes,
                         void* answer) = nullptr;
    // Others may have written into this PE's memory: who sleeps until they do must look.
    void (*stir)() = nullptr;
    // What a PE that asks (Transport::ask_state) is told of this one; from any thread.
    std::uint64_t (*state)() = nullptr;
};

// What a word into the heap needs to go straight to the network's own call: the call and what it is
// given, laid ready when the transport is opened.
struct Express {
    // As libfabric's fi_inject_write: not zero if the network does not take it now.
    using Inject = long(void* endpoint, const void* source, std::size_t bytes, std::uint64_t pe,
                        std::uint64_t offset, std::uint64_t key);
    Inject* inject = nullptr;  // null: there is no such way
    void* endpoint = nullptr;
    std::size_t longest = 0;  // bytes that it takes
    // Of the heap, by PE. Behind the last one's nothing can be read, for as far as 32-bit numbers
    // reach, so that a PE that there is not faults.
    const std::uint64_t* keys = nullptr;
    // By PE: 0 if wrote() is to be told of it, behind the call.
    const std::atomic<std::uint8_t>* written = nullptr;
};
// A place as Express::inject takes it.
struct Address {
    std::uint64_t offset = 0;
    std::uint64_t key = 0;
};
// Bytes from the first key on that are keys or cannot be read.
inline constexpr std::uint64_t kExpressRoom = (std::uint64_t{1} << 32) * sizeof(std::uint64_t);

class Transport;
// fetch_atomic() of an aligned word in the heap; `code` as atomic_code() makes it. The arguments
// are in the order in which the callers have them.
using FetchWord = std::uint64_t(Transport& road, std::uint64_t operand, int pe,
                                std::uint64_t offset, std::uint32_t code, std::uint64_t compare);

// get() of up to Express::longest bytes from the heap, likewise.
using GetWord = void(Transport& road, void* dest, int pe, std::uint64_t offset, std::size_t bytes);

class Transport {
  public:
    virtual ~Transport() = default;

    // The source may be changed when it returns; the data may arrive later.
    virtual void put(int pe, Place dest, const void* source, std::size_t bytes) = 0;
    // The data are there when it returns.
    virtual void get(int pe, void* dest, Place source, std::size_t bytes) = 0;
    // Returns what the word held.
    virtual std::uint64_t fetch_atomic(int pe, Place word, const Atomic& atomic) = 0;
    // The same without an answer.
    virtual void post_atomic(int pe, Place word, const Atomic& atomic) = 0;
    // The word is changed after the data are there. Kinds set and add; 8 bytes.
    virtual void put_signal(int pe, Place dest, const void* source, std::size_t bytes, Place word,
                            const Atomic& signal) = 0;
    // The same, but quiet and fence do not see to it: for protocols in which an answer of the
    // target's shows that it has arrived. `bytes` may be 0.
    virtual void tell(int pe, Place dest, const void* source, std::size_t bytes, Place word,
                      const Atomic& signal) = 0;
    virtual void fence() = 0;
    virtual void quiet() = 0;
    // Behind it requests and atomics come after the puts before it: less than a fence.
    virtual void order_puts() = 0;
    // As get(), but returns when the reads are under way; adds their number to pending.left. Of one
    // PE's reads from one other, later ones do not see an older state than earlier ones.
    virtual void begin_get(int pe, void* dest, Place source, std::size_t bytes,
                           Pending& pending) = 0;
    // As put() and get(), but complete when quiet() is: the buffers are the caller's until then.
    virtual void put_nbi(int pe, Place dest, const void* source, std::size_t bytes) = 0;
    virtual void get_nbi(int pe, void* dest, Place source, std::size_t bytes) = 0;
    // As quiet(), and sees to what tell() has sent as well.
    virtual void settle() = 0;
    // What the far PE's state() has last said, 0 until it has answered. For waits, which call it
    // again and again: it asks now and then, and ends the job if the PE is silent for too long.
    virtual std::uint64_t ask_state(int pe) = 0;
    // Calls serve() at the far PE, after what this PE put there before. quiet() sees to it.
    virtual void request(int pe, std::uint32_t handler, const void* payload, std::size_t bytes) = 0;
    // The same, and waits for the answer, of which it keeps up to `room` bytes. Its whole length.
    virtual std::size_t ask(int pe, std::uint32_t handler, const void* payload, std::size_t bytes,
                            void* answer, std::size_t room) = 0;
    // Collective: a segment that was empty when the transport was opened.
    virtual void publish(std::uint32_t segment, const Segment& memory) = 0;
    // Zero when quiet (fence) has nothing to do, so that the core need not ask; null if that cannot
    // be told from a number.
    virtual const std::atomic<int>* before_quiet() const = 0;
    virtual const std::atomic<int>* before_fence() const = 0;
    virtual Express express() const = 0;
    // Where the express way finds a place of any segment.
    virtual Address address_of(int pe, Place place) const = 0;
    virtual FetchWord* fetch_word() const = 0;
    virtual GetWord* get_word() const = 0;  // null: there is no such way
    // Something went to `pe` by the express way.
    virtual void wrote(int pe) = 0;
    // Serves what others ask of this PE; for jobs without a progress thread, and to shorten waits.
    virtual void progress() = 0;
    // Sleeps until the network has something for this PE or so long has passed; progress() then
    // finds it. False at once if the network cannot do that or another thread is asleep already.
    virtual bool sleep(std::uint64_t nanoseconds) = 0;
    // Requests that were none of this job's.
    virtual std::uint64_t refused() const = 0;
    // "tcp;ofi_rxm (libfabric 1.17): atomics by message, ...": what is done how, for the user.
    virtual const char* describe() const = 0;
};

// The function that a module exports, under the name kOpenSymbol. Collective. Ends the job with a
// message if the network cannot be used.
using Open = Transport* (*)(const Services& services);
inline constexpr const char* kOpenSymbol = "isthmus_open_transport";

// For people who ask without running a job: what would be chosen on this host, and why. Two lines,
// or one that begins with "!" and says why nothing can be.
using Explain = void (*)(const char* provider, char* text, std::size_t bytes);
inline constexpr const char* kExplainSymbol = "isthmus_explain_transport";

}  // namespace isthmus::transport
