#include "core/copy/roads.hpp"

#include "core/copy/recent.hpp"
#include "core/copy/settle.hpp"

namespace isthmus {

std::size_t copy_looks_from = kLongBlock;
constinit thread_local bool copy_downwards_next = false;

namespace {

constinit Recent recent;

bool turn_copy() {
    return copy_downwards_next = !copy_downwards_next;
}

[[gnu::always_inline]] inline Road road_here(Way way, bool shun_alias, const void* dest,
                                             const void* source) {
    const bool alias = is_alias(dest, source);
    const bool shun = alias && shun_alias;
    switch (way) {
        case Way::string:
            if (!alias) return Road::string;
            return shun ? Road::plain_downwards : Road::plain;
        case Way::upwards: return shun ? Road::plain_downwards : Road::plain;
        case Way::claimed: return shun ? Road::claimed_downwards : Road::claimed;
        case Way::alternating: return turn_copy() || shun ? Road::plain_downwards : Road::plain;
        case Way::alternating_claimed:
            return turn_copy() || shun ? Road::claimed_downwards : Road::claimed;
        case Way::streamed_narrow: return Road::streamed_narrow;
        case Way::streamed:
        case Way::count: break;
    }
    return Road::streamed;
}

[[gnu::always_inline]] inline bool may_be_fresh(const CopyParameters& parameters, const void* dest,
                                                const void* source, std::size_t bytes) {
    return bytes >= kLongBlock && !recent.is_at_hand(dest, source, parameters.reuse);
}

[[gnu::always_inline]] inline Road choose_here(const CopyParameters& parameters, std::size_t whole,
                                               const void* dest, const void* source,
                                               std::size_t bytes, bool fresh) {
    Way way = parameters.outer;
    if (whole >= parameters.beyond_from)
        way = parameters.beyond;
    else if (fresh)
        way = parameters.fresh;
    else if (bytes < parameters.turn)
        way = Way::upwards;
    else if (whole < parameters.outer_from)
        way = parameters.inner;
    return road_here(way, parameters.shun_alias || bytes < parameters.turn, dest, source);
}

// Apart, so that the usual case saves no registers.
[[gnu::noinline]] void copy_unmet(RoadCopy copy_by, std::size_t whole, void* dest,
                                  const void* source, std::size_t bytes) {
    return copy_by(choose_road_by(settled_parameters(), whole, dest, source, bytes), dest, source,
                   bytes);
}

}  // namespace

Road road_of(Way way, bool shun_alias, const void* dest, const void* source) {
    return road_here(way, shun_alias, dest, source);
}

Road choose_road_by(const CopyParameters& parameters, std::size_t whole, const void* dest,
                    const void* source, std::size_t bytes) {
    const bool fresh =
        bytes >= kLongBlock && recent.is_fresh(dest, source, bytes, parameters.reuse);
    return choose_here(parameters, whole, dest, source, bytes, fresh);
}

// Stores are what long copies wait for, so this makes none in the usual case, and ends in jumps.
void copy_chosen(RoadCopy copy_by, std::size_t whole, void* dest, const void* source,
                 std::size_t bytes) {
    // Acquire: pairs with the release in settle_parameters.
    const CopyParameters* const settled = copy_parameters_settled.load(std::memory_order_acquire);
    if (!settled || may_be_fresh(*settled, dest, source, bytes)) [[unlikely]]
        return copy_unmet(copy_by, whole, dest, source, bytes);
    return copy_by(choose_here(*settled, whole, dest, source, bytes, false), dest, source, bytes);
}

}  // namespace isthmus
