// Maps that reach behind the end of their file, and files that become shorter and longer under
// them.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const int kRights = PROT_READ | PROT_WRITE;
static sigjmp_buf back;
static siginfo_t seen;
static void fault(int number, siginfo_t* info, void* context) {
    seen = *info;
    (void)context;
    siglongjmp(back, number);
}
/* What reading a byte of a map does: the byte, or the signal, its code and the byte's place. */
static void look(const char* map, int at) {
    const int number = sigsetjmp(back, 1);
    if (number == 0)
        printf(" %d", *(volatile const char*)(map + at));
    else
        printf(" [%s %s %d]", number == SIGBUS ? "SIGBUS" : "SIGSEGV",
               number != SIGBUS             ? ""
               : seen.si_code == BUS_ADRERR ? "BUS_ADRERR"
                                            : "other",
               (int)((char*)seen.si_addr - map));
}
/* 0, or the signal of writing there. */
static int store(char* at, char value) {
    const int number = sigsetjmp(back, 1);
    if (number == 0) *(volatile char*)at = value;
    return number;
}
static void look_at_all(const char* what, const char* map) {
    printf("%s:", what);
    look(map, 10);
    look(map, 4999);
    look(map, 5000);
    look(map, 8192);
    look(map, 12300);
    printf("\n");
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    char text[16384];
    memset(text, 7, sizeof text);
    int fd = open("ends", O_RDWR | O_CREAT | O_TRUNC, 0600);
    write(fd, text, 5000);
    char* const own = mmap(NULL, 16384, kRights, MAP_PRIVATE, fd, 0);
    char* const shared = mmap(NULL, 16384, kRights, MAP_SHARED, fd, 0);
    char* const late = mmap(NULL, 4096, kRights, MAP_SHARED, fd, 8192);
    look_at_all("private", own);
    look_at_all("shared", shared);
    printf("late:");
    look(late, 1);
    printf("\n");
    own[4990] = 7; /* from now on that page is the program's own */
    /* Rights there are those of pages to come. */
    printf("%d", mprotect(own + 8192, 8192, PROT_READ));
    printf(" %d\n", mprotect(shared + 8192, 8192, PROT_READ));
    look_at_all("protected", shared);
    /* The file becomes longer, by writing and by its size. */
    pwrite(fd, text, 9000 - 5000, 5000);
    look_at_all("longer, private", own);
    look_at_all("longer, shared", shared);
    printf("late:");
    look(late, 1);
    printf(" %d", store(late + 2, 9));
    look(shared, 8194);
    printf("\n%d\n", store(shared + 8192, 1) == SIGSEGV);
    ftruncate(fd, 16384);
    look_at_all("longest", shared);
    /* It becomes shorter. */
    ftruncate(fd, 100);
    look_at_all("shorter, private", own);
    look_at_all("shorter, shared", shared);
    fd = open("ends", O_RDWR | O_TRUNC);
    look_at_all("empty, private", own);
    look_at_all("empty, shared", shared);
    printf("%d", (int)write(fd, own, 10));
    printf(" %s\n", strerror(errno));
    write(fd, text, 20);
    look_at_all("a little, private", own);
    look_at_all("a little, shared", shared);
    /* Parts, and more of it. */
    munmap(shared, 4096);
    ftruncate(fd, 8192);
    printf("part:");
    look(shared, 4096);
    look(shared, 8192);
    printf("\n");
    char* const moved = mremap(own, 4096, 16384, MREMAP_MAYMOVE);
    printf("%d", moved == MAP_FAILED);
    look(moved, 10);
    look(moved, 5000);
    look(moved, 9000);
    ftruncate(fd, 12288);
    look(moved, 9000);
    printf("\n");
    /* Behind the end from the beginning on. */
    char* const beyond = mmap(NULL, 4096, kRights, MAP_PRIVATE, fd, 1 << 20);
    printf("beyond: %d", beyond == MAP_FAILED);
    look(beyond, 0);
    printf("\n");
    unlink("ends");

    /* Places and kinds. */
    char* const place = mmap(NULL, 8192, kRights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("%d", mmap(place + 1, 4096, kRights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
                     MAP_FAILED);
    printf(" %s\n", strerror(errno));
    printf("%d", mmap(place + 4096, 4096, kRights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                      0) == place + 4096);
    printf(" %d", mmap(NULL, 4096, kRights, MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    printf(" %s\n", strerror(errno));
    const int zero = open("/dev/zero", O_RDWR);
    char* const zeros = mmap(NULL, 8192, kRights, MAP_PRIVATE, zero, 0);
    printf("zeros:");
    look(zeros, 5000);
    printf("\n");
    return 0;
}
