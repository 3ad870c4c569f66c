#include "sim/hart/commit_log.hpp"

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "sim/hart/execute.hpp"
#include "sim/isa/disassemble.hpp"

namespace isthmus::sim {

template Stop run<CommitLog>(Hart&, CommitLog&, std::int64_t);

namespace {

/// Whole lines, though others write to the same file.
class LineLock {
  public:
    explicit LineLock(std::FILE* file) : file_(file) { flockfile(file_); }
    ~LineLock() { funlockfile(file_); }
    LineLock(const LineLock&) = delete;
    LineLock& operator=(const LineLock&) = delete;

  private:
    std::FILE* file_;
};

}  // namespace

CommitLog::CommitLog(std::string path, bool readable, std::string who)
    : path_(std::move(path)),
      file_(path_ == "-" ? stderr : std::fopen(path_.c_str(), "w")),
      readable_(readable),
      who_(std::move(who)) {
    if (!file_) throw std::runtime_error(path_ + ": cannot be written: " + std::strerror(errno));
}

void CommitLog::finish() {
    errno = 0;
    if (std::fflush(file_.get()) == 0 && std::ferror(file_.get()) == 0) return;
    throw std::runtime_error(path_ + ": cannot be written: " +
                             (errno != 0 ? std::strerror(errno) : "lines are missing"));
}

void CommitLog::memory(const Hart&, std::uint64_t address, unsigned size, MemoryKind kind,
                       std::uint64_t value) {
    touches_.push_back({address, value, size, kind});
}

void CommitLog::remote(const Hart&, const RemoteRequest&) {}

bool CommitLog::retire(const Hart& hart, const RetireEvent& event) {
    std::FILE* const out = file_.get();
    const bool narrow = hart.options().xlen == Xlen::k32;
    const int digits = narrow ? 8 : 16;
    const auto cut = [&](std::uint64_t value) {
        return static_cast<unsigned long>(narrow ? value & 0xffffffff : value);
    };
    if (first_) {
        privilege_ = hart.privilege;
        first_ = false;
    }
    const LineLock lock(out);
    std::fputs(who_.c_str(), out);
    if (readable_) {
        std::fprintf(out, "core%4u: 0x%0*lx %-28s", hart.id, digits, cut(event.pc),
                     disassemble(hart.decoder(), event.raw, event.pc).c_str());
    } else {
        // The privilege the instruction ran with, not the one it switched to.
        std::fprintf(out, "core%4u: %u 0x%0*lx (0x%0*x)", hart.id,
                     static_cast<unsigned>(privilege_), digits, cut(event.pc), 2 * event.length,
                     event.raw);
    }
    privilege_ = hart.privilege;
    const OpInfo& op = info(event.op);
    switch (op.rd) {
        case RegisterFile::x:
            if (event.rd)
                std::fprintf(out, " x%-2u 0x%0*lx", event.rd, digits, cut(hart.x[event.rd]));
            break;
        case RegisterFile::f:
            std::fprintf(out, " f%-2u 0x%016lx", event.rd,
                         static_cast<unsigned long>(hart.f[event.rd]));
            break;
        case RegisterFile::e:
            if (event.rd)
                std::fprintf(out, " e%-2u 0x%0*lx", event.rd, digits, cut(hart.e[event.rd]));
            break;
        case RegisterFile::none: break;
    }
    for (const Touch& touch : touches_) {
        std::fprintf(out, " mem 0x%0*lx", digits, cut(touch.address));
        if (touch.kind != MemoryKind::load) {
            const std::uint64_t mask =
                touch.size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * touch.size) - 1;
            // An atomic has both read and written there.
            if (touch.kind == MemoryKind::atomic)
                std::fprintf(out, " mem 0x%0*lx", digits, cut(touch.address));
            std::fprintf(out, " 0x%0*lx", static_cast<int>(2 * touch.size),
                         static_cast<unsigned long>(touch.value & mask));
        }
    }
    touches_.clear();
    if (is_remote(event.klass)) {
        const RemoteRequest& request = hart.remote;
        if (request.op == event.op && request.pc == event.pc && request.name_space != 0)
            std::fprintf(out, " remote 0x%lx:0x%0*lx",
                         static_cast<unsigned long>(request.name_space), digits,
                         cut(request.address));
    }
    std::fputc('\n', out);
    return true;
}

void CommitLog::trap(const Hart& hart, std::uint64_t pc, const Trap& trap) {
    touches_.clear();
    privilege_ = Privilege::machine;
    if (readable_)
        std::fprintf(file_.get(), "%score%4u: exception %s, epc 0x%016lx, tval 0x%016lx\n",
                     who_.c_str(), hart.id, std::string(cause_name(trap.cause)).c_str(),
                     static_cast<unsigned long>(pc), static_cast<unsigned long>(trap.value));
}

}  // namespace isthmus::sim
