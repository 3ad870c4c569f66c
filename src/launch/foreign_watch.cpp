#include "launch/foreign_watch.hpp"

namespace isthmus::launch {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kFirst = 60 * kMillisecond;
constexpr std::uint64_t kEach = 250 * kMillisecond;
constexpr std::uint64_t kAgain = 20 * kMillisecond;
constexpr std::uint64_t kLast = 10'000 * kMillisecond;

}  // namespace

ForeignWatch::ForeignWatch(Numbering numbering, std::uint64_t now)
    : numbering_(numbering), next_(now + kFirst), last_(now + kLast) {}

int ForeignWatch::milliseconds_from(std::uint64_t now) const {
    if (next_ == 0) return -1;
    return next_ > now ? static_cast<int>((next_ - now) / kMillisecond) + 1 : 0;
}

std::string ForeignWatch::look(pid_t process, std::uint64_t now) {
    if (next_ == 0 || now < next_) return "";
    std::string line = warn_of_foreign_process(process, numbering_);
    if (line.empty() || !suspicious_) {
        suspicious_ = !line.empty();
        next_ = now > last_ ? 0 : now + (suspicious_ ? kAgain : kEach);
        return "";
    }
    stop();
    return line;
}

}  // namespace isthmus::launch
