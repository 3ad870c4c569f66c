#include "sim/hart/remote_access.hpp"

#include <stdexcept>
#include <string>

#include "sim/hart/machine.hpp"

namespace isthmus::sim {
namespace {

std::uint64_t sign_extend(std::uint64_t value, unsigned size) {
    const unsigned shift = 64 - 8 * size;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift);
}

void set_register(Hart& hart, const RemoteRequest& request, std::uint64_t value) {
    if (hart.options().xlen == Xlen::k32) value = sign_extend(value, 4);
    (request.file == RegisterFile::e ? hart.e : hart.x)[request.rd] = value;
}

}  // namespace

AtomicOperation atomic_operation(Op op) {
    using enum AtomicOperation;
    switch (op) {
        case Op::eamoswap_w:
        case Op::eamoswap_d: return swap;
        case Op::eamoadd_w:
        case Op::eamoadd_d: return add;
        case Op::eamoxor_w:
        case Op::eamoxor_d: return bit_xor;
        case Op::eamoand_w:
        case Op::eamoand_d: return bit_and;
        case Op::eamoor_w:
        case Op::eamoor_d: return bit_or;
        case Op::eamomin_w:
        case Op::eamomin_d: return min;
        case Op::eamomax_w:
        case Op::eamomax_d: return max;
        case Op::eamominu_w:
        case Op::eamominu_d: return minu;
        case Op::eamomaxu_w:
        case Op::eamomaxu_d: return maxu;
        case Op::eamocas_w:
        case Op::eamocas_d: return compare_swap;
        default:
            throw std::logic_error("no read-modify-write is known for operation " +
                                   std::string(info(op).name));
    }
}

bool is_reserved(const Hart& hart, const RemoteRequest& conditional) {
    return hart.remote_reservation_size == conditional.size &&
           hart.remote_reservation_space == conditional.name_space &&
           hart.remote_reservation_address == conditional.address;
}

bool reservation_holds(const Hart& hart, const RemoteRequest& conditional, std::uint64_t found) {
    return is_reserved(hart, conditional) &&
           hart.remote_reservation_value == sign_extend(found, conditional.size);
}

void give_result(Hart& hart, const RemoteRequest& request,
                 const std::array<std::uint64_t, 2>& value) {
    using Kind = RemoteRequest::Kind;
    switch (request.kind) {
        case Kind::load:
            if (request.size == 16) {
                hart.x[request.rd] = value[0];
                hart.e[request.rd] = value[1];
            } else {
                set_register(hart, request,
                             request.sign_extend ? sign_extend(value[0], request.size) : value[0]);
            }
            break;
        case Kind::store: break;
        case Kind::atomic: set_register(hart, request, sign_extend(value[0], request.size)); break;
        case Kind::load_reserved:
            hart.remote_reservation_size = request.size;
            hart.remote_reservation_space = request.name_space;
            hart.remote_reservation_address = request.address;
            hart.remote_reservation_value = sign_extend(value[0], request.size);
            set_register(hart, request, hart.remote_reservation_value);
            break;
        case Kind::store_conditional:
            set_register(hart, request, reservation_holds(hart, request, value[0]) ? 0 : 1);
            hart.remote_reservation_size = 0;
            break;
        case Kind::bulk_load:
        case Kind::bulk_store: set_register(hart, request, request.count); break;
    }
}

void complete_remote(Node& node, Hart& hart, const RemoteRequest& request,
                     const std::array<std::uint64_t, 2>& value) {
    using Kind = RemoteRequest::Kind;
    NodeCounters& counters = node.counters;
    counters.local_namespace += node.namespaces.node_of(request.name_space) == node.id;
    std::uint64_t moved = request.size;
    switch (request.kind) {
        case Kind::load: ++counters.remote_loads; break;
        case Kind::store: ++counters.remote_stores; break;
        case Kind::atomic:
        case Kind::load_reserved:
        case Kind::store_conditional: ++counters.remote_atomics; break;
        case Kind::bulk_load:
        case Kind::bulk_store:
            ++counters.bulk_transfers;
            moved = request.count * request.size;
            break;
    }
    counters.remote_bytes += moved;
    give_result(hart, request, value);
}

}  // namespace isthmus::sim
