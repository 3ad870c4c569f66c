/* Every name of the extended API: puts and gets between all pairs of nodes, of many lengths. */
#include "check.h"

enum { kMost = 5000, kRoom = 8192 };

static const size_t kSizes[] = {0, 1, 2, 3, 4, 7, 8, 15, 16, 33, 64, 100, 500, 2047, 2048, kMost};
enum { kSizeCount = sizeof kSizes / sizeof *kSizes };

static char source[kMost], back[kMost];
static int round_number;

/* At each node, for what each other puts there. */
static char* place(gasnet_node_t at, gasnet_node_t from) {
    return (char*)segments[at].addr + from * kRoom;
}
static void fill(void) {
    ++round_number;
    for (int i = 0; i < kMost; ++i)
        source[i] = (char)(i * 3 + round_number + (int)gasnet_mynode());
    memset(back, 0, sizeof back);
}

typedef enum { kBlocking, kBulk, kNb, kNbBulk, kNbi, kNbiBulk, kRegion, kForms } Form;

static void finish(gasnet_handle_t handle, int try_it) {
    if (!try_it) {
        gasnet_wait_syncnb(handle);
        return;
    }
    while (gasnet_try_syncnb(handle) != GASNET_OK) {
    }
}
static void put(Form form, gasnet_node_t node, void* dest, size_t bytes) {
    const int try_it = round_number % 2;
    switch (form) {
        case kBlocking: gasnet_put(node, dest, source, bytes); break;
        case kBulk: gasnet_put_bulk(node, dest, source, bytes); break;
        case kNb: finish(gasnet_put_nb(node, dest, source, bytes), try_it); break;
        case kNbBulk: finish(gasnet_put_nb_bulk(node, dest, source, bytes), try_it); break;
        case kNbi:
            gasnet_put_nbi(node, dest, source, bytes);
            if (try_it)
                while (gasnet_try_syncnbi_puts() != GASNET_OK) {
                }
            else
                gasnet_wait_syncnbi_puts();
            break;
        case kNbiBulk:
            gasnet_put_nbi_bulk(node, dest, source, bytes);
            if (try_it)
                while (gasnet_try_syncnbi_all() != GASNET_OK) {
                }
            else
                gasnet_wait_syncnbi_all();
            break;
        default:
            gasnet_begin_nbi_accessregion();
            gasnet_put_nbi_bulk(node, dest, source, bytes / 2);
            gasnet_put_nbi(node, (char*)dest + bytes / 2, source + bytes / 2, bytes - bytes / 2);
            finish(gasnet_end_nbi_accessregion(), try_it);
    }
}
static void get(Form form, gasnet_node_t node, void* from, size_t bytes) {
    const int try_it = round_number % 2;
    switch (form) {
        case kBlocking: gasnet_get(back, node, from, bytes); break;
        case kBulk: gasnet_get_bulk(back, node, from, bytes); break;
        case kNb: finish(gasnet_get_nb(back, node, from, bytes), try_it); break;
        case kNbBulk: finish(gasnet_get_nb_bulk(back, node, from, bytes), try_it); break;
        case kNbi:
            gasnet_get_nbi(back, node, from, bytes);
            if (try_it)
                while (gasnet_try_syncnbi_gets() != GASNET_OK) {
                }
            else
                gasnet_wait_syncnbi_gets();
            break;
        case kNbiBulk:
            gasnet_get_nbi_bulk(back, node, from, bytes);
            gasnet_wait_syncnbi_all();
            break;
        default:
            gasnet_begin_nbi_accessregion();
            gasnet_get_nbi(back, node, from, bytes / 2);
            gasnet_get_nbi_bulk(back + bytes / 2, node, (char*)from + bytes / 2, bytes - bytes / 2);
            finish(gasnet_end_nbi_accessregion(), try_it);
    }
}

static void test_blocks(gasnet_node_t node) {
    for (int form = 0; form < kForms; ++form) {
        for (int i = 0; i < kSizeCount; ++i) {
            const size_t bytes = kSizes[i];
            char* const to = place(node, gasnet_mynode()) + (i % 3 == 2 ? 1 : 0);
            fill();
            put((Form)form, node, to, bytes);
            get((Form)form, node, to, bytes);
            CHECK(memcmp(back, source, bytes) == 0);
            if (bytes < kMost) CHECK(back[bytes] == 0);
        }
    }
}

static gasnet_register_value_t low(gasnet_register_value_t value, size_t bytes) {
    return bytes == 8 ? value : value & (((gasnet_register_value_t)1 << 8 * bytes) - 1);
}
static void test_values(gasnet_node_t node) {
    char* const to = place(node, gasnet_mynode());
    for (size_t bytes = 1; bytes <= 8; ++bytes) {
        const gasnet_register_value_t value = 0xfedcba9876543210u + gasnet_mynode() + bytes;
        gasnet_memset(node, to, 0x55, 16);
        gasnet_put_val(node, to, value, bytes);
        CHECK(gasnet_get_val(node, to, bytes) == low(value, bytes));
        CHECK(gasnet_get_val(node, to + bytes, 1) == 0x55);
        gasnet_put_nbi_val(node, to, value + 1, bytes);
        gasnet_wait_syncnbi_puts();
        const gasnet_valget_handle_t first = gasnet_get_nb_val(node, to, bytes);
        const gasnet_valget_handle_t second = gasnet_get_nb_val(node, to + bytes, 2);
        CHECK(gasnet_wait_syncnb_valget(second) == 0x5555);
        CHECK(gasnet_wait_syncnb_valget(first) == low(value + 1, bytes));
        gasnet_wait_syncnb(gasnet_put_nb_val(node, to, value + 2, bytes));
        CHECK(gasnet_get_val(node, to, bytes) == low(value + 2, bytes));
    }
    /* A constant size is moved in place. */
    gasnet_put_val(node, to, 0x01020304, 4);
    CHECK(gasnet_get_val(node, to, 4) == 0x01020304 && gasnet_get_val(node, to, 1) == 4);
}

static void check_filled(gasnet_node_t node, const char* at, int value, size_t bytes) {
    gasnet_get_bulk(back, node, (void*)(uintptr_t)at, bytes + 1);
    for (size_t i = 0; i < bytes; ++i)
        CHECK(back[i] == (char)value);
    CHECK(back[bytes] != (char)value);
}
static void test_memset(gasnet_node_t node) {
    char* const to = place(node, gasnet_mynode());
    for (int i = 0; i < kSizeCount - 1; ++i) {
        gasnet_memset(node, to, 0x11, kMost);
        gasnet_memset(node, to, 0x22, kSizes[i]);
        check_filled(node, to, 0x22, kSizes[i]);
        gasnet_memset_nbi(node, to, 0x133, kSizes[i]);
        gasnet_wait_syncnbi_puts();
        check_filled(node, to, 0x33, kSizes[i]);
        gasnet_wait_syncnb(gasnet_memset_nb(node, to, 0x44, kSizes[i]));
        check_filled(node, to, 0x44, kSizes[i]);
    }
}

/* Words whose length the compiler knows: so many bytes, and none beside them; the source may be
 * used again at once. */
#define PUT_WORD(BYTES)                                                        \
    do {                                                                       \
        gasnet_register_value_t value = 0x8877665544332211u + gasnet_mynode(); \
        gasnet_memset(node, to, 0x55, 24);                                     \
        gasnet_put_nbi(node, to + 8, &value, BYTES);                           \
        value = 0;                                                             \
        gasnet_wait_syncnbi_puts();                                            \
        value = 0x8877665544332211u + gasnet_mynode();                         \
        CHECK(gasnet_get_val(node, to + 8, BYTES) == low(value, BYTES));       \
        CHECK(gasnet_get_val(node, to + 7, 1) == 0x55);                        \
        CHECK(gasnet_get_val(node, to + 8 + BYTES, 1) == 0x55);                \
    } while (0)
static void test_words(gasnet_node_t node) {
    char* const to = place(node, gasnet_mynode());
    PUT_WORD(1);
    PUT_WORD(2);
    PUT_WORD(4);
    PUT_WORD(8);
}

enum { kMany = 3000 };
static void test_tables(gasnet_node_t node) {
    static gasnet_handle_t handles[kMany];
    static int words[kMany];
    char* const to = place(node, gasnet_mynode());
    for (int round = 0; round < 4; ++round) {
        const int many = round == 0 ? kMany : kMany / 10;
        fill();
        for (int i = 0; i < many; ++i) {
            words[i] = i + round;
            handles[i] = i % 7 == 3 ? GASNET_INVALID_HANDLE
                         : i % 2    ? gasnet_put_nb_bulk(node, to + i % 1000 * 4, &words[i], 4)
                                    : gasnet_put_nb(node, to + i % 1000 * 4, &words[i], 4);
        }
        if (round == 0) {
            gasnet_wait_syncnb_all(handles, (size_t)many);
        } else if (round == 1) {
            while (gasnet_try_syncnb_all(handles, (size_t)many) != GASNET_OK) {
            }
        } else {
            for (int left = many; left > 0;) {
                if (round == 2)
                    gasnet_wait_syncnb_some(handles, (size_t)many);
                else
                    while (gasnet_try_syncnb_some(handles, (size_t)many) != GASNET_OK) {
                    }
                left = 0;
                for (int i = 0; i < many; ++i)
                    left += handles[i] != GASNET_INVALID_HANDLE;
            }
        }
        for (int i = 0; i < many; ++i)
            CHECK(handles[i] == GASNET_INVALID_HANDLE);
        CHECK(gasnet_get_val(node, to, 4) == gasnet_get_val(node, to, 4));
        for (int i = 0; i < 200; ++i) {
            words[i] = -1;
            handles[i] = gasnet_get_nb_bulk(&words[i], node, to + i * 4, 4);
        }
        while (gasnet_try_syncnb_all_nopoll(handles, 200) != GASNET_OK) {
        }
        for (int i = 0; i < 200; ++i)
            CHECK(i % 7 == 3 || words[i] % 1000 == (i + round) % 1000);
    }
    gasnet_wait_syncnb_all(handles, kMany);
    gasnet_wait_syncnb_some(handles, kMany);
    gasnet_wait_syncnb_some(NULL, 0);
    OK(gasnet_try_syncnb_some_nopoll(handles, kMany));
    OK(gasnet_try_syncnb_all(NULL, 0));
    OK(gasnet_try_syncnb_nopoll(GASNET_INVALID_HANDLE));
    OK(gasnet_try_syncnb(GASNET_INVALID_HANDLE));
    gasnet_wait_syncnb(GASNET_INVALID_HANDLE);
}

/* What is put without a handle may be many; the last value of each word is there behind the wait,
 * and the owner sees it behind a barrier. */
static void test_many(void) {
    const gasnet_node_t next = (gasnet_mynode() + 1) % gasnet_nodes();
    int* const mine = (int*)(void*)place(gasnet_mynode(),
                                         (gasnet_mynode() + gasnet_nodes() - 1) % gasnet_nodes());
    int* const there = (int*)(void*)place(next, gasnet_mynode());
    for (int i = 0; i < 1000; ++i) {
        int value = i * 5 + (int)gasnet_mynode();
        gasnet_put_nbi(next, &there[i], &value, sizeof value);
        value = -1; /* it may be used again */
    }
    gasnet_wait_syncnbi_puts();
    meet();
    for (int i = 0; i < 1000; ++i)
        CHECK(mine[i] == i * 5 + (int)((gasnet_mynode() + gasnet_nodes() - 1) % gasnet_nodes()));
}

/* A try that is not successful does not stand for what is issued behind it. */
static void test_tries(gasnet_node_t node) {
    int* const there = (int*)(void*)place(node, gasnet_mynode());
    for (int i = 1; i <= 50; ++i) {
        const int first = i, second = -i;
        gasnet_put_nbi(node, there, &first, sizeof first);
        (void)gasnet_try_syncnbi_puts();
        gasnet_put_nbi(node, there + 1, &second, sizeof second);
        while (gasnet_try_syncnbi_puts() != GASNET_OK) {
        }
        CHECK(gasnet_get_val(node, there, 4) == (gasnet_register_value_t)i);
        CHECK((int)gasnet_get_val(node, there + 1, 4) == -i);
    }
}

int main(int argc, char** argv) {
    GASNET_BEGIN_FUNCTION();
    start(argc, argv, NULL, 0, 1 << 20);
    for (gasnet_node_t k = 0; k < gasnet_nodes(); ++k) {
        const gasnet_node_t node = (gasnet_mynode() + k) % gasnet_nodes();
        test_blocks(node);
        test_values(node);
        test_words(node);
        test_memset(node);
        test_tables(node);
        test_tries(node);
    }
    meet();
    test_many();
    end();
}
