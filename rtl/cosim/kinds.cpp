#include "cosim/gates.hpp"

namespace isthmus::rtl {

std::unique_ptr<CoreGates> make_rv64();
std::unique_ptr<CoreGates> make_rv32();
std::unique_ptr<CoreGates> make_rv64a();
std::unique_ptr<CoreGates> make_rv32plain();
std::unique_ptr<CoreGates> make_rv64posted();
std::unique_ptr<CoreGates> make_node64();
std::unique_ptr<CoreGates> make_node64posted();

namespace {

constexpr CoreKind kKinds[] = {
    {"rv64", 64, "rv64imac_zicsr_zifencei_xbgas_xbgasamo_xbgasbulk", true, "profile=b", make_rv64},
    {"rv32", 32, "rv32imac_zicsr_zifencei_xbgas_xbgasamo_xbgasbulk", true, "profile=b", make_rv32},
    // Profile A, and without the A extension.
    {"rv64a", 64, "rv64imc_zicsr_zifencei_xbgas_xbgasamo_xbgasbulk", true, "profile=a strict_e=yes",
     make_rv64a},
    {"rv32plain", 32, "rv32imc_zicsr_zifencei", false, "", make_rv32plain},
    // rv64 with remote loads and stores that overlap.
    {"rv64posted", 64, "rv64imac_zicsr_zifencei_xbgas_xbgasamo_xbgasbulk", true, "profile=b",
     make_rv64posted, 0, ISTHMUS_RTL_OUTSTANDING},
    // rv64 with its network interface, in a mesh.
    {"node64", 64, "rv64imac_zicsr_zifencei_xbgas_xbgasamo_xbgasbulk", true, "profile=b",
     make_node64, 64},
    {"node64posted", 64, "rv64imac_zicsr_zifencei_xbgas_xbgasamo_xbgasbulk", true, "profile=b",
     make_node64posted, 64, ISTHMUS_RTL_OUTSTANDING},
};

}  // namespace

const CoreKind* core_kind(const std::string& name) {
    for (const CoreKind& kind : kKinds) {
        if (name == kind.name) return &kind;
    }
    return nullptr;
}

std::string core_kinds() {
    std::string names;
    for (const CoreKind& kind : kKinds)
        names += (names.empty() ? "" : ", ") + std::string(kind.name);
    return names;
}

}  // namespace isthmus::rtl
