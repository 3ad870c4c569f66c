// A Linux process on a node: the class that the files of this folder share. Each of them serves the
// calls about one thing: files, events, memory, time, threads.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/hart/rdma_nic.hpp"
#include "sim/linux/abi.hpp"
#include "sim/linux/process.hpp"

namespace isthmus::sim::linux_abi {

inline constexpr std::uint64_t kStackSize = 8u << 20;
inline constexpr std::uint64_t kProcessId = 1000;
inline constexpr std::size_t kMaxThreads = 1024;
/// The virtual clock starts at 2024-01-01 00:00:00 UTC, so that a run repeats.
inline constexpr std::uint64_t kEpoch = 1'704'067'200;

constexpr std::uint64_t up(std::uint64_t value) {
    return (value + kPageSize - 1) & kPageMask;
}

/// As a result: the call is made again.
inline constexpr std::int64_t kCallAgain = std::int64_t{1} << 40;
/// The page behind the stack, to which handlers return; it calls rt_sigreturn.
inline constexpr std::uint64_t kSignalReturn = kLinuxStackTop;

/// What a clock of the program shows.
struct ClockSource {
    enum Kind : std::uint8_t { kElapsed, kRealtime, kProcessRan, kThreadRan };
    static constexpr unsigned kNobody = ~0u;  // a thread that has ended
    Kind kind = kElapsed;
    unsigned thread = 0;

    /// It stands still while nobody runs.
    bool is_processor_time() const { return kind == kProcessRan || kind == kThreadRan; }
};

/// What a thread that does not run waits for.
struct Sleeper {
    std::uint64_t futex = 0;       // address; 0: of something else
    std::uint32_t bits = ~0u;      // 0: waits for a lock
    std::uint64_t turn = 0;        // in the order in which threads have begun to wait
    std::uint64_t deadline = 0;    // nanoseconds of the node or of processor time, 0: none
    ClockSource source{};          // of the deadline
    std::int64_t at_deadline = 0;  // the result then, or kCallAgain
    /// Of files; at_deadline is kCallAgain, and that is done when one of them is ready, too.
    std::vector<pollfd> files{};
    bool opens = false;      // a named pipe that has nobody at its other end
    bool outside = false;    // others than this process can end the wait
    std::uint64_t done = 0;  // bytes that the call has written already
    /// Of signals, for the program to take without a handler, and where it wants to read about it.
    std::uint64_t signals = 0, info = 0;
    /// When a handler interrupts it: the call is made again if the action says so; where it wants
    /// the time that was left.
    bool restarts = false, always_restarts = false;
    std::uint64_t remaining = 0;
};

/// What signals are to one thread.
struct ThreadSignals {
    std::uint64_t blocked = 0;                   // bit n - 1 for signal n
    std::optional<std::uint64_t> after_waiting;  // the mask that a waiting call has replaced
    std::vector<SignalInfo> pending;
    AlternateStack stack{0, kStackDisabled, 0, 0};
};
constexpr std::uint64_t signal_bit(int number) {
    return std::uint64_t{1} << (number - 1);
}

/// None if it is no time. What is longer than a century is as good as one.
constexpr std::optional<std::uint64_t> nanoseconds_of(const Timespec& time) {
    if (time.seconds < 0 || time.nanoseconds < 0 || time.nanoseconds > 999'999'999) return {};
    const auto seconds =
        std::min<std::uint64_t>(static_cast<std::uint64_t>(time.seconds), std::uint64_t{1} << 32);
    return seconds * 1'000'000'000 + static_cast<std::uint64_t>(time.nanoseconds);
}

constexpr Timespec timespec_of(std::uint64_t nanoseconds) {
    return {static_cast<std::int64_t>(nanoseconds / 1'000'000'000),
            static_cast<std::int64_t>(nanoseconds % 1'000'000'000)};
}

constexpr bool is_realtime(std::int32_t clock) {
    return clock == kClockRealtime || clock == kClockRealtimeCoarse ||
           clock == kClockRealtimeAlarm || clock == kClockTai;
}

/// The signal of a trap.
int signal_of(Cause cause);

/// In nanoseconds of the node, or of processor time.
struct Timer {
    ClockSource source{};
    std::uint64_t deadline = 0;  // 0: off
    std::uint64_t interval = 0;  // 0: once

    /// How often it has expired until then.
    std::uint64_t expire(std::uint64_t time);
};

/// A timer that sends a signal, or nothing.
struct SignalTimer {
    Timer timer;
    bool sends = true;
    std::optional<unsigned> thread;
    SignalInfo info{};
    bool pending = false;
    std::uint64_t overrun = 0;       // expirations since the pending one
    std::uint64_t last_overrun = 0;  // of the signal that was taken last
};

/// What a descriptor and its duplicates share.
struct OpenFile {
    /// Nobody but this process's threads can make it ready.
    bool own = false;
    /// The program's choice, where the host's file never blocks; else the host's file has it.
    std::optional<bool> blocks{};
    /// Of a timer: it adds to a count, which the host's file is.
    bool is_timer = false;
    Timer timer{};
    /// Of a file from which signals are read: which, and whether the host's file says so.
    std::optional<std::uint64_t> signals{};
    bool raised = false;
    bool random = false;  // reads give bytes of the seed

    bool is_read_only() const { return is_timer || signals; }
};
struct Descriptor {
    int host;
    std::shared_ptr<OpenFile> file;
    bool close_on_exec = false;
};

struct Limit {
    std::uint64_t now = ~std::uint64_t{0}, most = ~std::uint64_t{0};
};
inline constexpr unsigned kLimitOfStack = 3, kLimitOfFiles = 7, kLimits = 16;

/// The named pipe that a thread waits to open.
struct Opening {
    int directory;
    std::string path;
    int flags;
    int host;  // less than 0 while it cannot be opened
};

/// A part of a file in the program's memory.
struct FileMap {
    bool shared;
    std::uint64_t start, size;
    std::uint8_t rights;
    bool writable;
    dev_t device;
    ino_t inode;
    int file;  // the host's, kept open
    std::uint64_t offset;
    std::uint64_t there = 0;  // bytes of it that have pages; the file ends before the others
};

constexpr bool is_there(const FileMap& map, std::uint64_t address) {
    return address - map.start < map.there;
}

/// One Linux process; its threads are the harts of its node.
class Process final : public Environment {
  public:
    Process(Machine& machine, Node& node);
    ~Process() override;

    void boot();

    bool wake_sleepers(Node& node) override;
    void before_round(Node&) override {
        if (!sleepers_.empty() || next_alarm() != 0) wake_due();
    }

    void serve(Node& node, Hart& hart) override;
    bool send_signal(Hart& hart, int number) override;
    bool holds_faults(const Hart& hart) const override;
    RdmaNic* rdma_nic() override { return &nic_; }

  private:
    std::int64_t call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]);
    struct CallTable;  // calls.cpp
    std::int64_t thread_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t path_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t descriptor_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t process_files_call(std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t attribute_call(std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t memory_call(std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t time_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t poll_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t event_call(std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t epoll_wait_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t signal_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t futex(Hart& hart, const std::uint64_t (&a)[6]);
    std::int64_t lock_futex(Hart& hart, const std::uint64_t (&a)[6]);
    std::int64_t unlock_futex(const Hart& hart, std::uint64_t address);
    /// Gives a lock to who has waited longest, with kFutexOwnerDied or nothing in its word. False:
    /// there is no such memory.
    bool hand_over(std::uint64_t address, std::uint32_t died);
    std::int64_t clone(Hart& hart, const std::uint64_t (&a)[6]);

    void crash(Hart& hart);

    template <class T>
    bool put(std::uint64_t address, const T& value) {
        return node_.memory.write(address, &value, sizeof value);
    }
    template <class T>
    bool get(std::uint64_t address, T& value) const {
        return node_.memory.read(address, &value, sizeof value);
    }
    int host_file(std::uint64_t fd) const {
        const auto found = files_.find(static_cast<int>(fd));
        return found == files_.end() ? -1 : found->second.host;
    }
    int directory(std::uint64_t fd) const {
        return static_cast<int>(fd) == AT_FDCWD ? working_directory_ : host_file(fd);
    }
    /// For the host's calls that take no directory.
    std::string host_path(const std::string& path) const;
    std::int64_t change_directory(int directory, const char* path);
    std::int64_t add_file(int host, const OpenFile& file, std::uint64_t flags);
    std::int64_t put_pair(std::uint64_t address, const int (&ends)[2], const OpenFile& file,
                          std::uint64_t flags);
    /// Repeatable bytes: from the seed, the node and the time. False: there is no such memory.
    bool put_random(std::uint64_t address, std::uint64_t bytes);
    std::int64_t open_file(Hart& hart, const std::string& path, const std::uint64_t (&a)[6]);
    // Named pipes (named_pipes.cpp).
    /// The host's descriptor, or less than 0 with an error. Nothing if the thread waits.
    std::optional<int> open_host(Hart& hart, const std::string& path, int directory, int flags,
                                 mode_t mode);
    bool opens_now(unsigned id);
    void forget_opening(unsigned id);
    std::int64_t duplicate(const Descriptor& descriptor, int from, bool close_on_exec);
    std::int64_t control_file(Hart& hart, Descriptor& descriptor, const std::uint64_t (&a)[6]);
    std::int64_t close_files(std::uint64_t first, std::uint64_t last, std::uint64_t flags);
    std::int64_t put_stat(std::uint64_t address, const struct stat& st);

    // Reading and writing (transfer.cpp).
    std::int64_t transfer_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t transfer(Hart& hart, const Descriptor& file, const std::vector<Iovec>& parts,
                          bool to_file, std::optional<std::uint64_t> offset, std::uint64_t done);
    std::uint64_t take_unfinished(const Hart& hart);
    void note_written(const std::vector<Iovec>& parts, std::uint64_t bytes);
    void send_broken_pipe(const Hart& hart);
    std::vector<iovec> host_parts(const std::vector<Iovec>& parts, std::uint64_t skipped,
                                  std::uint8_t rights) const;
    /// Has the thread wait until the file is ready and then make the call again.
    void wait_for_file(Hart& hart, const Descriptor& file, short events, std::uint64_t done);

    std::int64_t copy_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]);

    // Sockets (sockets.cpp).
    std::int64_t open_sockets(const std::uint64_t (&a)[6]);
    std::int64_t socket_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]);

    // Locks that outlive their owner (robust_locks.cpp).
    std::int64_t robust_list_call(const Hart& hart, std::uint64_t number,
                                  const std::uint64_t (&a)[6]);
    void leave_locks(unsigned id);
    void leave_listed_locks(unsigned id);
    /// False: there is no such memory.
    bool leave_lock(unsigned id, std::uint64_t address, bool inherits, bool pending);

    // Locks (file_locks.cpp).
    std::int64_t lock_file(Hart& hart, std::uint64_t fd, std::uint64_t operation);
    std::int64_t lock_part(Hart& hart, int host, std::uint64_t command, std::uint64_t address);
    std::int64_t wait_for_lock(Hart& hart);

    // Reading signals from files (signal_files.cpp).
    std::int64_t open_signal_file(const std::uint64_t (&a)[6]);
    std::int64_t read_signals(Hart& hart, const Descriptor& file, const std::vector<Iovec>& parts);
    void raise_signal_files();

    std::uint64_t now(bool realtime) const;
    bool has_clock(std::int32_t clock) const;
    /// Of a clock that there is; a thread asks.
    ClockSource source_of(std::int32_t clock, const Hart& hart) const;
    std::uint64_t time_of(const ClockSource& source) const;
    /// A thread's progress, of which nobody else's is part: the time where one is kept, else its
    /// instructions, each a nanosecond.
    std::uint64_t progress(const Hart& hart) const {
        return node_.clock ? node_.nanoseconds() : hart.instret;
    }
    /// How long a thread, and all threads, have not waited.
    std::uint64_t processor_time(unsigned id) const;
    std::uint64_t processor_time() const;
    /// In nanoseconds of the node, or of processor time if that is the source; never 0.
    std::uint64_t deadline_of(std::uint64_t value, bool absolute, const ClockSource& source) const;
    /// To compare with that.
    std::uint64_t deadline_time(const ClockSource& source) const {
        return source.is_processor_time() ? time_of(source) : node_.nanoseconds();
    }

    // Waiting (threads.cpp).
    void block(Hart& hart, const Sleeper& sleeper);
    void resume(unsigned id);
    void wake(unsigned id, std::int64_t result);
    /// The call that the thread waits in is made again.
    void call_again(unsigned id, const Sleeper& sleeper);
    void wake_due();
    /// Reads a duration; false if there is none to read, and no value if it is none.
    bool get_duration(std::uint64_t address, std::optional<std::uint64_t>& nanoseconds) const;
    /// Has the thread wait for one of the files at most so long, with other signals blocked if
    /// `mask_at` is an address, and then make the call again. 0, or an error.
    std::int64_t wait_for_files(Hart& hart, const Sleeper& sleeper,
                                std::optional<std::uint64_t> wait, std::uint64_t mask_at);
    bool somebody_waits_for_others() const;
    void wait_for_others();
    bool is_ready(unsigned id, Sleeper& sleeper);
    /// Nothing happens in the process while this thread waits, and no time that others see passes.
    bool alone() const {
        return node_.harts.size() - gone_.size() < 2 && next_signal() == 0 &&
               !machine_.options().host_clock;
    }
    int wake_futex(std::uint64_t address, std::uint64_t most, std::uint32_t bits);
    void exit_thread(Hart& hart, int code);
    void end(int code);

    // Signals (signals.cpp).
    bool ignored(int number) const;
    /// To a thread, or to whichever of the process takes it.
    void send(const SignalInfo& info, std::optional<unsigned> thread);
    /// Hands out what is pending and not blocked.
    void deliver();
    void handle(Hart& hart, const SignalInfo& info);
    void interrupt(Hart& hart, const SignalAction& action);
    void finish_call(Hart& hart);
    void enter_handler(Hart& hart, const SignalInfo& info);
    std::int64_t return_from_handler(Hart& hart);
    /// The program's own fault. False if no handler takes it.
    bool handle_fault(Hart& hart);
    int signal_of_fault(const Hart& hart);
    void end_by_signal(Hart& hart, int number);
    bool take_pending(unsigned thread, std::uint64_t wanted, SignalInfo& info);
    std::int64_t send_call(std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t alternate_stack(Hart& hart, std::uint64_t wanted, std::uint64_t old);
    /// The hart of a living thread; null if there is none.
    Hart* thread(std::int64_t tid) const;

    // The process and its system (system.cpp).
    std::int64_t limit_call(std::uint64_t resource, std::uint64_t next, std::uint64_t old);
    std::int64_t identity_call(std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t schedule_call(std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t name_call(const Hart& hart, const std::uint64_t (&a)[6]);
    std::int64_t system_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]);

    // Timers (timers.cpp).
    void ring_timers();
    /// When the next timer sends a signal; 0: none does. Those of processor time do not while
    /// nobody runs; next_alarm() takes them for as near as they may be.
    std::uint64_t next_signal() const;
    std::uint64_t next_alarm() const;
    /// When the next timer adds to a file that a thread may wait for; 0: none does.
    std::uint64_t next_file_timer() const;
    /// 0, or an error.
    std::int64_t set_timer(Timer& timer, const TimerSetting& setting, bool absolute);
    TimerSetting setting_of(const Timer& timer) const;
    std::int64_t interval_timer_call(std::uint64_t number, const std::uint64_t (&a)[6]);
    std::int64_t signal_timer_call(const Hart& hart, std::uint64_t number,
                                   const std::uint64_t (&a)[6]);
    std::int64_t create_signal_timer(const Hart& hart, const std::uint64_t (&a)[6]);
    std::int64_t file_timer_call(std::uint64_t number, const std::uint64_t (&a)[6]);

    // Parts of files (memory.cpp).
    std::int64_t protect(std::uint64_t start, std::uint64_t size, std::uint8_t rights);
    std::int64_t add_file_map(FileMap map);
    std::int64_t map_part(std::uint64_t start, const std::uint64_t (&a)[6], int host);
    std::int64_t remap(const std::uint64_t (&a)[6]);
    std::int64_t drop_pages(std::uint64_t start, std::uint64_t size);
    bool all_mapped(std::uint64_t start, std::uint64_t size) const;
    /// Gives a map the pages that its file has by now, and takes those that it no longer has.
    bool follow_file(FileMap& map);
    void split_file_maps(std::uint64_t at);
    /// In a page of a map that its file does not have.
    bool is_behind_file(std::uint64_t address);
    /// Copies pages of a private map from the file.
    void load(const FileMap& map, std::uint64_t start, std::uint64_t size);
    FileMap* file_map(std::uint64_t address);
    void forget_file(std::uint64_t start, std::uint64_t size);
    void file_resized(int host);

    Machine& machine_;
    Node& node_;
    RdmaNic nic_;
    std::map<int, Descriptor> files_;
    int working_directory_ = AT_FDCWD;  // of the host; nodes share the host's own
    std::optional<mode_t> mask_;        // of the modes of new files; the host's if not set
    std::uint64_t break_start_ = 0, break_ = 0;
    std::map<unsigned, Sleeper> sleepers_;
    std::map<unsigned, Opening> openings_;
    std::uint64_t turns_ = 0;
    std::map<unsigned, std::uint64_t> clear_tid_, robust_lists_;
    /// Of a living thread: its time before it ran, and its progress then.
    struct Run {
        std::uint64_t before = 0, since = 0;
    };
    std::map<unsigned, Run> runs_;
    std::uint64_t ended_ran_ = 0;    // time of the threads that have ended
    std::vector<unsigned> gone_;     // harts whose threads have ended
    bool blocked_ = false;           // the call leaves the result register alone
    std::vector<unsigned> expired_;  // threads that make a call again because its time is over
    std::map<unsigned, std::uint64_t> unfinished_;  // bytes that the call made again has written

    std::array<SignalAction, kSignals + 1> actions_{};
    std::map<unsigned, ThreadSignals> signals_;
    std::vector<SignalInfo> pending_;  // of the process
    std::array<Timer, 3> interval_timers_{Timer{}, Timer{.source = {ClockSource::kProcessRan}},
                                          Timer{.source = {ClockSource::kProcessRan}}};
    std::map<std::int32_t, SignalTimer> signal_timers_;
    bool has_file_timers_ = false, has_signal_files_ = false;  // or had
    std::vector<FileMap> file_maps_;
    std::array<Limit, kLimits> limits_{};
    int nice_ = 0;
    std::map<unsigned, std::string> names_;  // of threads; empty: the program's
    const bool trace_;
};

}  // namespace isthmus::sim::linux_abi
