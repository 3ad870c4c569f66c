// How a message is written down.
#pragma once

#include <cstring>

#include "core/copy/copy.hpp"
#include "core/job/job.hpp"
#include "message/message.hpp"

namespace isthmus::messages {

// `place` is aligned to 8 bytes and has message_bytes(parcel).
[[gnu::always_inline]] inline void write(char* place, const Parcel& parcel) {
    const Head head{parcel.handler, parcel.kind, 0, static_cast<std::uint16_t>(job.me),
                    parcel.argument_bytes};
    std::memcpy(place, &head, sizeof head);
    copy(place + sizeof head, parcel.arguments, parcel.argument_bytes);
    if ((parcel.kind & kShort) != 0) [[likely]]
        return;
    if ((parcel.kind & kMedium) != 0) {
        copy(place + payload_offset(parcel.argument_bytes), parcel.payload, parcel.size);
    } else {
        const Landing landing{parcel.place.offset, static_cast<std::uint32_t>(parcel.size),
                              parcel.place.segment};
        std::memcpy(place + landing_offset(parcel.argument_bytes), &landing, sizeof landing);
    }
}

}  // namespace isthmus::messages
