// What comes through a process manager in place of a sealed secret, or of the key to seal it with:
// nothing opens but what PE 0 has sealed, and nothing is sealed that its host cannot open.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "transport/service/sealed_secret.hpp"

using namespace isthmus::transport;
using namespace isthmus::transport::service;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const KeyPair pair = [] {
        KeyPair drawn;
        if (!draw_host_keys(drawn)) std::abort();
        return drawn;
    }();
    static const JobSecret secret{1, 2, 3};
    // Of its own, so that a sanitizer sees a byte too many.
    const std::vector<unsigned char> came(data, data + size);
    JobSecret opened{};
    if (open_secret(came.data(), came.size(), pair, opened) || opened != JobSecret{}) std::abort();

    // The bytes are laid over a right one, from somewhere on.
    SealedSecret right;
    if (!seal_secret(secret, pair.shown, right)) std::abort();
    SealedSecret changed = right;
    const std::size_t from = size == 0 ? 0 : data[0] % changed.size();
    const std::size_t count = std::min(size, changed.size() - from);
    if (count != 0) std::memcpy(changed.data() + from, data, count);
    const bool is_open = open_secret(changed.data(), changed.size(), pair, opened);
    if (is_open != (changed == right) || opened != (is_open ? secret : JobSecret{})) std::abort();

    HostKey shown = pair.shown;
    if (size != 0) std::memcpy(shown.data(), data, std::min(size, shown.size()));
    SealedSecret sealed{};
    if (!seal_secret(secret, shown, sealed)) return 0;
    opened = {};
    const bool is_same = shown == pair.shown;
    if (is_same != open_secret(sealed.data(), sealed.size(), pair, opened)) std::abort();
    return 0;
}
