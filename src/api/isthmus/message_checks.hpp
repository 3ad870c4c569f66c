// What is refused to those that send messages, for every file of isthmus/message.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "api/isthmus/export.hpp"
#include "core/reach/far.hpp"
#include "message/message.hpp"

namespace isthmus::native::message_checks {

// Each says what is wrong, and is the status of it.
int refuse_id(int id, const char* routine);
int refuse_argument_bytes(std::size_t bytes, const char* routine);
int refuse_in_handler(const char* routine);
[[gnu::cold]] int refuse_dest(const void* dest, std::size_t bytes, const char* routine);
[[gnu::cold]] int no_room(const char* routine);

// The most that a message of this kind carries.
constexpr std::size_t limit(std::uint8_t kind) {
    return (kind & messages::kMedium) != 0 ? messages::kLargestMedium
           : (kind & messages::kLong) != 0 ? messages::kLargestLong
                                           : 0;
}

// 0 if nothing is wrong. The first: if this thread may send requests, poll and wait.
int check_restrictions(const char* routine);
[[gnu::cold]] int check_request(int pe, int handler, std::size_t argument_bytes, std::uint8_t kind,
                                std::size_t size, unsigned flags, const char* routine);
[[gnu::cold]] int check_reply(const messages::Message& message, int handler,
                              std::size_t argument_bytes, std::uint8_t kind, std::size_t size,
                              unsigned flags, const char* routine);

// Where the payload of a long message is to lie; 0 if that is memory that it may be put to.
inline int find_place(messages::Parcel& parcel, const char* routine) {
    if (parcel.size == 0) return ISTHMUS_OK;
    if (!far::is_published(parcel.dest, parcel.size))
        return refuse_dest(parcel.dest, parcel.size, routine);
    parcel.place = far::place_of(parcel.dest, parcel.size, routine);
    return ISTHMUS_OK;
}

}  // namespace isthmus::native::message_checks
