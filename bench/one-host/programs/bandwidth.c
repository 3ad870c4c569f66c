/* Bandwidth of put and get for blocks of 4 KB to 8 MB at several relative alignments, beside every
 * copy loop of this machine on the same memory.
 *
 * --cells put:4096:0:8,get:... measures these (operation, bytes, offset of source and of dest)
 * alone.
 *
 * --buffers warm|rotating|cold: one pair of buffers again and again; pairs one behind the other,
 * over 64 MB on either side, so that none is met in a cache; or one pair that is flushed from all
 * caches before each copy (x86 only).
 *
 *     copy=put|get bytes= source= dest= candidate=NAME mbs= [drift=]     one line a candidate
 *
 * All candidates of a cell take turns; a cell whose first and second half differ by more than 5 %
 * is measured again, at most kAttempts times in all; what remains is in `drift`.
 * Time is processor time of PE 0, which does all the work. */
#include "common.h"
#include "loops.h"

enum buffers { kWarm, kRotating, kCold };
enum { kMost = 8 << 20, kAround = 64 << 20, kRounds = 14, kAttempts = 4, kCandidates = 9 };

static int me, other, rounds = kRounds, attempts = kAttempts;
static enum buffers buffers;
static size_t room = kMost + 8192; /* of either side */
static char* local;                /* private, page aligned */
static char* symmetric;            /* in the heap, page aligned */

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}
static double median_of(const double* samples, int count) {
    double sorted[kRounds];
    memcpy(sorted, samples, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, ascending);
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

enum kind { kPut, kGet, kLoop };
struct candidate {
    const char* name;
    enum kind kind;
    copy_loop copy; /* kLoop only */
    char* dest;
    const char* source;
    double mbs[kRounds];
};

static double drift_of(const struct candidate* candidate) {
    const double first = median_of(candidate->mbs, rounds / 2);
    const double second = median_of(candidate->mbs + rounds / 2, rounds / 2);
    return first > second ? first / second - 1 : second / first - 1;
}

/* Each kind is called straight from its loop, as a program would: one call a copy for all. */
static void copy_often(const struct candidate* at, size_t bytes, int calls) {
    char* const dest = at->dest;
    const char* const source = at->source;
    const copy_loop copy = at->copy;
    const int pe = other;
    switch (at->kind) {
        case kPut:
            for (int call = 0; call < calls; ++call)
                shmem_putmem(dest, source, bytes, pe);
            break;
        case kGet:
            for (int call = 0; call < calls; ++call)
                shmem_getmem(dest, source, bytes, pe);
            break;
        case kLoop:
            for (int call = 0; call < calls; ++call)
                copy(dest, source, bytes);
            break;
    }
}

#if defined(__x86_64__)
static void flush(const char* at, size_t bytes) {
    for (size_t i = 0; i < bytes + 64; i += 64)
        _mm_clflush(at + i);
    _mm_mfence();
}
#else
static void flush(const char* at, size_t bytes) {
    (void)at;
    (void)bytes;
}
#endif

/* Nanoseconds of `calls` copies, each of another pair of buffers. Who comes next goes on where the
 * one before stopped. */
static double copy_around(const struct candidate* at, size_t bytes, int calls) {
    static size_t place;
    const double start = cpu_ns();
    for (int call = 0; call < calls; ++call) {
        struct candidate moved = {at->name,         at->kind,           at->copy,
                                  at->dest + place, at->source + place, {0}};
        copy_often(&moved, bytes, 1);
        place += (bytes + 4095) & ~(size_t)4095;
        if (place + bytes + 4096 > kAround) place = 0;
    }
    return cpu_ns() - start;
}

static double copy_cold(const struct candidate* at, size_t bytes, int calls) {
    double sum = 0;
    char* const dest = at->kind == kPut ? (char*)shmem_ptr(at->dest, other) : at->dest;
    const char* const source =
        at->kind == kGet ? (const char*)shmem_ptr(at->source, other) : at->source;
    for (int call = 0; call < calls; ++call) {
        flush(dest, bytes);
        flush(source, bytes);
        const double start = cpu_ns();
        copy_often(at, bytes, 1);
        sum += cpu_ns() - start;
    }
    return sum;
}

static void measure(struct candidate* candidates, int count, size_t bytes) {
    /* Enough for the branch predictors to forget the candidate before, and for the clock. */
    const int calls = buffers == kCold   ? 8
                      : bytes <= 1 << 16 ? (int)((4 << 20) / bytes)
                      : bytes <= 1 << 20 ? (int)((2 << 20) / bytes)
                                         : 1;
    static uint32_t random_state = 1;
    int order[kCandidates];
    for (int i = 0; i < count; ++i)
        order[i] = i;
    for (int round = 0; round < rounds; ++round) {
        /* A new order each round: a candidate inherits the caches of the one before. */
        for (int i = count - 1; i > 0; --i) {
            random_state = random_state * 1664525 + 1013904223;
            const int other_place = (int)((random_state >> 16) % (uint32_t)(i + 1));
            const int swapped = order[i];
            order[i] = order[other_place];
            order[other_place] = swapped;
        }
        for (int i = 0; i < count; ++i) {
            struct candidate* const at = candidates + order[i];
            double ns = 0;
            if (buffers == kRotating) {
                ns = copy_around(at, bytes, calls);
            } else if (buffers == kCold) {
                ns = copy_cold(at, bytes, calls);
            } else {
                copy_often(at, bytes, 1); /* the caches as this candidate leaves them */
                const double start = cpu_ns();
                copy_often(at, bytes, calls);
                ns = cpu_ns() - start;
            }
            at->mbs[round] = (double)bytes * calls / ns * 1e3;
        }
    }
}

static void cell(int is_put, size_t bytes, int source_at, int dest_at, int with_loops) {
    struct candidate candidates[kCandidates];
    struct named_loop loops[8];
    char* const direct = (char*)shmem_ptr(symmetric, other);
    int count = 0;
    candidates[count++] = (struct candidate){"shmem",
                                             is_put ? kPut : kGet,
                                             NULL,
                                             (is_put ? symmetric : local) + dest_at,
                                             (is_put ? local : symmetric) + source_at,
                                             {0}};
    if (with_loops) {
        require(direct != NULL, "the other PE's memory cannot be reached directly");
        const int found = available_loops(loops);
        for (int i = 0; i < found; ++i)
            candidates[count++] = (struct candidate){loops[i].name,
                                                     kLoop,
                                                     loops[i].copy,
                                                     (is_put ? direct : local) + dest_at,
                                                     (is_put ? local : direct) + source_at,
                                                     {0}};
    }
    double drift = 0;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        measure(candidates, count, bytes);
        drift = 0;
        double best = 0;
        for (int i = 0; i < count; ++i) {
            const double mbs = median_of(candidates[i].mbs, rounds);
            if (i > 0 && mbs < best) continue;
            if (i > 0) best = mbs; /* drift of ours and of the best loop */
            const double its = drift_of(candidates + i);
            if (i == 0 || its > drift) drift = its;
        }
        if (drift < 0.05) break;
    }
    for (int i = 0; i < count; ++i)
        printf("copy=%s bytes=%zu source=%d dest=%d candidate=%s mbs=%.1f drift=%.3f\n",
               is_put ? "put" : "get", bytes, source_at, dest_at, candidates[i].name,
               median_of(candidates[i].mbs, rounds), drift);
}

static void listed_cells(const char* list, int with_loops) {
    while (*list != '\0') {
        char operation[4];
        int bytes, source_at, dest_at, length = 0;
        require(sscanf(list, "%3[a-z]:%d:%d:%d%n", operation, &bytes, &source_at, &dest_at,
                       &length) == 4 &&
                    bytes > 0 && bytes <= kMost,
                "--cells is OPERATION:BYTES:SOURCE:DEST,...");
        cell(strcmp(operation, "put") == 0, (size_t)bytes, source_at, dest_at, with_loops);
        list += length;
        if (*list == ',') ++list;
    }
}

int main(int argc, char** argv) {
    /* Offsets within a page. The destination a little ahead of the source modulo 4096 is where
     * loops stall. */
    static const int offsets[][2] = {{0, 0}, {0, 1},  {0, 8},  {0, 16},   {0, 63}, {1, 0},
                                     {8, 0}, {16, 0}, {63, 0}, {0, 2049}, {5, 5}};
    shmem_init();
    me = shmem_my_pe();
    other = 1 - me;
    require(shmem_n_pes() == 2, "this program runs on two PEs");
    pin_to_core(me);
    const int with_loops = argument(argc, argv, "--loops", 1);
    const int stride = argument(argc, argv, "--stride", 1); /* every n-th doubling of the size */
    rounds = argument(argc, argv, "--rounds", kRounds);
    attempts = argument(argc, argv, "--attempts", kAttempts);
    require(rounds >= 2 && rounds <= kRounds, "--rounds is out of range");
    const char* const kind = text_argument(argc, argv, "--buffers");
    if (kind)
        buffers = strcmp(kind, "rotating") == 0 ? kRotating
                  : strcmp(kind, "cold") == 0   ? kCold
                                                : kWarm;
    if (buffers == kRotating) room = kAround + 8192;
    local = (char*)mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(local != MAP_FAILED, "no private memory");
    symmetric = (char*)shmem_align(4096, room);
    require(symmetric != NULL, "no room in the heap");
    memset(local, 1, room);
    memset(symmetric, 2, room);
    shmem_barrier_all();
    const char* const cells = text_argument(argc, argv, "--cells");
    if (cells && me == 0) listed_cells(cells, with_loops);
    for (int doubling = 12; !cells && me == 0 && doubling <= 23; ++doubling) {
        if ((doubling - 12) % stride != 0 && doubling != 23) continue;
        for (unsigned i = 0; i < sizeof offsets / sizeof *offsets; ++i) {
            cell(1, (size_t)1 << doubling, offsets[i][0], offsets[i][1], with_loops);
            cell(0, (size_t)1 << doubling, offsets[i][0], offsets[i][1], with_loops);
        }
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
