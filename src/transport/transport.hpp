// The contract between the core and a road to the PEs that the window does not reach.
//
// The core asks for one-sided operations on places in far PEs' segments; a transport brings them
// there with whatever its network has, and decides once, when it is opened, how. It never knows
// which face called. A transport is a module of its own (libisthmus-NAME.so), so that the library
// runs where the network's libraries are not installed.
//
// Operations are issued on a channel; the road itself is the one that every job has. Ordering,
// which every transport keeps: operations of a channel on one far PE between two fences are
// unordered; fence() orders those before it against those after it, of every kind; quiet() returns
// when all are complete at the target, whose program need not call the library for that. Nothing is
// promised between channels. A handle (Completion) tells of single operations.
#pragma once

#include <sched.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace isthmus::transport {

// Of the system's random generator, the same at every PE, and known to nobody else: it travels by
// the process manager alone.
using JobSecret = std::array<unsigned char, 32>;

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

// The atomic that such a number stands for.
constexpr Atomic atomic_of(std::uint32_t code, std::uint64_t operand, std::uint64_t compare) {
    return {static_cast<AtomicKind>(code >> 8 & 0xff), static_cast<std::uint8_t>(code >> 16),
            operand, compare};
}

// Bytes of a request's payload, and of the answer to one that asks.
inline constexpr std::size_t kRequestBytes = 2048;
inline constexpr std::size_t kAnswerBytes = 192;
// A request that is laid out where it leaves from, its frame, begins with so many bytes for the
// road; a short one is no longer than the other, all in all.
inline constexpr std::size_t kFrameRoom = 32;
inline constexpr std::size_t kShortFrame = 64;
// Where in the room the caller says which handler (below 2^24) it is for, above bits of the road's.
inline constexpr std::size_t kFrameWord = kFrameRoom - sizeof(std::uint64_t);
constexpr std::uint64_t frame_code(std::uint32_t handler) {
    return std::uint64_t{handler} << 40;
}
inline std::uint32_t handler_of(const char* frame) {
    std::uint64_t word = 0;
    std::memcpy(&word, frame + kFrameWord, sizeof word);
    return static_cast<std::uint32_t>(word >> 40);
}
// What serve() returns for a request that is none.
inline constexpr std::size_t kRefused = ~std::size_t{0};

// Operations under way, of one who waits for them together. The memory is the core's; the transport
// takes one off `left` for each part that has ended, and whoever takes the last one off writes
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

// Why a far PE is asked for its state. Part of what goes between PEs; 0 is no question.
enum class Asking : std::uint8_t {
    life = 1,  // somebody waits for it
    report     // somebody's wait is to be explained: it is to look at what it does
};

// What the module is given. All of it outlives the transport.
struct Services {
    int me = 0;
    int pes = 0;
    Segment segments[kSegments];
    JobSecret secret{};
    std::uint64_t session = 0;     // how many roads the job has opened before; the same at every PE
    const char* provider = "";     // the setting; empty: the transport chooses
    const char* address = "";      // the setting: which of the host's addresses; likewise
    const char* protocol = "tcp";  // the setting: what carries packets
    bool seals = true;             // the setting: packets over TCP bear hashes
    bool thread = true;            // whether a thread serves this PE's memory
    const cpu_set_t* thread_processors = nullptr;  // where it may run; null: anywhere
    double thread_share = 1;                       // of a processor, at most
    bool spins = true;                             // the host has a processor for each PE
    std::uint64_t seed = 0;                        // of a road that draws what it does
    std::uint64_t delay_nanoseconds = 0;           // the longest that such a road keeps back
    bool leaves_machine = false;                   // some PEs are on another one
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
    // As lost, of one that may live, and has not been reached.
    void (*unreached)(int pe, const char* what) = nullptr;
    // As lost, of one whose connection has just ended: it, or the process manager, may say more.
    void (*gone)(int pe, const char* what) = nullptr;
    // The same where a transfer with PE `pe` was given memory of this PE that is none.
    void (*misgiven)(int pe, const char* why) = nullptr;
    // PE `pe` ends the job with this status, and has said why.
    void (*job_ended)(int pe, int status) = nullptr;
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
    // The thread that makes progress calls it some times a second. May be missing.
    void (*now_and_then)() = nullptr;
    // A request that is none of this job's has come, the first one; Transport::refused() counts.
    void (*stranger_came)() = nullptr;
    // What a PE that asks (Transport::ask_state) is told of this one; from any thread.
    std::uint64_t (*state)(Asking why) = nullptr;
};

// The short operations on the heap, laid ready when the road is opened: a call and what it is
// given, with nothing in between. Each may be missing; the operation of Transport then does it.
struct ShortCalls {
    // Up to `longest` bytes, of which it takes a copy; behind it wrote() of the channel is to be
    // told of a PE that has no mark in its written(). `road` is `put_road`, `key` what `keys` has
    // for the PE: what the road knows its heap by; both mean something to the road alone. Or offset
    // and key are those of address_of(). Not zero: not now, ask put(). The order of the arguments
    // is part of the contract: they pass through the core in the registers in which they come.
    using Put = long(void* road, const void* source, std::size_t bytes, std::uint64_t pe,
                     std::uint64_t offset, std::uint64_t key);
    // get() of up to `longest` bytes.
    using Get = void(void* self, void* dest, int pe, std::uint64_t offset, std::size_t bytes);
    // fetch_atomic() of an aligned word; `code` as atomic_code() makes it. The arguments are in the
    // order in which the callers have them.
    using Fetch = std::uint64_t(void* self, std::uint64_t operand, int pe, std::uint64_t offset,
                                std::uint32_t code, std::uint64_t compare);
    Put* put = nullptr;
    void* put_road = nullptr;
    std::size_t longest = 0;
    // By PE. Behind the last one's nothing can be read, for as far as 32-bit numbers reach, so that
    // a PE that there is not faults.
    const std::uint64_t* keys = nullptr;
    const std::atomic<std::uint8_t>* written = nullptr;  // of the road's own channel
    Get* get = nullptr;
    Fetch* fetch = nullptr;
    void* self = nullptr;  // of get and fetch: the Transport
    // request() of a payload that lies in a frame of `bytes`, not above kShortFrame, in as much
    // memory at least, with `post_word` and the handler's frame_code() at kFrameWord. `road` is
    // `post_road`. The order of the arguments: as that of put.
    using Post = void(char* frame, void* road, std::size_t bytes, std::uint64_t pe);
    // The same of a frame of any length and what is behind it, kRequestBytes of payload in all.
    using PostMore = void(char* frame, void* road, std::size_t bytes, std::uint64_t pe,
                          const void* rest, std::size_t count);
    Post* post = nullptr;
    PostMore* post_more = nullptr;  // there if `post` is
    void* post_road = nullptr;
    std::uint64_t post_word = 0;
};
// A place as ShortCalls::put takes it.
struct Address {
    std::uint64_t offset = 0;
    std::uint64_t key = 0;
};
// Bytes from the first key on that are keys or cannot be read.
inline constexpr std::uint64_t kKeyRoom = (std::uint64_t{1} << 32) * sizeof(std::uint64_t);

// A handle: operations that are waited for apart from all others. The memory is the caller's, and
// stays where it is from the first operation that is given the handle until Channel::test() says
// that all of them are complete. It is then as at first, with nothing to wait for, and may be used
// anew. One thread at a time; between the first test() and the end no operation is added.
struct Completion {
    Completion() { reset(); }
    Completion(const Completion&) = delete;
    Completion& operator=(const Completion&) = delete;

    // ---- the transport's
    void reset() {
        // One part is the handle's own, until it is first tested.
        parts.left.store(1, std::memory_order_relaxed);
        parts.reached.store(0, std::memory_order_relaxed);
        parts.number = 1;
        pe = kNobody;
        until = 0;
        kinds = 0;
        is_tested = must_ask = false;
        others = nullptr;
    }
    // Something goes to this PE, or to every (-1).
    void concern(int to) { pe = pe == kNobody || pe == to ? to : -1; }
    static constexpr int kNobody = -2;
    Pending parts;
    int pe = kNobody;         // where what follows must have ended; -1: at every PE
    std::uint64_t until = 0;  // what was issued up to this number
    std::uint8_t kinds = 0;   // of what; 0: nothing
    bool must_ask = false;    // whether puts have arrived: asked for by the first test
    bool is_tested = false;
    void* others = nullptr;  // of several roads (several/): the handles of each
};

// What ends a sleep on a road.
struct Alarm {
    int other_thread = -1;    // readable when another thread has found something
    int network = -1;         // readable when something has come
    bool rings = false;       // it has already: there may be something that neither shows
    bool other_rang = false;  // the sleeper's: it has been read off `other_thread`
};

// A stream of operations. Any thread may call.
class Channel {
  public:
    Channel() = default;
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;
    virtual ~Channel() = default;

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
    // As put() and get(), but complete when quiet() is: the buffers are the caller's until then.
    virtual void put_nbi(int pe, Place dest, const void* source, std::size_t bytes) = 0;
    virtual void get_nbi(int pe, void* dest, Place source, std::size_t bytes) = 0;
    // Likewise; `result` has the width of the word. A road may do more than it must.
    virtual void put_signal_nbi(int pe, Place dest, const void* source, std::size_t bytes,
                                Place word, const Atomic& signal) {
        put_signal(pe, dest, source, bytes, word, signal);
    }
    virtual void fetch_atomic_nbi(int pe, Place word, const Atomic& atomic, void* result) {
        const std::uint64_t before = fetch_atomic(pe, word, atomic);
        std::memcpy(result, &before, atomic.width);
    }
    // Calls serve() at the far PE, after what this channel put there before. quiet() sees to it.
    virtual void request(int pe, std::uint32_t handler, const void* payload, std::size_t bytes) = 0;

    // Behind it requests and atomics come after the puts before it: less than a fence.
    virtual void order_puts() = 0;
    virtual void fence() = 0;
    virtual void quiet() = 0;
    // Quiet of what went to these PEs; waits for no other. None of them need be far.
    virtual void quiet(const int* pes, std::size_t count) = 0;

    // As put() and get(), but complete when the handle is: a put when its data are at the target, a
    // get when they are here. The buffers are in use until then. quiet() and fence() see to the
    // puts as well. These wait for room alone, if very many are under way.
    virtual void begin_put(int pe, Place dest, const void* source, std::size_t bytes,
                           Completion& handle) = 0;
    virtual void begin_get(int pe, void* dest, Place source, std::size_t bytes,
                           Completion& handle) = 0;
    // Quiet, of one PE or of every (kAll): the handle is complete when all is that was issued
    // before. Does not wait.
    static constexpr int kAll = -1;
    virtual void begin_quiet(int pe, Completion& handle) = 0;
    // Whether all of it is complete. Looks at the network; does not wait. It is to be called by who
    // wants to know: what an untested handle stands for may not yet have been asked for.
    virtual bool test(Completion& handle) = 0;
    // Waits until test() is true.
    virtual void await(Completion& handle) = 0;

    // Zero when quiet (fence) has nothing to do, so that the core need not ask; null if that cannot
    // be told from a number.
    virtual const std::atomic<int>* before_quiet() const = 0;
    virtual const std::atomic<int>* before_fence() const = 0;

    // By PE, not zero for those that something has gone to: wrote() need not be told of them. Null:
    // nothing is put on this channel by ShortCalls::put.
    virtual const std::atomic<std::uint8_t>* written() const = 0;
    // Something went to `pe` by ShortCalls::put, on this channel.
    virtual void wrote(int pe) = 0;
};

// The road, and the channel that every job has.
class Transport : public Channel {
  public:
    // One more channel. Closing it is as quiet(); all are closed before the road is.
    virtual std::unique_ptr<Channel> open_channel() = 0;
    // As put_signal(), but quiet and fence do not see to it: for protocols in which an answer of
    // the target's shows that it has arrived. `bytes` may be 0.
    virtual void tell(int pe, Place dest, const void* source, std::size_t bytes, Place word,
                      const Atomic& signal) = 0;
    // As quiet(), and sees to what tell() has sent as well.
    virtual void settle() = 0;
    // As get(), but returns when the reads are under way; adds their number to pending.left. Of one
    // PE's reads from one other, later ones do not see an older state than earlier ones.
    using Channel::begin_get;
    virtual void begin_get(int pe, void* dest, Place source, std::size_t bytes,
                           Pending& pending) = 0;
    // What the far PE's state() has last said, 0 until it has answered. For waits, which call it
    // again and again: it asks now and then, and ends the job if the PE is silent for too long.
    virtual std::uint64_t ask_state(int pe, Asking why) = 0;
    // As request(), and waits for the answer, of which it keeps up to `room` bytes. Its whole
    // length.
    virtual std::size_t ask(int pe, std::uint32_t handler, const void* payload, std::size_t bytes,
                            void* answer, std::size_t room) = 0;
    // Collective: a segment that was empty when the transport was opened.
    virtual void publish(std::uint32_t segment, const Segment& memory) = 0;
    virtual ShortCalls short_calls() const = 0;
    // Where ShortCalls::put finds a place of any segment.
    virtual Address address_of(int pe, Place place) const = 0;
    // Serves what others ask of this PE; for jobs without a progress thread, and to shorten waits.
    virtual void progress() = 0;
    // Sleeps until the network has something for this PE or so long has passed; progress() then
    // finds it. False at once if the network cannot do that or another thread is asleep already.
    virtual bool sleep(std::uint64_t nanoseconds) = 0;
    // The two halves of sleep(), for who sleeps on several roads at once. Behind a fall_asleep()
    // that has returned true wake_up() must come.
    virtual bool fall_asleep(Alarm& alarm) = 0;
    virtual void wake_up(const Alarm& alarm) = 0;
    // The job ends by this PE with this status, and it has said why: tells those that are connected
    // to it, as far as that needs no waiting. Their job_ended() gets the number as it is. From any
    // thread, and in handlers of signals.
    virtual void say_end(int status) = 0;
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

// Whether this road has hardware of its own here, by which no other job's processes come in; a
// module without the function has none.
using HasHardware = bool (*)();
inline constexpr const char* kHasHardwareSymbol = "isthmus_transport_has_hardware";

// What a module's file says of itself to who cannot load it: this, and behind it what it needs.
#define ISTHMUS_ROAD_NEEDS "isthmus-road-needs:"

}  // namespace isthmus::transport
