// Files that are mapped and shared, and links.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static sigjmp_buf back;
static void fault(int number) {
    siglongjmp(back, number);
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    int fd = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);
    ftruncate(fd, 10000);
    char* const map = mmap(NULL, 12288, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    char* const again = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 4096);
    printf("%d %d\n", map != MAP_FAILED, again != MAP_FAILED);
    strcpy(map + 4096, "through memory");
    char text[32] = "";
    printf("%ld ", (long)pread(fd, text, 15, 4096));
    printf("%s %s\n", text, again);
    pwrite(fd, "through the file", 17, 4096);
    printf("%s %s\n", map + 4096, again);
    printf("%d", msync(map, 12288, MS_SYNC));
    printf(" %d %d\n", msync(map, 12288, MS_ASYNC), msync(map + 1, 10, MS_SYNC));
    printf("%d %d\n", msync(map, 4096, MS_SYNC | MS_ASYNC), errno == EINVAL);
    /* A part goes, the others stay. */
    printf("%d %s\n", munmap(map + 4096, 4096), again);
    map[0] = 'a';
    map[9000] = 'b';
    pread(fd, text, 1, 0);
    pread(fd, text + 1, 1, 9000);
    printf("%c%c\n", text[0], text[1]);
    /* A private map does not write. */
    char* const own = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    own[0] = 'z';
    pread(fd, text, 1, 0);
    printf("%c %c\n", own[0], text[0]);
    /* The end of the file moves. */
    char* const late = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ftruncate(fd, 16384);
    late[16000] = 'c';
    pread(fd, text, 1, 16000);
    printf("%c\n", text[0]);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = fault;
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    ftruncate(fd, 100);
    if (!sigsetjmp(back, 1))
        late[9000] = 1;
    else
        printf("behind the end\n");
    printf("%c\n", late[0]);
    close(fd);
    late[1] = 'd'; /* a map lives longer than its descriptor */
    fd = open("mapped", O_RDONLY);
    pread(fd, text, 2, 0);
    printf("%c%c\n", text[0], text[1]);
    printf("%d %s\n", mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED,
           strerror(errno));
    char* const readable = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    printf("%d ", mprotect(readable, 4096, PROT_READ | PROT_WRITE));
    printf("%s %c\n", strerror(errno), readable[0]);
    printf("%d %d\n", madvise(late, 4096, MADV_DONTNEED), late[0] == 'a');

    printf("%d", symlink("mapped", "soft"));
    printf(" %d %s\n", symlink("mapped", "soft"), strerror(errno));
    printf("%ld", (long)readlink("soft", text, sizeof text));
    printf(" %.6s", text);
    printf(" %ld", (long)readlink("soft", text, 3));
    printf(" %ld %s\n", (long)readlink("mapped", text, 3), strerror(errno));
    struct stat st;
    printf("%d %d", lstat("soft", &st), S_ISLNK(st.st_mode));
    printf(" %d %d\n", stat("soft", &st), S_ISREG(st.st_mode));
    printf("%d", link("mapped", "hard"));
    stat("hard", &st);
    printf(" %d\n", (int)st.st_nlink);
    printf("%d %d %d\n", unlink("soft"), unlink("hard"), unlink("mapped"));
    printf("%d %s\n", open("soft", O_RDONLY), strerror(errno));
    return 0;
}
