// Files: write, seek, read, stat, truncate, list, rename, remove, errors.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void) {
    FILE* file = fopen("data.txt", "w+");
    for (int i = 0; i < 1000; ++i)
        fprintf(file, "line %d\n", i);
    fseek(file, 100, SEEK_SET);
    char text[100];
    printf("%s", fgets(text, sizeof text, file));
    fclose(file);
    struct stat st;
    stat("data.txt", &st);
    printf("%ld %o\n", (long)st.st_size, st.st_mode & 0400);
    int fd = open("data.txt", O_RDWR | O_APPEND);
    struct iovec parts[2] = {{"abc", 3}, {"def\n", 4}};
    printf("%ld %ld\n", (long)writev(fd, parts, 2), (long)lseek(fd, 0, SEEK_END));
    printf("%ld ", (long)pread(fd, text, 5, 0));
    printf("%.5s %d\n", text, ftruncate(fd, 10));
    fstat(fd, &st);
    printf("%ld\n", (long)st.st_size);
    close(fd);
    printf("%d %d\n", rename("data.txt", "other.txt"), access("other.txt", R_OK));
    printf("%d %s\n", open("data.txt", O_RDONLY), strerror(errno));
    printf("%ld %s\n", (long)write(99, "x", 1), strerror(errno));
    int ends[2];
    printf("%d ", pipe(ends));
    printf("%ld ", (long)write(ends[1], "through", 8));
    printf("%ld %s\n", (long)read(ends[0], text, sizeof text), text);
    mkdir("folder", 0755);
    int found = 0;
    DIR* directory = opendir(".");
    for (struct dirent* entry; (entry = readdir(directory));)
        found += !strcmp(entry->d_name, "folder") + !strcmp(entry->d_name, "other.txt");
    closedir(directory);
    printf("%d %d %d\n", found, rmdir("folder"), unlink("other.txt"));
    printf("%d\n", getchar());
    return 0;
}
