// What the launcher and its agent on another host say to each other over a remote shell: frames of
// a kind, a PE and bytes. The agent begins with a greeting in plain text, since what the shell's
// start-up files print comes on the same stream before it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace isthmus::launch {

enum class FrameKind : std::uint8_t {
    // To the agent.
    orders,  // what to start (orders.hpp)
    input,   // standard input of the PE; none: its end
    signal,  // one byte: send this to the PEs
    values,  // key and value, each ended by a zero byte: what all may ask for from now on
    go_on,   // the barrier is complete
    ask,     // whether the agent goes on; it answers by `here`
    // From the agent.
    refused,  // why nothing runs here; before the text one byte, the exit status that it means
    note,     // a line for the user
    output,   // of the PE's standard output
    errors,   // of the PE's standard error
    put,      // key and value, as above
    arrived,  // all PEs of this host wait in the barrier
    began,    // the PE has called on the process manager, or again behind `left`
    left,     // and has left its last session
    aborted,  // four bytes: the status with which the PE ends the job; if there are more, a zero
              // byte and what it says of that, or nothing, where the program wanted it
    ended,    // four bytes: the PE's wait status
    left_behind,  // four bytes: processes that PEs had left, and that were killed
    heard,        // the signal has been sent to the PEs
    input_full,   // PE 0 does not read: no more input for now
    input_room,   // and goes on reading
    called,       // four bytes: the last noted call of the PE, before `heard` of a signal that ends
    stopped,  // four bytes: its process is, for so many seconds, within shmem_init or before all
              // PEs have come
    gone,     // four bytes: likewise has ended, within another one that goes on; and at the
              // job's end, whenever it has
    here,     // to `ask`
    dies      // four bytes: the PE dies of this signal, whatever it was started in
};
inline constexpr auto kLastFrameKind = FrameKind::dies;

struct Frame {
    FrameKind kind = FrameKind::note;
    std::int32_t pe = -1;
    std::string bytes;
};

// Orders carry an environment, which the kernel limits to a few megabytes.
inline constexpr std::size_t kLongestFrame = std::size_t{16} << 20;

std::string frame_text(FrameKind kind, std::int32_t pe, std::string_view bytes);
std::string number_bytes(std::int32_t number);
// False unless the bytes are one number.
bool read_number(std::string_view bytes, std::int32_t& number);

// Cuts a stream into frames.
class FrameReader {
  public:
    void feed(std::string_view bytes) { waiting_ += bytes; }
    // False: none is whole yet, or the stream is damaged.
    bool next(Frame& frame);
    bool is_damaged() const { return damaged_; }

  private:
    std::string waiting_;
    std::size_t taken_ = 0;
    bool damaged_ = false;
};

// "ISTHMUS AGENT 0.1.0"; lines before it are the shell's.
std::string greeting();
// Takes the greeting, and all before it, off `stream`. 0: it has not come yet; 1: it has; -1: what
// has come is none, or of another version; `heard` says what.
int take_greeting(std::string& stream, std::string& heard);

}  // namespace isthmus::launch
