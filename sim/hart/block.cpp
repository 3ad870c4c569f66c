#include "sim/hart/block.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/hart/address_space.hpp"
#include "sim/hart/hart.hpp"

namespace isthmus::sim {

void BlockCache::flush() {
    std::fill(recent_.begin(), recent_.end(), nullptr);
    const Space now = current_->key;
    spaces_.clear();
    add_space(now);
    insn_chunks_.clear();
    meta_chunks_.clear();
    chunk_used_ = kChunk;
    ++generation_;
}

void BlockCache::forget(std::uint64_t pc) {
    Block*& slot = recent_[(pc >> 1) % kRecent];
    if (slot && slot->pc == pc) slot = nullptr;
    for (const auto& space : spaces_)
        space->blocks.erase(pc);
}

void BlockCache::add_space(const Space& key) {
    spaces_.push_back(std::make_unique<Contents>());
    current_ = spaces_.back().get();
    current_->key = key;
    current_->number = next_space_++;
}

bool BlockCache::set_space(const Space& space, FetchMap& map) {
    map_ = space.table == 0 ? nullptr : &map;
    if (current_->key == space) return current_->suspect;
    const auto found = std::ranges::find_if(
        spaces_, [&](const std::unique_ptr<Contents>& one) { return one->key == space; });
    if (found != spaces_.end()) {
        current_ = found->get();
    } else {
        add_space(space);
        // Too many: all go, as soon as none of their blocks runs.
        if (spaces_.size() > kMaxSpaces) current_->suspect = true;
    }
    return current_->suspect;
}

void BlockCache::suspect_spaces() {
    for (const auto& space : spaces_)
        space->suspect = space->key.table != 0;
}

void BlockCache::recheck() {
    if (!std::exchange(current_->suspect, false)) return;
    const bool stands = std::ranges::all_of(current_->pages, [&](const auto& page) {
        return map_->still_leads_to(page.first, page.second);
    });
    if (!stands || spaces_.size() > kMaxSpaces) flush();
}

bool BlockCache::physical_of(std::uint64_t address, std::uint64_t& physical) {
    physical = address;
    translation_failed_ = false;
    if (map_ == nullptr) return true;
    const std::uint64_t page = address & kPageMask;
    auto known = current_->pages.find(page);
    if (known == current_->pages.end()) {
        std::uint64_t start = 0;
        if (!map_->to_physical(page, start)) {
            translation_failed_ = true;
            return false;
        }
        known = current_->pages.emplace(page, start).first;
    }
    physical = known->second + (address - page);
    return true;
}

Block* BlockCache::lookup_slow(std::uint64_t pc, const Decoder& decoder, AddressSpace& memory,
                               bool fp_enabled, std::uint64_t& fault) {
    Block* block;
    if (const auto found = current_->blocks.find(pc); found != current_->blocks.end()) {
        block = found->second.get();
    } else {
        block = build(pc, decoder, memory, fp_enabled, fault);
        if (!block) return nullptr;
    }
    recent_[(pc >> 1) % kRecent] = block;
    return block;
}

// A block ends with a control transfer, at the limit, at the end of its page (so that one page's
// rights decide over all of it; only the first instruction may straddle), before a breakpoint, and
// before anything that cannot be fetched.
Block* BlockCache::build(std::uint64_t pc, const Decoder& decoder, AddressSpace& memory,
                         bool fp_enabled, std::uint64_t& fault) {
    std::array<Insn, kMaxInstructions + 1> insns;
    std::array<InsnMeta, kMaxInstructions + 1> meta;
    std::size_t count = 0;
    std::uint64_t at = pc, taken_pc = 0;
    const auto emit = [&](std::size_t handler, const Decoded& d, std::uint32_t raw, Op op) {
        insns[count] = Insn{handlers_.labels[handler], d.imm, d.rd, d.rs1, d.rs2, d.rs3};
        InsnMeta& m = meta[count];
        m = InsnMeta{};
        m.raw = raw;
        m.op = op;
        m.offset = static_cast<std::uint16_t>(at - pc);
        m.length = static_cast<std::uint8_t>(instruction_length(raw));
        if (op != Op::kCount) {
            const OpInfo& about = info(op);
            m.klass = about.klass;
            m.rd = d.rd == Hart::kDiscard ? FlatRegister{0} : flat_register(about.rd, d.rd);
            m.rs1 = flat_register(about.rs1, d.rs1);
            m.rs2 = flat_register(about.rs2, d.rs2);
            m.rs3 = flat_register(about.rs3, d.rs3);
        }
        ++count;
    };
    bool ended = false;
    while (!ended) {
        if (count == limit_ || (count != 0 && (at & kPageMask) != (pc & kPageMask))) break;
        if (!breakpoints_.empty() && breakpoints_.count(at)) {
            if (count != 0) break;
            emit(HandlerTable::kBreakpoint, {}, 0, Op::kCount);
            break;
        }
        std::uint16_t low = 0, high = 0;
        std::uint64_t physical = 0;
        if (!physical_of(at, physical) || !memory.read(physical, &low, 2, kExecute)) {
            if (count != 0) break;
            fault = at;
            return nullptr;
        }
        std::uint32_t word = low;
        if (instruction_length(low) == 4) {
            const bool straddles = ((at + 2) & kPageMask) != (at & kPageMask);
            if (straddles && count != 0) break;
            if (!physical_of(at + 2, physical) || !memory.read(physical, &high, 2, kExecute)) {
                if (count != 0) break;
                fault = at + 2;
                return nullptr;
            }
            if (straddles) memory.mark_code(physical);
            word |= std::uint32_t{high} << 16;
        }
        Decoded d;
        if (!decoder.decode(word, d) || (is_floating_point(info(d.op).klass) && !fp_enabled)) {
            emit(HandlerTable::kIllegal, {}, word, Op::kCount);
            break;
        }
        const OpInfo& op = info(d.op);
        // Their register fields are reserved and name nothing.
        if (d.op == Op::fence || d.op == Op::fence_i) d.rd = d.rs1 = 0;
        if (d.rd == 0 && (op.rd == RegisterFile::x || op.rd == RegisterFile::e))
            d.rd = Hart::kDiscard;
        if (d.op == Op::auipc) {
            const auto offset = static_cast<std::uint32_t>(at - pc);
            d.rs2 = static_cast<std::uint8_t>(offset);
            d.rs3 = static_cast<std::uint8_t>(offset >> 8);
        }
        if (op.klass == InstructionClass::branch || op.klass == InstructionClass::jump) {
            taken_pc = at + static_cast<std::uint64_t>(static_cast<std::int64_t>(d.imm));
            if (decoder.xlen() == Xlen::k32) taken_pc = static_cast<std::uint32_t>(taken_pc);
        }
        emit(static_cast<std::size_t>(d.op), d, word, d.op);
        at += d.size;
        ended = ends_block(op.klass);
    }
    const auto real = static_cast<std::uint32_t>(count);
    if (!ended) emit(HandlerTable::kEndOfBlock, {}, 0, Op::kCount);
    if (std::uint64_t physical = 0; physical_of(pc, physical)) memory.mark_code(physical);

    if (chunk_used_ + count > kChunk) {
        insn_chunks_.push_back(std::make_unique<Insn[]>(kChunk));
        meta_chunks_.push_back(std::make_unique<InsnMeta[]>(kChunk));
        chunk_used_ = 0;
    }
    Insn* const insn_home = insn_chunks_.back().get() + chunk_used_;
    InsnMeta* const meta_home = meta_chunks_.back().get() + chunk_used_;
    chunk_used_ += count;
    std::copy_n(insns.begin(), count, insn_home);
    std::copy_n(meta.begin(), count, meta_home);
    auto block = std::make_unique<Block>(Block{pc, real, static_cast<std::uint32_t>(at - pc),
                                               insn_home, meta_home, taken_pc, nullptr, nullptr, 1,
                                               nullptr, 0, nullptr, current_->number});
    decoded_ += real;
    return (current_->blocks[pc] = std::move(block)).get();
}

}  // namespace isthmus::sim
