#include "core/session/roads.hpp"
#include "core/session/last_thread.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/module_version.hpp"
#include "base/os.hpp"
#include "base/processors.hpp"
#include "base/profiling.hpp"
#include "base/settings.hpp"
#include "core/job/activity.hpp"
#include "core/job/arena_layout.hpp"
#include "core/job/fetch_watch.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/job/library_data.hpp"
#include "core/job/loaded_object.hpp"
#include "core/job/window.hpp"
#include "core/reach/channel.hpp"
#include "core/reach/far.hpp"
#include "core/reach/far_store.hpp"
#include "core/reach/request.hpp"
#include "core/session/dead_mates.hpp"
#include "core/session/farewell.hpp"
#include "core/session/fault_reading.hpp"
#include "core/session/frame_names.hpp"
#include "core/session/gather.hpp"
#include "core/session/kept_signals.hpp"
#include "core/session/manager.hpp"
#include "core/session/manager_watch.hpp"
#include "core/session/road_choice.hpp"
#include "core/session/told_wait.hpp"
#include "core/wait/flight.hpp"
#include "core/wait/sleep.hpp"
#include "core/wait/status.hpp"
#include "transport/late/late.hpp"
#include "transport/several/several.hpp"

namespace isthmus {

using namespace far;
using transport::Transport;

namespace {

// What an allocation asks of the system at least.
constexpr std::size_t kLittle = std::size_t{1} << 20;

}  // namespace

void* load_road(const std::string& name) {
    const std::string path = road_module(name);
    const std::string consequence =
        is_delayed()
            ? "ISTHMUS_DELAY takes all PEs for far, and the road to them cannot be loaded: "
            : "the job has PEs that this host does not hold, and the transport between "
              "hosts cannot be loaded: ";
    // A search elsewhere would find those of another library.
    if (is_linked_into_program() && access(path.c_str(), R_OK) != 0)
        fail("shmem_init", consequence +
                               "the program is linked with libisthmus.a (-static), and roads are "
                               "modules of libisthmus.so; link it without -static");
    void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!module)
        fail("shmem_init",
             consequence + dlerror() + os::advice_on_memory(kLittle) + needs_of_road(name));
    if (const std::string wrong = module_mismatch(module, path); !wrong.empty())
        fail("shmem_init", consequence + wrong);
    return module;
}

namespace {

transport::Open load(const std::string& name) {
    const auto found =
        reinterpret_cast<transport::Open>(dlsym(load_road(name), transport::kOpenSymbol));
    if (!found) fail("shmem_init", road_module(name) + " is no transport of this library");
    return found;
}

Routine noted_routine() {
    return job.status().routine.load(std::memory_order_relaxed);
}

[[noreturn]] void fail_transport(const char* what) {
    fail(routine_name(noted_routine()), std::string("transport: ") + what);
}

// The call may be inlined, and is not noted then: its line tells which it is, if it waits.
[[noreturn]] void fail_misgiven(int pe, const char* why) {
    fail(("a put or get" + line_of_caller(Sought::all)).c_str(),
         "memory of this PE cannot be read or written (" + std::string(why) +
             "): the source of a put to PE " + std::to_string(pe) +
             ", or the dest of a get from there; last noted call " + routine_name(noted_routine()) +
             "; ISTHMUS_CHECK=1 names the call");
}

// What the program is doing. Short operations are not noted: only a wait tells of them.
std::string operation() {
    std::string noted = routine_name(noted_routine());
    const char* const what = awaited();
    if (!what && job.status().waiting_since.load(std::memory_order_relaxed) != 0) return noted;
    return std::string(what ? what : "outside of waits") + " (last noted call: " + noted + ")";
}

// The program's thread and the transport's may both come to know; one of them speaks. Who reports a
// crash meanwhile is the cause, and who ends behind it is not lost.
[[noreturn]] void fail_of(int pe, const char* what, const char* why) {
    await_reports();
    // Acquire: partner is the release in end_job.
    if (job.header->ended.load(std::memory_order_acquire) == kEnded) follow_end(1);
    static std::atomic<bool> speaking = false;
    while (speaking.exchange(true, std::memory_order_relaxed))
        os::sleep_nanoseconds(1'000'000'000);
    fail(operation().c_str(),
         pe < 0 ? std::string("a PE cannot be reached: ") + why
                : "PE " + std::to_string(pe) + " (host " + host_of(pe) + ") " + what + ": " + why);
}

[[noreturn]] void fail_lost(int pe, const char* why) {
    fail_of(pe, "is lost", why);
}

[[noreturn]] void fail_unreached(int pe, const char* why) {
    fail_of(pe, "cannot be reached", why);
}

// What is known of the first connection that has ended without a word.
struct Suspicion {
    int pe;
    std::string why;
    DeadMates dead;
    std::uint64_t until;  // who may know more is waited for
};

// The PE of this host that is dead, or hosts one after the other, but the one of who has gone: who
// speaks tells the others, when what it has said is read (end_managed_job), for which some managers
// take their time while they end a job.
std::uint64_t patience(int pe, const DeadMates& dead, bool in_doubt) {
    constexpr std::uint64_t kMillisecond = 1'000'000;
    constexpr std::uint64_t kOwn = 2000;
    constexpr std::uint64_t kSure = 300;
    constexpr std::uint64_t kDoubt = 1000;
    constexpr std::uint64_t kNextHost = 1300;
    constexpr std::uint64_t kMostHosts = 3;
    if (has_own_manager()) return kOwn * kMillisecond;
    if (dead.only >= 0 || !in_doubt) return kSure * kMillisecond;
    std::uint64_t before = 0;
    for (const int first : first_pes()) {
        if (first == first_on_host(job.me)) break;
        if (first != first_on_host(pe)) ++before;
    }
    return (kDoubt + kNextHost * std::min(before, kMostHosts)) * kMillisecond;
}

// A PE that dies takes others with it, by the process manager, and is the one to be named. If it is
// of this host that can be seen: before the manager ends others here. Elsewhere it is not always
// known, for who has left without a word may have had no connection to this host; but those of its
// host may know, who say so (follow), or the manager ends this one. Our own launcher tells of every
// end, but hears of it behind what else its agent has to say.
// Another thread may come meanwhile; the same one from within at most by each road, which has then
// none but its first connection to tell of.
[[noreturn]] void fail_gone(int pe, const char* why) {
    static std::mutex guard;
    static const Suspicion* first = nullptr;  // kept: another thread may be at the program's exit
    {
        const std::lock_guard lock(guard);
        if (!first) {
            const bool in_doubt = pe >= 0 && job.managed && job.pes > 2;
            const DeadMates dead = job.managed ? find_dead_mates() : DeadMates{};
            first = new const Suspicion{
                pe,
                Text(why, in_doubt ? "; or another PE of the job has left, and the process "
                                     "manager has ended this one for it"
                                   : "")
                    .c_str(),
                dead, os::monotonic_nanoseconds() + patience(pe, dead, in_doubt)};
        }
    }
    while (os::monotonic_nanoseconds() < first->until) {
        // Acquire: partner is the release in end_job.
        if (job.header->ended.load(std::memory_order_acquire) == kEnded) follow_end(1);
        far::progress_beneath();
        os::sleep_nanoseconds(10'000'000);
    }
    const DeadMates dead = first->dead;
    end_if_told(dead);
    if (dead.only >= 0 && dead.only != first->pe) fail_lost(dead.only, "its process has ended");
    fail_lost(first->pe, first->why.c_str());
}

// What a PE that ends the job has said is enough, if somebody has read it; then none of this host's
// says more, and those that have no connection to who said it hear it from here. The process
// manager ends this one as well. Not all do, and none at once.
[[noreturn]] void follow(int pe, int status) {
    constexpr int kTurns = 100;
    if (is_unheard(status))
        fail(operation().c_str(),
             "PE " + std::to_string(pe) + " (host " + host_of(pe) +
                 ") has ended the job, and nobody has read why: what passes its "
                 "output on there, the process manager or a part of it, has "
                 "stopped or ended");
    claim_end(status);
    is_first_reason();  // which others of this PE's threads may come to know of
    // So that whoever of this host comes to its own end meanwhile has this one's status.
    give_last_words(status, 0);
    pass_on_end(status);
    // The others write theirs, too, while the process manager hears of the end.
    flush_output(status);
    for (int turn = 0; turn < kTurns; ++turn) {
        // Acquire: as above.
        if (job.header->ended.load(std::memory_order_acquire) == kEnded) follow_end(status);
        os::sleep_nanoseconds(10'000'000);
    }
    follow_end(status);
}

void gather_in_core(const void* mine, std::size_t bytes, void* all) {
    if (KeptSignals::current) KeptSignals::current->restore();
    gather(mine, bytes, all);
}

void get_any(void* by, void* dest, int pe, std::uint64_t offset, std::size_t bytes) {
    static_cast<Transport*>(by)->get(pe, dest, {transport::kHeap, offset}, bytes);
}

std::uint64_t fetch_any(void* by, std::uint64_t operand, int pe, std::uint64_t offset,
                        std::uint32_t code, std::uint64_t compare) {
    return static_cast<Transport*>(by)->fetch_atomic(pe, {transport::kHeap, offset},
                                                     transport::atomic_of(code, operand, compare));
}

transport::Segment segment_of(const Range& range) {
    return {reinterpret_cast<char*>(range.begin), range.size};
}

transport::Segment arena_segment() {
    if (job.arena.size == 0) return {};
    return {reinterpret_cast<char*>(job.arena.begin), arena_mapping_size(job.arena.size)};
}

std::size_t serve_in_core(int from, std::uint32_t handler, const void* payload, std::size_t bytes,
                          void* answer) {
    const Serving serving;
    return whole(routine_name(noted_routine()),
                 [&] { return serve_request(from, handler, payload, bytes, answer); });
}

void stir() {
    land();
    wake(job.me);
}

// The threads of several roads may come at the same time, and the rooms that serve know one.
std::size_t serve_one_by_one(int from, std::uint32_t handler, const void* payload,
                             std::size_t bytes, void* answer) {
    static constinit std::mutex serving;
    const std::lock_guard lock(serving);
    return serve_in_core(from, handler, payload, bytes, answer);
}

// Who tries one port of a host tries others: one PE speaks for all.
void tell_stranger_came() {
    if (job.header->refusal_told.exchange(true, std::memory_order_relaxed)) return;
    say_from("transport",
             "a request that is none of this job's, or that came twice, has come to this PE's port "
             "and is refused; how many do is told at the end");
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

// How many roads this process has opened; the same at every PE.
std::uint64_t opened = 0;

// What all roads of the job are given.
transport::Services services_of_job(const RoadChoice& choice) {
    transport::Services services;
    services.me = job.me;
    services.pes = job.pes;
    services.secret = job.secret;
    services.segments[transport::kHeap] = segment_of(job.heap);
    static const Range statics = whole_static_data(job.file, region(job.me) + kDataOffset);
    if (statics.size == 0 && job.data.size != 0)
        fail("shmem_init", "no address space for the variables of shared libraries");
    services.segments[transport::kData] = segment_of(statics);
    services.segments[transport::kArena] = arena_segment();  // of an earlier session
    services.provider = value(Setting::fabric).text.c_str();
    services.address = value(Setting::packet_address).text.c_str();
    services.protocol = value(Setting::packet_protocol).text.c_str();
    services.seals = flag(Setting::packet_seal);
    services.thread = flag(Setting::progress);
    static cpu_set_t processors;
    if (parse_processors(value(Setting::progress_processors).text, processors))
        services.thread_processors = &processors;
    services.thread_share =
        seconds(Setting::progress_percent) / 100 / static_cast<double>(choice.names.size());
    services.spins = job.spin != 0;
    services.detect_seconds = seconds(Setting::detect_seconds);
    services.leaves_machine = !host_table.one_machine;
    services.gather = gather_in_core;
    services.fail = fail_transport;
    services.lost = fail_lost;
    services.unreached = fail_unreached;
    services.misgiven = fail_misgiven;
    services.gone = fail_gone;
    services.job_ended = follow;
    services.now_and_then = [] {
        pass_on_end();
        look_for_program();
        if (job.managed) end_if_manager_has_gone();
        fetch_watch::look();
    };
    services.wait = far::wait_until_done;
    services.serve = choice.names.size() == 1 ? serve_in_core : serve_one_by_one;
    services.stir = stir;
    services.stranger_came = tell_stranger_came;
    services.state = [](transport::Asking why) {
        tell_own_wait(why == transport::Asking::report);
        return state_word(job.status(), os::monotonic_nanoseconds());
    };
    services.delay_nanoseconds = static_cast<std::uint64_t>(number(Setting::loop_delay)) * 1000;
    return services;
}

[[noreturn]] void fail_start(const std::system_error& problem) {
    const std::string advice = os::advice_on_thread(problem.code().value());
    fail("shmem_init", Text("the transport between hosts cannot start: ", problem.what(), advice,
                            advice.empty() ? "" : ", or set ISTHMUS_PROGRESS=0"));
}

// The rest of what has been begun is left as it is.
[[noreturn]] void fail_start_for_memory() {
    fail("shmem_init", Text("the transport between hosts cannot start: there is no memory for it",
                            os::advice_on_memory(kLittle)));
}

// The one with this number in the choice. `watched`: the PEs that this PE watches.
std::unique_ptr<Transport> open_one(const RoadChoice& choice, std::size_t number,
                                    transport::Services services, const std::vector<int>& watched) {
    KeptSignals kept;
    services.session = opened++;
    services.seed = isthmus::number(is_delayed() ? Setting::delay : Setting::loop_seed) + number;
    // A PE is watched on the road that leads to it.
    std::vector<int> here;
    for (const int pe : watched) {
        if (choice.road_of[static_cast<std::size_t>(pe)] == number) here.push_back(pe);
    }
    services.watched = here.data();
    services.watched_count = static_cast<int>(here.size());
    try {
        const transport::Open open = load(choice.names[number]);
        kept.put_back();
        note_network_code();  // which may crash while it opens, too
        return std::unique_ptr<Transport>(open(services));
    } catch (const std::system_error& problem) {
        fail_start(problem);
    } catch (const std::bad_alloc&) {
        fail_start_for_memory();
    }
}

// Memory of a PE of this host, which is_delayed() has mapped here though the PE counts as far.
char* find_mapped(int pe, transport::Place place, std::size_t bytes) {
    if (!job.host.test(static_cast<std::size_t>(pe)) || place.segment == transport::kArena)
        return nullptr;
    char* const own = own_memory(place, bytes);
    return own ? translate(own, pe) : nullptr;
}

Transport* delayed(std::unique_ptr<Transport> all) {
    // Whoever looks for the reason of what follows should see it: before the program goes on.
    if (job.me == 0)
        say(("isthmus: ISTHMUS_DELAY=" + value(Setting::delay).text +
             ": operations between PEs come late and out of order, as the standard allows\n")
                .c_str());
    transport::late::Manner manner;
    // Another session of the program is not the first one over again.
    manner.seed = number(Setting::delay) + (opened << 32);
    manner.longest = number(Setting::delay_microseconds) * 1000;
    manner.me = job.me;
    manner.pes = job.pes;
    manner.find = find_mapped;
    manner.stir = [](int pe) {
        if (job.host.test(static_cast<std::size_t>(pe))) wake_fenced(pe);
    };
    manner.begin_thread = note_helper_thread;
    try {
        return new transport::late::Late(std::move(all), manner);
    } catch (const std::system_error& problem) {
        fail_start(problem);
    }
}

// Whether what the window's test refuses is far. The last block may be larger than what is near: it
// counts PEs that the job does not have. The program's own test refuses all where its inlined
// operations are counted.
bool window_holds_all_near() {
    if (&isthmus_preloaded_library != nullptr) return false;
    for (int pe = 0; pe < job.pes; ++pe) {
        if (is_near(pe) && (static_cast<std::uint32_t>(pe) ^ window.me) >= window.open_limit)
            return false;
    }
    return true;
}

// What is written here is read elsewhere without order, as it is by the program itself.
#define ISTHMUS_UNORDERED __attribute__((no_sanitize("thread")))
// The heap begins with memory of the library's own: nothing of the program's has the offset 0.
ISTHMUS_UNORDERED void close_short_calls() {
    view.pes = 0;
    express.last = 0;
}
ISTHMUS_UNORDERED void open_short_calls() {
    view.pes = window.pes;
    if (express.call.put) express.last = job.heap.size - express.call.longest;
}
constexpr fetch_watch::FarWays kFarWays{close_short_calls, open_short_calls};

}  // namespace

void open_road() {
    const RoadChoice choice = choose_roads();
    if (!present) return;
    // Anybody may connect to this PE's port, and each connection takes a descriptor.
    os::raise_open_files();
    open_flights();
    const std::vector<int> watched = watched_pes();
    const transport::Services services = services_of_job(choice);
    std::vector<std::unique_ptr<Transport>> roads;
    for (std::size_t number = 0; number < choice.names.size(); ++number)
        roads.push_back(open_one(choice, number, services, watched));
    std::unique_ptr<Transport> all;
    if (roads.size() == 1)
        all = std::move(roads.front());
    else
        all = std::make_unique<transport::several::Several>(std::move(roads), choice.road_of);
    road = is_delayed() ? delayed(std::move(all)) : all.release();
    view.is_late = is_delayed();
    marks_calls = job.checked || is_delayed();
    if (marks_calls) return;
    quick_road = road;
    if (!served_by_calls) {  // else a program may poll by them
        view.before_quiet = road->before_quiet();
        view.before_fence = road->before_fence();
    }
    if (!window_holds_all_near()) return;
    view.road = road;
    express.call = road->short_calls();
    view.self = express.call.self;
    view.fetch = express.call.fetch ? express.call.fetch : fetch_any;
    view.get = express.call.get ? express.call.get : get_any;
    view.pes = window.pes;
    view.heap = job.heap.begin;
    view.last = job.heap.size - kWord;
    if (express.call.put) {
        express.heap = view.heap;
        express.last = job.heap.size - express.call.longest;
        open_stores();
    }
    fetch_watch::watch_far(kFarWays);
}

void close_road() {
    close_stores();
    served_by_calls = false;
    fetch_watch::forget();
    view = View{};
    express = Express{};
    if (!road) return;
    close_channels();
    quick_road = nullptr;
    marks_calls = false;
    const std::uint64_t refused = road->refused();
    delete road;
    road = nullptr;
    end_flights();
    job.header->refused.fetch_add(refused, std::memory_order_relaxed);
}

void tell_refused() {
    if (header_owner() != job.me) return;
    job.header->refusal_told.store(false, std::memory_order_relaxed);
    const std::uint64_t refused = job.header->refused.exchange(0, std::memory_order_relaxed);
    if (refused == 0) return;
    const bool is_one = refused == 1;
    say_from("transport",
             Text(refused,
                  is_one ? " request or connection that was" : " requests or connections that were",
                  " none of this job's, or that came twice, reached ",
                  job.host.count() == 1 ? "this PE's port" : "the ports of this host", " and ",
                  is_one ? "was" : "were", " refused"));
}

void publish_arena() {
    road->publish(transport::kArena, arena_segment());
}

void abandon_road() {
    close_stores();
    fetch_watch::forget();
    view = View{};
    express = Express{};
    abandon_channels();
    abandon_flights();
    road = quick_road = nullptr;
    present = served_by_calls = false;
}

const char* road_description() {
    return road ? road->describe() : "";
}

}  // namespace isthmus
