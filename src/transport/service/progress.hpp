// The receiving half of the road: ends of operations and requests of others.
#pragma once

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/blocked_signals.hpp"
#include "base/limits.hpp"
#include "transport/perform.hpp"
#include "transport/service/road.hpp"

namespace isthmus::transport::service {
inline void ring(int event) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(event, &one, sizeof one);
}

inline Milliseconds patience(const Services& services) {
    return static_cast<Milliseconds>(std::min(services.detect_seconds, 1e6) * 1000);
}

template <Link L>
Road<L>::Road(const Services& services)
    : services_(services),
      seals_(services.secret, services.session, Purpose::request, services.me, services.pes,
             L::proves(services) ? ProvedBy::link : ProvedBy::seal),
      link_(open_link(services_, seals_)),
      ordered_(link_.limits().ordered),
      own_(services.pes),
      posted_(static_cast<std::size_t>(services.pes)),
      held_(static_cast<std::size_t>(services.pes)),
      told_(services.pes),
      began_(now_nanoseconds()),
      watch_(services.pes, patience(services)),
      pulse_(services.secret, services.session, services.me, services.pes) {
    inject_ = ordered_ ? link_.limits().inject : 0;
    longest_ = link_.limits().write;
    description_ = link_.describe();
    void* const memory = link_.own_memory(sizeof(Buffers));
    if (!memory) throw std::bad_alloc();
    buffers_ = ::new (memory) Buffers;
    for (std::size_t number = 0; number < kBounceBuffers; ++number) {
        bounces_[number] = &buffers_->bounces[number];
        bounces_[number]->ticket.kind = Ticket::Kind::bounce;
    }
    free_bounces_.store(~std::uint64_t{0}, std::memory_order_relaxed);
    for (std::size_t i = 0; i < kTransfers; ++i)
        add_transfer();
    if (services_.thread && services_.detect_seconds > 0) {
        const std::vector<char> address = link_.address_of(services_.me);
        pulse_.open(address.data(), address.size());
    }
    connect();
    if (services_.detect_seconds > 0)
        neighbours_.assign(services_.watched, services_.watched + services_.watched_count);
    wake_event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!services_.thread) return;
    stop_event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    {
        const BlockedSignals blocked;
        thread_ = std::thread([this] { run(); });
    }
    // By this thread: who looks at the process now finds it.
    pthread_setname_np(thread_.native_handle(), L::kThreadName);
    place_thread();
}

template <Link L>
Road<L>::~Road() {
    stopping_.store(true, std::memory_order_release);
    if (thread_.joinable()) {
        ring(stop_event_);
        thread_.join();
    }
    if (stop_event_ >= 0) ::close(stop_event_);
    if (wake_event_ >= 0) ::close(wake_event_);
}

// A PE's card: its pulse's port, and what the link needs.
template <Link L>
void Road<L>::connect() {
    const std::uint16_t port = pulse_.port();
    const std::size_t bytes = sizeof port + link_.card_bytes();
    std::vector<char> mine(bytes);
    std::memcpy(mine.data(), &port, sizeof port);
    link_.write_card(mine.data() + sizeof port);
    std::vector<char> cards(static_cast<std::size_t>(services_.pes) * bytes);
    FirstAnswers answers(pulse_);
    services_.gather(mine.data(), bytes, cards.data());
    if (const unsigned strange = answers.end(); strange != 0) refuse(strange);
    for (std::size_t at = 0; at < cards.size(); at += bytes)
        std::memcpy(&pulse_ports_.emplace_back(), &cards[at], sizeof port);
    link_.connect(cards.data() + sizeof port, bytes);
}

template <Link L>
void Road<L>::progress() {
    attention_.looks([&](std::uint64_t now) { return look(true, now); });
}

template <Link L>
bool Road<L>::sleep(std::uint64_t nanoseconds) {
    Alarm alarm;
    if (!fall_asleep(alarm)) return false;
    if (!alarm.rings) {
        pollfd ends[] = {{alarm.other_thread, POLLIN, 0}, {alarm.network, POLLIN, 0}};
        const timespec length{0, static_cast<long>(nanoseconds)};
        ppoll(ends, 2, &length, nullptr);
        alarm.other_rang = ends[0].revents != 0;
    }
    wake_up(alarm);
    return true;
}

template <Link L>
bool Road<L>::fall_asleep(Alarm& alarm) {
    if (link_.descriptor() < 0 || !attention_.fall_asleep()) return false;
    // What has come and is not read would wake this thread over and over.
    if (is_read_for_long()) {
        alarm = {wake_event_, -1, false, false};
        return true;
    }
    // Without the link's leave there may be work that the descriptor does not show.
    alarm = {wake_event_, link_.descriptor(), !link_.may_sleep(), false};
    return true;
}

// Another thread has read since some sleeps ago: it has found something that takes its time, such
// as why the job ends, and rings if it finds more. Of who sleeps, so that who looks pays nothing.
// Who has not met it for a while (but for sleeping) has met another read.
template <Link L>
bool Road<L>::is_read_for_long() {
    constexpr std::uint64_t kLong = 1'000'000;  // nanoseconds
    constexpr std::uint64_t kGap = kLong / 2;
    if (const std::unique_lock lock(reading_, std::try_to_lock); lock) {
        met_reader_.store(0, std::memory_order_relaxed);
        return false;
    }
    const std::uint64_t now = now_nanoseconds();
    if (now - met_reader_.exchange(now, std::memory_order_relaxed) > kGap)
        read_since_.store(now, std::memory_order_relaxed);
    return now - read_since_.load(std::memory_order_relaxed) > kLong;
}

template <Link L>
void Road<L>::wake_up(const Alarm& alarm) {
    std::uint64_t count = 0;
    if (alarm.other_rang) {
        [[maybe_unused]] const auto bytes = ::read(alarm.other_thread, &count, sizeof count);
    }
    // Whoever reads may have gone on all the time.
    if (alarm.network < 0 && !alarm.other_rang)
        met_reader_.store(now_nanoseconds(), std::memory_order_relaxed);
    if (alarm.network >= 0 && !alarm.rings) woke();
    attention_.wake_up();
}

template <Link L>
bool Road<L>::look(bool by_program, std::uint64_t now) {
    const std::unique_lock lock(reading_, std::try_to_lock);
    if (!lock) return false;
    Sink sink{*this, by_program, now};
    const bool found = link_.poll(sink);
    // Another thread's: what was found may be what it waits for.
    if (found && attention_.is_asleep()) ring(wake_event_);
    // Puts of others leave no completion: a thread that looks over and over wakes for them, too.
    if (found || ++looks_ % 32 == 0) services_.stir();
    if (!answers_.empty()) send_answers();
    if (has_unsent_.load(std::memory_order_relaxed)) send_unsent();
    return found;
}

template <Link L>
void Road<L>::complete(Ticket& ticket) {
    switch (ticket.kind) {
        case Ticket::Kind::own: return;
        case Ticket::Kind::direct:
            // Release, and last: the waiter's frame is gone behind it.
            reinterpret_cast<Direct&>(ticket).done.store(true, std::memory_order_release);
            return;
        case Ticket::Kind::transfer: return finish(reinterpret_cast<Transfer&>(ticket));
        case Ticket::Kind::bounce: {
            auto& bounce = reinterpret_cast<Bounce&>(ticket);
            if (bounce.of) bounce.of->remove(bounce.entry);
            return give_back(bounce);
        }
    }
}

template <Link L>
void Road<L>::lost(int pe, int error, bool reads) {
    constexpr bool is_claimable = requires {
        L::kPortMayBeClaimed;
    };
    if (error == EMFILE)  // this PE's own want
        services_.fail(
            ("no descriptor is left for the connection to PE " + std::to_string(pe) +
             ", or strangers' connections have taken them" + os::advice_on_call(error) +
             (is_claimable ? "; SECURITY.md, \"Between hosts\"" : "; SECURITY.md, \"Packets\""))
                .c_str());
    // Of memory that the program gave: no other PE sees that.
    if (error == EFAULT && services_.misgiven)
        services_.misgiven(pe, link_.error_text(error).c_str());
    if constexpr (requires { link_.tried(pe, error); }) {
        const std::string tried = link_.tried(pe, error);
        if (!tried.empty())
            services_.unreached(pe, (link_.error_text(error) + "; " + tried).c_str());
    }
    const bool broken = is_broken(error);
    const char* const causes = is_claimable ? " (it has ended, or another process claims its port: "
                                              "SECURITY.md, \"Between hosts\")"
                                            : " (it has ended)";
    const std::string why =
        "the connection failed: " + link_.error_text(error) + (broken ? causes : "");
    const bool may_hear_more = broken && services_.gone;
    // Who waits for the word of another PE has to look for it, and never comes back here.
    if constexpr (requires { link_.say_end(0); }) {
        if (may_hear_more && reads) {
            awaits_word_ = true;
            reading_.unlock();
        }
    }
    (may_hear_more ? services_.gone : services_.lost)(pe, why.c_str());
    std::abort();
}

// Nobody knows what has become of the rest: the next get may be the one that seems done.
template <Link L>
void Road<L>::confused() {
    services_.fail(
        "libfabric has mistaken operations of this PE's: a stranger has sent the answer to one, "
        "and "
        "libfabric believes it. Others than this job's users must not reach the ports of its PEs "
        "(SECURITY.md, \"Between hosts\"). ISTHMUS_TRANSPORT=packet goes without libfabric, "
        "ISTHMUS_FABRIC chooses another provider");
    std::abort();
}

// ---- requests of others

template <Link L>
void Road<L>::serve(const char* bytes, std::size_t length) {
    Request asked;
    const char* payload = nullptr;
    if (!opens(bytes, length) ||
        !parse(bytes, length, static_cast<std::uint32_t>(services_.pes), asked, payload))
        return refuse();
    const auto from = static_cast<int>(asked.from);
    watch_.heard(from, now_);
    const Atomic atomic{asked.atomic, asked.width, asked.operand, asked.compare};
    std::uint64_t before = 0;
    bool good = true;
    switch (asked.kind) {
        case RequestKind::put_signal: {
            char* const dest =
                locate(services_.segments, asked.data_segment, asked.data_offset, asked.bytes);
            char* const word = locate(services_.segments, asked.segment, asked.offset, asked.width);
            good = dest != nullptr && word != nullptr;
            if (!good) break;
            store_words(dest, payload, asked.bytes);
            good = perform(word, atomic, before);
            break;
        }
        case RequestKind::post_atomic:
        case RequestKind::fetch_atomic: {
            char* const word = locate(services_.segments, asked.segment, asked.offset, asked.width);
            good = word != nullptr && perform(word, atomic, before);
            if (good && asked.kind == RequestKind::fetch_atomic) answer(asked, before);
            break;
        }
        case RequestKind::flush: answer(asked, 0); break;
        case RequestKind::answer:
            good = is_of_part(asked.token) ? answer_part(asked.token)
                                           : deliver(asked.token, asked.operand);
            break;
        case RequestKind::long_answer: good = deliver(asked.token, payload, asked.bytes); break;
        case RequestKind::core:
        case RequestKind::ask: good = answer_core(asked, payload); break;
        case RequestKind::post: {
            char unused[kAnswerBytes];
            good = services_.serve(from, static_cast<std::uint32_t>(asked.operand), payload,
                                   asked.bytes, unused) <= kAnswerBytes;
            break;
        }
        case RequestKind::heartbeat:
            if (asked.operand != 0) {
                Request alive;
                alive.kind = RequestKind::heartbeat;
                const auto why = static_cast<Asking>(asked.operand);
                alive.compare = services_.state ? services_.state(why) : 0;
                alive.token = asked.number;
                alive.offset = seals_.whole(from);
                alive.width = holds_back(from) ? 1 : 0;
                answer_later({from, alive});
            } else {
                watch_.answered(from, asked.compare);
            }
            see_to_missing(asked);
            break;
        case RequestKind::put:
        case RequestKind::get:
        case RequestKind::data:
        case RequestKind::confirm: good = serve_part(asked, payload); break;
        case RequestKind::count: good = false;
    }
    if (!good) refuse();
}

template <Link L>
bool Road<L>::opens(const char* bytes, std::size_t length) {
    try {
        return seals_.open(bytes, length);
    } catch (const std::bad_alloc&) {
        services_.fail("the system has no memory for the numbers of requests that have come");
        std::abort();
    }
}

// The first one is told of at once, all at the end. Relaxed: a counter and a flag.
template <Link L>
void Road<L>::refuse(unsigned count) {
    refused_.fetch_add(count, std::memory_order_relaxed);
    if (services_.stranger_came && !stranger_came_.exchange(true, std::memory_order_relaxed))
        services_.stranger_came();
}

// A question, or the answer to one: with its number, and up to which all have come of what was sent
// to who answers. What is missing for long has gone elsewhere. A link that reorders gives numbers
// away (OneSided).
template <Link L>
void Road<L>::see_to_missing(const Request& beat) {
    if (!kOneSided || !services_.thread) return;
    const auto pe = static_cast<int>(beat.from);
    const Milliseconds limit = patience(services_);
    BothWays& missing = missing_[pe];
    const char* way = nullptr;
    if (missing.come.is_overdue(seals_.whole(pe), beat.number, beat.width != 0, now_, limit))
        way = "of what it sent, some";
    else if (beat.operand == 0 &&
             missing.sent.is_overdue(beat.offset, beat.token, holds_back(pe), now_, limit))
        way = "of what was sent to it, some";
    if (way)
        services_.lost(pe, (std::string(way) +
                            " requests have not come: another process has taken its place, or this "
                            "PE's, on the network (SECURITY.md, \"Between hosts\")")
                               .c_str());
}

// Whether something for this PE has a number and has not left, so that it misses that.
template <Link L>
bool Road<L>::holds_back(int pe) {
    if (held_[static_cast<std::size_t>(pe)].load(std::memory_order_relaxed) != 0) return true;
    const auto is_numbered = [&](const Reply& reply) {
        return reply.pe == pe && reply.request.number != 0;
    };
    if (std::any_of(answers_.begin(), answers_.end(), is_numbered)) return true;
    const std::unique_lock lock(unsent_guard_, std::try_to_lock);
    if (!lock) return true;  // somebody is about to send
    for (const Transfer* part = first_unsent_; part; part = part->next_unsent) {
        if (part->ticket.pe == pe && part->number != 0) return true;
    }
    return false;
}

// Of a link that moves data by requests.
template <Link L>
bool Road<L>::serve_part(const Request& asked, const char* payload) {
    if constexpr (kOneSided) {
        return false;
    } else {
        if (asked.kind == RequestKind::data || asked.kind == RequestKind::confirm) {
            Ticket* const ticket = link_.end(asked, payload);
            if (ticket) complete(*ticket);
            return ticket != nullptr;
        }
        const bool is_put = asked.kind == RequestKind::put;
        const std::uint64_t bytes = is_put ? asked.bytes : asked.operand;
        char* const memory =
            locate(services_.segments, asked.data_segment, asked.data_offset, bytes);
        if (!memory || bytes > longest_) return false;
        Reply reply{static_cast<int>(asked.from), {}};
        reply.request.token = asked.token;
        if (is_put) {
            std::memcpy(memory, payload, asked.bytes);
            reply.request.kind = RequestKind::confirm;
            if (asked.token == 0) return true;
        } else {
            reply.request.kind = RequestKind::data;
            reply.request.bytes = static_cast<std::uint32_t>(bytes);
            reply.from = memory;
        }
        answer_later(reply);
        return true;
    }
}

// Also inside calls of the program that throw nothing.
template <Link L>
void Road<L>::answer_later(const Reply& reply) {
    try {
        answers_.push_back(reply);
    } catch (const std::bad_alloc&) {
        services_.fail("the system has no memory for an answer to another PE");
    }
}

template <Link L>
void Road<L>::answer(const Request& asked, std::uint64_t value) {
    Request reply;
    reply.kind = RequestKind::answer;
    reply.token = asked.token;
    reply.operand = value;
    answer_later({static_cast<int>(asked.from), reply});
}

// False if the core knows no such request.
template <Link L>
bool Road<L>::answer_core(const Request& asked, const char* payload) {
    Reply reply{static_cast<int>(asked.from), {}};
    const std::size_t bytes = services_.serve(reply.pe, static_cast<std::uint32_t>(asked.operand),
                                              payload, asked.bytes, reply.payload.data());
    if (bytes > kAnswerBytes) return false;
    if (asked.kind != RequestKind::ask) return true;
    reply.request.kind = RequestKind::long_answer;
    reply.request.token = asked.token;
    reply.request.bytes = static_cast<std::uint32_t>(bytes);
    answer_later(reply);
    return true;
}

template <Link L>
bool Road<L>::send_answer(Reply& reply) {
    Request& request = reply.request;
    const bool long_form = has_payload(request.kind);
    const std::size_t head = long_form ? sizeof request : kShortRequest;
    const std::size_t payload_bytes = long_form ? request.bytes : 0;
    const char* const payload = reply.from ? reply.from : reply.payload.data();
    long result = 0;
    // What was not taken comes here again, and keeps its number: its target would miss it.
    const auto seal = [&](void* message, std::size_t bytes) {
        if (request.number != 0) return seals_.seal_again(reply.pe, request.number, message, bytes);
        seals_.seal(reply.pe, message, bytes);
        std::memcpy(&request.number, static_cast<char*>(message) + offsetof(Seal, number),
                    sizeof request.number);
    };
    if (!long_form && head <= link_.limits().inject) {
        seal(&request, head);
        result = link_.send(reply.pe, {{&request, head}}, Order::strict);
    } else if constexpr (!kOneSided) {
        Message<kPartBytes> message(request, payload, payload_bytes);
        seal(&message, message.bytes);
        // Gets need no order among each other's answers, but have been served in order.
        result = link_.send(reply.pe, {{&message, message.bytes}},
                            request.kind == RequestKind::data ? Order::loose : Order::strict);
    } else {
        Bounce* const bounce = free_bounce();
        if (!bounce) return false;
        bounce->of = nullptr;
        bounce->ticket.pe = reply.pe;
        std::memcpy(bounce->buffer, &request, head);
        std::memcpy(bounce->buffer + head, payload, payload_bytes);
        seal(bounce->buffer, head + payload_bytes);
        result = link_.send_from(reply.pe, bounce->buffer, head + payload_bytes, bounce->ticket);
        if (result != 0) give_back(*bounce);
    }
    if (result == L::kFull) return false;
    const int error = static_cast<int>(-result);
    if (error != 0 && !stopping_.load(std::memory_order_relaxed) && !is_known_to_end(error))
        lost(reply.pe, error, true);
    return true;
}

// Never waits: this may run inside a wait. What the link does not take now stays in line.
template <Link L>
void Road<L>::send_answers() {
    for (std::size_t left = answers_.size(); left != 0; --left) {
        Reply reply = answers_.front();
        answers_.pop_front();
        if (!send_answer(reply)) answer_later(reply);
    }
}

}  // namespace isthmus::transport::service
