// Active messages of GASNet-EX (isthmus/gex_messages.h): those of GASNet-1, with teams and flags;
// and payload that is negotiated, which lies in memory of the thread's own until it is sent.
#include <utility>

#include "api/gasnet/ex/objects.hpp"
#include "api/gasnet/send.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;
using namespace isthmus::gasnet::ex;
using namespace isthmus::gasnet::sending;

// What a Prepare has made, until it is sent or cancelled.
struct isthmus_gex_description {
    unsigned kind = 0;       // 0: there is none
    unsigned sent_kind = 0;  // of the last one that was sent
    unsigned arguments = 0;  // that the commit is to have
    gasnet_node_t node = 0;
    gasnet_token_t token = nullptr;
    void* address = nullptr;
    std::size_t size = 0;
    void* dest = nullptr;
    std::vector<char> room;  // the library's memory; it stays
};

namespace {

using Description = isthmus_gex_description;

// Of payload in the library's memory. A long one is no larger, so that it is kept.
constexpr std::size_t kLargestOwn = std::size_t{64} << 10;

// For checks of the calls in between, of this thread.
void note_prepared(unsigned kind, bool is_prepared) {
    ((kind & kReply) != 0 ? prepared.reply : prepared.request) = is_prepared;
}

// A thread has one at a time; one more for the reply that the handler of its own request sends.
Description& description_of(unsigned direction) {
    thread_local Description descriptions[2];
    return descriptions[direction == kReply ? 1 : 0];
}

Wait wait_of(gex_Flags_t flags) {
    return (flags & GEX_FLAG_IMMEDIATE) != 0 ? Wait::no : Wait::yes;
}

template <unsigned size_kind>
int send_request_of(gex_TM_t team, gex_Rank_t rank, gex_AM_Index_t handler, gex_Flags_t flags,
                    const gex_AM_Arg_t* arguments, std::size_t bytes, const void* payload = nullptr,
                    std::size_t size = 0, void* dest = nullptr) {
    const gasnet_node_t node = node_of(team, rank, Ex::name(size_kind, kRequest));
    // The payload of a long message goes first: so there is room for what follows, most likely.
    if (size_kind == kLong && wait_of(flags) == Wait::no && node < post.pes &&
        !has_room(static_cast<int>(node), landing_offset(bytes) + sizeof(Landing)))
        return kNoRoom;
    return send_request<Ex, size_kind>(node, handler, arguments, bytes, payload, size, dest,
                                       wait_of(flags));
}

template <unsigned size_kind>
std::size_t largest(const void* client_buffer) {
    return size_kind == kMedium || client_buffer ? most(size_kind) : kLargestOwn;
}

const char* prepare_name(unsigned kind) {
    if ((kind & kRequest) != 0)
        return (kind & kMedium) != 0 ? "gex_AM_PrepareRequestMedium" : "gex_AM_PrepareRequestLong";
    return (kind & kMedium) != 0 ? "gex_AM_PrepareReplyMedium" : "gex_AM_PrepareReplyLong";
}
const char* commit_name(unsigned kind) {
    if (kind == 0) return "gex_AM_Commit";
    if ((kind & kRequest) != 0)
        return (kind & kMedium) != 0 ? "gex_AM_CommitRequestMedium" : "gex_AM_CommitRequestLong";
    return (kind & kMedium) != 0 ? "gex_AM_CommitReplyMedium" : "gex_AM_CommitReplyLong";
}

template <unsigned size_kind>
Description* prepare(unsigned direction, const void* client_buffer, std::size_t least,
                     std::size_t most_wanted, void* dest, gex_Event_t* lc_opt, unsigned nargs) {
    const char* const routine = prepare_name(size_kind | direction);
    Description& made = description_of(direction);
    const std::size_t limit = largest<size_kind>(client_buffer);
    if (made.kind != 0)
        fail(routine, "called again before the commit of what this thread has prepared");
    if (least > most_wanted || least > limit)
        fail(routine, Text("a payload of at least ", least, " bytes and at most ", most_wanted,
                           "; there is room for ", limit));
    if (nargs > kMaxArguments)
        fail(routine, Text(nargs, " arguments; at most ", kMaxArguments, Ex::kMaxArgs));
    made.kind = size_kind | direction;
    made.arguments = nargs;
    made.size = std::min(most_wanted, limit);
    made.dest = dest;
    made.address = const_cast<void*>(client_buffer);
    if (!client_buffer) {
        whole(routine, [&] {
            if (made.room.size() < made.size) made.room.resize(limit);
        });
        made.address = made.room.data();
    }
    isthmus_gex_local_completion(lc_opt);
    if (job.checked) note_prepared(direction, true);
    return &made;
}

template <unsigned size_kind>
gex_AM_SrcDesc_t prepare_request(gex_TM_t team, gex_Rank_t rank, const void* client_buffer,
                                 std::size_t least, std::size_t most_wanted, void* dest,
                                 gex_Event_t* lc_opt, gex_Flags_t flags, unsigned nargs) {
    const char* const routine = prepare_name(size_kind | kRequest);
    require_client(routine);
    const gasnet_node_t node = node_of(team, rank, routine);
    // In checked mode plain_pes is 0.
    if (node >= post.plain_pes) [[unlikely]] {
        if (node >= post.pes)
            fail(routine, Text("rank ", rank, " is out of range 0..", job.pes - 1));
        if (job.checked && description_of(kRequest).kind == 0) require_allowed(routine);
    }
    if (wait_of(flags) == Wait::no) {
        const std::size_t size = std::min(most_wanted, most(kMedium));
        const std::size_t bytes = nargs * sizeof(gex_AM_Arg_t);
        const std::size_t message = size_kind == kMedium ? payload_offset(bytes) + size
                                                         : landing_offset(bytes) + sizeof(Landing);
        if (!has_room(static_cast<int>(node), message)) return GEX_AM_SRCDESC_NO_OP;
    }
    Description* const made =
        prepare<size_kind>(kRequest, client_buffer, least, most_wanted, dest, lc_opt, nargs);
    made->node = node;
    return made;
}

template <unsigned size_kind>
gex_AM_SrcDesc_t prepare_reply(gex_Token_t token, const void* client_buffer, std::size_t least,
                               std::size_t most_wanted, void* dest, gex_Event_t* lc_opt,
                               unsigned nargs) {
    Description* const made =
        prepare<size_kind>(kReply, client_buffer, least, most_wanted, dest, lc_opt, nargs);
    made->token = token;
    return made;
}

// What is wrong with a call of this name that ends what was prepared by one of `kind`; 0: not
// known. In checked mode.
[[gnu::noinline]] const Description& check_end(const Description* description, unsigned kind,
                                               const char* routine, const char* what) {
    if (!description) fail(routine, Text("what is ", what, " is GEX_AM_SRCDESC_NO_OP"));
    if (description->kind == 0)
        fail(routine, Text("what is ", what, " has not been prepared, or has been sent"));
    if (kind != 0 && kind != description->kind)
        fail(routine, Text("what is ", what, " was prepared by ", prepare_name(description->kind)));
    return *description;
}
[[gnu::noinline]] void check_commit(const Description* description, unsigned kind, void* dest,
                                    std::size_t bytes) {
    const unsigned named = kind != 0 || !description ? kind
                           : description->kind != 0  ? description->kind
                                                     : description->sent_kind;
    const char* const routine = commit_name(named);
    const Description& prepared = check_end(description, kind, routine, "committed");
    if ((prepared.kind & kLong) != 0 && prepared.dest && dest != prepared.dest)
        fail(routine, Text("destination ", InHex(dest), "; prepared is a message to ",
                           InHex(prepared.dest)));
    if (bytes != prepared.arguments * sizeof(gex_AM_Arg_t))
        fail(routine, Text(bytes / sizeof(gex_AM_Arg_t), " arguments; prepared is a message with ",
                           prepared.arguments));
}

int cancel(Description* description, unsigned kind, const char* routine) {
    if (job.checked) check_end(description, kind, routine, "cancelled");
    if (job.checked) note_prepared(description->kind, false);
    description->kind = 0;
    return GASNET_OK;
}

int commit(const Description& prepared, gex_AM_Index_t handler, std::size_t size, void* dest,
           Wait wait, const gex_AM_Arg_t* arguments, std::size_t bytes) {
    const void* const payload = prepared.address;
    switch (prepared.kind) {
        case kMedium | kRequest:
            return send_request<Ex, kMedium>(prepared.node, handler, arguments, bytes, payload,
                                             size, nullptr, wait);
        case kLong | kRequest:
            return send_request<Ex, kLong>(prepared.node, handler, arguments, bytes, payload, size,
                                           dest, wait);
        case kMedium | kReply:
            return send_reply<Ex, kMedium>(prepared.token, handler, arguments, bytes, payload,
                                           size);
        default:
            return send_reply<Ex, kLong>(prepared.token, handler, arguments, bytes, payload, size,
                                         dest);
    }
}

}  // namespace

ISTHMUS_API int isthmus_gex_refuse_completion(const gex_Event_t* lc_opt, const char* routine) {
    if (!job.checked) return 0;
    return refuse_argument(
        routine, "lc_opt is ",
        !lc_opt                     ? "null"
        : lc_opt == GEX_EVENT_DEFER ? "GEX_EVENT_DEFER"
                                    : "GEX_EVENT_GROUP",
        "; a message may have GEX_EVENT_NOW or a place for an event, a request GEX_EVENT_GROUP");
}

// Budget with its poll: that of gasnet_AMRequestShort.
ISTHMUS_API int isthmus_gex_request_short(gex_Rank_t rank, gex_AM_Index_t handler,
                                          const gex_AM_Arg_t* arguments, size_t bytes) {
    return request_short<Ex>(rank, handler, arguments, bytes);
}
ISTHMUS_API int isthmus_gex_request_short_of(gex_TM_t team, gex_Rank_t rank, gex_AM_Index_t handler,
                                             gex_Flags_t flags, const gex_AM_Arg_t* arguments,
                                             size_t bytes) {
    return send_request_of<kShort>(team, rank, handler, flags, arguments, bytes);
}
ISTHMUS_API int isthmus_gex_request_medium(gex_Rank_t rank, gex_AM_Index_t handler,
                                           const void* source, size_t nbytes,
                                           const gex_AM_Arg_t* arguments, size_t bytes) {
    return request_payload<Ex, kMedium>(rank, handler, source, nbytes, nullptr, arguments, bytes);
}
ISTHMUS_API int isthmus_gex_request_long(gex_Rank_t rank, gex_AM_Index_t handler,
                                         const void* source, size_t nbytes, void* dest_addr,
                                         const gex_AM_Arg_t* arguments, size_t bytes) {
    return request_payload<Ex, kLong>(rank, handler, source, nbytes, dest_addr, arguments, bytes);
}
ISTHMUS_API int isthmus_gex_request_medium_of(gex_TM_t team, gex_Rank_t rank,
                                              gex_AM_Index_t handler, const void* source,
                                              size_t nbytes, gex_Flags_t flags,
                                              const gex_AM_Arg_t* arguments, size_t bytes) {
    return send_request_of<kMedium>(team, rank, handler, flags, arguments, bytes, source, nbytes);
}
ISTHMUS_API int isthmus_gex_request_long_of(gex_TM_t team, gex_Rank_t rank, gex_AM_Index_t handler,
                                            const void* source, size_t nbytes, void* dest_addr,
                                            gex_Flags_t flags, const gex_AM_Arg_t* arguments,
                                            size_t bytes) {
    return send_request_of<kLong>(team, rank, handler, flags, arguments, bytes, source, nbytes,
                                  dest_addr);
}
ISTHMUS_API int isthmus_gex_reply_short(gex_Token_t token, gex_AM_Index_t handler, gex_Flags_t,
                                        const gex_AM_Arg_t* arguments, size_t bytes) {
    return reply_short<Ex>(token, handler, arguments, bytes);
}
ISTHMUS_API int isthmus_gex_reply_medium(gex_Token_t token, gex_AM_Index_t handler,
                                         const void* source, size_t nbytes, gex_Flags_t,
                                         const gex_AM_Arg_t* arguments, size_t bytes) {
    return reply_payload<Ex, kMedium>(token, handler, source, nbytes, nullptr, arguments, bytes);
}
ISTHMUS_API int isthmus_gex_reply_long(gex_Token_t token, gex_AM_Index_t handler,
                                       const void* source, size_t nbytes, void* dest_addr,
                                       gex_Flags_t, const gex_AM_Arg_t* arguments, size_t bytes) {
    return reply_payload<Ex, kLong>(token, handler, source, nbytes, dest_addr, arguments, bytes);
}

ISTHMUS_API gex_AM_SrcDesc_t gex_AM_PrepareRequestMedium(gex_TM_t team, gex_Rank_t rank,
                                                         const void* client_buffer, size_t least,
                                                         size_t most_wanted, gex_Event_t* lc_opt,
                                                         gex_Flags_t flags, unsigned int nargs) {
    return prepare_request<kMedium>(team, rank, client_buffer, least, most_wanted, nullptr, lc_opt,
                                    flags, nargs);
}
ISTHMUS_API gex_AM_SrcDesc_t gex_AM_PrepareRequestLong(gex_TM_t team, gex_Rank_t rank,
                                                       const void* client_buffer, size_t least,
                                                       size_t most_wanted, void* dest_addr,
                                                       gex_Event_t* lc_opt, gex_Flags_t flags,
                                                       unsigned int nargs) {
    return prepare_request<kLong>(team, rank, client_buffer, least, most_wanted, dest_addr, lc_opt,
                                  flags, nargs);
}
ISTHMUS_API gex_AM_SrcDesc_t gex_AM_PrepareReplyMedium(gex_Token_t token, const void* client_buffer,
                                                       size_t least, size_t most_wanted,
                                                       gex_Event_t* lc_opt, gex_Flags_t,
                                                       unsigned int nargs) {
    return prepare_reply<kMedium>(token, client_buffer, least, most_wanted, nullptr, lc_opt, nargs);
}
ISTHMUS_API gex_AM_SrcDesc_t gex_AM_PrepareReplyLong(gex_Token_t token, const void* client_buffer,
                                                     size_t least, size_t most_wanted,
                                                     void* dest_addr, gex_Event_t* lc_opt,
                                                     gex_Flags_t, unsigned int nargs) {
    return prepare_reply<kLong>(token, client_buffer, least, most_wanted, dest_addr, lc_opt, nargs);
}
ISTHMUS_API void* gex_AM_SrcDescAddr(gex_AM_SrcDesc_t description) {
    return description->address;
}
ISTHMUS_API size_t gex_AM_SrcDescSize(gex_AM_SrcDesc_t description) {
    return description->size;
}

ISTHMUS_API int isthmus_gex_commit(gex_AM_SrcDesc_t description, gex_AM_Index_t handler,
                                   size_t nbytes, void* dest_addr, gex_Flags_t flags,
                                   const gex_AM_Arg_t* arguments, size_t bytes) {
    if (job.checked) [[unlikely]]
        check_commit(description, flags >> ISTHMUS_GEX_COMMIT_SHIFT, dest_addr, bytes);
    const unsigned kind = description->kind;
    const char* const routine = commit_name(kind != 0 ? kind : description->sent_kind);
    if (kind == 0) fail(routine, "what is committed has not been prepared, or has been sent");
    if (nbytes > description->size)
        fail(routine, Text("a payload of ", nbytes, " bytes; prepared are ", description->size,
                           " (gex_AM_SrcDescSize)"));
    // Done with it before the handler of a request to this process runs, which may want another;
    // the payload stays.
    Description sent;
    std::swap(sent, *description);
    description->sent_kind = kind;
    if (job.checked) note_prepared(kind, false);
    void* const dest = dest_addr ? dest_addr : sent.dest;
    const int result = commit(sent, handler, nbytes, dest, wait_of(flags), arguments, bytes);
    if (result == kNoRoom) {
        std::swap(sent, *description);
        if (job.checked) note_prepared(kind, true);
        return result;
    }
    if (result != GASNET_OK) fail(routine, "what is sent is refused; ISTHMUS_CHECK=1 says why");
    if (description->kind == 0) description->room = std::move(sent.room);
    return GASNET_OK;
}

ISTHMUS_API int gex_AM_CancelRequestMedium(gex_AM_SrcDesc_t description, gex_Flags_t) {
    return cancel(description, kMedium | kRequest, "gex_AM_CancelRequestMedium");
}
ISTHMUS_API int gex_AM_CancelRequestLong(gex_AM_SrcDesc_t description, gex_Flags_t) {
    return cancel(description, kLong | kRequest, "gex_AM_CancelRequestLong");
}
ISTHMUS_API int gex_AM_CancelReplyMedium(gex_AM_SrcDesc_t description, gex_Flags_t) {
    return cancel(description, kMedium | kReply, "gex_AM_CancelReplyMedium");
}
ISTHMUS_API int gex_AM_CancelReplyLong(gex_AM_SrcDesc_t description, gex_Flags_t) {
    return cancel(description, kLong | kReply, "gex_AM_CancelReplyLong");
}

namespace {

std::size_t largest_long(gex_Flags_t flags) {
    return (flags & GEX_FLAG_AM_PREPARE_LEAST_ALLOC) != 0 ? kLargestOwn : most(kLong);
}

}  // namespace

ISTHMUS_API size_t gex_AM_MaxRequestMedium(gex_TM_t, gex_Rank_t, const gex_Event_t*, gex_Flags_t,
                                           unsigned int) {
    return most(kMedium);
}
ISTHMUS_API size_t gex_AM_MaxReplyMedium(gex_TM_t, gex_Rank_t, const gex_Event_t*, gex_Flags_t,
                                         unsigned int) {
    return most(kMedium);
}
ISTHMUS_API size_t gex_AM_MaxRequestLong(gex_TM_t, gex_Rank_t, const gex_Event_t*,
                                         gex_Flags_t flags, unsigned int) {
    return largest_long(flags);
}
ISTHMUS_API size_t gex_AM_MaxReplyLong(gex_TM_t, gex_Rank_t, const gex_Event_t*, gex_Flags_t flags,
                                       unsigned int) {
    return largest_long(flags);
}
ISTHMUS_API size_t gex_AM_LUBRequestMedium(void) {
    return most(kMedium);
}
ISTHMUS_API size_t gex_AM_LUBReplyMedium(void) {
    return most(kMedium);
}
ISTHMUS_API size_t gex_AM_LUBRequestLong(void) {
    return most(kLong);
}
ISTHMUS_API size_t gex_AM_LUBReplyLong(void) {
    return most(kLong);
}
ISTHMUS_API size_t gex_Token_MaxReplyMedium(gex_Token_t, const gex_Event_t*, gex_Flags_t,
                                            unsigned int) {
    return most(kMedium);
}
ISTHMUS_API size_t gex_Token_MaxReplyLong(gex_Token_t, const gex_Event_t*, gex_Flags_t flags,
                                          unsigned int) {
    return largest_long(flags);
}
