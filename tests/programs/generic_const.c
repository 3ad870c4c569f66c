/* C11 generics with sources that are const, literal, local or in read-only memory. */
#include <shmem.h>
#include <stdio.h>
#include <string.h>

static const long primes[] = {2, 3, 5, 7, 11, 13};
static long dest[6];
static char name[32];
static const char* const names[] = {"zero", "one", "two", "three"};
static const float weights[2][3] = {{1, 2, 3}, {4, 5, 6}};
static float got[3];
static _Bool done;

static void send(const long* restrict source, size_t n, const int pe) {
    shmem_put(dest, source, n, pe);
}

int main(void) {
    shmem_init();
    const int me = shmem_my_pe(), next = (me + 1) % shmem_n_pes();
    const double local[] = {0.25, 0.5};
    static double there[2];
    send(primes, sizeof primes / sizeof *primes, next);
    shmem_put(name, names[me % 4], strlen(names[me % 4]) + 1, next);
    shmem_put(there, local, 2, next);
    shmem_get(got, weights[1], 3, next);
    shmem_barrier_all();
    done = memcmp(dest, primes, sizeof primes) == 0 && there[1] == 0.5 && got[2] == 6.0f &&
           shmem_g(&primes[3], next) == 7 &&
           strcmp(name, names[((me + shmem_n_pes() - 1) % shmem_n_pes()) % 4]) == 0;
    printf("%s\n", done ? "const ok" : "WRONG");
    shmem_finalize();
    return 0;
}
