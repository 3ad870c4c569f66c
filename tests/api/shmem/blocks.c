/* Blocks of a length that the compiler knows, which the header moves in place: each length around
 * those of a register and of the limit, every byte, and none beside it. And the same lengths that
 * it does not know, and longer ones up to megabytes, from and to heap, static data and private
 * memory. Compiled with optimisation. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kLongest = 2 << 20, kRoom = kLongest + 256, kGuard = 64 };

static int me, right, left, failed;
static unsigned char* heap;
static unsigned char data[kRoom];
static unsigned char *source, *back;

static unsigned char value_at(size_t i, int pe, int turn) {
    return (unsigned char)(i * 5 + (i >> 8) * 3 + (i >> 16) + (size_t)pe * 17 + (size_t)turn * 29);
}

static void need(int condition, const char* what, size_t bytes) {
    if (condition) return;
    if (++failed < 10) fprintf(stderr, "PE %d: %s of %zu bytes\n", me, what, bytes);
}

static void check(const unsigned char* block, size_t bytes, int pe, int turn, const char* what) {
    for (size_t i = 0; i < kGuard; ++i)
        need(block[i] == 0xa5 && block[kGuard + bytes + i] == 0xa5, "beside the block", bytes);
    for (size_t i = 0; i < bytes; ++i) {
        if (block[kGuard + i] == value_at(i, pe, turn)) continue;
        need(0, what, bytes);
        break;
    }
}

static int turn;
static void begin(unsigned char* block, size_t bytes) {
    ++turn;
    memset(block, 0xa5, bytes + 2 * kGuard);
    memset(back, 0xa5, bytes + 2 * kGuard);
    for (size_t i = 0; i < bytes; ++i)
        source[i] = value_at(i, me, turn);
    shmem_barrier_all();
}

/* GET_ fetches what was put here from the PE to the right, that is, what this PE has put there. */
#define TRY(BLOCK, BYTES, PUT_, GET_)           \
    do {                                        \
        begin(BLOCK, BYTES);                    \
        PUT_;                                   \
        shmem_barrier_all();                    \
        check(BLOCK, BYTES, left, turn, #PUT_); \
        GET_;                                   \
        shmem_quiet();                          \
        check(back, BYTES, me, turn, #GET_);    \
        shmem_barrier_all();                    \
    } while (0)
#define BYTES_(N, BLOCK)                                                \
    TRY(BLOCK, N, shmem_putmem((BLOCK) + kGuard, source, N, right),     \
        shmem_getmem(back + kGuard, (BLOCK) + kGuard, N, right));       \
    TRY(BLOCK, N, shmem_putmem_nbi((BLOCK) + kGuard, source, N, right), \
        shmem_getmem_nbi(back + kGuard, (BLOCK) + kGuard, N, right));
#define WORDS_(N, T, NAME, BLOCK)                                                               \
    TRY(BLOCK, N * sizeof(T), shmem_##NAME##_put((T*)((BLOCK) + kGuard), (T*)source, N, right), \
        shmem_##NAME##_get((T*)(back + kGuard), (T*)((BLOCK) + kGuard), N, right));             \
    TRY(BLOCK, N * sizeof(T),                                                                   \
        shmem_##NAME##_put_nbi((T*)((BLOCK) + kGuard), (T*)source, N, right),                   \
        shmem_##NAME##_get_nbi((T*)(back + kGuard), (T*)((BLOCK) + kGuard), N, right));

static void constants(unsigned char* block) {
    BYTES_(1, block);
    BYTES_(2, block);
    BYTES_(3, block);
    BYTES_(4, block);
    BYTES_(5, block);
    BYTES_(7, block);
    BYTES_(8, block);
    BYTES_(9, block);
    BYTES_(15, block);
    BYTES_(16, block);
    BYTES_(17, block);
    BYTES_(24, block);
    BYTES_(31, block);
    BYTES_(32, block);
    BYTES_(33, block);
    BYTES_(48, block);
    BYTES_(63, block);
    BYTES_(64, block);
    BYTES_(65, block);
    BYTES_(128, block);
    WORDS_(1, long, long, block);
    WORDS_(3, long, long, block);
    WORDS_(7, long, long, block);
    WORDS_(8, long, long, block);
    WORDS_(9, long, long, block);
    WORDS_(1, short, short, block);
    WORDS_(31, short, short, block);
    WORDS_(32, short, short, block);
    WORDS_(33, short, short, block);
    WORDS_(15, float, float, block);
    WORDS_(16, float, float, block);
    WORDS_(17, float, float, block);
}

static void variables(unsigned char* block) {
    static const size_t lengths[] = {0,       1,     2,      3,      4,      5,       6,
                                     7,       8,     9,      12,     15,     16,      17,
                                     31,      32,    33,     63,     64,     65,      127,
                                     128,     129,   255,    256,    1000,   2047,    2048,
                                     2049,    4096,  8191,   8192,   8193,   16383,   16384,
                                     16385,   65536, 131071, 131072, 262145, 1 << 20, (1 << 20) + 1,
                                     kLongest};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
        volatile size_t hidden = lengths[i];
        const size_t bytes = hidden;
        TRY(block, bytes, shmem_putmem(block + kGuard, source, bytes, right),
            shmem_getmem(back + kGuard, block + kGuard, bytes, right));
        TRY(block, bytes, shmem_putmem_nbi(block + kGuard, source, bytes, right),
            shmem_getmem_nbi(back + kGuard, block + kGuard, bytes, right));
    }
}

/* Elements that lie apart, with another distance on each side; short, and over 64 KB. */
static void strided(unsigned char* block) {
    static const struct {
        ptrdiff_t dst, sst;
        size_t count;
    } shapes[] = {{1, 1, 9},   {2, 3, 7},     {3, 2, 5},    {5, 1, 300},
                  {1, 5, 300}, {3, 11, 3000}, {11, 3, 3000}};
    long* const there = (long*)block;
    long* const from = (long*)source;
    long* const to = (long*)back;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
        const ptrdiff_t dst = shapes[s].dst, sst = shapes[s].sst;
        const size_t count = shapes[s].count;
        for (int form = 0; form < 2; ++form) {
            const size_t bsize = 1;
            memset(block, 0, kLongest);
            memset(back, 0, kLongest);
            for (size_t i = 0; i < count; ++i)
                from[i * (size_t)sst] = (long)(i * 1000 + (size_t)me + s + 1);
            shmem_barrier_all();
            form ? shmem_long_ibput(there, from, dst, sst, bsize, count, right)
                 : shmem_long_iput(there, from, dst, sst, count, right);
            shmem_barrier_all();
            int right_there = 1;
            for (size_t i = 0; i < (count - 1) * (size_t)dst + 2; ++i) {
                const long expected = i % (size_t)dst == 0 && i / (size_t)dst < count
                                          ? (long)(i / (size_t)dst * 1000 + (size_t)left + s + 1)
                                          : 0;
                right_there &= there[i] == expected;
            }
            need(right_there, "shmem_long_iput", count);
            /* Back, to other distances. */
            form ? shmem_long_ibget(to, there, sst, dst, bsize, count, right)
                 : shmem_long_iget(to, there, sst, dst, count, right);
            int right_back = 1;
            for (size_t i = 0; i < (count - 1) * (size_t)sst + 2; ++i) {
                const long expected = i % (size_t)sst == 0 && i / (size_t)sst < count
                                          ? (long)(i / (size_t)sst * 1000 + (size_t)me + s + 1)
                                          : 0;
                right_back &= to[i] == expected;
            }
            need(right_back, "shmem_long_iget", count);
            shmem_barrier_all();
        }
    }
}

int main(void) {
    shmem_init();
    me = shmem_my_pe();
    right = (me + 1) % shmem_n_pes();
    left = (me + shmem_n_pes() - 1) % shmem_n_pes();
    heap = shmem_malloc(kRoom);
    unsigned char* const symmetric = shmem_malloc(kRoom);
    source = malloc(kRoom);
    back = malloc(kRoom);
    memset(source, 0, kRoom);
    constants(heap);
    variables(heap);
    strided(heap);
    constants(data);
    variables(data);
    strided(data);
    free(source);
    source = symmetric;
    variables(heap);
    free(back);
    if (failed) shmem_global_exit(1);
    shmem_finalize();
    return 0;
}
