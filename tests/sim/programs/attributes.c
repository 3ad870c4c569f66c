// Modes, times and sizes of files, file systems, the working directory and what descriptors keep.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

static struct stat st;
static int mode_of(const char* name) {
    return stat(name, &st) == 0 ? (int)(st.st_mode & 07777) : -1;
}

static void sizes(void) {
    int fd = open("sized", O_RDWR | O_CREAT | O_TRUNC, 0600);
    write(fd, "0123456789", 10);
    printf("%d", truncate("sized", 5));
    stat("sized", &st);
    printf(" %ld", (long)st.st_size);
    printf(" %d %s", truncate("nowhere", 5), strerror(errno));
    printf(" %d %s\n", truncate("sized", -1), strerror(errno));
    char* const map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    truncate("sized", 3000);
    map[2999] = 'x';
    char byte;
    pread(fd, &byte, 1, 2999);
    printf("%c\n", byte);
    printf("%d", posix_fallocate(fd, 0, 10000));
    fstat(fd, &st);
    printf(" %ld", (long)st.st_size);
    printf(" %d", fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 20000));
    fstat(fd, &st);
    printf(" %ld", (long)st.st_size);
    printf(" %d %s\n", fallocate(fd, 0, 0, 0), strerror(errno));
    char text[16] = "";
    struct iovec parts[2] = {{"abc", 3}, {"defg", 4}}, into[2] = {{text, 2}, {text + 2, 8}};
    printf("%ld", (long)pwritev(fd, parts, 2, 100));
    printf(" %ld", (long)preadv(fd, into, 2, 101));
    printf(" %.6s %ld", text, (long)lseek(fd, 0, SEEK_CUR));
    printf(" %ld %s\n", (long)preadv(fd, into, 2, -1), strerror(errno));
    close(fd);
}

static void modes(void) {
    printf("%d %o\n", chmod("sized", 0640), mode_of("sized"));
    int fd = open("sized", O_RDONLY);
    printf("%d %o\n", fchmod(fd, 0604), mode_of("sized"));
    printf("%d %o\n", fchmodat(AT_FDCWD, "sized", 0600, 0), mode_of("sized"));
    printf("%d %s\n", chmod("nowhere", 0600), strerror(errno));
    printf("%d %s\n", fchmod(99, 0600), strerror(errno));
    close(fd);
    umask(022);
    printf("%o", umask(027));
    close(open("masked", O_WRONLY | O_CREAT, 0666));
    mkdir("folder", 0777);
    printf(" %o %o %o\n", mode_of("masked"), mode_of("folder"), umask(022));
    close(open("unmasked", O_WRONLY | O_CREAT, 0666));
    printf("%o\n", mode_of("unmasked"));
}

static void times(void) {
    const struct timespec both[2] = {{1000000000, 5}, {1100000000, 600}};
    printf("%d", utimensat(AT_FDCWD, "sized", both, 0));
    stat("sized", &st);
    printf(" %ld %ld %ld %ld\n", (long)st.st_atim.tv_sec, st.st_atim.tv_nsec,
           (long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    int fd = open("sized", O_RDWR);
    const struct timespec one[2] = {{0, UTIME_OMIT}, {1200000000, 7}};
    printf("%d", futimens(fd, one));
    fstat(fd, &st);
    printf(" %ld %ld\n", (long)st.st_atim.tv_sec, (long)st.st_mtim.tv_sec);
    printf("%d", futimens(fd, NULL));
    fstat(fd, &st);
    printf(" %d", st.st_mtim.tv_sec > 1300000000);
    const struct timespec wrong[2] = {{0, -5}, {0, 0}};
    printf(" %d %s", futimens(fd, wrong), strerror(errno));
    printf(" %d %s\n", utimensat(AT_FDCWD, "nowhere", both, 0), strerror(errno));
    symlink("sized", "soft");
    printf("%d", utimensat(AT_FDCWD, "soft", both, AT_SYMLINK_NOFOLLOW));
    lstat("soft", &st);
    printf(" %ld\n", (long)st.st_mtim.tv_sec);
    close(fd);
}

static void file_systems(void) {
    struct statvfs of_path, of_file;
    int fd = open("sized", O_RDONLY);
    printf("%d %d", statvfs(".", &of_path), fstatvfs(fd, &of_file));
    printf(" %d %d %d %lu\n", of_path.f_bsize == of_file.f_bsize,
           of_path.f_blocks == of_file.f_blocks, of_path.f_blocks > 0, of_path.f_namemax);
    printf("%d %s", statvfs("nowhere", &of_path), strerror(errno));
    printf(" %d %s\n", fstatvfs(99, &of_file), strerror(errno));
    close(fd);
}

static void directories(void) {
    char before[4096], inside[4096], after[4096];
    getcwd(before, sizeof before);
    int home = open(".", O_RDONLY | O_DIRECTORY);
    printf("%d", chdir("folder"));
    getcwd(inside, sizeof inside);
    printf(" %s %d\n", inside + strlen(before), strncmp(before, inside, strlen(before)));
    close(open("here", O_WRONLY | O_CREAT, 0600));
    printf("%d", truncate("here", 7));
    stat("here", &st);
    printf(" %ld %d", (long)st.st_size, access("../sized", F_OK));
    printf(" %d %s", chdir("here"), strerror(errno));
    printf(" %d %s\n", chdir("nowhere"), strerror(errno));
    mkdir("locked", 0600);
    printf("%d", chdir("..") + chdir("folder"));
    printf(" %d", fchdir(home));
    getcwd(after, sizeof after);
    printf(" %d %d", strcmp(before, after), access("folder/here", F_OK));
    printf(" %d %s", fchdir(99), strerror(errno));
    int file = open("sized", O_RDONLY);
    printf(" %d %s\n", fchdir(file), strerror(errno));
    close(file);
    close(home);
}

static void descriptors(void) {
    int fd = open("sized", O_RDONLY | O_CLOEXEC), plain = dup(fd), ends[2];
    printf("%d %d", fcntl(fd, F_GETFD), fcntl(plain, F_GETFD));
    printf(" %d %d", fcntl(plain, F_SETFD, FD_CLOEXEC), fcntl(plain, F_GETFD));
    fcntl(fd, F_SETFD, 0);
    printf(" %d %d\n", fcntl(fd, F_GETFD), fcntl(plain, F_GETFD));
    const int high = fcntl(fd, F_DUPFD_CLOEXEC, 40), other = fcntl(fd, F_DUPFD, 40);
    printf("%d %d %d %d\n", high, fcntl(high, F_GETFD), other, fcntl(other, F_GETFD));
    printf("%d %d", dup3(fd, 50, O_CLOEXEC), fcntl(50, F_GETFD));
    printf(" %d %s", dup3(fd, fd, 0), strerror(errno));
    printf(" %d %s\n", dup3(fd, -1, 0), strerror(errno));
    pipe2(ends, O_CLOEXEC);
    printf("%d %d", fcntl(ends[0], F_GETFD), fcntl(ends[1], F_GETFD));
    printf(" %d %s\n", fcntl(99, F_GETFD), strerror(errno));
}

int main(void) {
    sizes();
    modes();
    times();
    file_systems();
    directories();
    descriptors();
    printf("%d %d\n", rmdir("folder/locked") + unlink("folder/here"), rmdir("folder"));
    printf("%d\n", unlink("sized") + unlink("masked") + unlink("unmasked") + unlink("soft"));
    return 0;
}
