// From a message of the layer to a handler of GASNet's: a function whose parameters are the token,
// the payload if there is one, and the arguments one by one.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "api/gasnet/face.hpp"

namespace isthmus::gasnet {
namespace {

using messages::Handler;
using messages::Message;

// As many as the layer carries, so that no number of bytes leads past the tables.
constexpr std::size_t kCalls = messages::kArgumentBytes / sizeof(gasnet_handlerarg_t) + 1;

template <std::size_t>
using Argument = gasnet_handlerarg_t;

template <std::size_t... I>
constexpr Handler* short_call(std::index_sequence<I...>) {
    return [](void* function, Message* message) {
        using Function = void(gasnet_token_t, Argument<I>...);
        [[maybe_unused]] const auto* arguments =
            static_cast<const gasnet_handlerarg_t*>(message->arguments);
        reinterpret_cast<Function*>(function)(message, arguments[I]...);
    };
}
template <std::size_t... I>
constexpr Handler* payload_call(std::index_sequence<I...>) {
    return [](void* function, Message* message) {
        using Function = void(gasnet_token_t, void*, std::size_t, Argument<I>...);
        [[maybe_unused]] const auto* arguments =
            static_cast<const gasnet_handlerarg_t*>(message->arguments);
        reinterpret_cast<Function*>(function)(message, message->payload, message->size,
                                              arguments[I]...);
    };
}
template <std::size_t... N>
constexpr std::array<Handler*, sizeof...(N)> short_calls(std::index_sequence<N...>) {
    return {short_call(std::make_index_sequence<N>())...};
}
template <std::size_t... N>
constexpr std::array<Handler*, sizeof...(N)> payload_calls(std::index_sequence<N...>) {
    return {payload_call(std::make_index_sequence<N>())...};
}
constinit const auto kShortCalls = short_calls(std::make_index_sequence<kCalls>());
constinit const auto kPayloadCalls = payload_calls(std::make_index_sequence<kCalls>());

}  // namespace

namespace {

Handler* call_of(bool is_short, std::size_t arguments) {
    return is_short ? kShortCalls[arguments] : kPayloadCalls[arguments];
}

// By index, of gex_EP_RegisterHandlers; without a function: none.
Lasting<std::array<gex_AM_Entry_t, kFaceHandlers>> entries;

// Their words, for a line: the table of messages is written when what the client has is gone.
using Word = std::array<char, 48>;
Lasting<std::array<Word, kFaceHandlers>> words;

void keep_word(gex_AM_Index_t index, const char* name) {
    constexpr std::string_view kGoesOn = "...";
    Word& word = (*words)[index];
    word = {};
    const std::string_view all = name ? name : "";
    const std::size_t most = word.size() - 1;
    const std::size_t kept = all.size() <= most ? all.size() : most - kGoesOn.size();
    std::transform(all.begin(), all.begin() + kept, word.begin(), [](char letter) {
        return (letter >= 0 && letter < ' ') || letter == 127 ? '?' : letter;
    });
    if (kept != all.size()) std::copy(kGoesOn.begin(), kGoesOn.end(), word.begin() + kept);
}

// Flags of GASNet-EX that a message must be among.
constexpr gex_Flags_t kSizes = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_MEDLONG;
constexpr gex_Flags_t kDirections = GEX_FLAG_AM_REQREP;
static_assert(GEX_FLAG_AM_SHORT == messages::kShort && GEX_FLAG_AM_MEDIUM == messages::kMedium &&
              GEX_FLAG_AM_LONG == messages::kLong && GEX_FLAG_AM_REQUEST == messages::kRequest &&
              GEX_FLAG_AM_REPLY == messages::kReply);

const char* kind_name(unsigned kind) {
    const bool is_request = (kind & messages::kRequest) != 0;
    if ((kind & messages::kShort) != 0) return is_request ? "short request" : "short reply";
    if ((kind & messages::kMedium) != 0) return is_request ? "medium request" : "medium reply";
    return is_request ? "long request" : "long reply";
}

// A message that an entry does not take.
[[noreturn]] void refuse_message(const gex_AM_Entry_t& entry, const Message& message) {
    const auto count = message.argument_bytes / sizeof(gex_AM_Arg_t);
    const char* const name = (*words)[entry.gex_index].data();
    const Text what("a ", kind_name(message.kind), " from process ", message.source, " with ",
                    count, " arguments for handler ", int{entry.gex_index}, *name ? " " : "", name);
    fail("gasnet_AMPoll", (entry.gex_flags & message.kind & kSizes) == 0 ||
                                  (entry.gex_flags & message.kind & kDirections) == 0
                              ? Text(what, ", which is not registered for these (gex_flags)")
                              : Text(what, ", which takes ", entry.gex_nargs, " (gex_nargs)"));
}

}  // namespace

bool register_entry(const gex_AM_Entry_t& entry) {
    const bool is_short = (entry.gex_flags & GEX_FLAG_AM_SHORT) != 0;
    (*entries)[entry.gex_index] = entry;
    keep_word(entry.gex_index, entry.gex_name);
    return messages::enter_handler(
        kFirstHandler + entry.gex_index, call_of(is_short, entry.gex_nargs),
        reinterpret_cast<void*>(entry.gex_fnptr), entry.gex_flags & (kSizes | kDirections),
        static_cast<std::uint32_t>(entry.gex_nargs * sizeof(gex_AM_Arg_t)));
}
const gex_AM_Entry_t* entry_of(std::uint32_t index) {
    const gex_AM_Entry_t& entry = (*entries)[index];
    return entry.gex_fnptr ? &entry : nullptr;
}

const char* word_of_handler(std::uint32_t index) {
    constexpr std::uint32_t kFirstOfClients = 128;
    if (index < kFirstOfClients) return "(the library's)";
    const char* const word = (*words)[index].data();
    return *word != 0 ? word : nullptr;
}

// A function of GASNet's has one number of arguments, and most often messages of one size, which
// its first message shows. From then on the layer itself calls what lays them out.
void deliver_first(void* function, Message* message) {
    if (const gex_AM_Entry_t* const entry = entry_of(message->handler - kFirstHandler))
        refuse_message(*entry, *message);
    const bool is_short = (message->kind & messages::kShort) != 0;
    const std::uint16_t bytes = message->argument_bytes;
    const std::size_t count = bytes / sizeof(gasnet_handlerarg_t);
    Handler* const call = call_of(is_short, count);
    const unsigned takes = is_short ? messages::kShort : messages::kMedium | messages::kLong;
    messages::give_form(message->handler, call, takes, std::uint32_t{bytes});
    call(function, message);
}

}  // namespace isthmus::gasnet
