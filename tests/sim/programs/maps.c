// Private maps of files, maps that shrink and grow, and locked memory.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static sigjmp_buf back;
static void fault(int number) {
    siglongjmp(back, number);
}
static int faults(volatile char* at) {
    if (sigsetjmp(back, 1)) return 1;
    *at = *at;
    return 0;
}
static int sum(const char* from, int size) {
    int total = 0;
    while (size-- > 0)
        total += *from++;
    return total;
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    char text[10000], byte;
    for (int i = 0; i < 10000; ++i)
        text[i] = (char)('a' + i % 26);
    int fd = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);
    write(fd, text, 5000);
    const int rights = PROT_READ | PROT_WRITE;
    /* A page is whole: all that the file has of it, and zeros behind its end. */
    char* own = mmap(NULL, 10, rights, MAP_PRIVATE, fd, 0);
    printf("%d %d\n", memcmp(own, text, 4096), munmap(own, 10));
    own = mmap(NULL, 5000, rights, MAP_PRIVATE, fd, 0);
    printf("%d %d\n", memcmp(own, text, 5000), sum(own + 5000, 8192 - 5000));
    /* What was written into it is gone again. */
    own[0] = own[4999] = own[5000] = own[8000] = '#';
    pread(fd, &byte, 1, 0);
    printf("%c %d\n", byte, madvise(own, 4096, MADV_DONTNEED));
    printf("%c %c %c\n", own[0], own[4999], own[8000]);
    printf("%d", madvise(own, 8192, MADV_DONTNEED));
    printf(" %d %d\n", memcmp(own, text, 5000), sum(own + 5000, 8192 - 5000));
    pwrite(fd, "new", 3, 4096);
    madvise(own + 4096, 4096, MADV_DONTNEED);
    printf("%.3s", own + 4096);
    char* const part = mmap(NULL, 4096, rights, MAP_PRIVATE, fd, 4096);
    part[0] = 'N';
    printf(" %.3s", part);
    madvise(part, 4096, MADV_DONTNEED);
    printf(" %.3s\n", part);
    /* Without its first page, and without its descriptor. */
    close(fd);
    munmap(own, 4096);
    own[4097] = 'E';
    printf("%.3s", own + 4096);
    madvise(own + 4096, 4096, MADV_DONTNEED);
    printf(" %.3s\n", own + 4096);
    fd = open("mapped", O_WRONLY);
    printf("%d", mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED);
    printf(" %d\n", errno == EACCES);
    close(fd);
    fd = open("mapped", O_RDWR);
    printf("%d", mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 7) == MAP_FAILED);
    printf(" %d\n", errno == EINVAL);

    /* A shared map shrinks, grows where it is or elsewhere, and stays shared. */
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = fault;
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    ftruncate(fd, 16384);
    char* shared = mmap(NULL, 16384, rights, MAP_SHARED, fd, 0);
    printf("%d", mremap(shared, 16384, 8192, 0) == shared);
    shared[8191] = '8';
    pread(fd, &byte, 1, 8191);
    printf(" %c %d %d\n", byte, faults(shared + 8191), faults(shared + 8192));
    /* In the way of growing where it is. */
    mmap(shared + 8192, 4096, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    printf("%d", mremap(shared, 8192, 16384, 0) == MAP_FAILED);
    printf(" %d", errno == ENOMEM);
    char* const moved = mremap(shared, 8192, 16384, MREMAP_MAYMOVE);
    printf(" %d %d", moved != MAP_FAILED && moved != shared, faults(shared));
    moved[16000] = 'g';
    pread(fd, &byte, 1, 16000);
    printf(" %c %c\n", byte, moved[8191]);
    char* const tail = mremap(moved, 4096, 4096, 0);
    printf("%d", tail == moved);
    printf(" %d", mremap(moved + 8192, 8192, 4096, 0) == moved + 8192);
    printf(" %d %d\n", faults(moved + 12287), faults(moved + 12288));
    /* A private one keeps what was written. */
    char* small = mmap(NULL, 4096, rights, MAP_PRIVATE, fd, 0);
    small[1] = '!';
    small = mremap(small, 4096, 8192, MREMAP_MAYMOVE);
    printf("%.3s %c", small, small[8191]);
    madvise(small, 8192, MADV_DONTNEED);
    printf(" %.3s\n", small);

    printf("%d %d", mlock(small, 8192), munlock(small, 8192));
    /* Who may lock how much is the host's to say. */
    printf(" %d", mlockall(MCL_CURRENT | MCL_FUTURE) == 0 || errno == ENOMEM || errno == EPERM);
    printf(" %d\n", munlockall());
    munmap(small, 8192);
    printf("%d", mlock(small, 4096));
    printf(" %d", errno == ENOMEM);
    printf(" %d %d\n", mlockall(0), errno == EINVAL);
    printf("%d\n", unlink("mapped"));
    return 0;
}
