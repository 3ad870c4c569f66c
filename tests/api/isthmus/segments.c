/* Segments: publishing, cloning, ids, rights, bounds, adoption of pages, default segments, the
 * allocator inside, destruction. */
#include <sys/mman.h>
#include <sys/resource.h>

#include "check.h"

/* Sanitizers end a program that gets no memory. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { kMayLackMemory = 0 };
#else
enum { kMayLackMemory = 1 };
#endif

static int me, pes;
static long counters[16]; /* static data may be published too */

static void create_and_clone(void) {
    isthmus_segment mine, next;
    OK(isthmus_segment_create(&mine, 100 + (uint64_t)me, NULL, (uint64_t)(me + 1) << 16, 0));
    OK(isthmus_segment_clone(&next, 100 + (uint64_t)((me + 1) % pes), ISTHMUS_DEFAULT_TIMEOUT));
    CHECK(next.owner == (me + 1) % pes);
    CHECK(next.size == (uint64_t)((me + 1) % pes + 1) << 16); /* sizes differ */
    for (uint64_t i = 0; i < mine.size; ++i)
        CHECK(mine.base[i] == 0);
    isthmus_barrier();
    const int64_t value = me + 1000;
    OK(isthmus_put(&value, &next, 8, 8, NULL));
    OK(isthmus_fence(&next, NULL));
    isthmus_barrier();
    CHECK(((int64_t*)mine.base)[1] == (me + pes - 1) % pes + 1000);
    int64_t back = 0;
    isthmus_event event;
    OK(isthmus_get(&back, &next, 8, 8, &event));
    OK(isthmus_event_wait(&event));
    CHECK(back == value);

    /* The id is taken, by a known PE; an id that nobody has is waited for in vain. */
    isthmus_segment other = mine;
    CHECK(isthmus_segment_create(&other, 100, NULL, 4096, 0) == ISTHMUS_EXISTS);
    CHECK(strstr(isthmus_error_text(), "already published by PE 0"));
    CHECK(isthmus_segment_clone(&other, 999999, 0.05) == ISTHMUS_TIMEOUT);
    CHECK(isthmus_segment_create(&other, 1ull << 62, NULL, 4096, 0) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_segment_create(&other, 5, NULL, 0, 0) == ISTHMUS_ARGUMENT);
    for (unsigned bit = 6; bit < 32; ++bit)
        CHECK(bit == 15 || /* a view's */
              isthmus_segment_create(&other, 5, NULL, 8, 1u << bit) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_segment_create(&other, 5, NULL, 1ull << 60, 0) == ISTHMUS_NO_MEMORY);
    CHECK(strstr(isthmus_error_text(), "ISTHMUS_ARENA_SIZE"));

    /* Bounds: nothing moves. */
    CHECK(isthmus_put(&value, &next, next.size - 7, 8, NULL) == ISTHMUS_BOUNDS);
    CHECK(isthmus_get(&back, &next, UINT64_MAX, 8, NULL) == ISTHMUS_BOUNDS);
    CHECK(isthmus_put(&value, &next, 8, UINT64_MAX, NULL) == ISTHMUS_BOUNDS);
    OK(isthmus_put(&value, &next, next.size - 8, 8, NULL));
    OK(isthmus_put(&value, &next, next.size, 0, NULL));
    isthmus_barrier();
    OK(isthmus_segment_destroy(&mine));
    CHECK(isthmus_segment_destroy(&mine) == ISTHMUS_STALE);
    isthmus_barrier();
    CHECK(isthmus_put(&value, &next, 0, 8, NULL) == ISTHMUS_STALE);
    CHECK(isthmus_postadd(&next, 0, 1) == ISTHMUS_STALE);
    isthmus_barrier();
    /* The id is free again; a view of the old segment stays stale. */
    OK(isthmus_segment_create(&mine, 100 + (uint64_t)me, NULL, 4096, 0));
    isthmus_barrier();
    CHECK(isthmus_put(&value, &next, 0, 8, NULL) == ISTHMUS_STALE);
    isthmus_barrier();
    OK(isthmus_segment_destroy(&mine));
}

/* Where the directory begins to look for an id (core/segments/directory.cpp). */
static uint64_t hash_of(uint64_t id) {
    id = (id ^ (id >> 30)) * 0xbf58476d1ce4e5b9;
    id = (id ^ (id >> 27)) * 0x94d049bb133111eb;
    return id ^ (id >> 31);
}
static int same_chain(uint64_t a, uint64_t b) {
    const uint64_t x = hash_of(a), y = hash_of(b);
    return x % (uint64_t)pes == y % (uint64_t)pes && (x >> 40) % 65536 == (y >> 40) % 65536;
}

/* A copy of a view outlives its segment. Later ones of the same id, in another cell or in the same
 * one, have generations of their own: the copy is of none of them. */
static void stale_copy(void) {
    const uint64_t id = 1000;
    uint64_t other = 2000;
    while (!same_chain(id, other))
        ++other;
    if (me == 0) {
        isthmus_segment first, mine, now;
        OK(isthmus_segment_create(&first, other, NULL, 4096, 0));
        OK(isthmus_segment_create(&mine, id, NULL, 4096, 0)); /* in the same chain */
        OK(isthmus_segment_destroy(&mine));
        OK(isthmus_segment_create(&mine, id, NULL, 4096, 0));
        isthmus_segment copy = mine;
        OK(isthmus_segment_destroy(&mine));
        OK(isthmus_segment_destroy(&first));
        OK(isthmus_segment_create(&now, id, NULL, 4096, 0));
        CHECK(now.entry != copy.entry && now.generation != copy.generation);
        CHECK(isthmus_segment_destroy(&copy) == ISTHMUS_STALE);
        OK(isthmus_poke(&now, 0, 1));
        copy = now;
        OK(isthmus_segment_destroy(&now));
        CHECK(isthmus_segment_destroy(&copy) == ISTHMUS_STALE);
        OK(isthmus_segment_create(&now, id, NULL, 4096, 0));
        CHECK(now.entry == copy.entry && now.generation != copy.generation);
        CHECK(isthmus_poke(&copy, 0, 1) == ISTHMUS_STALE);
        CHECK(isthmus_segment_destroy(&copy) == ISTHMUS_STALE);
        OK(isthmus_segment_destroy(&now));
    }
    isthmus_barrier();
}

/* A view that nobody has made. */
static void no_view(void) {
    isthmus_segment none;
    memset(&none, 0, sizeof none);
    int64_t word = 0;
    CHECK(isthmus_fence(&none, NULL) == ISTHMUS_STALE);
    CHECK(isthmus_put(&word, &none, 0, 0, NULL) == ISTHMUS_STALE);
    CHECK(isthmus_fetchadd(&none, 0, 1, &word, NULL) == ISTHMUS_STALE);
    CHECK(isthmus_segment_malloc(&none, 8, (uint64_t*)&word, NULL) == ISTHMUS_STALE);
}

static void rights(void) {
    isthmus_segment mine, peer;
    int64_t word = 1;
    const uint32_t accesses[] = {ISTHMUS_READ | ISTHMUS_TRANSFERS,
                                 ISTHMUS_WRITE | ISTHMUS_TRANSFERS,
                                 ISTHMUS_READ_WRITE | ISTHMUS_ATOMICS};
    for (int i = 0; i < 3; ++i) {
        OK(isthmus_segment_create(&mine, 200 + (uint64_t)me, NULL, 4096, accesses[i]));
        OK(isthmus_segment_clone(&peer, 200 + (uint64_t)((me + 1) % pes), -1));
        const int same = pes == 1; /* an owner may do everything */
        const int put = isthmus_put(&word, &peer, 0, 8, NULL);
        const int get = isthmus_get(&word, &peer, 0, 8, NULL);
        const int add = isthmus_postadd(&peer, 0, 1);
        /* An empty transfer is one as well. */
        CHECK(isthmus_put(&word, &peer, 0, 0, NULL) == put);
        CHECK(isthmus_get(&word, &peer, 0, 0, NULL) == get);
        CHECK(isthmus_put_list(NULL, 0, &peer, NULL) == put);
        CHECK(isthmus_put_strided(&word, 8, &peer, 0, 8, 8, 0, NULL) == put);
        CHECK(put == (i == 2 ? ISTHMUS_PROTOCOL : i == 0 && !same ? ISTHMUS_RIGHTS : ISTHMUS_OK));
        CHECK(get == (i == 2 ? ISTHMUS_PROTOCOL : i == 1 && !same ? ISTHMUS_RIGHTS : ISTHMUS_OK));
        CHECK(add == (i == 2 ? ISTHMUS_OK : ISTHMUS_PROTOCOL));
        isthmus_barrier();
        OK(isthmus_segment_destroy(&mine));
        isthmus_barrier();
    }
}

/* An atomic that reads and writes needs both rights, whether it returns what it read or not. */
static void rights_of_atomics(void) {
    isthmus_segment mine, peer;
    int64_t word = 0;
    const uint32_t accesses[] = {ISTHMUS_READ | ISTHMUS_ATOMICS, ISTHMUS_WRITE | ISTHMUS_ATOMICS,
                                 ISTHMUS_READ_WRITE | ISTHMUS_ATOMICS};
    for (int i = 0; i < 3; ++i) {
        OK(isthmus_segment_create(&mine, 210 + (uint64_t)me, NULL, 4096, accesses[i]));
        OK(isthmus_segment_clone(&peer, 210 + (uint64_t)((me + 1) % pes), -1));
        const int all = pes == 1 || i == 2;
        const int both = all ? ISTHMUS_OK : ISTHMUS_RIGHTS;
        CHECK(isthmus_poke(&peer, 0, 1) == (all || i == 1 ? ISTHMUS_OK : ISTHMUS_RIGHTS));
        CHECK(isthmus_peek(&peer, 0, &word, NULL) == (all || i == 0 ? ISTHMUS_OK : ISTHMUS_RIGHTS));
        CHECK(isthmus_postadd(&peer, 0, 1) == both);
        CHECK(isthmus_postmin32(&peer, 0, 1) == both);
        CHECK(isthmus_fetchadd(&peer, 0, 1, &word, NULL) == both);
        /* Null: the value is not wanted. */
        CHECK(isthmus_fetchadd32(&peer, 0, 1, NULL, NULL) == both);
        CHECK(isthmus_swap(&peer, 0, 1, NULL, NULL) == both);
        CHECK(isthmus_compare_swap(&peer, 0, 1, 2, NULL, NULL) == both);
        isthmus_barrier();
        OK(isthmus_segment_destroy(&mine));
        isthmus_barrier();
    }
}

static void adoption(void) {
    char* pages = (char*)aligned_alloc(4096, 8192);
    snprintf(pages, 8192, "pages of PE %d", me);
    isthmus_segment mine, peer;
    CHECK(isthmus_segment_create(&mine, 300 + (uint64_t)me, pages + 1, 4096, 0) ==
          ISTHMUS_ARGUMENT);
    OK(isthmus_segment_create(&mine, 300 + (uint64_t)me, pages, 8192, 0));
    CHECK(mine.base == pages);
    OK(isthmus_segment_clone(&peer, 300 + (uint64_t)((me + 1) % pes), -1));
    char text[32] = "", expected[32];
    snprintf(expected, sizeof expected, "pages of PE %d", (me + 1) % pes);
    OK(isthmus_get(text, &peer, 0, 20, NULL));
    CHECK(strcmp(text, expected) == 0);
    OK(isthmus_poke(&peer, 4096, 77 + me));
    isthmus_barrier();
    CHECK(*(int64_t*)(pages + 4096) == 77 + (me + pes - 1) % pes);
    OK(isthmus_segment_destroy(&mine));
    CHECK(*(int64_t*)(pages + 4096) == 77 + (me + pes - 1) % pes); /* kept */
    free(pages);

    isthmus_segment statics, theirs;
    OK(isthmus_segment_create(&statics, 400 + (uint64_t)me, counters, sizeof counters, 0));
    OK(isthmus_segment_clone(&theirs, 400 + (uint64_t)((me + 1) % pes), -1));
    OK(isthmus_postadd(&theirs, 24, 5));
    isthmus_barrier();
    CHECK(counters[3] == 5);
    isthmus_barrier();
}

static int is_executable(const void* address) {
    char line[512], rights[5] = "";
    unsigned long begin, end;
    int found = 0;
    FILE* maps = fopen("/proc/self/maps", "r");
    CHECK(maps);
    while (!found && fgets(line, sizeof line, maps))
        found = sscanf(line, "%lx-%lx %4s", &begin, &end, rights) == 3 &&
                (uintptr_t)address >= begin && (uintptr_t)address < end;
    fclose(maps);
    return found && rights[2] == 'x';
}

/* Pages belong to one segment at a time, and only private, writable ones are adopted. */
static void adoption_refused(void) {
    const uint64_t id = 310 + (uint64_t)me * 8;
    char* pages =
        (char*)mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    isthmus_segment first, second, peer;
    OK(isthmus_segment_create(&first, id, pages + 4096, 8192, 0));
    CHECK(isthmus_segment_create(&second, id + 1, pages + 4096, 8192, 0) == ISTHMUS_ARGUMENT);
    CHECK(strstr(isthmus_error_text(), "overlaps"));
    CHECK(isthmus_segment_create(&second, id + 1, pages, 8192, 0) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_segment_create(&second, id + 1, pages + 8192, 8192, 0) == ISTHMUS_ARGUMENT);
    OK(isthmus_segment_create(&second, id + 1, pages, 4096, 0)); /* side by side */
    OK(isthmus_segment_destroy(&second));
    OK(isthmus_segment_destroy(&first));
    OK(isthmus_segment_create(&second, id + 1, pages, 16384, 0)); /* and again, all */
    OK(isthmus_segment_destroy(&second));

    mprotect(pages + 4096, 4096, PROT_READ);
    CHECK(isthmus_segment_create(&first, id, pages, 16384, 0) == ISTHMUS_ARGUMENT);
    CHECK(strstr(isthmus_error_text(), "not rw-"));
    munmap(pages + 4096, 4096);
    CHECK(isthmus_segment_create(&first, id, pages, 16384, 0) == ISTHMUS_ARGUMENT);
    CHECK(strstr(isthmus_error_text(), "not mapped"));
    char* shared =
        (char*)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(isthmus_segment_create(&first, id, shared, 4096, 0) == ISTHMUS_ARGUMENT);
    CHECK(strstr(isthmus_error_text(), "shared"));
    CHECK(isthmus_segment_create(&first, id, pages, UINT64_MAX - 4095, 0) == ISTHMUS_ARGUMENT);
    OK(isthmus_segment_create(&first, id, NULL, 4096, 0));
    isthmus_barrier();
    OK(isthmus_segment_clone(&peer, 310 + (uint64_t)((me + 1) % pes) * 8, -1));
    if (pes > 1) /* another PE's memory is not this one's to publish */
        CHECK(isthmus_segment_create(&second, id + 1, peer.base, 4096, 0) == ISTHMUS_ARGUMENT);
    isthmus_barrier();
    OK(isthmus_segment_destroy(&first));
    munmap(shared, 4096);
    munmap(pages, 16384);
}

/* Executable pages are adopted, and stay executable as far as the kernel lets them; those beside
 * them do not become so. */
static void adoption_of_executable_pages(void) {
    const int all = PROT_READ | PROT_WRITE | PROT_EXEC;
    const uint64_t id = 380 + (uint64_t)me;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    char* pages = (char*)mmap(NULL, 16384, PROT_READ | PROT_WRITE, flags, -1, 0);
    isthmus_segment mine, peer;
    CHECK(pages != MAP_FAILED);
    if (mprotect(pages + 4096, 8192, all) != 0) {
        printf("no memory here is both writable and executable: that is skipped\n");
        munmap(pages, 16384);
        isthmus_barrier();
        isthmus_barrier();
        return;
    }
    strcpy(pages + 4096, "kept");
    OK(isthmus_segment_create(&mine, id, pages, 16384, 0));
    CHECK(strcmp(pages + 4096, "kept") == 0);
    CHECK(!is_executable(pages) && !is_executable(pages + 12288));
    printf("adopted pages %s executable\n", is_executable(pages + 4096) ? "stay" : "are not");
    isthmus_barrier();
    OK(isthmus_segment_clone(&peer, 380 + (uint64_t)((me + 1) % pes), -1));
    OK(isthmus_poke(&peer, 8192, 9));
    isthmus_barrier();
    CHECK(*(int64_t*)(pages + 8192) == 9);
    OK(isthmus_segment_destroy(&mine));
    CHECK(strcmp(pages + 4096, "kept") == 0);
    CHECK(is_executable(pages + 4096) && is_executable(pages + 8192));
    CHECK(!is_executable(pages) && !is_executable(pages + 12288));
    munmap(pages, 16384);
}

/* The arena is the library's: what it provided, and what it has not yet, is nobody else's. */
static void arena_refused(void) {
    const uint64_t id = 10 + (uint64_t)me * 8;
    isthmus_segment mine, ring, second;
    isthmus_queue* queue = NULL;
    OK(isthmus_segment_create(&mine, id, NULL, 8192, 0));
    OK(isthmus_queue_create(&queue, id + 1, 4096));
    OK(isthmus_segment_clone(&ring, id + 1, 0));
    char* const taken[] = {mine.base, mine.base + 4096, ring.base, mine.base + (1 << 24)};
    for (int i = 0; i < 4; ++i) {
        CHECK(isthmus_segment_create(&second, id + 2, taken[i], 4096, 0) == ISTHMUS_ARGUMENT);
        CHECK(strstr(isthmus_error_text(), "lies in the arena"));
    }
    CHECK(isthmus_segment_clone(&second, id + 2, 0) == ISTHMUS_TIMEOUT);
    OK(isthmus_queue_destroy(queue, NULL));
    OK(isthmus_segment_destroy(&mine));
    isthmus_barrier();
}

/* What a kind of operation needs of where the memory begins. */
static void alignment(void) {
    static _Alignas(64) char buffer[8192];
    const uint64_t id = 12 + (uint64_t)me * 8;
    const uint32_t atomics = ISTHMUS_READ_WRITE | ISTHMUS_ATOMICS,
                   transfers = ISTHMUS_READ_WRITE | ISTHMUS_TRANSFERS,
                   allocator = ISTHMUS_READ_WRITE | ISTHMUS_ALLOCATOR;
    isthmus_segment mine;
    int64_t word = 7;
    CHECK(isthmus_segment_create(&mine, id, buffer + 1, 4096, 0) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_segment_create(&mine, id, buffer + 4, 4096, atomics) == ISTHMUS_ARGUMENT);
    CHECK(strstr(isthmus_error_text(),
                 "ISTHMUS_ATOMICS needs memory that begins at a multiple of "
                 "8 bytes"));
    CHECK(isthmus_segment_create(&mine, id, buffer + 8, 4096, allocator) == ISTHMUS_ARGUMENT);
    CHECK(strstr(isthmus_error_text(),
                 "ISTHMUS_ALLOCATOR needs memory that begins at a multiple "
                 "of 16 bytes"));
    CHECK(isthmus_segment_clone(&mine, id, 0) == ISTHMUS_TIMEOUT);
    OK(isthmus_segment_create(&mine, id, buffer + 8, 8, 0));
    OK(isthmus_postadd(&mine, 0, 1));
    OK(isthmus_segment_destroy(&mine));
    OK(isthmus_segment_create(&mine, id, buffer + 16, 4096, allocator));
    OK(isthmus_segment_destroy(&mine));
    OK(isthmus_segment_create(&mine, id, buffer + 1, 4096, transfers)); /* put and get need none */
    OK(isthmus_put(&word, &mine, 3, sizeof word, NULL));
    CHECK(buffer[4] == 7);
    OK(isthmus_segment_destroy(&mine));
    isthmus_barrier();
}

static int mappings(void) {
    FILE* list = fopen("/proc/self/maps", "r");
    int lines = 0;
    for (int next = list ? getc(list) : EOF; next != EOF; next = getc(list))
        lines += next == '\n';
    if (list) fclose(list);
    return lines;
}

/* A process may have 65530 mappings. What was adopted and is private again needs none of its own.
 */
static void adoption_leaves_no_mappings(void) {
    enum { kCount = 400 };
    const uint64_t id = 14 + (uint64_t)me * 8;
    char* pages = (char*)mmap(NULL, kCount * 4096, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const int before = mappings();
    isthmus_segment mine;
    for (int way = 0; way < 2; ++way) { /* of pages that are new, and that are not */
        for (int i = 0; i < kCount; ++i) {
            OK(isthmus_segment_create(&mine, id, pages + i * 4096, 4096, 0));
            mine.base[7] = (char)i;
            OK(isthmus_segment_destroy(&mine));
        }
        for (int i = 0; i < kCount; ++i)
            CHECK(pages[i * 4096 + 7] == (char)i);
    }
    CHECK(mappings() < before + 10);
    munmap(pages, kCount * 4096);
    isthmus_barrier();
}

/* Without room to make adopted pages private again, a segment stays what it is. Address space is
 * not what it takes, since the pages have their places. */
static void adoption_without_room(void) {
    enum { kSize = 64 << 20 };
    if (me != 0) return;
    char* pages =
        (char*)mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    isthmus_segment mine;
    const int created = isthmus_segment_create(&mine, 390, pages, kSize, 0);
    unsigned long used = 0; /* pages of address space */
    FILE* statm = fopen("/proc/self/statm", "r");
    struct rlimit before, limit;
    CHECK(statm && fscanf(statm, "%lu", &used) == 1 && getrlimit(RLIMIT_DATA, &before) == 0);
    fclose(statm);
    limit = before;
    limit.rlim_cur = 4096; /* of private memory: no more than there is */
    if (created == ISTHMUS_OK && setrlimit(RLIMIT_DATA, &limit) == 0) {
        strcpy(pages, "kept");
        void* probe = mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        const int status = probe == MAP_FAILED ? isthmus_segment_destroy(&mine) : ISTHMUS_NO_MEMORY;
        setrlimit(RLIMIT_DATA, &before);
        if (probe != MAP_FAILED) printf("private memory is not limited here: that is skipped\n");
        CHECK(status == ISTHMUS_NO_MEMORY && strcmp(pages, "kept") == 0);
        isthmus_segment again;
        OK(isthmus_segment_clone(&again, 390, 0)); /* it is still published */
        OK(isthmus_put("shared", &again, 0, 7, NULL));
        CHECK(strcmp(pages, "shared") == 0);
    } else {
        printf("no room for 64 MiB, or no limit to set: that part is skipped\n");
    }
    CHECK(getrlimit(RLIMIT_AS, &before) == 0);
    limit = before;
    limit.rlim_cur = used * 4096 + (16 << 20);
    if (created == ISTHMUS_OK && limit.rlim_cur < before.rlim_cur &&
        setrlimit(RLIMIT_AS, &limit) == 0) {
        const int status = isthmus_segment_destroy(&mine);
        setrlimit(RLIMIT_AS, &before);
        CHECK(status == ISTHMUS_OK && strcmp(pages, "shared") == 0);
    } else if (created == ISTHMUS_OK) {
        OK(isthmus_segment_destroy(&mine));
    }
    munmap(pages, kSize);
}

/* An id means one segment: those of default segments and of created ones do not meet. */
static void ids_of_default_segments(const isthmus_segment* theirs) {
    isthmus_segment same, other;
    OK(isthmus_segment_clone(&same, theirs->id, 0));
    CHECK(same.base == theirs->base && same.size == theirs->size && same.owner == theirs->owner &&
          same.id == theirs->id);
    CHECK(isthmus_segment_clone(&other, ISTHMUS_DEFAULT_ID(pes), -1) == ISTHMUS_ARGUMENT);
    CHECK(strstr(isthmus_error_text(), "ISTHMUS_DEFAULT_ID(0.."));
    CHECK(isthmus_segment_create(&other, ISTHMUS_DEFAULT_ID(me), NULL, 64, 0) == ISTHMUS_ARGUMENT);
    CHECK(strstr(isthmus_error_text(), "ISTHMUS_DEFAULT_ID(0.."));
    isthmus_queue* queue = NULL;
    CHECK(isthmus_queue_clone(&queue, theirs->id, 0) == ISTHMUS_PROTOCOL);
    CHECK(isthmus_put("x", theirs, theirs->size, 1, NULL) == ISTHMUS_BOUNDS);
    CHECK(strstr(isthmus_error_text(), "of the default segment of PE "));
    isthmus_barrier();
    if (me ==
        0) { /* small numbers, those of the namespaces of PEs too, are a program's to choose */
        for (uint64_t id = 0; id <= (uint64_t)pes; ++id) {
            OK(isthmus_segment_create(&same, id, NULL, 64, 0));
            OK(isthmus_segment_clone(&other, id, 0));
            CHECK(other.owner == 0 && other.size == 64 && other.id == id);
            CHECK(isthmus_namespace(id) == (id | 1ull << 63));
            OK(isthmus_segment_destroy(&same));
        }
    }
    for (int pe = 0; pe < pes; ++pe)
        CHECK(isthmus_namespace(ISTHMUS_DEFAULT_ID(pe)) == (uint64_t)pe + 1);
    isthmus_barrier();
}

static void default_segments(void) {
    isthmus_segment theirs, mine;
    uint64_t offset = 0;
    OK(isthmus_segment_default(&theirs, (me + 1) % pes));
    OK(isthmus_segment_default(&mine, me));
    CHECK(theirs.id == ISTHMUS_DEFAULT_ID((me + 1) % pes));
    ids_of_default_segments(&theirs);
    CHECK(isthmus_segment_malloc(&mine, 8, &offset, NULL) == ISTHMUS_PROTOCOL);
    CHECK(strstr(isthmus_error_text(), "ISTHMUS_ALLOCATOR"));
    CHECK(isthmus_segment_default(&theirs, pes) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_segment_default(&theirs, -1) == ISTHMUS_ARGUMENT);
    OK(isthmus_poke(&theirs, 4096, 31 + me));
    isthmus_barrier();
    CHECK(*(int64_t*)(mine.base + 4096) == 31 + (me + pes - 1) % pes);
    void* address = NULL;
    OK(isthmus_segment_offset(&mine, mine.base + 123, &offset));
    CHECK(offset == 123);
    OK(isthmus_segment_address(&mine, 123, &address));
    CHECK(address == mine.base + 123);
    CHECK(isthmus_segment_offset(&mine, &offset, &offset) == ISTHMUS_BOUNDS);
    isthmus_barrier();
}

/* All PEs allocate in PE 0's segment; each marks its blocks, and no mark is overwritten. */
static void allocator(void) {
    isthmus_segment heap;
    const uint32_t access = ISTHMUS_DEFAULT_ACCESS | ISTHMUS_ALLOCATOR;
    if (me == 0)
        OK(isthmus_segment_create(&heap, 500, NULL, 1 << 20, access));
    else
        OK(isthmus_segment_clone(&heap, 500, -1));
    enum { kBlocks = 60 };
    uint64_t offsets[kBlocks], sizes[kBlocks], state = 99 + (uint64_t)me;
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < kBlocks; ++i) {
            sizes[i] = 8 + next_random(&state) % 500;
            const uint64_t alignment = 1ull << next_random(&state) % 10;
            OK(isthmus_segment_memalign(&heap, alignment, sizes[i], &offsets[i], NULL));
            CHECK(offsets[i] % alignment == 0);
            char mark[512];
            memset(mark, me + 1, sizes[i]);
            if (is_far(&heap))
                OK(isthmus_put(mark, &heap, offsets[i], sizes[i], NULL));
            else
                memcpy(heap.base + offsets[i], mark, sizes[i]);
        }
        OK(isthmus_fence(&heap, NULL));
        for (int i = 0; i < kBlocks; ++i) {
            char mark[512];
            OK(isthmus_get(mark, &heap, offsets[i], sizes[i], NULL));
            for (uint64_t k = 0; k < sizes[i]; ++k)
                CHECK(mark[k] == me + 1);
            OK(isthmus_segment_free(&heap, offsets[i], NULL));
        }
    }
    isthmus_barrier();
    if (me == 0) {
        CHECK(isthmus_segment_free(&heap, offsets[0], NULL) == ISTHMUS_ARGUMENT);
        OK(isthmus_segment_malloc(&heap, (1 << 20) - 4096, &offsets[0],
                                  NULL)); /* all merged again */
        CHECK(isthmus_segment_malloc(&heap, 1 << 19, &offsets[1], NULL) == ISTHMUS_NO_MEMORY);
        CHECK(isthmus_segment_memalign(&heap, 3, 8, &offsets[1], NULL) == ISTHMUS_ARGUMENT);
    }
    isthmus_barrier();
}

static int is_damaged(int status) {
    return status == ISTHMUS_ARGUMENT && strstr(isthmus_error_text(), "damaged");
}

/* Puts that run wild over the allocator's lists: refused, not a crash and not a hang. */
static void damaged_allocator(void) {
    const uint32_t access = ISTHMUS_DEFAULT_ACCESS | ISTHMUS_ALLOCATOR;
    const uint64_t id = 520 + (uint64_t)me;
    static unsigned char garbage[8192];
    isthmus_segment heap;
    uint64_t a = 0, b = 0, c = 0;
    memset(garbage, 0x55, sizeof garbage);

    OK(isthmus_segment_create(&heap, id, NULL, 65536, access));
    OK(isthmus_segment_malloc(&heap, 64, &a, NULL));
    OK(isthmus_segment_malloc(&heap, 64, &b, NULL));
    OK(isthmus_segment_free(&heap, a, NULL));
    OK(isthmus_put(garbage, &heap, a, 64, NULL)); /* use after free */
    CHECK(is_damaged(isthmus_segment_malloc(&heap, 64, &c, NULL)));
    CHECK(is_damaged(isthmus_segment_free(&heap, b, NULL)));
    OK(isthmus_segment_destroy(&heap));

    OK(isthmus_segment_create(&heap, id, NULL, 65536, access));
    OK(isthmus_put(garbage, &heap, 0, 32, NULL)); /* the lock as well */
    CHECK(is_damaged(isthmus_segment_malloc(&heap, 64, &c, NULL)));
    OK(isthmus_segment_destroy(&heap));
    OK(isthmus_segment_create(&heap, id, NULL, 65536, access));
    OK(isthmus_put(garbage, &heap, 16, 4, NULL)); /* the lock alone */
    CHECK(is_damaged(isthmus_segment_malloc(&heap, 64, &c, NULL)));
    OK(isthmus_segment_destroy(&heap));

    for (int32_t stray = 1; stray <= pes + 1; ++stray) { /* the lock alone, by a small number */
        OK(isthmus_segment_create(&heap, id, NULL, 65536, access));
        OK(isthmus_poke32(&heap, 16, stray));
        CHECK(is_damaged(isthmus_segment_malloc(&heap, 64, &c, NULL)));
        CHECK(is_damaged(isthmus_segment_free(&heap, 1024, NULL)));
        OK(isthmus_segment_destroy(&heap));
    }

    /* A list that leads back to where it begins. The blocks that malloc gives are next to one which
     * is used, so they go into a list of their own size; the one freed last comes first. */
    OK(isthmus_segment_create(&heap, id, NULL, 65536, access));
    uint64_t used[2];
    OK(isthmus_segment_malloc(&heap, 64, &a, NULL));
    OK(isthmus_segment_malloc(&heap, 16, &used[0], NULL));
    OK(isthmus_segment_malloc(&heap, 64, &b, NULL));
    OK(isthmus_segment_malloc(&heap, 16, &used[1], NULL));
    OK(isthmus_segment_free(&heap, a, NULL));
    OK(isthmus_segment_free(&heap, b, NULL));
    const uint64_t first = b - 16, last = a - 16; /* a block's links begin behind its head's 16 */
    CHECK(!memcmp(heap.base + first + 16, &last, 8) && !memcmp(heap.base + last + 24, &first, 8));
    OK(isthmus_put(&first, &heap, last + 16, 8, NULL));
    OK(isthmus_put(&last, &heap, first + 24, 8, NULL));
    CHECK(is_damaged(isthmus_segment_malloc(&heap, 57, &c, NULL)));
    CHECK(is_damaged(isthmus_segment_malloc(&heap, 64, &c, NULL)));
    CHECK(isthmus_segment_malloc(&heap, 96, &c, NULL) == ISTHMUS_OK); /* of lists in order */
    CHECK(isthmus_segment_malloc(&heap, 40000, &c, NULL) == ISTHMUS_OK);
    CHECK(isthmus_segment_malloc(&heap, 40000, &c, NULL) ==
          ISTHMUS_NO_MEMORY); /* its report ends */
    OK(isthmus_segment_destroy(&heap));

    /* Anything anywhere: whatever the answer, it comes, and nothing is handed out that lies
     * outside. */
    uint64_t state = 777 + (uint64_t)me;
    for (int round = 0; round < 400; ++round) {
        OK(isthmus_segment_create(&heap, id, NULL, 8192, access));
        uint64_t blocks[32];
        for (int i = 0; i < 32; ++i)
            OK(isthmus_segment_malloc(&heap, 16 + next_random(&state) % 100, &blocks[i], NULL));
        for (int i = 0; i < 32; i += 2)
            OK(isthmus_segment_free(&heap, blocks[i], NULL));
        for (int i = 0; i < 8; ++i) {
            const int64_t plausible = (int64_t)(next_random(&state) % 512 * 16);
            OK(isthmus_put(round % 2 ? (const void*)&plausible : garbage, &heap,
                           24 + next_random(&state) % 1020 * 8, 8, NULL));
        }
        for (int i = 0; i < 32; ++i) {
            if (next_random(&state) % 2)
                (void)isthmus_segment_free(&heap, blocks[i], NULL);
            else if (isthmus_segment_malloc(&heap, 16 + next_random(&state) % 200, &c, NULL) ==
                     ISTHMUS_OK)
                CHECK(c >= 16 && c <= 8192 - 16);
        }
        OK(isthmus_segment_destroy(&heap));
    }
    isthmus_barrier();
}

/* More ids than the directory cares about, coming and going. */
/* A create that is refused does nothing to the memory that it was given, nor to an allocator there.
 */
static void refused_with_allocator(void) {
    isthmus_segment first, again;
    uint64_t offsets[3];
    void* memory = NULL;
    const uint64_t id = 70000 + (uint64_t)me;
    const uint32_t access = ISTHMUS_DEFAULT_ACCESS | ISTHMUS_ALLOCATOR;
    OK(isthmus_symmetric_malloc(&memory, 65536, 4096));
    OK(isthmus_segment_create(&first, id, memory, 65536, access));
    OK(isthmus_segment_malloc(&first, 1000, &offsets[0], NULL));
    OK(isthmus_segment_malloc(&first, 1000, &offsets[1], NULL));
    CHECK(isthmus_segment_create(&again, id, memory, 65536, access) == ISTHMUS_EXISTS);
    OK(isthmus_segment_malloc(&first, 1000, &offsets[2], NULL));
    CHECK(offsets[2] != offsets[0] && offsets[2] != offsets[1]);
    for (int i = 0; i < 3; ++i)
        OK(isthmus_segment_free(&first, offsets[i], NULL));
    OK(isthmus_segment_destroy(&first));
    memset(memory, 'x', 65536);
    OK(isthmus_segment_create(&first, id, NULL, 4096, 0));
    CHECK(isthmus_segment_create(&again, id, memory, 65536, access) == ISTHMUS_EXISTS);
    CHECK(isthmus_segment_create(&again, id + 1000, memory, 4000, access) == ISTHMUS_ARGUMENT);
    for (int i = 0; i < 65536; ++i)
        CHECK(((char*)memory)[i] == 'x');
    OK(isthmus_segment_destroy(&first));
    OK(isthmus_symmetric_free(memory));
}

static void many_ids(void) {
    for (uint64_t round = 0; round < 50; ++round) {
        isthmus_segment segments[20], found;
        for (uint64_t i = 0; i < 20; ++i) {
            const uint64_t id = 1000000 + (round * 20 + i) * (uint64_t)pes + (uint64_t)me;
            OK(isthmus_segment_create(&segments[i], id, NULL, 64, 0));
            OK(isthmus_segment_clone(&found, id, 0));
            CHECK(found.owner == me && found.generation == segments[i].generation);
        }
        for (int i = 0; i < 20; ++i)
            OK(isthmus_segment_destroy(&segments[i]));
    }
    isthmus_segment any, again;
    OK(isthmus_segment_create(&any, ISTHMUS_ANY_ID, NULL, 64, 0));
    OK(isthmus_segment_clone(&again, any.id, 0));
    OK(isthmus_segment_destroy(&again)); /* a clone: the segment stays */
    CHECK(isthmus_poke(&again, 0, 1) == ISTHMUS_STALE);
    OK(isthmus_poke(&any, 0, 1));
    OK(isthmus_segment_clone(&again, any.id, 0));
    OK(isthmus_segment_destroy(&any));
    OK(isthmus_segment_create(&any, ISTHMUS_ANY_ID, NULL, 64, 0));
    OK(isthmus_segment_clone(&again, any.id, 0));
    /* Ids of the library's choice go round what programs have taken. */
    isthmus_segment taken[3], chosen;
    for (uint64_t i = 0; i < 3; ++i)
        OK(isthmus_segment_create(&taken[i], any.id + 1 + i, NULL, 64, 0));
    OK(isthmus_segment_create(&chosen, ISTHMUS_ANY_ID, NULL, 64, 0));
    CHECK(chosen.id == any.id + 4);
    OK(isthmus_segment_destroy(&chosen));
    for (int i = 0; i < 3; ++i)
        OK(isthmus_segment_destroy(&taken[i]));
    isthmus_init(); /* an inner one leaves what there is alone */
    isthmus_segment behind;
    OK(isthmus_segment_create(&behind, ISTHMUS_ANY_ID, NULL, 64, 0));
    CHECK(behind.base != any.base);
    OK(isthmus_segment_destroy(&behind));
    isthmus_finalize();
    isthmus_barrier();
}

/* The directory's limit is named; the library's own choice goes round a home that is full. */
static void full_directory(void) {
    enum { kLimit = 65536 };
    if (pes > 2) return; /* it takes so many more */
    isthmus_barrier();
    if (me == 0) {
        isthmus_segment* all = (isthmus_segment*)malloc(2 * kLimit * sizeof *all);
        isthmus_segment one;
        int count = 0, status = ISTHMUS_OK;
        for (; status == ISTHMUS_OK; count += status == ISTHMUS_OK)
            status = isthmus_segment_create(&all[count], 1u << 30 | (unsigned)count, counters,
                                            sizeof counters, 0);
        CHECK(status == ISTHMUS_NO_MEMORY && count > pes * kLimit * 9 / 10 &&
              count <= pes * kLimit);
        CHECK(strstr(isthmus_error_text(), "holds 65536 segments and queues"));
        OK(isthmus_segment_clone(&one, 1 << 30, 0));
        CHECK(isthmus_segment_clone(&one, 1 << 29, 0) == ISTHMUS_TIMEOUT);
        if (pes == 2) OK(isthmus_segment_create(&one, ISTHMUS_ANY_ID, counters, 64, 0));
        if (pes == 2) OK(isthmus_segment_destroy(&one));
        for (int i = 0; i < count; ++i)
            OK(isthmus_segment_destroy(&all[i]));
        OK(isthmus_segment_create(&one, (1u << 30) + (unsigned)count, counters, 64, 0));
        OK(isthmus_segment_destroy(&one));
        free(all);
    }
    isthmus_barrier();
}

/* Many blocks of one size, every other one free again, then ones of a slightly larger size: what is
 * free is not looked through each time. */
static void allocator_changes_size(void) {
    enum { kBlocks = 30000 };
    static uint64_t blocks[2 * kBlocks];
    isthmus_segment heap;
    uint64_t offset;
    OK(isthmus_segment_create(&heap, ISTHMUS_ANY_ID, NULL, 16 << 20,
                              ISTHMUS_DEFAULT_ACCESS | ISTHMUS_ALLOCATOR));
    for (int i = 0; i < 2 * kBlocks; ++i)
        OK(isthmus_segment_malloc(&heap, 16, &blocks[i], NULL));
    for (int i = 0; i < 2 * kBlocks; i += 2)
        OK(isthmus_segment_free(&heap, blocks[i], NULL));
    const double start = seconds_now(CLOCK_MONOTONIC);
    for (int i = 0; i < kBlocks; ++i)
        OK(isthmus_segment_malloc(&heap, 24, &offset, NULL));
    CHECK(seconds_now(CLOCK_MONOTONIC) - start < 4); /* each a look at all: 16 s */
    OK(isthmus_segment_destroy(&heap));
}

/* Without memory for its own lists a create refuses, and nothing is published. */
static void create_without_memory(void) {
    struct rlimit before, none;
    isthmus_segment made, other;
    isthmus_queue* queue = NULL;
    static isthmus_segment all[60000];
    int count = 0, status = ISTHMUS_OK;
    if (me != 0) return;
    if (!kMayLackMemory || has_far_pes()) { /* the transport wants memory of its own, too */
        printf("a sanitizer, or PEs on other hosts: no test without memory\n");
        return;
    }
    CHECK(getrlimit(RLIMIT_AS, &before) == 0);
    none = before;
    none.rlim_cur = 1;
    if (setrlimit(RLIMIT_AS, &none) != 0) return;
    while (count < 60000 && status == ISTHMUS_OK) {
        status =
            isthmus_segment_create(&made, (uint64_t)(1 << 25) + (unsigned)count, counters, 8, 0);
        if (status == ISTHMUS_OK) all[count++] = made;
    }
    const int other_status = isthmus_queue_create(&queue, ISTHMUS_ANY_ID, 4096);
    CHECK(setrlimit(RLIMIT_AS, &before) == 0);
    if (status == ISTHMUS_OK) {
        printf("the C library had memory in stock: that is skipped\n");
    } else {
        CHECK(status == ISTHMUS_NO_MEMORY);
        CHECK(isthmus_segment_clone(&other, (uint64_t)(1 << 25) + (unsigned)count, 0) ==
              ISTHMUS_TIMEOUT);
        OK(isthmus_segment_create(&other, (uint64_t)(1 << 25) + (unsigned)count, counters, 8, 0));
        OK(isthmus_segment_destroy(&other));
    }
    CHECK(other_status == ISTHMUS_OK || other_status == ISTHMUS_NO_MEMORY);
    if (other_status == ISTHMUS_OK) OK(isthmus_queue_destroy(queue, NULL));
    while (count > 0)
        OK(isthmus_segment_destroy(&all[--count]));
}

int main(void) {
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    stale_copy(); /* the first: the directory's cells are new */
    create_and_clone();
    no_view();
    rights();
    rights_of_atomics();
    adoption();
    adoption_refused();
    adoption_of_executable_pages();
    arena_refused();
    alignment();
    adoption_leaves_no_mappings();
    adoption_without_room();
    default_segments();
    allocator();
    damaged_allocator();
    refused_with_allocator();
    allocator_changes_size();
    create_without_memory();
    many_ids();
    full_directory();
    isthmus_finalize();
    return 0;
}
