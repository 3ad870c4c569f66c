#include "launch/remote/frame.hpp"

#include <algorithm>
#include <cstring>

namespace isthmus::launch {
namespace {

struct Head {
    std::uint32_t length;  // of the bytes behind it
    std::int32_t pe;
    std::uint8_t kind;
};
constexpr std::size_t kHead = 9;
constexpr std::string_view kGreeting = "ISTHMUS AGENT ";
// What start-up files may say before it.
constexpr std::size_t kMostNoise = std::size_t{1} << 16;

}  // namespace

std::string frame_text(FrameKind kind, std::int32_t pe, std::string_view bytes) {
    const auto length = static_cast<std::uint32_t>(bytes.size());
    std::string text(kHead, '\0');
    std::memcpy(text.data(), &length, 4);
    std::memcpy(text.data() + 4, &pe, 4);
    text[8] = static_cast<char>(kind);
    return text.append(bytes);
}

std::string number_bytes(std::int32_t number) {
    std::string bytes(sizeof number, '\0');
    std::memcpy(bytes.data(), &number, sizeof number);
    return bytes;
}

bool read_number(std::string_view bytes, std::int32_t& number) {
    if (bytes.size() != sizeof number) return false;
    std::memcpy(&number, bytes.data(), sizeof number);
    return true;
}

bool FrameReader::next(Frame& frame) {
    if (damaged_ || waiting_.size() - taken_ < kHead) return false;
    Head head{};
    std::memcpy(&head.length, waiting_.data() + taken_, 4);
    std::memcpy(&head.pe, waiting_.data() + taken_ + 4, 4);
    head.kind = static_cast<std::uint8_t>(waiting_[taken_ + 8]);
    if (head.length > kLongestFrame || head.kind > static_cast<std::uint8_t>(kLastFrameKind)) {
        damaged_ = true;
        return false;
    }
    if (waiting_.size() - taken_ - kHead < head.length) {
        waiting_.erase(0, taken_);
        taken_ = 0;
        return false;
    }
    frame.kind = static_cast<FrameKind>(head.kind);
    frame.pe = head.pe;
    frame.bytes.assign(waiting_, taken_ + kHead, head.length);
    taken_ += kHead + head.length;
    return true;
}

std::string greeting() {
    return std::string("\n") + std::string(kGreeting) + ISTHMUS_VERSION + "\n";
}

int take_greeting(std::string& stream, std::string& heard) {
    const auto at = stream.find(std::string("\n") + std::string(kGreeting));
    if (std::min(at, stream.size()) > kMostNoise) {
        heard = stream.substr(0, 200);
        return -1;
    }
    const auto end = at == std::string::npos ? at : stream.find('\n', at + 1);
    if (end == std::string::npos) return 0;
    heard = stream.substr(at + 1 + kGreeting.size(), end - at - 1 - kGreeting.size());
    if (heard != ISTHMUS_VERSION) return -1;
    stream.erase(0, end + 1);
    return 1;
}

}  // namespace isthmus::launch
