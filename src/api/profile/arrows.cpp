#include "api/profile/arrows.hpp"

#include <dlfcn.h>
#include <shmem.h>

#include <array>
#include <atomic>

namespace isthmus::profile {
namespace {

constexpr std::size_t kEntries = 1024;
constexpr int kTimeBits = 28;
constexpr int kThreadBits = 10;
constexpr int kPeBits = 10;

// Two words that are written one after the other. They belong together if the lowest bits of the
// time are in both.
struct Entry {
    std::uint64_t who;  // of the word's place, PE, thread, time: from the top
    std::uint64_t time;
};

Entry* entries = nullptr;  // in the symmetric heap
std::array<std::atomic<std::uint64_t>, kEntries> told{};

// The same at every PE: static data lies elsewhere in each, the heap does not.
std::uint64_t place_of(const void* word) {
    const auto address = reinterpret_cast<std::uintptr_t>(word);
    Dl_info object{};
    if (dladdr(word, &object) == 0) return address;
    return address - reinterpret_cast<std::uintptr_t>(object.dli_fbase);
}

std::uint64_t hash_of(const void* word) {
    return place_of(word) * 0x9e3779b97f4a7c15u;
}

constexpr int kTagShift = kTimeBits + kThreadBits + kPeBits;
constexpr std::uint64_t kTimeMask = (std::uint64_t{1} << kTimeBits) - 1;

std::size_t index_of(std::uint64_t hash) {
    return hash >> 32 & (kEntries - 1);
}
std::uint64_t tag_of(std::uint64_t hash) {
    return hash >> kTagShift << kTagShift;
}

}  // namespace

void open_arrows() {
    entries = static_cast<Entry*>(pshmem_calloc(kEntries, sizeof(Entry)));
    for (auto& one : told)
        one.store(0, std::memory_order_relaxed);
}

void close_arrows() {
    entries = nullptr;
}

void note_write(const void* word, int pe, int thread, std::uint64_t begin) {
    if (!entries || pe < 0 || pe >= pshmem_n_pes() || thread >= 1 << kThreadBits) return;
    const std::uint64_t hash = hash_of(word);
    Entry& entry = entries[index_of(hash)];
    const std::uint64_t who =
        tag_of(hash) | static_cast<std::uint64_t>(pshmem_my_pe()) << (kTimeBits + kThreadBits) |
        static_cast<std::uint64_t>(thread) << kTimeBits | (begin & kTimeMask);
    pshmem_signal_set(&entry.time, begin, pe);
    pshmem_signal_set(&entry.who, who, pe);
}

bool find_arrow(const void* word, std::uint64_t end, Arrow& arrow) {
    if (!entries) return false;
    const std::uint64_t hash = hash_of(word);
    const std::size_t index = index_of(hash);
    const std::uint64_t who = pshmem_signal_fetch(&entries[index].who);
    const std::uint64_t time = pshmem_signal_fetch(&entries[index].time);
    if (who == 0 || tag_of(who) != tag_of(hash) || (who & kTimeMask) != (time & kTimeMask) ||
        time > end || told[index].exchange(who, std::memory_order_relaxed) == who)
        return false;
    const auto field = [who](int shift, int bits) {
        return static_cast<std::int32_t>(who >> shift & ((std::uint64_t{1} << bits) - 1));
    };
    arrow = {time, end, field(kTimeBits + kThreadBits, kPeBits), field(kTimeBits, kThreadBits)};
    return true;
}

}  // namespace isthmus::profile
