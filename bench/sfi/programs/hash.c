/* What hashing a block takes as packets do it: by records of 32 KiB
 * (src/transport/packet/record.hpp). */
#define _GNU_SOURCE
#include <sodium.h>

#include "times.h"

enum { kRecord = 32 << 10 };
static unsigned char block[1 << 20];
static unsigned char hash[16];
static crypto_aead_aes256gcm_state state;
static unsigned char key[32];

static void hash_all(size_t bytes, int with_aes) {
    const unsigned char nonce[12] = {0};
    for (size_t at = 0; at != bytes; at += kRecord) {
        if (with_aes)
            crypto_aead_aes256gcm_encrypt_detached_afternm(hash, hash, NULL, NULL, 0, block + at,
                                                           kRecord, NULL, nonce, &state);
        else
            crypto_aead_chacha20poly1305_ietf_encrypt_detached(
                hash, hash, NULL, NULL, 0, block + at, kRecord, NULL, nonce, key);
    }
}

int main(void) {
    if (sodium_init() < 0) return 1;
    const int with_aes = crypto_aead_aes256gcm_is_available();
    if (with_aes) crypto_aead_aes256gcm_beforenm(&state, key);
    memset(block, 1, sizeof block);
    TIMED("hash_64k", 16, hash_all(65536, with_aes), (void)0);
    TIMED("hash_1m", 4, hash_all(1 << 20, with_aes), (void)0);
    return 0;
}
