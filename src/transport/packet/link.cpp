#include "transport/packet/link.hpp"

#include <sodium.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/limits.hpp"
#include "transport/packet/ends.hpp"
#include "transport/service/attention.hpp"
#include "transport/service/socket_address.hpp"

namespace isthmus::transport::packet {

using namespace ::isthmus::packet;

namespace {

constexpr std::uint8_t kAllRights = kReadRight | kWriteRight | kChangeRight;
// How long who closes waits for the others to have read its farewell.
constexpr int kFarewell_ms = 50;

// Patience with a PE that cannot be called: as long as a silent one has.
std::uint64_t patience(const Services& services) {
    constexpr double kLongest = 1e6;
    const double seconds = services.detect_seconds > 0 ? services.detect_seconds : kLongest;
    return static_cast<std::uint64_t>(std::clamp(seconds, 1.0, kLongest) * 1e9);
}

}  // namespace

Link::Link(const Services& services) : services_(services) {
    limits_ = {kInject, kMessage, kLongest, true, true};
    std::string why;
    // A cable that is pulled for a moment is no reason to give up, nor to take the loop-back
    // device.
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(services.detect_seconds);
    for (;;) {
        std::string problem;
        const std::vector<Interface> all = interfaces(problem);
        const Interface* const chosen =
            choose_interface(all, services.address, services.leaves_machine, why);
        if (!problem.empty()) why = problem;
        if (chosen) {
            interface_ = *chosen;
            break;
        }
        if (!services.leaves_machine || *services.address != '\0' ||
            std::chrono::steady_clock::now() > until) {
            services.fail(why.c_str());
            std::abort();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    by_datagrams_ = is_by_datagrams(services);
    has_records_ = proves(services);
    const bool has_sodium = sodium_init() >= 0;  // before what its processor has is asked
    const Self self{&services.secret, services.session, services.me, services.pes,
                    kServedKinds | (by_datagrams_ ? kByDatagrams : 0) |
                        (has_records_ ? kSealed : 0) | (RecordSeal::has_aes() ? kHasAes : 0)};
    events_ = epoll_create1(EPOLL_CLOEXEC);
    timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    clock_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    const auto add = [this](int descriptor, Event kind, std::uint32_t how) {
        epoll_event event = event_for(kind, 0, how);
        return epoll_ctl(events_, EPOLL_CTL_ADD, descriptor, &event) == 0;
    };
    std::string lacks;
    int error = 0;
    const auto need = [&](bool is_there, const std::string& what) {
        if (!is_there) error = errno;
        if (!is_there) lacks = what + ": " + std::strerror(error);
        return is_there;
    };
    const bool has_all =
        need(has_sodium, "libsodium") && need(events_ >= 0, "epoll_create1") &&
        need(timer_ >= 0 && clock_ >= 0, "timerfd_create") &&
        need(add(timer_, Event::timer, EPOLLIN | EPOLLET) &&
                 add(clock_, Event::clock, EPOLLIN | EPOLLET),
             "epoll_ctl") &&
        need(open_ports(self), "a socket that listens at " + text_of(interface_.address)) &&
        need(!by_datagrams_ || add(udp_.descriptor(), Event::datagrams, EPOLLIN), "epoll_ctl") &&
        need(Stream::may_write(), "sendto") && need(Stream::may_write_pieces(), "sendmsg") &&
        need(Stream::may_read(), "recvfrom") && need(Stream::may_read_pieces(), "recvmsg") &&
        need(!by_datagrams_ || udp_.may_send(), "sendmmsg") &&
        need(!by_datagrams_ || udp_.may_receive(), "recvmmsg");
    if (!has_all) {
        services.fail(("packet: " + lacks + os::advice_on_call(error)).c_str());
        std::abort();
    }
    for (int pe = 0; pe < services.pes; ++pe)
        peers_.push_back(std::make_unique<Peer>());
    for (std::uint32_t id = 0; id < kSegments; ++id)
        publish(id, services.segments[id]);
}

void Link::fail_call(const char* call, int error) const {
    services_.fail(
        (std::string("packet: ") + call + ": " + std::strerror(error) + os::advice_on_call(error))
            .c_str());
    std::abort();
}

// Datagrams come to the port of the same number as callers, so that it need not be told.
bool Link::open_ports(const Self& self) {
    constexpr int kAttempts = 16;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        door_ = std::make_unique<Door>(self, events_, patience(services_), !services_.thread);
        if (!door_->listen(interface_.address)) return false;
        if (!by_datagrams_ || udp_.open(door_->address())) return true;
        if (errno != EADDRINUSE) return false;
    }
    return false;
}

// Says farewell, so that nobody takes the end of the connections for a failure, and waits a moment
// for the others' ends.
Link::~Link() {
    if (by_datagrams_) settle();
    std::vector<pollfd> ends;
    for (int pe = 0; pe < static_cast<int>(peers_.size()); ++pe) {
        Peer& to = peer(pe);
        if (!to.stream.is_open() || to.tie == Tie::broken) continue;
        const Head head = farewell(pe, Bye::finished, 0);
        Outbox alone;  // by datagrams the rest does not go there
        Outbox& last = by_datagrams_ ? alone : to.outbox;
        last.add(head, {}, nullptr, 0, true);
        long error = 0;
        write_out(to, last, error);
        to.stream.finish();
        ends.push_back({to.stream.descriptor(), POLLIN, 0});
    }
    await_ends(ends, kFarewell_ms, {workspace_.bytes(), Workspace::kRead});
    door_.reset();
    peers_.clear();
    for (const int descriptor : {timer_, clock_, events_}) {
        if (descriptor >= 0) ::close(descriptor);
    }
}

// Whoever holds a guard is in the middle of something: its PE will know by the connection's end.
void Link::say_end(int status) {
    for (int pe = 0; pe < static_cast<int>(peers_.size()); ++pe) {
        Peer& to = peer(pe);
        const std::unique_lock lock(to.guard, std::try_to_lock);
        if (lock && to.tie == Tie::joined) say_end_to(to, pe, status);
    }
}

void Link::say_end_to(Peer& to, int pe, int status) {
    if (!to.stream.is_open()) return;
    std::byte packet[24];
    ::isthmus::packet::encode(packet, farewell(pe, Bye::failed, status));
    if (to.records) {
        to.records->out.say(to.stream, packet);
    } else if (to.outbox.is_empty()) {
        iovec piece{packet, sizeof packet};
        to.stream.write(&piece, 1);
    }
}

void Link::connect(const char* cards, std::size_t distance) {
    for (int pe = 0; pe < services_.pes; ++pe, cards += distance) {
        sockaddr_storage& address = addresses_.emplace_back();
        std::memcpy(&address, cards, card_bytes());
        door_->expect(address);
        if (address.ss_family == interface_.address.ss_family) continue;
        services_.fail(("this PE has the address " + text_of(interface_.address) + " and PE " +
                        std::to_string(pe) + " has " + text_of(address) +
                        ": one of IPv4 and one of IPv6 do not reach each other; "
                        "ISTHMUS_PACKET_ADDRESS chooses")
                           .c_str());
        std::abort();
    }
}

std::vector<char> Link::address_of(int pe) const {
    const bool is_known = static_cast<std::size_t>(pe) < addresses_.size();
    if (!is_known && pe != services_.me) return {};
    const sockaddr_storage& address =
        is_known ? addresses_[static_cast<std::size_t>(pe)] : door_->address();
    const auto* const bytes = reinterpret_cast<const char*>(&address);
    return {bytes, bytes + length_of(address)};
}

void Link::publish(std::uint32_t id, const Segment& segment) {
    const std::lock_guard lock(segments_guard_);
    bases_[id] = segment.base;
    entries_[id] = {segment.size, segment.size != 0 ? kAllRights : std::uint8_t{0}};
}

void* Link::own_memory(std::size_t bytes) {
    own_.reset(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
    return own_.get();
}

// ---- sending

Head Link::head_for(Kind kind, int pe, std::uint32_t token) const {
    Head head;
    head.kind = kind;
    head.destination = number(pe);
    head.source = number(services_.me);
    head.token = token;
    return head;
}

Head Link::farewell(int pe, Bye how, int status) const {
    Head head = head_for(Kind::bye, pe, static_cast<std::uint32_t>(status));
    head.stream = ::isthmus::packet::Stream::control;
    head.detail = static_cast<std::uint8_t>(how);
    return head;
}

long Link::enter(Peer& to, int pe) {
    if (to.tie == Tie::broken) return -to.error;
    if (to.tie != Tie::none) return 0;
    narrow(to, pe);
    return door_->call(pe, addresses_[static_cast<std::size_t>(pe)]);
}

void Link::call(int pe) {
    Peer& to = peer(pe);
    const std::lock_guard lock(to.guard);
    enter(to, pe);  // what is wrong will be told to who sends something
}

long Link::send(int pe, Pieces pieces, Order) {
    Peer& to = peer(pe);
    const Piece& piece = *pieces.begin();  // the service has put it together, with its seal
    const std::lock_guard lock(to.guard);
    if (const long result = enter(to, pe); result != 0) return result;
    if (to.tie == Tie::left) return 0;
    if (!to.outbox.add(head_for(Kind::core_request, pe, kNoToken), {}, piece.bytes, piece.count))
        return kFull;
    queued(to, pe, kGatherMessages);
    return 0;
}

long Link::send_from(int pe, const void* source, std::size_t bytes, Ticket& ticket) {
    const long result = send(pe, {{source, bytes}}, Order::strict);
    // Copied, so that its buffer is free already. Nobody waits for that but who needs one and
    // looks: no timer, which would cost a message and its answer as much as a call of the system.
    if (result == 0) note_ended({&ticket});
    return result;
}

long Link::write_now(int pe, Place place, const void* source, std::size_t bytes) {
    Peer& to = peer(pe);
    const std::lock_guard lock(to.guard);
    if (const long result = enter(to, pe); result != 0) return result;
    if (to.tie == Tie::left) return 0;
    Head head = head_for(Kind::put, pe, kNoToken);
    head.segment = static_cast<std::uint16_t>(place.segment);
    head.offset = place.offset;
    if (!to.outbox.add(head, {}, source, bytes)) return kFull;
    queued(to, pe, kGather);
    return 0;
}

long Link::write(int pe, Place place, const void* source, std::size_t bytes, Local,
                 Ticket& ticket) {
    Peer& to = peer(pe);
    const std::lock_guard lock(to.guard);
    if (const long result = enter(to, pe); result != 0) return result;
    if (to.tie == Tie::left || bytes == 0) {
        add_ended({&ticket});
        return 0;
    }
    Head head = head_for(Kind::put, pe, kNoToken);
    head.segment = static_cast<std::uint16_t>(place.segment);
    head.offset = place.offset;
    if (!to.outbox.add_block(head, static_cast<const char*>(source), bytes, &ticket, false))
        return kFull;
    queued(to, pe, 0);
    return 0;
}

long Link::read(int pe, void* dest, Place place, std::size_t bytes, Local, Ticket& ticket) {
    Peer& to = peer(pe);
    const std::lock_guard lock(to.guard);
    if (const long result = enter(to, pe); result != 0) return result;
    if (bytes == 0) {
        add_ended({&ticket});
        return 0;
    }
    if (to.tie == Tie::left) return kFull;  // who waits is told of it by others
    Gets::Get* const get = to.gets.open(static_cast<char*>(dest), bytes, &ticket);
    if (!get) return kFull;
    Head head = head_for(Kind::get, pe, get->token);
    head.segment = static_cast<std::uint16_t>(place.segment);
    head.offset = place.offset;
    const std::uint64_t words[] = {make_place(0, 0), make_extent(bytes)};
    if (!to.outbox.add(head, words, nullptr, 0)) {
        to.gets.close(*get);
        return kFull;
    }
    queued(to, pe, kGather);
    return 0;
}

void Link::queued(Peer& to, int pe, std::uint64_t gather) {
    if (to.is_blocked) return;
    // Without a thread nobody would see to the rest if the program calls no more.
    const bool must = gather == 0 || !services_.thread || to.outbox.copied_bytes() >= kBatch;
    if (must || to.has_come.load(std::memory_order_relaxed) ||
        service::now_nanoseconds() - to.flushed > gather)
        return flush(to, pe);
    mark_dirty(to, pe);
    set_timer();
}

void Link::mark_dirty(Peer& to, int pe) {
    if (to.is_dirty) return;
    to.is_dirty = true;
    const std::lock_guard lock(dirty_guard_);
    dirty_.push_back(pe);
    dirty_count_.store(dirty_.size(), std::memory_order_relaxed);
}

// An error shows where the stream is read.
void Link::flush(Peer& to, int pe) {
    if (!to.stream.is_open()) return;
    long error = 0;
    to.flushed = service::now_nanoseconds();
    to.has_come.store(false, std::memory_order_relaxed);
    const bool is_empty = by_datagrams_
                              ? to.courier.send(to.outbox, udp_, to.flushed / 1000, to.ended)
                              : write_out(to, to.outbox, error);
    to.is_blocked = !is_empty;
    if (to.is_blocked && apart_.load(std::memory_order_relaxed) == pe) ring_again(to, pe);
    if (by_datagrams_) mark_timed(to, pe);
    if (to.ended.empty()) return;
    add_ended(to.ended);
    to.ended.clear();
}

bool Link::write_out(Peer& to, Outbox& outbox, long& error) {
    if (to.records) return to.records->out.flush(outbox, to.stream, to.ended, error);
    return outbox.flush(to.stream, to.ended, error);
}

bool Link::flush_dirty() {
    if (dirty_count_.load(std::memory_order_relaxed) == 0) return false;
    bool is_overdue = false;
    std::vector<int> dirty;
    {
        const std::lock_guard lock(dirty_guard_);
        dirty.swap(dirty_);
        dirty_count_.store(0, std::memory_order_relaxed);
    }
    for (const int pe : dirty) {
        Peer& to = peer(pe);
        const std::lock_guard lock(to.guard);
        to.is_dirty = false;
        if (to.is_blocked) continue;
        const std::uint64_t before = to.flushed;
        flush(to, pe);
        is_overdue |= to.flushed - before > kGather;
    }
    dirty.clear();
    const std::lock_guard lock(dirty_guard_);
    if (dirty_.empty()) dirty_.swap(dirty);  // keeps its memory
    return is_overdue;
}

// Tickets end where somebody looks.
void Link::note_ended(const std::vector<Outbox::Mark>& marks) {
    const std::lock_guard lock(ended_guard_);
    for (void* const mark : marks)
        ended_.push_back(static_cast<Ticket*>(mark));
    ended_count_.store(ended_.size(), std::memory_order_relaxed);
}

// The one who looks may be asleep.
void Link::add_ended(const std::vector<Outbox::Mark>& marks) {
    note_ended(marks);
    set_timer();
}

// So that the thread looks soon, unless somebody else does. To set it costs a virtual machine 10
// us, and its interrupt as much again (gathers_for_).
void Link::set_timer() {
    // Release: what was queued. Partner: poll().
    if (is_timed_.exchange(true, std::memory_order_acq_rel)) return;
    const auto length = static_cast<long>(gathers_for_.load(std::memory_order_relaxed));
    const itimerspec in{{0, 0}, {0, length}};
    timerfd_settime(timer_, 0, &in, nullptr);
}

// ---- looking

void Link::join(Door::Joined& joined) {
    const int pe = joined.pe;
    Peer& to = peer(pe);
    const std::lock_guard lock(to.guard);
    to.stream = std::move(joined.stream);
    if (has_records_) {
        to.records = std::make_unique<Peer::Records>();
        to.records->out.begin(joined.records.out, joined.with_aes, number(services_.me),
                              number(pe));
        to.records->in.begin(joined.records.in, joined.with_aes);
    }
    if (by_datagrams_) begin_courier(to, pe, joined);
    to.tie = Tie::joined;
    epoll_event event = event_of_peer(pe);
    epoll_ctl(events_, EPOLL_CTL_MOD, to.stream.descriptor(), &event);
    add_readable(to, pe);
    flush(to, pe);
}

void Link::add_readable(Peer& from, int pe) {
    if (from.is_readable) return;
    from.is_readable = true;
    readable_.push_back(pe);
}

bool Link::may_sleep() {
    flush_dirty();
    if (timed_count_.load(std::memory_order_relaxed) != 0) {
        looked_at_.store(0, std::memory_order_relaxed);  // the clock has to be right
        see_to_time();
        set_clock_for_sleep();
    }
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    if (apart_.load(std::memory_order_seq_cst) != kNobody) take_back();
    const bool may = readable_count_.load(std::memory_order_relaxed) == 0 &&
                     ended_count_.load(std::memory_order_relaxed) == 0;
    if (!may) woke();
    return may;
}

// Out of the set as a whole: a socket that nobody sleeps on costs its sender less, too.
void Link::set_apart() {
    if (sleepers_.load(std::memory_order_relaxed) != 0) return;
    const int pe = talker_;
    Peer& to = peer(pe);
    {
        const std::lock_guard lock(to.guard);
        if (!to.stream.is_open() || to.is_blocked) return;
        is_apart_ = true;
        epoll_ctl(events_, EPOLL_CTL_DEL, listened_to(to), nullptr);
        apart_.store(pe, std::memory_order_seq_cst);
    }
    // Somebody who has not seen it.
    if (sleepers_.load(std::memory_order_seq_cst) != 0) take_back();
}

void Link::take_back() {
    const int pe = apart_.load(std::memory_order_seq_cst);
    if (pe == kNobody) return;
    Peer& to = peer(pe);
    const std::lock_guard lock(to.guard);
    ring_again(to, pe);
}

// Also for what has come meanwhile.
void Link::ring_again(Peer& to, int pe) {
    int expected = pe;
    if (!apart_.compare_exchange_strong(expected, kNobody, std::memory_order_seq_cst)) return;
    if (!by_datagrams_ && !to.stream.is_open()) return;
    epoll_event event = by_datagrams_ ? event_of_datagrams() : event_of_peer(pe);
    epoll_ctl(events_, EPOLL_CTL_ADD, listened_to(to), &event);
}

std::string Link::error_text(int error) const {
    if (error >= kIllegal)
        return "it sent a packet that no PE sends (" +
               std::string(name_of(static_cast<Verdict>(error - kIllegal))) + ")";
    if (error >= kRefused)
        return "it refused a packet of this PE's (" +
               std::string(name_of(static_cast<Verdict>(error - kRefused))) + ")";
    if (error == kChanged)
        return "what comes from its connection is not what it has sent: somebody on the network "
               "writes to it, or damages it (SECURITY.md, \"Packets\")";
    if (error == Door::kNotProved)
        return "who answers at its address does not prove to be it (SECURITY.md, \"Packets\")";
    if (error == Door::kNotAnswered)
        return "what it says to the join does not come, or what this PE says does not get there: "
               "somebody on the way may swallow it (SECURITY.md, \"Packets\")";
    if (error == Door::kHungUp)
        return "who takes calls at its address hangs up (SECURITY.md, \"Packets\")";
    if (error == Door::kOtherVersion)
        return "its library has another version of the join, or serves other kinds of packets, or "
               "they are carried in another way; all PEs need the same library and the same "
               "ISTHMUS_PACKET_PROTOCOL and ISTHMUS_PACKET_SEAL";
    if (os::is_call_forbidden(error))
        return std::string(std::strerror(error)) +
               "; connect, sendto, sendmsg, recvfrom or recvmsg is forbidden here (a container's "
               "seccomp profile?), "
               "or a filter of this host's network forbids what they do";
    return std::strerror(error);
}

std::string Link::tried(int pe, int error) const {
    const bool may_live = os::is_call_forbidden(error) || error == Door::kNotProved ||
                          error == Door::kNotAnswered || error == Door::kHungUp;
    return may_live ? door_->tried(pe) : "";
}

std::string Link::describe() const {
    return std::string("packet (") + (by_datagrams_ ? "UDP" : "TCP") +
           (has_records_ ? ", hashed, at " : ", not hashed, at ") + text_of(interface_.address) +
           ", " + interface_.name +
           "): puts and gets by the target's progress thread, atomics and signals by request to "
           "it; quiet by a get behind the puts";
}

}  // namespace isthmus::transport::packet
