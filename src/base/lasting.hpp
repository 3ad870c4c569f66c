// A global object that is never destroyed. The library is in use until the end of the process:
// where it was loaded by hand, its own static objects would be gone before the program's exit
// handlers and destructors, which may call it. What it owns stays reachable and goes with the
// process.
#pragma once

namespace isthmus {

template <typename T>
class Lasting {
  public:
    constexpr Lasting() : value_{} {}
    constexpr ~Lasting() {}
    Lasting(const Lasting&) = delete;
    Lasting& operator=(const Lasting&) = delete;
    constexpr T* operator->() { return &value_; }
    constexpr T& operator*() { return value_; }

  private:
    union {
        T value_;
    };
};

}  // namespace isthmus
