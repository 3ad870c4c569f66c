// What the message layer asks of a library that traces (message/traced.hpp): it finds these where
// one is loaded. Programs that do not call shmem_init are traced from here, by messages alone.
#pragma once

extern "C" {
// Collective, when messages have been opened; and when they, or the process, end.
__attribute__((visibility("default"))) void isthmus_profile_open();
__attribute__((visibility("default"))) void isthmus_profile_close();
// The number of this thread in the trace; -1: nothing is traced now.
__attribute__((visibility("default"))) int isthmus_profile_thread();
// A message that has been sent or handled since `begin`, to or from `pe`. `thread` not -1: an arrow
// leads from that of `pe`, at `sent`.
__attribute__((visibility("default"))) void isthmus_profile_message(
    const char* what, const char* face, unsigned handler, unsigned long long begin,
    unsigned long long bytes, int pe, unsigned long long sent, int thread);
}
