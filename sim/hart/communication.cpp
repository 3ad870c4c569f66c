#include "sim/hart/communication.hpp"

#include <algorithm>
#include <string_view>

#include "sim/hart/execute.hpp"

namespace isthmus::sim {
namespace {

CommunicationMap::Category category_of(std::string_view name) {
    using enum CommunicationMap::Category;
    if (name == "benchmark_begin") return kBegin;
    if (name == "benchmark_end") return kEnd;
    if (name.starts_with("isthmus_spin_")) return kWaiting;
    for (const std::string_view prefix :
         {"shmem_", "pshmem_", "isthmus_", "xbrtime_", "__xbrtime_"}) {
        if (name.starts_with(prefix)) return kCommunication;
    }
    // What whoever called it copies; the C library's parts have names of their own.
    for (const std::string_view prefix : {"memcpy", "memmove", "memset", "_wordcopy_"}) {
        if (name.starts_with(prefix)) return kCallers;
    }
    return kProgram;
}

}  // namespace

CommunicationMap::CommunicationMap(const Program& program) {
    std::uint64_t end = 0;
    base_ = ~std::uint64_t{0};
    for (const Segment& segment : program.segments) {
        if (!segment.executable) continue;
        base_ = std::min(base_, segment.address);
        end = std::max(end, segment.address + segment.memory_size);
    }
    if (end <= base_) return;
    categories_.resize((end - base_ + 1) / 2, kProgram);
    for (const auto& [address, symbol] : program.symbols()) {
        const Category category = category_of(symbol.name);
        if (!symbol.is_function || category == kProgram || address < base_ || address >= end)
            continue;
        const std::uint64_t last = std::min(end, address + std::max<std::uint64_t>(symbol.size, 2));
        has_region_ |= category == kBegin;
        for (std::uint64_t at = address; at < last; at += 2)
            categories_[(at - base_) / 2] = category;
    }
}

template Stop run<CommunicationCounter>(Hart&, CommunicationCounter&, std::int64_t);

}  // namespace isthmus::sim
