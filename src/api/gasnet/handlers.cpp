// From a message of the layer to a handler of GASNet's: a function whose parameters are the token,
// the payload if there is one, and the arguments one by one.
#include <array>
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

// A function of GASNet's has one number of arguments, and most often messages of one size, which
// its first message shows. From then on the layer itself calls what lays them out.
void deliver_first(void* function, Message* message) {
    const bool is_short = (message->kind & messages::kShort) != 0;
    const std::uint16_t bytes = message->argument_bytes;
    const std::size_t count = bytes / sizeof(gasnet_handlerarg_t);
    Handler* const call = is_short ? kShortCalls[count] : kPayloadCalls[count];
    const unsigned takes = is_short ? messages::kShort : messages::kMedium | messages::kLong;
    messages::give_form(message->handler, call, takes, std::uint32_t{bytes});
    call(function, message);
}

}  // namespace isthmus::gasnet
