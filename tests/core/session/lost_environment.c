// A process that writes over its environment where the system shows it, as those do that show a
// title of their own, and comes to shmem_init that many seconds later. PE 1 does; the others come
// at once.
//
//     lost_environment SECONDS
#include <shmem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char** environ;

int main(int count, char** words) {
    const char* rank = getenv("PMIX_RANK");
    if (!rank) rank = getenv("PMI_RANK");
    if (rank && atoi(rank) == 1) {
        for (char** entry = environ; *entry; ++entry) {
            char* copy = strdup(*entry);
            memset(*entry, 0, strlen(*entry));
            *entry = copy;
        }
        sleep(count > 1 ? (unsigned)atoi(words[1]) : 0);
    }
    shmem_init();
    shmem_finalize();
    return 0;
}
