/* Prints the table of routines, one a line: section, tab, name. For symbols.py and
 * tools/conformance.py. */
#include <isthmus/shmem_table.h>
#include <stdio.h>

int main(void) {
    const char* section = "";
#define SHMEM_SECTION(title) section = title;
#define SHMEM_ROUTINE(R, NAME, PARAMETERS, ARGUMENTS) printf("%s\tshmem_%s\n", section, #NAME);
#include <isthmus/shmem_routines.inc>
    printf("9.1, 9.2 Setup, exit, query, threads\tshmem_global_exit\n");
    printf("10 Profiling\tshmem_pcontrol\n");
    return 0;
}
