// The packets of GDB's remote serial protocol: framing, checksums, acknowledgements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace isthmus::sim {

inline constexpr std::size_t kMaxGdbPacket = 1 << 20;

/// One debugger on localhost.
class GdbConnection {
  public:
    GdbConnection() = default;
    ~GdbConnection();
    GdbConnection(const GdbConnection&) = delete;
    GdbConnection& operator=(const GdbConnection&) = delete;

    /// Listens on localhost; port 0 takes a free one. Returns the port. Throws std::runtime_error.
    int listen(int port);
    /// Waits for the debugger. Throws std::runtime_error.
    void accept();
    /// Without a connection nothing is sent and nobody interrupts.
    bool is_open() const { return socket_ >= 0; }
    /// The next whole packet with the right sum; false when the connection is over.
    bool receive(std::string& packet);
    bool send(const std::string& packet);
    /// Ctrl-C of the debugger, or its end.
    bool interrupted();
    /// From now on packets are neither acknowledged nor repeated.
    void stop_acknowledging() { acknowledge_ = false; }

  private:
    int listener_ = -1, socket_ = -1;
    bool acknowledge_ = true;
    std::string input_;
};

/// Hexadecimal digits, all of them; false if there is anything else.
bool parse_hex(std::string_view text, std::uint64_t& value);

}  // namespace isthmus::sim
