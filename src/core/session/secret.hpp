// The secret that the PEs of a job of several hosts have in common.
#pragma once

#include <vector>

#include "transport/secret_box.hpp"

namespace isthmus {

// Of what this PE tells the other hosts: at the first PE of a host it draws the keys of that host,
// else, and in a job of one host, it does nothing.
class SecretExchange {
  public:
    SecretExchange();
    SecretExchange(const SecretExchange&) = delete;
    SecretExchange& operator=(const SecretExchange&) = delete;
    ~SecretExchange();

    // What all may know.
    const transport::HostKey& shown() const { return keys_.shown; }
    // Collective, once it is known what each host shows: PE 0 draws the secret, and all have it.
    transport::JobSecret agree(const std::vector<transport::HostKey>& shown) const;

  private:
    const transport::SecretBox* box_ = nullptr;
    transport::KeyPair keys_;
};

}  // namespace isthmus
