// What the launcher hands to a PE comes from the environment, where anybody may have written.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "bootstrap/bootstrap.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    isthmus::LocalBootstrap bootstrap;
    if (!isthmus::parse_bootstrap(text, bootstrap)) return 0;
    if (bootstrap.file < 0 || bootstrap.me < 0 || bootstrap.me >= bootstrap.pes ||
        bootstrap.pes > isthmus::kMaxPes)
        std::abort();
    // What was accepted is what would be written.
    if (isthmus::bootstrap_text(bootstrap) != text) std::abort();
    return 0;
}
