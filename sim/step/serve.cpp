// Remote accesses that a hart's memory serves.
#include "sim/hart/remote_access.hpp"
#include "sim/step/stepped_hart.hpp"

namespace isthmus::sim {

RemoteAnswer SteppedHart::serve(const SteppedHart& from) {
    using Kind = RemoteRequest::Kind;
    const RemoteRequest& request = from.hart_.remote;
    RemoteAnswer answer;
    const auto fail = [&](std::uint64_t address) {
        answer.fault = true;
        answer.fault_address = address;
        return answer;
    };
    switch (request.kind) {
        case Kind::load:
        case Kind::load_reserved:
            if (!read_memory(request.address, answer.value.data(), request.size))
                return fail(request.address);
            break;
        case Kind::store: {
            const std::uint64_t data[2] = {request.value, request.value_high};
            if (!write_memory(request.address, data, request.size)) return fail(request.address);
            break;
        }
        case Kind::atomic:
        case Kind::store_conditional: {
            if (!read_memory(request.address, answer.value.data(), request.size))
                return fail(request.address);
            std::uint64_t next = request.value;
            if (request.kind == Kind::atomic)
                next = apply_atomic(atomic_operation(request.op), answer.value[0], request.value,
                                    request.compare, request.size);
            else if (!reservation_holds(from.hart_, request, answer.value[0]))
                break;
            if (!write_memory(request.address, &next, request.size)) return fail(request.address);
            break;
        }
        case Kind::bulk_load:
        case Kind::bulk_store: {
            if (request.count > ~std::uint64_t{0} / request.size) return fail(request.address);
            const std::uint64_t total = request.count * request.size;
            const bool load = request.kind == Kind::bulk_load;
            // In pieces, so that a length that no memory has ends at the first byte that is not
            // there.
            for (std::uint64_t done = 0; done < total;) {
                std::byte piece[4096];
                const std::size_t n = std::min<std::uint64_t>(total - done, sizeof piece);
                const std::uint64_t at = request.address + done;
                if (load) {
                    if (!read_memory(at, piece, n)) return fail(at);
                    answer.bytes.insert(answer.bytes.end(), piece, piece + n);
                } else {
                    // Where its own side ends, the hart finds out by itself.
                    if (!from.read_memory(request.local + done, piece, n)) break;
                    if (!write_memory(at, piece, n)) return fail(at);
                }
                done += n;
            }
            break;
        }
    }
    return answer;
}

}  // namespace isthmus::sim
