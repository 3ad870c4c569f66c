// The few calls to the operating system: shared memory, sleeping, time, processors. Everything
// that is Linux and not C++ goes through here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace isthmus::os {

std::size_t page_size();
inline std::uintptr_t page_down(std::uintptr_t address) {
    return address & ~(page_size() - 1);
}
inline std::uintptr_t page_up(std::uintptr_t address) {
    return page_down(address + page_size() - 1);
}

// Bytes of memory that this process may hope for: physical, or the control group's limit.
std::uint64_t memory_size();

// Bytes of address space that this process may have in all (ulimit -v); the largest number if there
// is no limit.
std::uint64_t address_space_limit();

// Processors that this process may run on.
int usable_processors();

// Whether every page of the range is mapped, whatever its rights. Never faults.
bool is_mapped(const void* address, std::size_t bytes);

// True if the program runs with more rights than who started it (set-user-ID, set-group-ID,
// capabilities of the file): the environment is that one's, and is not to be believed.
bool has_more_rights_than_caller();

// False if the system's random generator gives none.
bool fill_with_random(void* bytes, std::size_t count);

// False if the hard limit of file sizes forbids that: to write there would send SIGXFSZ, which ends
// a program without a word.
bool may_raise_file_size_to(std::uint64_t size);

// An unnamed shared file that goes away with its last user; nothing appears in a file system.
// -1 and errno on failure.
int create_shared_file(const char* label, std::uint64_t size);
// What to do if that has failed: "; raise the limit of open files (ulimit -n)".
const char* advice_on_shared_file(int error);

// As many open files as the system lets this process have, if it may have more than now.
void raise_open_files();

// The files of libfabric's provider shm, which names them after the process and leaves them if that
// does not get to close them. Allocates nothing.
void remove_provider_files(int process);

// Maps `length` bytes of the file at exactly `address`. False and errno if that place is taken
// (unless `replace`) or the kernel refuses. Core dumps leave it out, unless it replaces what was in
// them: the kernel would write, and occupy, every page that was never touched.
bool map_shared(void* address, std::size_t length, int file, std::uint64_t offset, bool replace);

// Undoes that for these pages.
void put_into_core_dumps(void* address, std::size_t length);

// Gives the pages of [offset, offset + length) of a shared file back.
bool discard(int file, std::uint64_t offset, std::uint64_t length);

// Futex on a word in shared memory. Waits while *word == expected, at most `nanoseconds`.
void futex_wait(const std::uint32_t* word, std::uint32_t expected, std::uint64_t nanoseconds);
void futex_wake_all(const std::uint32_t* word);
// The same between threads of this process: as long as it takes, and one of them. Signals end a
// wait.
void thread_wait(const std::uint32_t* word, std::uint32_t expected);
void thread_wake(const std::uint32_t* word);

std::uint64_t monotonic_nanoseconds();
void yield();
void sleep_nanoseconds(std::uint64_t nanoseconds);  // all of them, whatever signals come
// The kernel kills this process then, whatever its threads wait for.
void kill_self_after(int seconds);
// That thread is about to end the process: returns to it at once, and to others in ten seconds.
void await_end_by(int thread);
void pause();  // the processor's hint that this is a spin loop

// What a process does: all its threads are stopped, or all sleep in calls of the system, or neither
// is so, or nobody may know.
enum class ProcessState : std::uint8_t { unknown, runs, sleeps, is_stopped };
ProcessState state_of(int process);

// False once the program has started a thread. Threads of an emulator (qemu-user) or a tool around
// the program do not count: they touch none of its memory unasked.
bool is_single_threaded();
bool under_valgrind();

}  // namespace isthmus::os
