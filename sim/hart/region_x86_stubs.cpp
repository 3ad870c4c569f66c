// The code that all regions share: how they are entered and left, calls of fallbacks, look-ups of
// pages.
#include "sim/hart/region_x86.hpp"

namespace isthmus::sim::x86_64 {
namespace {

const Gp kSaved[] = {x86::rbx, x86::rbp, x86::r12, x86::r13, x86::r14, x86::r15};

void write_back(x86::Assembler& a) {
    for (const Home& home : kHomes)
        a.mov(slot(home.guest), home.host);
}

void reload(x86::Assembler& a) {
    for (const Home& home : kHomes)
        a.mov(home.host, slot(home.guest));
}

void emit_enter(x86::Assembler& a) {
    for (const Gp& r : kSaved)
        a.push(r);
    a.push(x86::rsi);  // the TranslationExit, and the stack is aligned for calls
    a.mov(kHart, x86::rdi);
    a.mov(kLeft, x86::qword_ptr(x86::rsi, offsetof(TranslationExit, left)));
    a.mov(kA, x86::rdx);
    reload(a);
    a.jmp(kA);
}

void emit_fallback(x86::Assembler& a, const Label& stopped) {
    write_back(a);
    a.push(kC);
    a.mov(x86::rdi, kHart);
    a.mov(x86::rsi, x86::ptr(kC, offsetof(FallbackCall, insn)));
    a.call(x86::qword_ptr(kC, offsetof(FallbackCall, fallback)));
    a.pop(kC);
    a.test(kA.r8(), kA.r8());
    a.jz(stopped);
    reload(a);
    a.ret();
}

// rcx is an Access and rax its address, which stays. Called in a call.
void emit_learns(x86::Assembler& a) {
    write_back(a);
    a.push(kA);
    a.sub(x86::rsp, 8);  // aligned for the call
    a.mov(x86::rdi, kHart);
    a.mov(x86::rsi, kC);
    a.mov(x86::rdx, kA);
    a.mov(kA, reinterpret_cast<std::uint64_t>(&learn));
    a.call(kA);
    a.add(x86::rsp, 8);
    a.pop(kA);
    reload(a);
    a.ret();
}

}  // namespace

void emit_page(x86::Assembler& a, unsigned size, int tlb, const Label& miss) {
    a.mov(kC.r32(), kA.r32());
    a.shr(kC.r32(), 8);  // 12 bits down, 4 up: an entry has 16 bytes
    a.and_(kC.r32(), (Tlb::kEntries - 1) << 4);
    a.and_(kA, static_cast<std::int32_t>(kPageMask | (size - 1)));
    a.cmp(kA, x86::qword_ptr(kHart, kC, 0, tlb));
    a.jne(miss);
    a.mov(kC, x86::qword_ptr(kHart, kC, 0, tlb + 8));
}

Stubs<Label> emit_stubs(x86::Assembler& a) {
    Stubs<Label> stubs;
    stubs.for_each([&](Label& label) { label = a.newLabel(); });
    const Label leave = a.newLabel(), stopped = a.newLabel(), learns = a.newLabel();
    a.bind(stubs.enter);
    emit_enter(a);
    a.bind(stubs.out);
    a.xor_(kC.r32(), kC.r32());
    a.bind(stubs.unlinked);
    write_back(a);
    a.mov(x86::qword_ptr(kHart, kPcOffset), kA);
    a.pop(x86::rsi);
    a.mov(x86::qword_ptr(x86::rsi, offsetof(TranslationExit, link)), kC);
    a.xor_(x86::eax, x86::eax);
    a.bind(leave);
    a.mov(x86::qword_ptr(x86::rsi, offsetof(TranslationExit, left)), kLeft);
    for (std::size_t k = std::size(kSaved); k-- > 0;)
        a.pop(kSaved[k]);
    a.ret();
    // A fallback stopped; rcx is its FallbackCall. The registers are written back.
    a.bind(stopped);
    a.add(x86::rsp, 8);  // where it would have gone on
    a.pop(x86::rsi);
    a.mov(kA, x86::ptr(kC, offsetof(FallbackCall, insn)));
    a.mov(x86::qword_ptr(x86::rsi, offsetof(TranslationExit, insn)), kA);
    a.mov(kA, x86::ptr(kC, offsetof(FallbackCall, block)));
    a.mov(x86::qword_ptr(x86::rsi, offsetof(TranslationExit, block)), kA);
    a.mov(x86::eax, 1);
    a.jmp(leave);
    a.bind(stubs.fallback);
    emit_fallback(a, stopped);
    for (unsigned logarithm = 0; logarithm < stubs.pages.size(); ++logarithm) {
        for (const bool writes : {false, true}) {
            const Label miss = a.newLabel(), patient = a.newLabel();
            a.bind(stubs.pages[logarithm][writes ? 1 : 0]);
            a.dec(x86::dword_ptr(kC, offsetof(Access, patience)));
            a.jnz(patient);
            a.call(learns);
            a.bind(patient);
            emit_page(a, 1u << logarithm, writes ? kStores.tlb : kLoads.tlb, miss);
            a.mov(kA, kC);
            a.clc();
            a.ret();
            a.bind(miss);
            a.stc();
            a.ret();
        }
    }
    a.bind(learns);
    emit_learns(a);
    return stubs;
}

}  // namespace isthmus::sim::x86_64
