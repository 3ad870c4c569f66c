#include "transport/service/sealed_secret.hpp"

#include <sodium.h>

namespace isthmus::transport::service {

static_assert(sizeof(HostKey) == crypto_box_PUBLICKEYBYTES);
static_assert(sizeof(HostKey) == crypto_box_SECRETKEYBYTES);
static_assert(sizeof(SealedSecret) == crypto_box_SEALBYTES + sizeof(JobSecret));

bool draw_host_keys(KeyPair& pair) {
    return sodium_init() >= 0 && crypto_box_keypair(pair.shown.data(), pair.kept.data()) == 0;
}

// A key with which all seals would be alike, such as zeros, is refused by the library.
bool seal_secret(const JobSecret& secret, const HostKey& shown, SealedSecret& sealed) {
    SealedSecret made;
    if (sodium_init() < 0 ||
        crypto_box_seal(made.data(), secret.data(), secret.size(), shown.data()) != 0)
        return false;
    sealed = made;
    return true;
}

bool open_secret(const void* sealed, std::size_t bytes, const KeyPair& pair, JobSecret& secret) {
    JobSecret opened;
    if (bytes != sizeof(SealedSecret) || sodium_init() < 0 ||
        crypto_box_seal_open(opened.data(), static_cast<const unsigned char*>(sealed), bytes,
                             pair.shown.data(), pair.kept.data()) != 0)
        return false;
    secret = opened;
    sodium_memzero(opened.data(), opened.size());
    return true;
}

}  // namespace isthmus::transport::service
