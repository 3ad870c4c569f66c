/* Broadcasts of every shape of team (forwards and backwards), from several roots, of lengths on
 * both sides of each choice that a library may make, aligned or not; bytes around dest stay as they
 * are. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { kLongest = 4097, kRoom = kLongest + 16, kUntouched = 0xee };
static const size_t kLengths[] = {8, 0, 1, 7, 16, 64, 512, 513, kLongest};

static unsigned char dest[kRoom], source[kRoom];
static int me, wrong;

static unsigned char byte_of(int pe, size_t at, int root) {
    return (unsigned char)(pe * 7 + (int)at * 3 + root);
}

static void broadcast(shmem_team_t team, int root, int root_in_world, size_t bytes, size_t offset) {
    for (size_t i = 0; i < kRoom; ++i) {
        dest[i] = kUntouched;
        source[i] = byte_of(me, i, root);
    }
    shmem_team_sync(team);
    shmem_broadcastmem(team, dest + offset, source + offset, bytes, root);
    shmem_team_sync(team);
    for (size_t i = 0; i < kRoom; ++i) {
        const int inside = i >= offset && i < offset + bytes;
        const unsigned char expected = inside ? byte_of(root_in_world, i, root) : kUntouched;
        if (dest[i] == expected) continue;
        printf("WRONG: PE %d, root %d, %zu bytes at %zu: byte %zu is %d, not %d\n", me, root, bytes,
               offset, i, dest[i], expected);
        wrong = 1;
        return;
    }
}

int main(void) {
    shmem_init();
    me = shmem_my_pe();
    const int pes = shmem_n_pes();
    long teams = 0;
    for (int start = 0; start < pes; ++start)
        for (int stride = -2; stride <= 2; ++stride)
            for (int size = 1; size <= pes; ++size) {
                const int last = start + stride * (size - 1);
                if (stride == 0 || last < 0 || last >= pes) continue;
                shmem_team_t team;
                if (shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, size, NULL, 0, &team))
                    return printf("WRONG: no team %d %d %d\n", start, stride, size), 1;
                ++teams;
                if (team == SHMEM_TEAM_INVALID) continue;
                for (size_t l = 0; l < sizeof kLengths / sizeof *kLengths; ++l)
                    for (size_t offset = 0; offset < 2; ++offset)
                        for (int root = 0; root<size; root += size> 3 ? 3 : 1)
                            broadcast(team, root, start + root * stride, kLengths[l], offset);
                shmem_team_destroy(team);
            }
    shmem_barrier_all();
    if (me == 0) printf("%ld teams of %d PEs ok\n", teams, pes);
    shmem_finalize();
    return wrong;
}
