/* The symmetric heap (9.3): first fit over blocks with a header in front. All PEs make the same
 * calls in the same order, so the same block lies at the same address on each, and nothing is
 * exchanged. */
#include "runtime.h"

#include <stdio.h>
#include <string.h>

enum { kAlignment = 64, kInUse = 0x69737468, kFree = 0x66726565 };

/* In front of every block, 64 bytes so that blocks stay on cache lines. Blocks fill the heap. */
struct isthmus_block {
    size_t bytes; /* with the header, a multiple of kAlignment */
    size_t asked;
    struct isthmus_block* before;
    uint32_t state;
} __attribute__((aligned(kAlignment)));
_Static_assert(sizeof(struct isthmus_block) == kAlignment, "a header is a line");

static char *isthmus_heap_begin, *isthmus_heap_end;

static struct isthmus_block* isthmus_block_after(struct isthmus_block* block) {
    return (struct isthmus_block*)((char*)block + block->bytes);
}
static bool isthmus_block_exists(const struct isthmus_block* block) {
    return (const char*)block < isthmus_heap_end;
}

/* Only the addresses: an untouched page costs the host nothing. */
void isthmus_heap_start(void* begin, size_t bytes) {
    isthmus_heap_begin = (char*)(((uintptr_t)begin + kAlignment - 1) & -(uintptr_t)kAlignment);
    isthmus_heap_end = isthmus_heap_begin + (bytes & -(size_t)kAlignment);
    if (bytes < 2 * kAlignment) {
        isthmus_heap_end = isthmus_heap_begin;
        return;
    }
    struct isthmus_block* const all = (struct isthmus_block*)isthmus_heap_begin;
    all->bytes = (size_t)(isthmus_heap_end - isthmus_heap_begin);
    all->before = NULL;
    all->state = kFree;
}

bool isthmus_heap_contains(const void* address) {
    return (const char*)address >= isthmus_heap_begin && (const char*)address < isthmus_heap_end;
}

/* Cuts `bytes` off the front of a free block; the rest becomes a free block if there is any. */
static void isthmus_cut(struct isthmus_block* block, size_t bytes) {
    if (block->bytes == bytes) return;
    struct isthmus_block* const rest = (struct isthmus_block*)((char*)block + bytes);
    rest->bytes = block->bytes - bytes;
    rest->before = block;
    rest->state = kFree;
    block->bytes = bytes;
    struct isthmus_block* const after = isthmus_block_after(rest);
    if (isthmus_block_exists(after)) after->before = rest;
}

void* isthmus_heap_allocate(size_t bytes, size_t alignment) {
    if (bytes > (size_t)(isthmus_heap_end - isthmus_heap_begin)) return NULL;
    const size_t needed = (bytes + 2 * kAlignment - 1) & -(size_t)kAlignment;
    if (alignment < kAlignment) alignment = kAlignment;
    for (struct isthmus_block* block = (struct isthmus_block*)isthmus_heap_begin;
         isthmus_block_exists(block); block = isthmus_block_after(block)) {
        if (block->state != kFree) continue;
        const uintptr_t data = (uintptr_t)(block + 1);
        const size_t skip = ((data + alignment - 1) & -(uintptr_t)alignment) - data;
        if (block->bytes < needed + skip) continue;
        if (skip != 0) {
            isthmus_cut(block, skip);
            block = isthmus_block_after(block);
        }
        isthmus_cut(block, needed);
        block->state = kInUse;
        block->asked = bytes;
        return block + 1;
    }
    return NULL;
}

static struct isthmus_block* isthmus_block_of(const void* data) {
    if (!isthmus_heap_contains(data) || ((uintptr_t)data & (kAlignment - 1)) != 0 ||
        (const char*)data == isthmus_heap_begin)
        return NULL;
    struct isthmus_block* const block = (struct isthmus_block*)data - 1;
    return block->state == kInUse ? block : NULL;
}

size_t isthmus_heap_block_bytes(const void* data) {
    const struct isthmus_block* const block = isthmus_block_of(data);
    return block ? block->asked : 0;
}

static void isthmus_join(struct isthmus_block* block) {
    struct isthmus_block* const after = isthmus_block_after(block);
    if (!isthmus_block_exists(after) || after->state != kFree || block->state != kFree) return;
    block->bytes += after->bytes;
    after->state = 0; /* a pointer into it is no block any more */
    struct isthmus_block* const beyond = isthmus_block_after(block);
    if (isthmus_block_exists(beyond)) beyond->before = block;
}

bool isthmus_heap_release(void* data) {
    struct isthmus_block* const block = isthmus_block_of(data);
    if (!block) return false;
    block->state = kFree;
    isthmus_join(block);
    if (block->before) isthmus_join(block->before);
    return true;
}

size_t isthmus_heap_free_bytes(void) {
    size_t bytes = 0;
    for (struct isthmus_block* block = (struct isthmus_block*)isthmus_heap_begin;
         isthmus_block_exists(block); block = isthmus_block_after(block))
        if (block->state == kFree) bytes += block->bytes - kAlignment;
    return bytes;
}

/* Static and global variables lie at the same address on every node, too. */
extern char __data_start[] __attribute__((weak)), _end[] __attribute__((weak));
bool isthmus_is_symmetric(const void* address) {
    return isthmus_heap_contains(address) ||
           ((const char*)address >= __data_start && (const char*)address < _end);
}

static void* isthmus_allocate(const char* routine, size_t bytes, size_t alignment) {
    isthmus_require_running(routine);
    if (bytes == 0) return NULL;
    void* const block = isthmus_heap_allocate(bytes, alignment);
    if (!block && isthmus_me() == 0)
        fprintf(
            stderr,
            "isthmus: PE 0: %s: no room for %zu bytes in the symmetric heap: %zu are free; raise "
            "--shared\n",
            routine, bytes, isthmus_heap_free_bytes());
    pshmem_barrier_all();
    return block;
}
static void isthmus_release(const char* routine, void* block) {
    if (!isthmus_heap_release(block))
        isthmus_fail(routine, "address %p is not the beginning of a block of the symmetric heap",
                     block);
}

void* pshmem_malloc(size_t size) {
    return isthmus_allocate("shmem_malloc", size, 1);
}
void* pshmem_malloc_with_hints(size_t size, long hints) {
    if (hints & ~(SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE))
        isthmus_fail("shmem_malloc_with_hints", "hints %ld has unknown bits", hints);
    return isthmus_allocate("shmem_malloc_with_hints", size, 1);
}
void* pshmem_align(size_t alignment, size_t size) {
    if (alignment == 0 || (alignment & (alignment - 1)) != 0)
        isthmus_fail("shmem_align", "alignment %zu is not a power of two", alignment);
    return isthmus_allocate("shmem_align", size, alignment);
}
void* pshmem_calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
    isthmus_require_running("shmem_calloc");
    if (bytes == 0) return NULL;
    void* const block = isthmus_heap_allocate(bytes, 1);
    if (block) memset(block, 0, bytes);
    pshmem_barrier_all();
    return block;
}
void pshmem_free(void* ptr) {
    isthmus_require_running("shmem_free");
    if (ptr == NULL) return;
    pshmem_barrier_all(); /* nobody puts into it any more */
    isthmus_release("shmem_free", ptr);
}
void* pshmem_realloc(void* ptr, size_t size) {
    isthmus_require_running("shmem_realloc");
    if (ptr == NULL) return pshmem_malloc(size);
    if (size == 0) {
        pshmem_free(ptr);
        return NULL;
    }
    const size_t had = isthmus_heap_block_bytes(ptr);
    if (had == 0)
        isthmus_fail("shmem_realloc",
                     "address %p is not the beginning of a block of the symmetric heap", ptr);
    pshmem_barrier_all();
    void* const block = isthmus_heap_allocate(size, 1);
    if (block) {
        memcpy(block, ptr, had < size ? had : size);
        isthmus_release("shmem_realloc", ptr);
    }
    pshmem_barrier_all();
    return block;
}
/* Another node's memory is not in this one's address space: there is no pointer to it. */
void* pshmem_ptr(const void* dest, int pe) {
    return pe == isthmus_me() && isthmus_is_symmetric(dest) ? (void*)(uintptr_t)dest : NULL;
}
SHMEM_TABLE_MEMORY(ISTHMUS_ALIAS)

__attribute__((weak)) void* shmalloc(size_t size) {
    return pshmem_malloc(size);
}
__attribute__((weak)) void shfree(void* ptr) {
    pshmem_free(ptr);
}
__attribute__((weak)) void* shrealloc(void* ptr, size_t size) {
    return pshmem_realloc(ptr, size);
}
__attribute__((weak)) void* shmemalign(size_t alignment, size_t size) {
    return pshmem_align(alignment, size);
}
