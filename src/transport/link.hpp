// What a network must do, so that service/ makes a road of it (transport.hpp).
//
// A link moves bytes and knows neither requests nor answers, nor who waits for what. It is the
// argument of a template, not an interface of virtual functions: its calls lie on the shortest
// ways, where an indirection would be counted. A link is made of `const Services&`, which outlives
// it.
//
// Order. Messages to one PE arrive in the order in which they were sent, but for those sent as
// Order::loose. Where Limits::ordered, writes, reads and messages to one PE take effect in the
// order in which they were issued, and a write is done when its data have left. Where not, a write
// may take effect late, behind whatever follows it, and is done when it has taken effect.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "transport/transport.hpp"

namespace isthmus::transport {

enum class Order : std::uint8_t {
    strict,
    loose  // may overtake and be overtaken; all links may take it for strict
};

struct Limits {
    std::size_t inject = 0;   // what send() of pieces, and write_now(), take
    std::size_t message = 0;  // the longest message
    std::size_t write = 0;    // the longest write or read
    bool ordered = false;
    bool ordered_reads = false;  // of one PE's from one other, later ones see no older state
};

// Part of a message.
struct Piece {
    const void* bytes = nullptr;
    std::size_t count = 0;
};
using Pieces = std::initializer_list<Piece>;

// Goes with an operation that ends later, so that its end finds its meaning. The link's part comes
// first; the ticket and the buffer are the link's until then.
template <typename Scratch>
struct BasicTicket {
    enum class Kind : std::uint8_t {
        own,     // the link's: the service never sees it
        direct,  // somebody waits for this one
        bounce,
        transfer
    };
    BasicTicket() : kind(Kind::direct) {}  // the link's part stays as it is: a get makes one a call
    Scratch scratch;
    Kind kind;
    int pe = -1;
};

// What poll() gives what it finds to. The service has one of its own; this one is for the concept.
template <typename Scratch>
struct SinkFor {
    void message(const char* bytes, std::size_t count);  // gone when it returns
    void done(BasicTicket<Scratch>& ticket);
    void failed(int pe, int error);      // -1: nobody knows whose. Ends the job
    void job_ended(int pe, int status);  // that PE has said so
    void begin();                        // before the first of a poll
    void refused();                      // a message that cannot be of this job
    void noise();                        // a failure of no operation of ours: it may be anybody's
    void confused();             // a stranger has made the network mistake what is under way
    bool is_stopping() const;    // the road is being closed: failures are no news
    std::uint64_t now() const;   // when the look began, by now_nanoseconds()
    bool is_of_program() const;  // a thread of the program looks, not the service's own
};

// Calls that move something return 0, L::kFull if there is no room now, or an error: its number
// with a minus. Any thread may call; poll() is called by one at a time, and the others within it.
template <typename L>
concept Link = requires(L& link, const L& constant, int pe, const void* source, char* memory,
                        std::size_t bytes, SinkFor<typename L::Scratch>& sink, Pieces pieces,
                        const Services& services) {
    { L::kFull } -> std::convertible_to<long>;
    { constant.limits() } -> std::same_as<const Limits&>;
    // What everyone must know of this PE: gathered in equal lengths, everyone's at connect().
    { constant.card_bytes() } -> std::same_as<std::size_t>;
    constant.write_card(memory);
    link.connect(memory, bytes);  // the first card, and the distance to the next
    // A socket address of IP, if the network has such; signs of life go beside it. May be empty.
    { constant.address_of(pe) } -> std::same_as<std::vector<char>>;
    // Collective: one more segment of everyone's.
    link.publish(std::uint32_t{}, Segment{});
    // One message of all the pieces, copied by the call.
    { link.send(pe, pieces, Order::strict) } -> std::convertible_to<long>;
    // Takes in what has come, some of it. True if there was something.
    { link.poll(sink) } -> std::same_as<bool>;
    // To sleep on; -1: there is none. When may_sleep() has said so, what comes shows there; who has
    // slept says woke(), to a link that has it.
    { constant.descriptor() } -> std::same_as<int>;
    { link.may_sleep() } -> std::same_as<bool>;
    { constant.error_text(int{}) } -> std::same_as<std::string>;
    { constant.describe() } -> std::same_as<std::string>;
    { L::kThreadName } -> std::convertible_to<const char*>;
    // Whether a keyed hash of the link's own, of both PEs and of the order, covers every message:
    // then the service needs none.
    { L::proves(services) } -> std::same_as<bool>;
};

// What a network may do beside: move data without the other side's processor, and send from
// memory. For a link that does not the service sends requests put and get
// (service/one_sided.hpp); all of its messages are copied, Limits::inject is Limits::message.
template <typename L>
concept OneSidedLink = Link<L> &&
    requires(L& link, const L& constant, int pe, Place place, char* memory, const void* source,
             std::size_t bytes, typename L::Local& local,
             BasicTicket<typename L::Scratch>& ticket) {
    // Memory of the service's, which any call may be given. Once.
    { link.own_memory(bytes) } -> std::same_as<void*>;
    { constant.own_local() } -> std::same_as<typename L::Local>;
    // How the network is told of other memory of this PE. False: it cannot use that.
    { constant.find_local(source, bytes, local) } -> std::same_as<bool>;
    { link.send_from(pe, source, bytes, ticket) } -> std::convertible_to<long>;  // own memory
    { link.write_now(pe, place, source, bytes) } -> std::convertible_to<long>;
    { link.write(pe, place, source, bytes, local, ticket) } -> std::convertible_to<long>;
    { link.read(pe, memory, place, bytes, local, ticket) } -> std::convertible_to<long>;
};

}  // namespace isthmus::transport
