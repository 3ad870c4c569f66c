// The exchanges at start-up, before there is a road.
#pragma once

#include <cstddef>
#include <functional>

#include "core/job/exchange.hpp"

namespace isthmus {

// Collective over the job, at set-up, once it is known who is on which host: everyone's bytes at
// everyone, by PE; and those of each host's first PE, by host_number().
void gather(const void* mine, std::size_t bytes, void* all);
void gather_of_hosts(const void* mine, std::size_t bytes, void* all);
// Likewise: what PE 0 has there, at the first PE of every other host; and what the first PE of a
// host has, at all PEs of that one.
void send_to_hosts(void* data, std::size_t bytes);
void share_on_host(void* data, std::size_t bytes);
// What was exchanged in this way, secrets and keys among it, is in no file any more. Behind it, and
// before the next exchange, all meet.
void forget_exchanges();
// Before that: by the process manager alone, for few bytes, by rank. `all_have_come`: called once
// it is known that all PEs do this.
void gather_by_groups(Exchange& exchange, const void* mine, std::size_t bytes, void* all,
                      const std::function<void()>& all_have_come);

}  // namespace isthmus
