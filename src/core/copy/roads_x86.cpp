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

}  // namespace

Road road_of(Way way, bool shun_alias, const void* dest, const void* source) {
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

Road choose_road_by(const CopyParameters& parameters, std::size_t whole, const void* dest,
                    const void* source, std::size_t bytes) {
    const bool fresh =
        bytes >= kLongBlock && recent.is_fresh(dest, source, bytes, parameters.reuse);
    Way way = parameters.outer;
    if (whole >= parameters.beyond_from)
        way = parameters.beyond;
    else if (fresh)
        way = parameters.fresh;
    else if (bytes < parameters.turn)
        way = Way::upwards;
    else if (whole < parameters.outer_from)
        way = parameters.inner;
    return road_of(way, parameters.shun_alias, dest, source);
}

Road choose_road(std::size_t whole, const void* dest, const void* source, std::size_t bytes) {
    return choose_road_by(settled_parameters(), whole, dest, source, bytes);
}

}  // namespace isthmus
