// Transfers of one far PE's memory that is apart there: rows of shapes, strided elements, lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "core/reach/far.hpp"
#include "core/wait/event.hpp"
#include "core/wait/flight.hpp"
#include "transport/transport.hpp"

namespace isthmus {

// Puts to places of one PE, gathered: short ones share a request, with which the target's progress
// thread does them.
class ScatteredPut {
  public:
    ScatteredPut(int pe, const char* routine, far::Channel* on = far::road)
        : pe_(pe), routine_(routine), on_(on) {}
    ScatteredPut(const ScatteredPut&) = delete;
    ScatteredPut& operator=(const ScatteredPut&) = delete;
    ~ScatteredPut() { send(); }
    // `dest` as an address of this PE.
    void add(char* dest, const void* source, std::uint64_t bytes);

  private:
    void send();
    int pe_;
    const char* routine_;
    far::Channel* on_;
    std::size_t used_ = 0;
    alignas(8) char request_[transport::kRequestBytes];
};

// Reads from places of one PE, all under way at once.
class ScatteredGet {
  public:
    // Waits for them when it goes; or, with an event, writes that.
    ScatteredGet(int pe, Event* event, const char* routine);
    ScatteredGet(const ScatteredGet&) = delete;
    ScatteredGet& operator=(const ScatteredGet&) = delete;
    ~ScatteredGet();
    void add(void* dest, const char* source, std::uint64_t bytes);
    // What is to be done before the event becomes true, which there must be.
    void keep(std::unique_ptr<Delivery> delivery) { flight_->keep(std::move(delivery)); }

  private:
    int pe_;
    const char* routine_;
    far::Pending pending_;
    std::optional<Flight> flight_;
};

}  // namespace isthmus
