// A process whose first thread ends at PE 1, while another one comes to shmem_init that many
// seconds later. The others come at once.
//
//     first_thread SECONDS
#include <pthread.h>
#include <shmem.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned seconds;

static void* come(void* unused) {
    (void)unused;
    sleep(seconds);
    shmem_init();
    shmem_finalize();
    exit(0);
}

int main(int count, char** words) {
    const char* rank = getenv("PMIX_RANK");
    if (!rank) rank = getenv("PMI_RANK");
    if (!rank || atoi(rank) != 1) come(NULL);
    seconds = count > 1 ? (unsigned)atoi(words[1]) : 0;
    pthread_t other;
    if (pthread_create(&other, NULL, come, NULL) != 0) return 1;
    pthread_exit(NULL);
}
