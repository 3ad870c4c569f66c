// Hosts without a translator interpret.
#include "sim/hart/translator.hpp"

namespace isthmus::sim {

std::unique_ptr<Translator> make_translator(const Fallback*, const BlockCache&) {
    return nullptr;
}

}  // namespace isthmus::sim
