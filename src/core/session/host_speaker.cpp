#include "core/session/host_speaker.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <exception>

#include "base/error.hpp"
#include "base/fnv1a.hpp"
#include "base/os.hpp"
#include "base/process_stat.hpp"
#include "base/text.hpp"
#include "bootstrap/find.hpp"
#include "core/job/end_times.hpp"
#include "core/job/job.hpp"
#include "core/session/credentials.hpp"
#include "core/session/farewell.hpp"
#include "core/session/handshake.hpp"
#include "core/session/host_processes.hpp"
#include "core/session/manager.hpp"
#include "core/session/slices.hpp"

namespace isthmus {
namespace {

using namespace end_times;

constinit std::atomic<std::uint64_t> known_number = 0;
constinit std::atomic<int> parents_entry = -1;

// Where there are no sockets, no names for them and no room for one more. Asked once: this process
// holds it from then on.
bool may_speak_without_socket() {
    static const bool may = [] {
        hold_parents_entry();
        // Relaxed: stands for itself.
        const int file = parents_entry.exchange(-1, std::memory_order_relaxed);
        return file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    }();
    return may;
}

bool may_speak_as(const char* who) {
    const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);  // kept to the end
    if (file < 0) return may_speak_without_socket();
    sockaddr_un address;
    const socklen_t bytes = name_socket(who, address);
    const auto* const name = reinterpret_cast<const sockaddr*>(&address);
    if (bind(file, name, bytes) == 0) {
        listen(file, 256);
        // Mates may have no socket, or not be told whose this is. A parent of PMIx's may have the
        // PEs of other jobs as well.
        return may_speak_without_socket() || std::getenv("PMIX_NAMESPACE");
    }
    if (errno != EADDRINUSE) return may_speak_without_socket();
    // It may not listen yet, and on a busy machine that takes its time.
    constexpr int kTries = 200;
    for (int tries = 0; tries < kTries; ++tries) {
        const Descriptor asks(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (asks.file() < 0) return may_speak_without_socket();
        if (connect(asks.file(), name, bytes) == 0) {
            const PeerProcess holder = peer_of(asks.file());
            return holder.known ? !holder.is_of_this_user() : may_speak_without_socket();
        }
        os::sleep_nanoseconds(5'000'000);
    }
    return true;
}

// The PEs of a host know the manager's process that has started them, or else whose children they
// are, and later the job's name. Some may have heard that name and some may not have, so whoever
// has all names that it knows speaks for all. Everybody can take one: if another user has, or
// nobody listens there, each speaks.
bool may_speak(pid_t manager) {
    const Text user("ends-", geteuid(), "-");
    const std::uint64_t number = job_number();
    if (manager == 0 && number == 0 && getppid() <= 1) return true;  // so are those of other jobs
    if (manager != 0 &&
        !may_speak_as(Text(user, "manager-", HostProcesses::text_of_manager(manager)).c_str()))
        return false;
    if (number != 0) return may_speak_as(Text(user, number).c_str());
    return manager != 0 ||
           may_speak_as(Text(user, HostProcesses::text_of_manager(getppid())).c_str());
}

// Where they share a header that one tells whether it was heard, which may take longer, and this PE
// passes it on: those of other hosts are not to be told first that all is said.
void await_speaker() {
    constexpr std::uint64_t kTurn = in_nanoseconds(kSlice);
    double waited = 0;
    Slices slices;
    while (waited < kSpeakerIsHeard) {
        // Acquire: partner is give_last_words(), or end_job().
        const std::uint32_t ended =
            job.header ? job.header->ended.load(std::memory_order_acquire) : 0;
        if (ended == kTold || ended == kEnded || (ended == 0 && waited >= kSpeakerBegins)) break;
        os::sleep_nanoseconds(kTurn);
        waited += slices.next();
    }
    os::sleep_nanoseconds(kTurn);
}

// It ends nobody then.
bool has_stopped(pid_t manager) {
    os::ProcessStat facts;
    return manager > 0 &&
           (!os::read_process_stat(manager, facts) || !os::is_alive(facts) || facts.state == 'T');
}

}  // namespace

// What children of one parent have in common, and other users cannot open.
void hold_parents_entry() {
    // Relaxed: stands for itself, here and below.
    if (parents_entry.load(std::memory_order_relaxed) >= 0) return;
    const int file = open(Text("/proc/", getppid(), "/environ").c_str(), O_RDONLY | O_CLOEXEC);
    parents_entry.store(file, std::memory_order_relaxed);
}

void let_parents_entry_go() {
    const int file = parents_entry.exchange(-1, std::memory_order_relaxed);
    if (file >= 0) close(file);
}

void note_job_name(const std::string& name) {
    // Relaxed: stands for itself.
    known_number.store(fnv1a(name.data(), name.size()), std::memory_order_relaxed);
}

std::uint64_t job_number() {
    return known_number.load(std::memory_order_relaxed);
}

void fail_once_on_host(const char* routine, const std::string& text,
                       std::span<const pid_t> stopped) {
    const pid_t found = HostProcesses::find_manager(job.me);
    // Where they share a header already, a road may know of a reason as well.
    const bool speaks = may_speak(found) && (!job.header || claim_end(1)) && is_first_reason();
    Exchange* const manager = process_manager();
    if (speaks) {
        // Our own manager prints one line for all hosts.
        if (!manager || !manager->take_last_words(speaker_prefix() + routine + ": " + text))
            say_from(routine, text);
        flush_output(1);
        end_managed_job(1, stopped);
    }
    // Where no manager hears of it, or ends anybody, those of its host that wait look for this.
    const bool tells = !manager || (speaks && has_stopped(found));
    const Descriptor told = tells ? HostProcesses::tell_end(found) : Descriptor();
    if (told.file() >= 0)
        os::sleep_nanoseconds(in_nanoseconds(kHeard));
    else if (speaks)  // keeps the name for a while, and gives the manager time to end all
        os::sleep_nanoseconds(in_nanoseconds(kManagersTurn));
    else
        await_speaker();
    end_job(1);
}

void fail_before_manager(const char* routine, const std::string& text) {
    os::kill_self_after(kLast);  // it may have stopped
    if (!process_manager() && is_launched_by_pmi1() && why_manager_is_cut_off().empty()) {
        try {
            std::string why;
            if (find_manager(why)) note_job_name(process_manager()->job_name());
        } catch (const std::exception&) {
            // It does not answer: this PE speaks by itself.
        }
    }
    fail_once_on_host(routine, text);
}

}  // namespace isthmus
