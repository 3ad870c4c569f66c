#include "sim/hart/paged_access.hpp"

#include <cstring>

namespace isthmus::sim {

bool load_paged(Hart& hart, std::uint64_t address, void* value, unsigned size, Cause fault) {
    const std::uint64_t page = address & kPageMask;
    const bool crosses = ((address + size - 1) & kPageMask) != page;
    auto* const bytes = static_cast<std::byte*>(value);
    for (unsigned done = 0; done != size;) {
        const unsigned piece = crosses ? 1 : size;
        std::uint64_t at = 0;
        if (!hart.data_address(address + done, AccessType::load, at)) return hart.stop_for_trap();
        const Region* const region = hart.memory->find(at);
        if (!region || !(region->rights & kRead)) return hart.raise(fault, address + done);
        if (region->device) {
            if (address & (size - 1)) return hart.raise(fault, address);
            const std::uint64_t got = region->device->read(at - region->start, size);
            std::memcpy(value, &got, size);
            return true;
        }
        const std::byte* const host = region->host + (at - region->start);
        std::memcpy(bytes + done, host, piece);
        if (!crosses)
            hart.tlb.read[(page / kPageSize) % Tlb::kEntries] = {
                page, reinterpret_cast<std::uintptr_t>(host) - address};
        done += piece;
    }
    return true;
}

bool store_paged(Hart& hart, std::uint64_t address, const void* value, unsigned size) {
    const std::uint64_t page = address & kPageMask;
    std::uint64_t at = 0;
    if (((address + size - 1) & kPageMask) != page) {
        // Nothing is written unless all of it can be.
        for (unsigned i = 0; i < size; ++i) {
            if (!hart.data_address(address + i, AccessType::store, at)) return hart.stop_for_trap();
            if (!hart.memory->host(at, kWrite)) return hart.raise(Cause::store_fault, address + i);
        }
        std::uint64_t failed;
        return hart.copy_out(address, value, size, failed);
    }
    if (!hart.data_address(address, AccessType::store, at)) return hart.stop_for_trap();
    const Region* const region = hart.memory->find(at);
    if (!region || !(region->rights & kWrite)) return hart.raise(Cause::store_fault, address);
    if (region->device) {
        if (address & (size - 1)) return hart.raise(Cause::store_fault, address);
        std::uint64_t data = 0;
        std::memcpy(&data, value, size);
        region->device->write(at - region->start, size, data);
        return true;
    }
    std::byte* const host = region->host + (at - region->start);
    std::memcpy(host, value, size);
    const bool seen = static_cast<bool>(hart.on_translated_write);
    if (seen) hart.on_translated_write(at, size);
    const bool code = hart.memory->is_code(at);
    if (code) hart.memory->note_write(at, size);
    if ((at & kPageMask) == hart.watch_page) {
        if (at - hart.watch_address < 8) {
            hart.stop = Stop::host_call;
            return false;
        }
    } else if (!code && !seen) {
        hart.tlb.write[(page / kPageSize) % Tlb::kEntries] = {
            page, reinterpret_cast<std::uintptr_t>(host) - address};
    }
    return true;
}

}  // namespace isthmus::sim
