/* Prints the table of routines, one a line: section, tab, name. For symbols.py and
 * tools/conformance.py. */
#include <isthmus/shmem_table.h>
#include <stdio.h>

static const char* const old_names[] = {"start_pes", "_my_pe", "_num_pes",  "my_pe",     "num_pes",
                                        "shmalloc",  "shfree", "shrealloc", "shmemalign"};

int main(void) {
    size_t i;
    const char* section = "";
#define SHMEM_SECTION(title)                          section = title;
#define SHMEM_ROUTINE(R, NAME, PARAMETERS, ARGUMENTS) printf("%s\tshmem_%s\n", section, #NAME);
#include <isthmus/shmem_routines.inc>
    printf("9.1, 9.2 Setup, exit, query, threads\tshmem_global_exit\n");
    printf("10 Profiling\tshmem_pcontrol\n");
    for (i = 0; i < sizeof old_names / sizeof old_names[0]; ++i)
        printf("Annex: deprecated\t%s\n", old_names[i]);
    return 0;
}
