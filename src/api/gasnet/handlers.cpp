// From a message of the layer to a handler of GASNet's: a function whose parameters are the token,
// the payload if there is one, and the arguments one by one.
#include <array>
#include <utility>

#include "api/gasnet/face.hpp"

namespace isthmus::gasnet {
namespace {

using messages::Message;
using Call = void(void* function, Message* message);

// As many as the layer carries, so that no number of bytes leads past the tables.
constexpr std::size_t kCalls = messages::kArgumentBytes / sizeof(gasnet_handlerarg_t) + 1;

template <std::size_t>
using Argument = gasnet_handlerarg_t;

template <std::size_t... I>
constexpr Call* short_call(std::index_sequence<I...>) {
    return [](void* function, Message* message) {
        using Function = void(gasnet_token_t, Argument<I>...);
        [[maybe_unused]] const auto* arguments =
            static_cast<const gasnet_handlerarg_t*>(message->arguments);
        reinterpret_cast<Function*>(function)(message, arguments[I]...);
    };
}
template <std::size_t... I>
constexpr Call* payload_call(std::index_sequence<I...>) {
    return [](void* function, Message* message) {
        using Function = void(gasnet_token_t, void*, std::size_t, Argument<I>...);
        [[maybe_unused]] const auto* arguments =
            static_cast<const gasnet_handlerarg_t*>(message->arguments);
        reinterpret_cast<Function*>(function)(message, message->payload, message->size,
                                              arguments[I]...);
    };
}
template <std::size_t... N>
constexpr std::array<Call*, sizeof...(N)> short_calls(std::index_sequence<N...>) {
    return {short_call(std::make_index_sequence<N>())...};
}
template <std::size_t... N>
constexpr std::array<Call*, sizeof...(N)> payload_calls(std::index_sequence<N...>) {
    return {payload_call(std::make_index_sequence<N>())...};
}
constinit const auto kShortCalls = short_calls(std::make_index_sequence<kCalls>());
constinit const auto kPayloadCalls = payload_calls(std::make_index_sequence<kCalls>());

}  // namespace

void deliver(void* function, Message* message) {
    const std::size_t count = message->argument_bytes / sizeof(gasnet_handlerarg_t);
    if ((message->kind & messages::kShort) != 0) [[likely]]
        return kShortCalls[count](function, message);
    kPayloadCalls[count](function, message);
}

}  // namespace isthmus::gasnet
