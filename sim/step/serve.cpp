// Remote accesses that a hart's memory serves.
#include <algorithm>

#include "sim/hart/remote_access.hpp"
#include "sim/step/stepped_hart.hpp"

namespace isthmus::sim {

// What others reach here is translated as what a user's program reaches, where satp has a table.
template <class Act>
bool SteppedHart::as_others(std::uint64_t address, std::size_t size, AccessType type, Act&& act) {
    for (std::size_t done = 0; done != size;) {
        const std::uint64_t at = address + done;
        const std::size_t n =
            hart_.csr.satp == 0 ? size
                                : std::min<std::uint64_t>(size - done, kPageSize - at % kPageSize);
        std::uint64_t physical = 0;
        if (serves_own_ ? !hart_.data_address(at, type, physical)
                        : !hart_.remote_address(at, type, physical))
            return false;
        if (!act(physical, done, n)) return false;
        done += n;
    }
    return true;
}

bool SteppedHart::read_for_others(std::uint64_t address, void* to, std::size_t size,
                                  AccessType type) {
    return as_others(address, size, type, [&](std::uint64_t at, std::size_t done, std::size_t n) {
        return memory_.read(at, static_cast<std::byte*>(to) + done, n);
    });
}

bool SteppedHart::write_for_others(std::uint64_t address, const void* from, std::size_t size) {
    return as_others(address, size, AccessType::store,
                     [&](std::uint64_t at, std::size_t done, std::size_t n) {
                         return write_memory(at, static_cast<const std::byte*>(from) + done, n);
                     });
}

// A look only: where its own side ends, the hart finds out when it carries the transfer out.
bool SteppedHart::read_local(std::uint64_t address, void* to, std::size_t size) const {
    for (std::size_t done = 0; done != size;) {
        std::uint64_t at = address + done;
        std::size_t n = size;
        if (const Hart::View& view = hart_.data_view(); view.satp != 0) {
            n = std::min<std::uint64_t>(size - done, kPageSize - at % kPageSize);
            const PageWalk walk = hart_.look(view, at, AccessType::load);
            if (walk.end != PageWalk::End::found) return false;
            at = walk.physical;
        }
        if (!memory_.read(at, static_cast<std::byte*>(to) + done, n)) return false;
        done += n;
    }
    return true;
}

RemoteAnswer SteppedHart::serve(const SteppedHart& from) {
    using Kind = RemoteRequest::Kind;
    const RemoteRequest& request = from.hart_.remote;
    RemoteAnswer answer;
    // Namespace 0 is the own memory, as the hart's other accesses see it.
    serves_own_ = request.name_space == 0 && hart_.data_view().satp != 0;
    const auto fail = [&](std::uint64_t address) {
        answer.fault = true;
        answer.fault_address = address;
        if (serves_own_) answer.cause = hart_.trap.cause;
        return answer;
    };
    switch (request.kind) {
        case Kind::load:
        case Kind::load_reserved:
            if (!read_for_others(request.address, answer.value.data(), request.size,
                                 AccessType::load))
                return fail(request.address);
            break;
        case Kind::store: {
            const std::uint64_t data[2] = {request.value, request.value_high};
            if (!write_for_others(request.address, data, request.size))
                return fail(request.address);
            break;
        }
        case Kind::atomic:
        case Kind::store_conditional: {
            if (!read_for_others(request.address, answer.value.data(), request.size,
                                 AccessType::store))
                return fail(request.address);
            std::uint64_t next = request.value;
            if (request.kind == Kind::atomic)
                next = apply_atomic(atomic_operation(request.op), answer.value[0], request.value,
                                    request.compare, request.size);
            else if (!reservation_holds(from.hart_, request, answer.value[0]))
                break;
            if (!write_for_others(request.address, &next, request.size))
                return fail(request.address);
            break;
        }
        case Kind::bulk_load:
        case Kind::bulk_store: {
            if (request.count > ~std::uint64_t{0} / request.size) return fail(request.address);
            const std::uint64_t total = request.count * request.size;
            const bool load = request.kind == Kind::bulk_load;
            // In pieces, and one that fails byte by byte: it ends at the first byte that is not
            // there, whatever length it has.
            bool by_bytes = false;
            for (std::uint64_t done = 0; done < total;) {
                std::byte piece[4096];
                const std::size_t n =
                    by_bytes ? 1 : std::min<std::uint64_t>(total - done, sizeof piece);
                const std::uint64_t at = request.address + done;
                const bool local = load || from.read_local(request.local + done, piece, n);
                const bool moved = local && (load ? read_for_others(at, piece, n, AccessType::load)
                                                  : write_for_others(at, piece, n));
                if (!moved && n > 1) {
                    by_bytes = true;
                    continue;
                }
                if (!local) break;
                if (!moved) return fail(at);
                if (load) answer.bytes.insert(answer.bytes.end(), piece, piece + n);
                done += n;
            }
            break;
        }
    }
    return answer;
}

}  // namespace isthmus::sim
