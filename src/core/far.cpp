#include "core/far.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/processors.hpp"
#include "base/settings.hpp"
#include "core/arena.hpp"
#include "core/copy.hpp"
#include "core/departure.hpp"
#include "core/exchange.hpp"
#include "core/far_store.hpp"
#include "core/flight.hpp"
#include "core/job.hpp"
#include "core/request.hpp"
#include "core/sleep.hpp"
#include "core/status.hpp"
#include "core/wait.hpp"

namespace isthmus {

bool is_near(int pe) {
    return pe >= 0 && pe < job.pes && job.near.test(static_cast<std::size_t>(pe));
}

namespace far {

bool present = false;
bool served_by_calls = false;
View view;
Express express;

namespace {

using transport::Place;
using transport::Transport;

// Not destroyed at exit: a process that ends without finalising, or a forked child, must not wait
// for its thread.
Transport* road = nullptr;

// The module lies beside this library, whether in a build folder or installed.
std::string module_path(const char* name) {
    Dl_info own{};
    std::string folder;
    if (dladdr(reinterpret_cast<void*>(&module_path), &own) != 0 && own.dli_fname) {
        folder = own.dli_fname;
        const auto slash = folder.rfind('/');
        folder.resize(slash == std::string::npos ? 0 : slash + 1);
    }
    return folder + "libisthmus-" + name + ".so";
}

// Libraries of networks install handlers of their own when they are loaded (one prints backtraces
// of faults, and would keep ours from explaining them). What was there comes back.
class KeptSignals {
  public:
    KeptSignals() {
        for (int signal = 1; signal < kSignals; ++signal)
            known_[static_cast<std::size_t>(signal)] =
                sigaction(signal, nullptr, &actions_[static_cast<std::size_t>(signal)]) == 0;
    }
    KeptSignals(const KeptSignals&) = delete;
    KeptSignals& operator=(const KeptSignals&) = delete;
    ~KeptSignals() {
        for (int signal = 1; signal < kSignals; ++signal) {
            if (known_[static_cast<std::size_t>(signal)])
                sigaction(signal, &actions_[static_cast<std::size_t>(signal)], nullptr);
        }
    }

  private:
    static constexpr int kSignals = 32;  // those with names
    std::array<struct sigaction, kSignals> actions_{};
    std::array<bool, kSignals> known_{};
};

transport::Open load(const char* name) {
    const std::string path = module_path(name);
    void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!module)
        fail("shmem_init", std::string("the job has PEs that this host does not hold, and the "
                                       "transport between hosts cannot be loaded: ") +
                               dlerror() + " (build the library where libfabric is installed)");
    const auto found = reinterpret_cast<transport::Open>(dlsym(module, transport::kOpenSymbol));
    if (!found) fail("shmem_init", path + " is no transport of this library");
    return found;
}

Routine noted_routine() {
    return job.status().routine.load(std::memory_order_relaxed);
}

[[noreturn]] void fail_transport(const char* what) {
    fail(routine_name(noted_routine()), std::string("transport: ") + what);
}

// What a thread of the program waits for in the transport, one of them if there are several.
// Relaxed: for messages.
std::atomic<const char*> awaited = nullptr;

// What the program is doing. Short operations are not noted: only a wait tells of them.
std::string operation() {
    std::string noted = routine_name(noted_routine());
    const char* const what = awaited.load(std::memory_order_relaxed);
    if (!what && job.status().waiting_since.load(std::memory_order_relaxed) != 0) return noted;
    return std::string(what ? what : "outside of waits") + " (last noted call: " + noted + ")";
}

// The program's thread and the transport's may both come to know; one of them speaks.
[[noreturn]] void fail_lost(int pe, const char* why) {
    static std::atomic<bool> speaking = false;
    while (speaking.exchange(true, std::memory_order_relaxed))
        os::sleep_nanoseconds(1'000'000'000);
    fail(operation().c_str(),
         pe < 0 ? std::string("a PE cannot be reached: ") + why
                : "PE " + std::to_string(pe) + " (host " + host_of(pe) + ") is lost: " + why);
}

void wait_in_core(int pe, const char* what, bool (*done)(void*), void* argument) {
    // A poll here is a look at the network, some fifty times the cost of a look at memory.
    for (std::uint32_t polls = 0; polls < job.spin / 50; ++polls) {
        if (done(argument)) return;
    }
    // Sleeps when the answer is late, or when a yield was: then somebody computes, and would go on
    // doing so for the scheduler's turn.
    constexpr int kYields = 1000;
    constexpr std::uint64_t kLongYield = 100'000;  // nanoseconds
    struct Told {
        explicit Told(const char* what) { awaited.store(what, std::memory_order_relaxed); }
        ~Told() { awaited.store(nullptr, std::memory_order_relaxed); }
    } const told(what);
    Waiter waiter({noted_routine(), pe, nullptr, WaitFor::memory});
    for (int yields = 0; yields < kYields; ++yields) {
        if (done(argument)) return;
        const std::uint64_t before = os::monotonic_nanoseconds();
        waiter.step();
        if (os::monotonic_nanoseconds() - before > kLongYield) break;
    }
    while (!done(argument)) {
        // Without a PE it may be another thread that is waited for.
        if (pe >= 0 && sleep())
            waiter.look();
        else
            waiter.step();
    }
}

void gather_in_core(const void* mine, std::size_t bytes, void* all) {
    gather(mine, bytes, all);
}

void get_any(Transport& by, void* dest, int pe, std::uint64_t offset, std::size_t bytes) {
    by.get(pe, dest, {transport::kHeap, offset}, bytes);
}

transport::Segment segment_of(const Range& range) {
    return {reinterpret_cast<char*>(range.begin), range.size};
}

transport::Segment arena_segment() {
    if (job.arena.size == 0) return {};
    return {reinterpret_cast<char*>(job.arena.begin), arena_mapping_size(job.arena.size)};
}

// This thread is in serve(): the road is not to be entered again. Waits there give way, and no
// more.
__thread bool serving = false;

std::size_t serve_in_core(int from, std::uint32_t handler, const void* payload, std::size_t bytes,
                          void* answer) {
    serving = true;
    const std::size_t length = whole(routine_name(noted_routine()), [&] {
        return serve_request(from, handler, payload, bytes, answer);
    });
    serving = false;
    return length;
}

void stir() {
    land();
    wake(job.me);
}

// Where `address` lies in the published memory. Constants are in none of it: false. In the arena of
// another PE nothing is known of its end here.
bool find_place(const void* address, std::size_t bytes, Place& place) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (job.heap.contains(address) && bytes <= job.heap.end() - at) [[likely]] {
        place = {transport::kHeap, at - job.heap.begin};
        return true;
    }
    if (job.data.contains(address) && bytes <= job.data.end() - at) {
        place = {transport::kData, at - job.data.begin};
        return true;
    }
    if (job.arena.size != 0 && at - job.arena.begin < arena_room()) {
        place = {transport::kArena, at - job.arena.begin};
        return true;
    }
    return false;
}

std::vector<int> pes_of_host(int first) {
    std::vector<int> pes;
    for (int pe = first; pe < job.pes; ++pe) {
        if (first_on_host(pe) == first) pes.push_back(pe);
    }
    return pes;
}

// Of the next host, in the order of first PEs: the PEs there are shared out to those here, so that
// each is watched by one.
std::vector<int> watched_pes() {
    const int first = first_on_host(job.me);
    int next = 0;  // behind the last host comes that of PE 0
    for (int pe = job.pes - 1; pe > first; --pe) {
        if (first_on_host(pe) == pe) next = pe;
    }
    const std::vector<int> mates = pes_of_host(first);
    const std::vector<int> theirs = pes_of_host(next);
    std::vector<int> watched;
    const auto mine =
        static_cast<std::size_t>(std::find(mates.begin(), mates.end(), job.me) - mates.begin());
    for (std::size_t i = mine; i < theirs.size() && next != first; i += mates.size())
        watched.push_back(theirs[i]);
    return watched;
}

Place word_of(const void* address, const Atomic& atomic, const char* routine) {
    if (reinterpret_cast<std::uintptr_t>(address) % atomic.width != 0) [[unlikely]]
        fail(routine,
             Text("address ", InHex(address), " is not aligned to ", atomic.width, " bytes"));
    return place_of(address, atomic.width, routine);
}

}  // namespace

Place place_of(const void* address, std::size_t bytes, const char* routine) {
    Place place;
    if (!find_place(address, bytes, place)) [[unlikely]] {
        const Text why = why_not_symmetric(address, bytes);
        fail(routine, why.empty() ? Text("address ", InHex(address), " cannot be written") : why);
    }
    return place;
}

bool is_published(const void* address, std::size_t bytes) {
    Place place;
    return find_place(address, bytes, place);
}

char* own_memory(const Place& place, std::size_t bytes) {
    const Range published[] = {job.heap, job.data, job.arena};
    static_assert(std::size(published) == transport::kSegments);
    if (place.segment >= transport::kSegments) return nullptr;
    const Range& within = published[place.segment];
    if (place.offset > within.size || bytes > within.size - place.offset) return nullptr;
    return reinterpret_cast<char*>(within.begin + place.offset);
}

void open() {
    if (!present) return;
    open_flights();
    const KeptSignals kept;
    transport::Services services;
    services.me = job.me;
    services.pes = job.pes;
    services.secret = job.secret;
    services.segments[transport::kHeap] = segment_of(job.heap);
    services.segments[transport::kData] = segment_of(job.data);
    services.segments[transport::kArena] = arena_segment();  // of an earlier session
    services.provider = value(Setting::fabric).text.c_str();
    services.thread = flag(Setting::progress);
    static cpu_set_t processors;
    if (parse_processors(value(Setting::progress_processors).text, processors))
        services.thread_processors = &processors;
    services.thread_share = seconds(Setting::progress_percent) / 100;
    services.spins = job.spin != 0;
    served_by_calls = !services.thread;
    services.detect_seconds = seconds(Setting::detect_seconds);
    const std::vector<int> watched = watched_pes();
    services.watched = watched.data();
    services.watched_count = static_cast<int>(watched.size());
    services.gather = gather_in_core;
    services.fail = fail_transport;
    services.lost = fail_lost;
    services.wait = wait_in_core;
    services.serve = serve_in_core;
    services.stir = stir;
    services.state = [] { return departure_word(job.status()); };
    road = load("ofi")(services);
    if (!road) fail("shmem_init", "the transport's module is of another version than the library");
    if (job.checked) return;
    view.before_quiet = road->before_quiet();
    view.before_fence = road->before_fence();
    // The aligned block of the window holds all that is near: what it refuses is far.
    if (window.host_pes > window.open_limit) return;
    view.road = road;
    view.fetch_word = road->fetch_word();
    view.get_word = road->get_word() ? road->get_word() : get_any;
    view.pes = window.pes;
    view.heap = job.heap.begin;
    view.last = job.heap.size - kWord;
    express.road = road->express();
    if (!express.road.inject) return;
    express.heap = view.heap;
    express.last = job.heap.size - express.road.longest;
    open_stores();
}

void close() {
    close_stores();
    served_by_calls = false;
    view = View{};
    express = Express{};
    if (!road) return;
    const std::uint64_t refused = road->refused();
    delete road;
    road = nullptr;
    end_flights();
    if (refused != 0)
        say((speaker_prefix() + "transport: " + std::to_string(refused) +
             (refused == 1 ? " request that was" : " requests that were") +
             " none of this job's came to this PE's port and " + (refused == 1 ? "was" : "were") +
             " refused\n")
                .c_str());
}

void abandon() {
    close_stores();
    view = View{};
    express = Express{};
    road = nullptr;
    present = served_by_calls = false;
}

const char* description() {
    return road ? road->describe() : "";
}

void put_again(const void* dest, const void* source, std::size_t bytes, int pe) {
    const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(dest) - view.heap;
    road->put(pe, {transport::kHeap, offset}, source, bytes);
}

void note_written(int pe) {
    road->wrote(pe);
}

bool find_address(const void* memory, std::size_t bytes, int pe, transport::Address& address) {
    Place place;
    if (!express.road.inject || !find_place(memory, bytes, place)) return false;
    address = road->address_of(pe, place);
    return true;
}

bool put_otherwise(void* dest, const void* source, std::size_t bytes, int pe) {
    Place place;
    if (static_cast<std::uint32_t>(pe) >= view.pes || bytes == 0 || !find_place(dest, bytes, place))
        return false;
    view.road->put(pe, place, source, bytes);
    return true;
}

std::int64_t pe_of_fault(std::uintptr_t address) {
    const auto first = reinterpret_cast<std::uintptr_t>(express.road.keys);
    if (first == 0 || address - first >= transport::kExpressRoom) return -1;
    return static_cast<std::int64_t>((address - first) / sizeof(std::uint64_t));
}

void put(void* dest, const void* source, std::size_t bytes, int pe, const char* routine) {
    if (bytes == 0) return;
    road->put(pe, place_of(dest, bytes, routine), source, bytes);
}

void get(void* dest, const void* source, std::size_t bytes, int pe, const char* routine) {
    if (bytes == 0) return;
    Place place;
    if (find_place(source, bytes, place)) [[likely]]
        return road->get(pe, dest, place, bytes);
    if (const Text why = why_not_symmetric(source, bytes); !why.empty()) fail(routine, why);
    copy(dest, source, bytes);  // a constant: the same at every PE
}

void put_nbi(void* dest, const void* source, std::size_t bytes, int pe, const char* routine) {
    if (bytes == 0) return;
    road->put_nbi(pe, place_of(dest, bytes, routine), source, bytes);
}

void get_nbi(void* dest, const void* source, std::size_t bytes, int pe, const char* routine) {
    Place place;
    if (bytes == 0 || !find_place(source, bytes, place)) [[unlikely]]
        return get(dest, source, bytes, pe, routine);
    road->get_nbi(pe, dest, place, bytes);
}

std::uint64_t fetch_atomic(const void* word, int pe, const Atomic& atomic, const char* routine) {
    return road->fetch_atomic(pe, word_of(word, atomic, routine), atomic);
}

void post_atomic(void* word, int pe, const Atomic& atomic, const char* routine) {
    road->post_atomic(pe, word_of(word, atomic, routine), atomic);
}

void put_signal(void* dest, const void* source, std::size_t bytes, std::uint64_t* word,
                const Atomic& signal, int pe, const char* routine) {
    const Place there = word_of(word, signal, routine);
    if (bytes == 0) return road->post_atomic(pe, there, signal);
    road->put_signal(pe, place_of(dest, bytes, routine), source, bytes, there, signal);
}

void tell(void* dest, const void* source, std::size_t bytes, std::uint64_t* word,
          std::uint64_t value, int pe, const char* routine) {
    const Atomic signal{AtomicKind::set, 8, value, 0};
    const Place there = word_of(word, signal, routine);
    road->tell(pe, bytes == 0 ? there : place_of(dest, bytes, routine), source, bytes, there,
               signal);
}

void count_up(std::uint64_t* word, int pe) {
    const Place there = place_of(word, sizeof *word, routine_name(noted_routine()));
    road->tell(pe, there, nullptr, 0, there, {AtomicKind::add, 8, 1, 0});
}

void fence() {
    if (road) road->fence();
}

void quiet() {
    if (road) road->quiet();
}

void settle() {
    if (road) road->settle();
}

void order_puts() {
    road->order_puts();
}

void begin_get(void* dest, const void* source, std::size_t bytes, int pe, Pending& pending,
               const char* routine) {
    if (bytes != 0) road->begin_get(pe, dest, place_of(source, bytes, routine), bytes, pending);
}

namespace {

bool is_done(const Pending& reads) {
    // Acquire: partner is Pending::finish.
    return reads.reached.load(std::memory_order_acquire) == reads.number;
}

}  // namespace

void await(const Pending& pending, int pe) {
    if (is_done(pending)) return;
    wait_in_core(
        pe, "a get",
        [](void* argument) {
            progress();
            return is_done(*static_cast<const Pending*>(argument));
        },
        const_cast<Pending*>(&pending));
}

void request(int pe, std::uint32_t handler, const void* payload, std::size_t bytes) {
    road->request(pe, handler, payload, bytes);
}

std::size_t ask(int pe, std::uint32_t handler, const void* payload, std::size_t bytes, void* answer,
                std::size_t room) {
    return road->ask(pe, handler, payload, bytes, answer, room);
}

void publish_arena() {
    road->publish(transport::kArena, arena_segment());
}

std::uint64_t ask_state(int pe) {
    return road ? road->ask_state(pe) : 0;
}

void progress() {
    if (road && !serving) road->progress();
}

bool sleep() {
    constexpr std::uint64_t kMillisecond = 1'000'000;
    return road && !serving && road->sleep(kMillisecond);
}

}  // namespace far

void fetch_from(void* dest, const void* source, std::size_t bytes, int pe) {
    if (is_near(pe))
        copy(dest, translate(source, pe), bytes);
    else
        far::get(dest, source, bytes, pe, routine_name(job.status().routine));
}

void store_to(void* dest, const void* source, std::size_t bytes, int pe) {
    if (is_near(pe))
        copy(translate(dest, pe), source, bytes);
    else
        far::put(dest, source, bytes, pe, routine_name(job.status().routine));
}

}  // namespace isthmus
