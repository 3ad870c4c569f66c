#include "transport/late/late.hpp"

namespace isthmus::transport::late {

Late::Late(std::unique_ptr<Transport> road, const Manner& manner)
    : Clock(manner), Over(std::move(road), schedule) {
    description_ = "late and out of order on purpose, seed " + std::to_string(manner.seed) +
                   ", up to " + std::to_string(manner.longest / 1000) +
                   " us, in front of: " + part_->describe();
}

std::unique_ptr<Channel> Late::open_channel() {
    return std::make_unique<Over<Channel, Channel>>(part_->open_channel(), schedule_);
}

void Late::settle() {
    schedule_.with_all([](Backlog& backlog) { backlog.release(Channel::kAll); });
    part_->settle();
}

ShortCalls Late::short_calls() const {
    ShortCalls calls;
    calls.self = static_cast<Transport*>(const_cast<Late*>(this));
    return calls;
}

}  // namespace isthmus::transport::late
