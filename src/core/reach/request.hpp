// Requests: what the core of one PE asks the core of another, whose progress thread serves it. Each
// has a number here, and a RequestServer in the room that serves it.
//
// Who serves neither waits for another PE nor issues operations: it runs inside the transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/reach/far.hpp"

namespace isthmus {

enum class RequestId : std::uint32_t {
    directory_publish,
    directory_look_up,
    directory_withdraw,
    directory_free,
    directory_moved_on,  // a generation has moved on
    put_rows,
    allocate,  // and free, in a segment
    queue_enqueue,
    queue_reserve,
    queue_commit,
    queue_close,
    message,        // a part of one
    whole_message,  // in a frame
    count
};

using ServeRequest = std::size_t(int from, const void* payload, std::size_t bytes, void* answer);

// Says which function serves a request; a constant of the file that has the function.
class RequestServer {
  public:
    RequestServer(RequestId id, ServeRequest* serve);
};

// For the transport: how many bytes of `answer` are written, or transport::kRefused.
std::size_t serve_request(int from, std::uint32_t handler, const void* payload, std::size_t bytes,
                          void* answer);

template <typename Question>
concept OnWire = std::is_trivially_copyable_v<Question> &&
                 sizeof(Question) <= transport::kRequestBytes;

// Waits for the answer.
template <typename Answer, OnWire Question>
Answer ask(int pe, RequestId id, const Question& question) {
    static_assert(std::is_trivially_copyable_v<Answer> &&
                  sizeof(Answer) <= transport::kAnswerBytes);
    Answer answer{};
    far::ask(pe, static_cast<std::uint32_t>(id), &question, sizeof question, &answer,
             sizeof answer);
    return answer;
}

// Does not; far::quiet() sees to it.
template <OnWire Question>
void request(int pe, RequestId id, const Question& question) {
    far::request(pe, static_cast<std::uint32_t>(id), &question, sizeof question);
}

// The server's side of a request whose question and answer have one size: bytes from a network are
// not trusted.
template <typename Question, typename Answer,
          Answer (*serve)(int from, const Question&, bool& good)>
std::size_t serve_sized(int from, const void* payload, std::size_t bytes, void* answer) {
    if (bytes != sizeof(Question)) return transport::kRefused;
    Question question;
    std::memcpy(&question, payload, sizeof question);
    bool good = true;
    const Answer given = serve(from, question, good);
    if (!good) return transport::kRefused;
    std::memcpy(answer, &given, sizeof given);
    return sizeof given;
}

}  // namespace isthmus
