#include "api/profile/statistics.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <string>

#include "base/error.hpp"
#include "base/lasting.hpp"
#include "base/settings.hpp"

// src/api/shmem/setup.cpp: all PEs leave, and nobody meets a PE that is in another routine.
extern "C" void isthmus_leave_together(int exits);
// src/api/shmem/memory.cpp: the most of this PE's heap that was taken at once, and its size.
extern "C" void isthmus_heap_use(std::uint64_t* most, std::uint64_t* size);

namespace isthmus::profile {
namespace {

constexpr int kWidestMatrix = 16;  // more columns do not fit on a screen; the file has them all

// A PE's counts as plain numbers: routines first, then one pair a PE.
struct Numbers {
    std::uint64_t calls;
    std::uint64_t bytes;
    std::uint64_t nanoseconds;
};
struct Traffic {
    std::uint64_t operations;
    std::uint64_t bytes;
};
struct HeapUse {
    std::uint64_t most;
    std::uint64_t size;
};
struct PeCounts {
    HeapUse heap{};
    std::vector<Numbers> routines = std::vector<Numbers>(kRoutines);
    std::vector<Traffic> peers = std::vector<Traffic>(static_cast<std::size_t>(pshmem_n_pes()));
};

void* exchange = nullptr;          // symmetric, of one PE's size
Lasting<std::string> report_path;  // where the program began: it may go elsewhere

std::size_t exchange_size() {
    return kRoutines * sizeof(Numbers) +
           static_cast<std::size_t>(pshmem_n_pes()) * sizeof(Traffic) + sizeof(HeapUse);
}

PeCounts plain(const Tally& tally) {
    PeCounts counts;
    for (std::size_t i = 0; i < kRoutines; ++i) {
        const RoutineCount& routine = tally.routine(i);
        counts.routines[i] = {routine.calls.get(), routine.bytes.get(), routine.nanoseconds.get()};
    }
    for (int pe = 0; pe < pshmem_n_pes(); ++pe)
        counts.peers[static_cast<std::size_t>(pe)] = {tally.peer(pe).operations.get(),
                                                      tally.peer(pe).bytes.get()};
    isthmus_heap_use(&counts.heap.most, &counts.heap.size);
    return counts;
}

// Every PE's counts, at PE 0; empty elsewhere.
std::vector<PeCounts> gather(const PeCounts& mine, bool exits) {
    char* const routines = static_cast<char*>(exchange);
    char* const peers = routines + kRoutines * sizeof(Numbers);
    std::memcpy(routines, mine.routines.data(), kRoutines * sizeof(Numbers));
    std::memcpy(peers, mine.peers.data(), mine.peers.size() * sizeof(Traffic));
    char* const heap = peers + mine.peers.size() * sizeof(Traffic);
    std::memcpy(heap, &mine.heap, sizeof(HeapUse));
    isthmus_leave_together(exits);
    std::vector<PeCounts> all;
    if (pshmem_my_pe() != 0) return all;
    all.resize(static_cast<std::size_t>(pshmem_n_pes()));
    for (int pe = 0; pe < pshmem_n_pes(); ++pe) {
        PeCounts& counts = all[static_cast<std::size_t>(pe)];
        pshmem_getmem(counts.routines.data(), routines, kRoutines * sizeof(Numbers), pe);
        pshmem_getmem(counts.peers.data(), peers, counts.peers.size() * sizeof(Traffic), pe);
        pshmem_getmem(&counts.heap, heap, sizeof(HeapUse), pe);
    }
    return all;
}

Numbers sum(const std::vector<PeCounts>& all, std::size_t routine) {
    return std::accumulate(all.begin(), all.end(), Numbers{},
                           [&](Numbers total, const PeCounts& pe) {
                               const Numbers& one = pe.routines[routine];
                               return Numbers{total.calls + one.calls, total.bytes + one.bytes,
                                              total.nanoseconds + one.nanoseconds};
                           });
}

std::string padded(const std::string& text, std::size_t width) {
    return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

std::string decimal(double value, const char* format) {
    char text[40];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

template <typename Cell>
std::string matrix_text(const std::vector<PeCounts>& all, const char* title, Cell cell) {
    std::string text = std::string("isthmus: ") + title + ", from PE (down) to PE (across)\n";
    std::string head = "isthmus:        ";
    for (std::size_t to = 0; to < all.size(); ++to)
        head += padded(std::to_string(to), 12);
    text += head + "\n";
    for (std::size_t from = 0; from < all.size(); ++from) {
        text += "isthmus: " + padded(std::to_string(from), 7);
        for (const Traffic& traffic : all[from].peers)
            text += padded(cell(traffic), 12);
        text += "\n";
    }
    return text;
}

std::string table(const std::vector<PeCounts>& all) {
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < kRoutines; ++i) {
        if (sum(all, i).calls != 0) used.push_back(i);
    }
    std::stable_sort(used.begin(), used.end(), [&](std::size_t a, std::size_t b) {
        return sum(all, a).nanoseconds > sum(all, b).nanoseconds;
    });
    std::string text = "isthmus: calls of " + std::to_string(all.size()) +
                       (all.size() == 1 ? " PE" : " PEs") +
                       ", most time first; seconds are summed over PEs and threads\n"
                       "isthmus:        calls         bytes     seconds   us/call  routine\n";
    for (const std::size_t i : used) {
        const Numbers total = sum(all, i);
        const double seconds = static_cast<double>(total.nanoseconds) * 1e-9;
        text += "isthmus: " + padded(std::to_string(total.calls), 12) +
                padded(format_size(total.bytes), 14) + padded(decimal(seconds, "%.6f"), 12) +
                padded(decimal(seconds * 1e6 / static_cast<double>(total.calls), " %.3f"), 10) +
                "  " + kTitles[i].routine + "\n";
    }
    const auto fullest = std::max_element(
        all.begin(), all.end(),
        [](const PeCounts& a, const PeCounts& b) { return a.heap.most < b.heap.most; });
    text += "isthmus: symmetric heap: at most " + format_size(fullest->heap.most) + " of " +
            format_size(fullest->heap.size) + " taken at once, at PE " +
            std::to_string(fullest - all.begin()) + " (these counts took " +
            format_size(exchange_size()) + ")\n";
    if (all.size() > kWidestMatrix)
        return text +
               "isthmus: ISTHMUS_STATS_FILE=FILE has the matrix of PEs, which is too wide here\n";
    text += matrix_text(all, "operations",
                        [](const Traffic& t) { return std::to_string(t.operations); });
    text += matrix_text(all, "bytes", [](const Traffic& t) { return format_size(t.bytes); });
    return text;
}

std::string json_numbers(const Numbers& numbers) {
    return "\"calls\": " + std::to_string(numbers.calls) +
           ", \"bytes\": " + std::to_string(numbers.bytes) +
           ", \"seconds\": " + decimal(static_cast<double>(numbers.nanoseconds) * 1e-9, "%.9f");
}

template <typename Cell>
std::string json_matrix(const std::vector<PeCounts>& all, Cell cell) {
    std::string text = "[";
    for (const PeCounts& from : all) {
        text += text.size() == 1 ? "\n    [" : ",\n    [";
        for (std::size_t to = 0; to < from.peers.size(); ++to)
            text += (to == 0 ? "" : ", ") + std::to_string(cell(from.peers[to]));
        text += "]";
    }
    return text + "]";
}

// Names and titles hold no character that JSON would have escaped.
std::string json(const std::vector<PeCounts>& all) {
    std::string text = "{\n  \"pes\": " + std::to_string(all.size()) + ",\n  \"routines\": [";
    bool first = true;
    for (std::size_t i = 0; i < kRoutines; ++i) {
        const Numbers total = sum(all, i);
        if (total.calls == 0) continue;
        text += std::string(first ? "" : ",") + "\n    {\"name\": \"" + kTitles[i].routine +
                "\", \"section\": \"" + kTitles[i].section + "\", " + json_numbers(total) +
                ", \"by_pe\": [";
        first = false;
        for (std::size_t pe = 0; pe < all.size(); ++pe)
            text += (pe == 0 ? "{" : ", {") + json_numbers(all[pe].routines[i]) + "}";
        text += "]}";
    }
    text += "],\n  \"heap\": {\"size\": " + std::to_string(all.front().heap.size) +
            ", \"high_water\": [";
    for (std::size_t pe = 0; pe < all.size(); ++pe)
        text += (pe == 0 ? "" : ", ") + std::to_string(all[pe].heap.most);
    return text + "]},\n  \"operations\": " +
           json_matrix(all, [](const Traffic& t) { return t.operations; }) +
           ",\n  \"bytes\": " + json_matrix(all, [](const Traffic& t) { return t.bytes; }) +
           "\n}\n";
}

void write_file(const std::string& path, const std::string& text) {
    FILE* const file = std::fopen(path.c_str(), "we");
    const bool written = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const bool closed = file && std::fclose(file) == 0;
    if (!written || !closed)
        say_from("shmem_finalize",
                 "cannot write ISTHMUS_STATS_FILE=" + path + ": " + std::strerror(errno));
}

}  // namespace

void Tally::add(const Tally& other) {
    for (std::size_t i = 0; i < kRoutines; ++i) {
        routines_[i].calls.add(other.routines_[i].calls.get());
        routines_[i].bytes.add(other.routines_[i].bytes.get());
        routines_[i].nanoseconds.add(other.routines_[i].nanoseconds.get());
    }
    for (std::size_t pe = 0; pe < peers_.size(); ++pe) {
        peers_[pe].operations.add(other.peers_[pe].operations.get());
        peers_[pe].bytes.add(other.peers_[pe].bytes.get());
    }
}

bool open_statistics() {
    const std::string& path = value(Setting::stats_file).text;
    if (!path.empty() && report_path->empty()) {
        std::error_code problem;
        *report_path = std::filesystem::absolute(path, problem).string();
        if (problem) *report_path = path;
    }
    exchange = pshmem_malloc(exchange_size());
    return exchange != nullptr;
}

void report_statistics(const Tally& mine, bool exits) {
    const std::vector<PeCounts> all = gather(plain(mine), exits);
    if (all.empty()) return;
    if (!report_path->empty())
        write_file(*report_path, json(all));
    else
        say(table(all).c_str());
}

}  // namespace isthmus::profile
