#include "launch/output.hpp"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace isthmus::launch {

void OutputQueue::append(std::string_view text) {
    if (!broken()) pending_ += text;
}

void OutputQueue::write_some() {
    while (!empty()) {
        pollfd ready{file_, POLLOUT, 0};
        if (poll(&ready, 1, 0) <= 0 || (ready.revents & (POLLOUT | POLLERR | POLLNVAL)) == 0)
            return;
        // A pipe that is ready for output takes PIPE_BUF bytes without blocking.
        const std::size_t length = std::min<std::size_t>(pending_.size() - written_, PIPE_BUF);
        const ssize_t count = write(file_, pending_.data() + written_, length);
        if (count < 0) {
            if (errno == EINTR) continue;
            if (errno == EAGAIN) return;
            failure_ = errno;
            pending_.clear();
            written_ = 0;
            return;
        }
        written_ += static_cast<std::size_t>(count);
        if (written_ == pending_.size()) {
            pending_.clear();
            written_ = 0;
        } else if (written_ > (std::size_t{1} << 20)) {
            pending_.erase(0, written_);
            written_ = 0;
        }
    }
}

void LineCutter::feed(std::string_view bytes, OutputQueue& queue) {
    while (!bytes.empty()) {
        if (after_return_ && bytes[0] == '\n') {  // \r\n is one end
            queue.append("\n");
            bytes.remove_prefix(1);
            after_return_ = false;
            continue;
        }
        after_return_ = false;
        const auto end = bytes.find_first_of("\n\r");
        const bool complete = end != std::string_view::npos;
        partial_ += bytes.substr(0, complete ? end + 1 : end);
        bytes.remove_prefix(complete ? end + 1 : bytes.size());
        if (!complete && partial_.size() < kLongest) return;
        if (!within_line_) queue.append(prefix_);
        queue.append(partial_);
        within_line_ = !complete;
        after_return_ = complete && partial_.back() == '\r';
        partial_.clear();
    }
}

void LineCutter::finish(OutputQueue& queue) {
    if (partial_.empty() && !within_line_) return;
    if (!within_line_) queue.append(prefix_);
    queue.append(partial_ + "\n");
    partial_.clear();
    within_line_ = false;
}

}  // namespace isthmus::launch
