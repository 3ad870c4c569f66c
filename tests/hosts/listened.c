/* Loaded before the library: writes the keys of all hashes of 256-bit keys, of which the job's
 * secret is one, to the file that KEYS_FILE names, as "RANK HEX"; and where CHANGES says so,
 * changes what its PE gives to a manager that speaks PMI-1: seal       a digit of what PE 0 has
 * sealed short      two digits of that are missing key        a digit of what the first PE of the
 * second host shows to seal with no-key     all of that is zeros cards      two digits of what all
 * PEs read of PE 0's group; and who is to speak of it for a host takes time to listen at its name
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { KEY_BYTES = 32 };
/* The exchanges behind those by groups. */
static const char kShown[] = " key=isthmus-2-", kSealed[] = " key=isthmus-3-0-0 ";
static const char kCards[] = " key=isthmus-1-0-0 ";
enum { kLate_us = 300000 };

typedef int Hash(unsigned char*, size_t, const unsigned char*, unsigned long long,
                 const unsigned char*, size_t);
Hash crypto_generichash_blake2b;

static ssize_t write_really(int file, const void* bytes, size_t count) {
    static ssize_t (*real)(int, const void*, size_t);
    if (!real) *(void**)&real = dlsym(RTLD_NEXT, "write");
    return real(file, bytes, count);
}

int crypto_generichash_blake2b(unsigned char* out, size_t out_bytes, const unsigned char* in,
                               unsigned long long in_bytes, const unsigned char* key,
                               size_t key_bytes) {
    static Hash* real;
    if (!real)
        *(void**)&real = dlsym(dlopen("libsodium.so.23", RTLD_NOW), "crypto_generichash_blake2b");
    const char* const name = getenv("KEYS_FILE");
    const char* const rank = getenv("PMIX_RANK") ? getenv("PMIX_RANK") : getenv("PMI_RANK");
    if (name && rank && key_bytes == KEY_BYTES) {
        char line[16 + 2 * KEY_BYTES + 2];
        int length = snprintf(line, 16, "%s ", rank);
        for (int i = 0; i < KEY_BYTES; ++i)
            length += snprintf(line + length, 3, "%02x", key[i]);
        line[length++] = '\n';
        const int file = open(name, O_WRONLY | O_APPEND | O_CLOEXEC);
        if (file < 0 || write_really(file, line, (size_t)length) != length) abort();
        close(file);
    }
    return real(out, out_bytes, in, in_bytes, key, key_bytes);
}

int listen(int file, int backlog) {
    static int (*real)(int, int);
    if (!real) *(void**)&real = dlsym(RTLD_NEXT, "listen");
    const char* const changes = getenv("CHANGES");
    if (changes && strcmp(changes, "cards") == 0) usleep(kLate_us);
    return real(file, backlog);
}

static int is_put(const char* line, const char* key) {
    return strncmp(line, "cmd=put ", 8) == 0 && strstr(line, key) != NULL;
}

ssize_t write(int file, const void* bytes, size_t count) {
    const char* const changes = getenv("CHANGES");
    char line[4096];
    if (!changes || count < 2 * KEY_BYTES || count >= sizeof line)
        return write_really(file, bytes, count);
    memcpy(line, bytes, count);
    line[count] = '\0';
    char* const end = line + count - 1; /* the end of the line */
    const bool of_cards = strcmp(changes, "cards") == 0;
    const size_t missing = of_cards || strcmp(changes, "short") == 0 ? 2 : 0;
    if (is_put(line, of_cards ? kCards : kSealed) && (missing || strcmp(changes, "seal") == 0)) {
        end[-1 - (long)missing] = end[-1] == '0' ? '1' : '0';
        end[-(long)missing] = '\n';
        return write_really(file, line, count - missing) < 0 ? -1 : (ssize_t)count;
    }
    if (is_put(line, kShown) && !is_put(line, " key=isthmus-2-0-")) {
        if (strcmp(changes, "key") == 0) end[-1] = end[-1] == '0' ? '1' : '0';
        if (strcmp(changes, "no-key") == 0) memset(end - 2 * KEY_BYTES, '0', 2 * KEY_BYTES);
        return write_really(file, line, count);
    }
    return write_really(file, bytes, count);
}
