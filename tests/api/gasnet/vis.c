/* Transfers of memory in pieces: the 18 names, against a model that copies byte by byte. */
#include "check.h"

#include <gasnet_vis.h>

enum { kRoom = 1 << 14, kMost = 40 };

static char source[kRoom], back[kRoom], model[kRoom];
static unsigned seed = 12345;
static size_t draw(size_t below) {
    seed = seed * 1103515245 + 12345;
    return (seed >> 8) % below;
}

static void begin(gasnet_node_t node, char* there) {
    for (int i = 0; i < kRoom; ++i)
        source[i] = (char)draw(256);
    memset(model, 0, kRoom);
    memset(back, 0, kRoom);
    gasnet_memset(node, there, 0, kRoom);
}
/* `form`: 0 blocking, 1 with a handle, 2 without. */
#define DO(form, NAME, ...)                                           \
    do {                                                              \
        if ((form) == 0) {                                            \
            gasnet_##NAME##_bulk(__VA_ARGS__);                        \
        } else if ((form) == 1) {                                     \
            gasnet_wait_syncnb(gasnet_##NAME##_nb_bulk(__VA_ARGS__)); \
        } else {                                                      \
            gasnet_##NAME##_nbi_bulk(__VA_ARGS__);                    \
            gasnet_wait_syncnbi_all();                                \
        }                                                             \
    } while (0)

/* Pieces that follow each other with gaps, `total` bytes in all. How many. */
static size_t cut(gasnet_memvec_t* list, char* base, size_t total) {
    size_t count = 0, at = 0;
    while (total > 0 || count == 0) {
        size_t bytes = count == kMost - 1 ? total : draw(9) * draw(12);
        if (bytes > total) bytes = total;
        at += draw(20);
        list[count].addr = base + at;
        list[count++].len = bytes;
        at += bytes;
        total -= bytes;
    }
    return count;
}
static void copy_lists(const gasnet_memvec_t* to, const gasnet_memvec_t* from, char* to_base,
                       char* from_base, char* result, const char* origin, size_t total) {
    size_t i = 0, j = 0, a = 0, b = 0;
    while (total-- > 0) {
        while (a == to[i].len)
            ++i, a = 0;
        while (b == from[j].len)
            ++j, b = 0;
        result[(char*)to[i].addr - to_base + (ptrdiff_t)a++] =
            origin[(char*)from[j].addr - from_base + (ptrdiff_t)b++];
    }
}

static void test_vectors(gasnet_node_t node, char* there, int form) {
    gasnet_memvec_t to[kMost], from[kMost];
    const size_t total = draw(3000), tos = cut(to, there, total), froms = cut(from, source, total);
    begin(node, there);
    copy_lists(to, from, there, source, model, source, total);
    DO(form, putv, node, tos, to, froms, from);
    gasnet_get_bulk(back, node, there, kRoom);
    CHECK(memcmp(back, model, kRoom) == 0);

    gasnet_memvec_t here[kMost];
    const size_t heres = cut(here, back, total);
    memset(back, 0, kRoom);
    char other[kRoom];
    memcpy(other, model, kRoom);
    memset(model, 0, kRoom);
    copy_lists(here, to, back, there, model, other, total);
    DO(form, getv, heres, here, node, tos, to);
    CHECK(memcmp(back, model, kRoom) == 0);
}

static void test_indexed(gasnet_node_t node, char* there, int form) {
    enum { kBytes = 24 };
    void *to[12], *from[12];
    const size_t to_size = form == 0 ? 24 : 12, from_size = form == 1 ? 8 : 24;
    const size_t total = 4 * kBytes, tos = total / to_size, froms = total / from_size;
    begin(node, there);
    for (size_t i = 0; i < tos; ++i)
        to[i] = there + (tos - i) * 50;
    for (size_t i = 0; i < froms; ++i)
        from[i] = source + i * 77;
    for (size_t i = 0; i < total; ++i)
        model[(tos - i / to_size) * 50 + i % to_size] = source[i / from_size * 77 + i % from_size];
    DO(form, puti, node, tos, to, to_size, froms, from, from_size);
    gasnet_get_bulk(back, node, there, kRoom);
    CHECK(memcmp(back, model, kRoom) == 0);
    memset(back, 0, kRoom);
    for (size_t i = 0; i < froms; ++i)
        from[i] = back + i * 33;
    DO(form, geti, froms, from, from_size, node, tos, to, to_size);
    for (size_t i = 0; i < total; ++i)
        CHECK(back[i / from_size * 33 + i % from_size] ==
              source[i / from_size * 77 + i % from_size]);
}

static void test_strided(gasnet_node_t node, char* there, int form) {
    for (size_t levels = 0; levels < 4; ++levels) {
        const size_t count[] = {5, 3, 4, form == 2 && levels == 3 ? 0 : 2};
        const size_t to[] = {9, 30, 300}, from[] = {5, 21, 90};
        begin(node, there);
        size_t repeats[3] = {1, 1, 1};
        for (size_t i = 0; i < levels; ++i)
            repeats[i] = count[i + 1];
        for (size_t k = 0; k < repeats[2]; ++k)
            for (size_t j = 0; j < repeats[1]; ++j)
                for (size_t i = 0; i < repeats[0]; ++i)
                    memcpy(model + i * to[0] + j * to[1] + k * to[2],
                           source + i * from[0] + j * from[1] + k * from[2], count[0]);
        DO(form, puts, node, there, to, source, from, count, levels);
        gasnet_get_bulk(back, node, there, kRoom);
        CHECK(memcmp(back, model, kRoom) == 0);
        memset(back, 0, kRoom);
        DO(form, gets, back, from, node, there, to, count, levels);
        for (size_t k = 0; k < repeats[2]; ++k)
            for (size_t j = 0; j < repeats[1]; ++j)
                for (size_t i = 0; i < repeats[0]; ++i) {
                    const size_t at = i * from[0] + j * from[1] + k * from[2];
                    CHECK(memcmp(back + at, source + at, count[0]) == 0);
                }
    }
}

int main(int argc, char** argv) {
    start(argc, argv, NULL, 0, 1 << 20);
    for (gasnet_node_t k = 0; k < gasnet_nodes(); ++k) {
        const gasnet_node_t node = (gasnet_mynode() + k) % gasnet_nodes();
        char* const there = (char*)segments[node].addr + gasnet_mynode() * kRoom;
        for (int round = 0; round < 30; ++round) {
            test_vectors(node, there, round % 3);
            test_indexed(node, there, round % 3);
            test_strided(node, there, round % 3);
        }
    }
    /* Those with a handle are no part of a region around them. */
    size_t none[] = {8};
    char* const mine = (char*)segments[0].addr + gasnet_mynode() * kRoom;
    gasnet_begin_nbi_accessregion();
    gasnet_puts_bulk(0, mine, NULL, source, NULL, none, 0);
    gasnet_puts_nbi_bulk(0, mine + 8, NULL, source, NULL, none, 0);
    gasnet_wait_syncnb(gasnet_end_nbi_accessregion());
    CHECK(gasnet_get_val(0, mine, 8) == gasnet_get_val(0, mine + 8, 8));
    end();
}
