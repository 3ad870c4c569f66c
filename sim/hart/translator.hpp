// Translation of hot blocks to host code. The interpreter stays the reference and the fallback.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sim/hart/block.hpp"

namespace isthmus::sim {

class Hart;

/// An instruction carried out as the interpreter would; false if it stopped, with Hart::stop saying
/// why.
using Fallback = bool (*)(Hart*, const Insn*);

/// What translated code leaves behind for the loop.
struct TranslationExit {
    std::int64_t left = 0;         // of the budget; in and out
    Block* const* link = nullptr;  // goes_on: where the block that runs next is to be noted, if any
    const Block* block = nullptr;  // kStopped: where the instruction is
    const Insn* insn = nullptr;
};

enum class TranslationResult : std::uint64_t {
    goes_on = 0,  // Hart::pc is what to run next
    stopped = 1,  // an instruction stopped inside a block, which is not yet taken off the budget
};

using TranslatedCode = TranslationResult (*)(Hart*, TranslationExit*, const void* native);

/// Turns a block and those it leads to into one piece of host code. It counts instructions and
/// checks the budget exactly where the interpreter does, so that turning it off changes nothing but
/// speed.
class Translator {
  public:
    virtual ~Translator() = default;
    /// Gives code to `head`, which `hart` is about to run, and to what it leads to; their first
    /// instructions get `handler`. How many blocks that are.
    virtual std::size_t translate(Block& head, Hart& hart, const void* handler) = 0;
    /// What runs the code of a block; null if there can be none.
    virtual TranslatedCode entry() = 0;
    /// Drops all code. None of it may be running.
    virtual void clear() = 0;
};

/// A translator for RV64 on this host, or null if there is none. `fallbacks` is indexed by Op.
std::unique_ptr<Translator> make_translator(const Fallback* fallbacks, const BlockCache& blocks);

/// The fallbacks for RV64 without an observer.
const Fallback* rv64_fallbacks();

}  // namespace isthmus::sim
