// The calls of transport/secret_box.hpp, by libsodium: X25519 and XSalsa20-Poly1305.
#pragma once

#include <cstddef>

#include "transport/secret_box.hpp"

namespace isthmus::transport::service {

bool draw_host_keys(KeyPair& pair);
bool seal_secret(const JobSecret& secret, const HostKey& shown, SealedSecret& sealed);
bool open_secret(const void* sealed, std::size_t bytes, const KeyPair& pair, JobSecret& secret);

}  // namespace isthmus::transport::service

// In the file that makes a road's module.
#define ISTHMUS_GIVE_SECRET_BOX                                                                \
    extern "C" __attribute__((visibility("default")))                                          \
    const isthmus::transport::SecretBox isthmus_secret_box;                                    \
    __attribute__((used)) const isthmus::transport::SecretBox isthmus_secret_box{              \
        isthmus::transport::service::draw_host_keys, isthmus::transport::service::seal_secret, \
        isthmus::transport::service::open_secret};
