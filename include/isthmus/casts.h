/* Casts of constants that are macros, and so are read in the program's own code, as each language
 * writes them: a program may be compiled with -Wold-style-cast. */
#ifndef ISTHMUS_CASTS_H
#define ISTHMUS_CASTS_H

#include <stdint.h>

/* A number, no pointer, and a pointer that is a number. */
#ifdef __cplusplus
#define ISTHMUS_CAST(T, value)   (static_cast<T>(value))
#define ISTHMUS_HANDLE(T, value) (reinterpret_cast<T>(static_cast<uintptr_t>(value)))
#if __cplusplus >= 201103L
#define ISTHMUS_NULL(T) (static_cast<T>(nullptr))
#else
#define ISTHMUS_NULL(T) (static_cast<T>(0))
#endif
#else
#define ISTHMUS_CAST(T, value)   ((T)(value))
#define ISTHMUS_HANDLE(T, value) ((T)(uintptr_t)(value))
#define ISTHMUS_NULL(T)          ((T)0)
#endif

#endif
