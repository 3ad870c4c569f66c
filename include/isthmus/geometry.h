/* Geometry: the shape of a transfer, independent on both sides. One call, one pass, whatever the
 * size. AOS paper, sections 2.4 and 5.1.
 *
 * A `pitch` is the distance from the beginning of one row to the beginning of the next, in bytes
 * (not the gap between them); pitch == size is dense; 0, on the side that is read, is the same row
 * again and again. Pitches from 2^63, negative ones, are refused (ARGUMENT) where there are two
 * rows. */
#ifndef ISTHMUS_GEOMETRY_H
#define ISTHMUS_GEOMETRY_H

#include <isthmus/segment.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `count` rows of `size` bytes; row i at local + i*local_pitch and at offset + i*remote_pitch.
 * With both pitches at least `size` rows do not overlap; smaller pitches are refused where they
 * would write the same byte twice. */
int isthmus_put_strided(const void* local, uint64_t local_pitch, const isthmus_segment* segment,
                        uint64_t offset, uint64_t remote_pitch, uint64_t size, uint64_t count,
                        isthmus_event* event);
int isthmus_get_strided(void* local, uint64_t local_pitch, const isthmus_segment* segment,
                        uint64_t offset, uint64_t remote_pitch, uint64_t size, uint64_t count,
                        isthmus_event* event);

/* A position in a 2-D array of xdim columns and ydim rows, in elements. */
typedef struct isthmus_point2d {
    uint64_t xpos, ypos;
    uint64_t xdim, ydim;
} isthmus_point2d;
typedef struct isthmus_point3d {
    uint64_t xpos, ypos, zpos;
    uint64_t xdim, ydim, zdim;
} isthmus_point3d;

/* A block of width x height elements of `element` bytes, at `at` inside the array that begins at
 * `local`, and at `there` inside the array that begins at `offset`. A block that does not fit into
 * its array: BOUNDS, with the position and the array. A block of no elements fits wherever its
 * position is at most the array's dimension, and moves nothing. */
int isthmus_put_block2d(const void* local, const isthmus_point2d* at,
                        const isthmus_segment* segment, uint64_t offset,
                        const isthmus_point2d* there, uint64_t element, uint64_t width,
                        uint64_t height, isthmus_event* event);
int isthmus_get_block2d(void* local, const isthmus_point2d* at, const isthmus_segment* segment,
                        uint64_t offset, const isthmus_point2d* there, uint64_t element,
                        uint64_t width, uint64_t height, isthmus_event* event);
int isthmus_put_block3d(const void* local, const isthmus_point3d* at,
                        const isthmus_segment* segment, uint64_t offset,
                        const isthmus_point3d* there, uint64_t element, uint64_t width,
                        uint64_t height, uint64_t depth, isthmus_event* event);
int isthmus_get_block3d(void* local, const isthmus_point3d* at, const isthmus_segment* segment,
                        uint64_t offset, const isthmus_point3d* there, uint64_t element,
                        uint64_t width, uint64_t height, uint64_t depth, isthmus_event* event);

/* A list of ranges; all are checked before the first byte moves. */
typedef struct isthmus_range {
    void* local;
    uint64_t offset;
    uint64_t size;
} isthmus_range;
int isthmus_put_list(const isthmus_range* ranges, size_t count, const isthmus_segment* segment,
                     isthmus_event* event);
int isthmus_get_list(const isthmus_range* ranges, size_t count, const isthmus_segment* segment,
                     isthmus_event* event);

#ifdef __cplusplus
}
#endif
#endif
