#include "core/reach/channel.hpp"

#include <mutex>

namespace isthmus::far {
namespace {

// All that there are. Neither is destroyed at exit.
constinit std::mutex guard;
constinit OwnChannel* first = nullptr;

}  // namespace

OwnChannel::OwnChannel() {
    if (!road) return;
    const OnRoad on_road;
    channel_ = road->open_channel();
    written_ = channel_->written();
    const std::lock_guard lock(guard);
    next_ = first;
    if (first) first->before_ = this;
    first = this;
}

void OwnChannel::close() {
    const OnRoad on_road;
    const std::lock_guard lock(guard);
    if (!channel_) return;
    written_ = nullptr;
    channel_.reset();
    (before_ ? before_->next_ : first) = next_;
    if (next_) next_->before_ = before_;
}

void quiet_all() {
    if (!road) return;
    const OnRoad on_road("a quiet");
    road->quiet();
    const std::lock_guard lock(guard);
    for (OwnChannel* channel = first; channel; channel = channel->next_)
        channel->channel_->quiet();
}

void close_channels() {
    const std::lock_guard lock(guard);
    for (; first; first = first->next_) {
        first->written_ = nullptr;
        first->channel_.reset();
    }
}

void abandon_channels() {
    for (; first; first = first->next_) {
        first->written_ = nullptr;
        static_cast<void>(first->channel_.release());
    }
}

}  // namespace isthmus::far
