/* Closes its standard streams and makes a mistake, of which it is to be told all the same; or was
 * started without them. */
#include <fcntl.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What goes to a stream that is not there must go nowhere: not to what the library has opened. */
static int is_nothing_under(int file) {
    char byte = 'x';
    return file == STDIN_FILENO ? read(file, &byte, 1) < 0 : write(file, &byte, 1) < 0;
}

int main(int argc, char** argv) {
    static long word;
    const char* const what = argc > 2 ? argv[1] : "";
    shmem_init();
    if (strcmp(what, "without") == 0) {
        for (const char* file = argv[2]; *file; ++file)
            if (!is_nothing_under(*file - '0')) return 4;
        shmem_long_p(&word, 7, (shmem_my_pe() + 1) % shmem_n_pes());
        shmem_barrier_all();
        shmem_finalize();
        return word == 7 ? 0 : 5;
    }
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
