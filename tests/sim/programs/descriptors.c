// Descriptors: ranges of them, files in memory, advice, renaming with care, access by other rights.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void tell(const char* what, long result) {
    printf("%s: %ld%s%s\n", what, result, result < 0 ? " " : "", result < 0 ? strerror(errno) : "");
}
static void content(const char* name) {
    char text[20] = "nothing";
    const int fd = open(name, O_RDONLY);
    if (fd >= 0) {
        text[read(fd, text, 10)] = 0;
        close(fd);
    }
    printf("%s has %s\n", name, text);
}
static void made(const char* name, const char* text) {
    const int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    write(fd, text, strlen(text));
    close(fd);
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    made("a", "first");
    made("b", "second");

    /* Ranges. */
    for (int fd = 50; fd < 60; ++fd)
        dup2(0, fd);
    tell("close_range", close_range(52, 54, 0));
    tell("close_range", close_range(57, 58, CLOSE_RANGE_CLOEXEC));
    for (int fd = 50; fd < 60; ++fd)
        printf("%d ", fcntl(fd, F_GETFD));
    printf("\n");
    tell("backwards", close_range(54, 52, 0));
    tell("flags", close_range(52, 54, 64));
    closefrom(50);
    tell("closed", fcntl(59, F_GETFD));

    /* Files in memory. */
    const int memory = memfd_create("name", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    printf("%d %d\n", fcntl(memory, F_GETFD), ftruncate(memory, 8192));
    char* const map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    strcpy(map + 4090, "across a page");
    char text[20];
    printf("%ld ", (long)pread(memory, text, 14, 4090));
    printf("%s\n", text);
    tell("seals", fcntl(memory, F_GET_SEALS));
    tell("seal", fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK));
    tell("sealed", ftruncate(memory, 4096));
    tell("not sealed", ftruncate(memory, 12288));
    tell("seals", fcntl(memory, F_GET_SEALS));
    tell("flags", memfd_create("name", 0x4000));
    tell("no name", syscall(SYS_memfd_create, 8, 0));
    unsigned char resident[3] = {};
    map[0] = map[4096] = 1;
    tell("mincore", mincore(map, 8192, resident));
    printf("%d %d\n", resident[0] & 1, resident[1] & 1);
    munmap(map + 4096, 4096);
    tell("not mapped", mincore(map, 8192, resident));

    /* Advice. */
    const int file = open("a", O_RDONLY);
    int ends[2];
    pipe(ends);
    printf("%d", posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL));
    printf(" %d", posix_fadvise(file, 0, 0, 77) == EINVAL);
    printf(" %d", posix_fadvise(ends[0], 0, 0, POSIX_FADV_NORMAL) == ESPIPE);
    printf(" %d\n", posix_fadvise(99, 0, 0, POSIX_FADV_NORMAL) == EBADF);
    tell("readahead", readahead(file, 0, 100));

    /* Renaming. */
    tell("no replacing", renameat2(AT_FDCWD, "a", AT_FDCWD, "b", RENAME_NOREPLACE));
    tell("exchange", renameat2(AT_FDCWD, "a", AT_FDCWD, "b", RENAME_EXCHANGE));
    content("a");
    content("b");
    tell("new", renameat2(AT_FDCWD, "a", AT_FDCWD, "c", RENAME_NOREPLACE));
    tell("exchange", renameat2(AT_FDCWD, "a", AT_FDCWD, "b", RENAME_EXCHANGE));
    tell("both", renameat2(AT_FDCWD, "b", AT_FDCWD, "c", RENAME_EXCHANGE | RENAME_NOREPLACE));
    tell("flags", renameat2(AT_FDCWD, "b", AT_FDCWD, "c", 64));
    content("c");

    /* Access. */
    symlink("nowhere", "link");
    tell("faccessat", faccessat(AT_FDCWD, "b", R_OK | W_OK, AT_EACCESS));
    tell("faccessat", faccessat(AT_FDCWD, "link", F_OK, AT_EACCESS));
    tell("faccessat", faccessat(AT_FDCWD, "link", F_OK, AT_SYMLINK_NOFOLLOW));
    tell("faccessat", faccessat(AT_FDCWD, "b", F_OK, 0x4000));
    tell("eaccess", eaccess("a", R_OK));
    unlink("link");
    unlink("b");
    unlink("c");
    return 0;
}
