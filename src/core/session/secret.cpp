#include "core/session/secret.hpp"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <string>

#include "base/error.hpp"
#include "base/os.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/session/credentials.hpp"
#include "core/session/gather.hpp"
#include "core/session/kept_signals.hpp"
#include "core/session/road_choice.hpp"
#include "core/session/roads.hpp"

namespace isthmus {
namespace {

using transport::HostKey;
using transport::JobSecret;
using transport::SealedSecret;
using transport::SecretBox;

// Which road the job takes is not known yet. Any of the library's own will do; libfabric, which
// brings most along, last.
const SecretBox* find_box() {
    const std::array<std::string, 3> roads{"packet", "loop", "ofi"};
    std::string found = roads.front();
    for (const std::string& road : roads) {
        if (access(road_module(road).c_str(), R_OK) != 0) continue;
        found = road;
        break;
    }
    const KeptSignals kept;
    const auto* const box =
        static_cast<const SecretBox*>(dlsym(load_road(found), transport::kSecretBoxSymbol));
    if (!box) fail("shmem_init", road_module(found) + " is no transport of this library");
    return box;
}

[[noreturn]] void fail_for_random() {
    fail("shmem_init", without_random_numbers());
}

// At PE 0, for each host but its own.
std::vector<SealedSecret> seal(const SecretBox& box, const JobSecret& secret,
                               const std::vector<HostKey>& shown) {
    std::vector<SealedSecret> sealed(shown.size() - 1);
    for (std::size_t host = 1; host < shown.size(); ++host) {
        if (!box.seal(secret, shown[host], sealed[host - 1]))
            fail("shmem_init",
                 "what host " + host_of(first_pes()[host]) +
                     " shows through the process manager is no key to seal the job's secret with; "
                     "it was changed on its way");
    }
    return sealed;
}

}  // namespace

SecretExchange::SecretExchange() {
    if (first_pes().size() < 2 || header_owner() != job.me) return;
    box_ = find_box();
    if (!box_->draw(keys_)) fail_for_random();
}

SecretExchange::~SecretExchange() {
    explicit_bzero(keys_.kept.data(), keys_.kept.size());
}

JobSecret SecretExchange::agree(const std::vector<HostKey>& shown) const {
    JobSecret secret{};
    if (job.me == 0 && !os::fill_with_random(secret.data(), secret.size())) fail_for_random();
    if (shown.size() > 1) {
        std::vector<SealedSecret> sealed(shown.size() - 1);
        if (job.me == 0) sealed = seal(*box_, secret, shown);
        send_to_hosts(sealed.data(), sealed.size() * sizeof(SealedSecret));
        const auto host = static_cast<std::size_t>(host_number(job.me));
        if (box_ && job.me != 0 &&
            !box_->open(sealed[host - 1].data(), sizeof(SealedSecret), keys_, secret))
            fail("shmem_init",
                 "the job's secret, which PE 0 has sealed for this host, cannot be opened; it, or "
                 "the key that it was sealed with, was changed on its way through the process "
                 "manager");
    }
    share_on_host(&secret, sizeof secret);
    return secret;
}

}  // namespace isthmus
