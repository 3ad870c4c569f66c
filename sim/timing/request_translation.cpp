// Where requests lead behind page tables: of others' at the target, and the local side of bulk
// transfers, which need not be in one piece.
#include <algorithm>

#include "sim/timing/network_interface.hpp"

namespace isthmus::sim {

const RemoteOperation* NetworkInterface::own_request(const Packet& packet) const {
    if (packet.source != self_) return nullptr;
    const RemoteOperation& request = operations_[packet.ticket].request;
    return request.name_space == 0 ? &request : nullptr;
}

void NetworkInterface::receive(Packet* packet, Cycle now) {
    const RemoteOperation* const own = own_request(*packet);
    const TranslationView view = translation_ == nullptr ? TranslationView{}
                                 : own != nullptr        ? own->view
                                                         : translation_->request_view();
    if (view.table == 0 || packet->bytes == 0) {
        const MemoryPiece all{packet->address, packet->bytes};
        return serve(packet, {&all, 1}, now);
    }
    std::uint32_t index = 0;
    while (index < requests_.size() && requests_[index].used)
        ++index;
    if (index == requests_.size()) requests_.emplace_back();
    requests_[index] = Request{};
    requests_[index].packet = packet;
    requests_[index].used = true;
    ++jobs_in_use_;
    translate(index, now);
}

// Each page takes a look into the buffer, and on a miss a walk: an entry after the other, through
// the directory as the namespace table's. What the page is then decides whether it may be reached.
void NetworkInterface::translate(std::uint32_t index, Cycle now) {
    Request& request = requests_[index];
    Packet* const packet = request.packet;
    const RemoteOperation* const own = own_request(*packet);
    const TranslationView view = own != nullptr ? own->view : translation_->request_view();
    const bool writes = packet->kind != MessageKind::load_request;
    const auto end = [&] {
        request.used = false;
        --jobs_in_use_;
    };
    constexpr std::uint64_t kSmallest = 4096;
    while (request.done != packet->bytes) {
        const std::uint64_t address = packet->address + request.done;
        if (!request.walking) {
            // Looked up later: what is asked for now is known later.
            if (request.reads == 0 && request_hit_cycles_ != 0) {
                request.reads = 1;
                return events_.push(now + request_hit_cycles_, EventKind::translate, index);
            }
            request.reads = 0;
            if (view.table != 0 &&
                request_tlb_.find(address, translation_->asid(view)) == nullptr) {
                ++statistics_.translation_misses;
                request.walk = translation_->walk(
                    view, address,
                    writes ? TranslationSource::Access::store : TranslationSource::Access::load);
                request.walking = true;
            } else {
                ++statistics_.translation_hits;
            }
        }
        if (request.walking) {
            if (request.reads < request.walk.reads) {
                ++statistics_.translation_reads;
                const MemoryPiece entry{request.walk.entries.at(request.reads++), 8};
                return read_lines(new_job(Job::Purpose::translate, index, nullptr), {&entry, 1},
                                  now);
            }
            request.walking = false;
            request.reads = 0;
            if (request.walk.found)
                request_tlb_.insert(address, request.walk.physical, translation_->asid(view),
                                    request.walk.page_bits, request.walk.global);
        }
        std::uint64_t physical = address;
        const bool there = own != nullptr
                               ? translation_->own_address(view, address, writes, physical)
                               : translation_->request_address(address, writes, physical);
        if (!there) {
            end();
            return refuse(packet, now);
        }
        const std::uint64_t n =
            std::min<std::uint64_t>(packet->bytes - request.done, kSmallest - address % kSmallest);
        request.pieces.push_back({physical, n});
        request.done += n;
    }
    const std::vector<MemoryPiece> pieces = std::move(request.pieces);
    end();
    serve(packet, pieces, now);
}

std::vector<MemoryPiece> NetworkInterface::local_part(const RemoteOperation& operation,
                                                      std::uint64_t offset, std::uint64_t bytes) {
    if (operation.local_pieces.empty()) return {{operation.local_address + offset, bytes}};
    std::vector<MemoryPiece> part;
    for (const MemoryPiece& piece : operation.local_pieces) {
        if (bytes == 0) break;
        if (offset >= piece.bytes) {
            offset -= piece.bytes;
            continue;
        }
        const std::uint64_t n = std::min(bytes, piece.bytes - offset);
        part.push_back({piece.address + offset, n});
        bytes -= n;
        offset = 0;
    }
    return part;
}

bool NetworkInterface::contains(std::span<const MemoryPiece> pieces, std::uint32_t rights) const {
    return std::ranges::all_of(pieces, [&](const MemoryPiece& piece) {
        return data_.contains(piece.address, piece.bytes, rights);
    });
}

void NetworkInterface::read(std::span<const MemoryPiece> pieces, std::span<std::byte> to) {
    for (const MemoryPiece& piece : pieces) {
        data_.read(piece.address, to.first(piece.bytes));
        to = to.subspan(piece.bytes);
    }
}

void NetworkInterface::write(std::span<const MemoryPiece> pieces, std::span<const std::byte> from) {
    for (const MemoryPiece& piece : pieces) {
        data_.write(piece.address, from.first(piece.bytes));
        from = from.subspan(piece.bytes);
    }
}

}  // namespace isthmus::sim
