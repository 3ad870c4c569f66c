// Whether calls are counted or traced: each symbol is defined by a library that may not be there.
#pragma once

extern "C" {
// By the profiling library, where a program is linked with it.
extern __attribute__((weak)) const unsigned char isthmus_profile_library;
// And by the one that `isthmus run --stats` and `--trace` load before the program.
extern __attribute__((weak)) const unsigned char isthmus_preloaded_library;
}
