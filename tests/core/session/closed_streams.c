/* Closes its standard streams and makes a mistake, of which it is to be told all the same. */
#include <fcntl.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
    static long word;
    const char* const what = argc > 2 ? argv[1] : "";
    shmem_init();
    if (strcmp(what, "descriptor") == 0) close(STDERR_FILENO);
    if (strcmp(what, "stream") == 0) {
        /* What the program opens then has its number, and is not for messages. */
        fclose(stderr);
        if (open(argv[2], O_WRONLY | O_CREAT, 0600) != STDERR_FILENO) return 3;
    }
    if (strcmp(what, "background") == 0) {
        const pid_t child = fork();
        if (child == 0) {
            for (int file = 0; file < 3; ++file)
                close(file);
            for (;;)
                pause();
        }
        printf("%d\n", (int)child);
        fflush(stdout);
        _exit(0); /* without a word, as the child has the streams closed */
    }
    shmem_long_p(&word, 1, shmem_n_pes() + 6);
    shmem_finalize();
    return 0;
}
