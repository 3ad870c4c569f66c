// The trace: one file a job, in the trace event format that Perfetto and chrome://tracing open
// (JSON object form, one process a PE, one track a thread).
//
// Every write leaves a complete file behind: it replaces the closing brackets by events and
// closing brackets, under a lock on the file. So the file is valid whenever and however the
// program ends; what a dying PE had not yet written is missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/profile/arrows.hpp"
#include "api/profile/description.hpp"

namespace isthmus::profile {

struct Event {
    std::uint64_t begin;  // monotonic nanoseconds
    std::uint64_t end;
    std::uint64_t bytes;
    std::int32_t target;  // PE, or -1
    Index routine;
};

// A message that was sent, or that a handler was given.
struct MessageEvent {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t bytes;  // of arguments and payload
    std::int32_t pe;      // the other one
    std::uint32_t handler;
    const char* face;  // up to a '_'; lasts
    const char* what;  // lasts
};

// Collective. `begin`: when this PE's init began; that of PE 0 is time 0 in the trace. False
// if this PE cannot write to the file; PE 0 says why, and others only if it can.
bool trace_open(const std::string& path, std::uint64_t begin);
void trace_name_thread(int thread);
void trace_write(int thread, const std::vector<Event>& events,
                 const std::vector<MessageEvent>& messages, const std::vector<Arrow>& arrows);

}  // namespace isthmus::profile
