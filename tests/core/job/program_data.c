/* Static data that the library has moved: the content is what the compiler wrote and what
 * constructors added, the address is where the linker put it, and other PEs reach it. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

struct Record {
    int number;
    const char* text;
    struct Record* next;
};
static struct Record second = {2, "two", NULL};
static struct Record first = {1, "one", &second};
static int large_data[100000] = {[0] = 5, [4095] = 6, [99999] = 7};
static char odd = 'x';
static long in_bss[50000];
static int constructed;
static __thread int per_thread = 9;
static int (*function)(const char*, const char*) = strcmp;
int common_variable;
extern char** environ;

__attribute__((constructor)) static void construct(void) {
    constructed = 11;
    in_bss[77] = 78;
}

int main(int argc, char** argv) {
    static int local_static = 3;
    in_bss[49999] = 1; /* written before init, as programs may */
    FILE* before = stdout;
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    const int right = (me + 1) % pes;
    CHECK(argc == 1 && argv[0] != NULL);
    CHECK(first.number == 1 && strcmp(first.text, "one") == 0 && first.next == &second);
    CHECK(second.number == 2 && second.next == NULL);
    CHECK(large_data[0] == 5 && large_data[4095] == 6 && large_data[99999] == 7);
    long sum = 0;
    for (int i = 0; i < 100000; ++i)
        sum += large_data[i];
    CHECK(sum == 18);
    CHECK(odd == 'x' && constructed == 11 && local_static == 3 && per_thread == 9);
    CHECK(function("a", "a") == 0);
    CHECK(in_bss[77] == 78 && in_bss[49999] == 1);
    long others = 0;
    for (int i = 0; i < 50000; ++i)
        others += i == 77 || i == 49999 ? 0 : in_bss[i];
    CHECK(others == 0);
    CHECK(before == stdout && environ != NULL && getenv("PATH") != NULL);
    shmem_barrier_all();
    shmem_int_p(&large_data[50000], me + 100, right);
    shmem_long_p(&in_bss[30000], me + 200, right);
    shmem_int_p(&common_variable, me + 300, right);
    shmem_int_p(&local_static, me + 400, right);
    shmem_putmem(&odd, "y", 1, right);
    shmem_barrier_all();
    const int left = (me + pes - 1) % pes;
    CHECK(large_data[50000] == left + 100);
    CHECK(in_bss[30000] == left + 200);
    CHECK(common_variable == left + 300);
    CHECK(local_static == left + 400);
    CHECK(odd == 'y');
    /* Nobody else's was touched by accident. */
    CHECK(large_data[49999] == 0 && large_data[50001] == 0 && in_bss[29999] == 0);
    for (int pe = 0; pe < pes; ++pe)
        CHECK(shmem_int_g(&large_data[50000], pe) == (pe + pes - 1) % pes + 100);
    shmem_barrier_all();
    shmem_finalize();
    CHECK(common_variable == left + 300);
    return 0;
}
