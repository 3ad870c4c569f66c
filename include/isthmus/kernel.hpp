// Kernels in C++20: isthmus/kernel.h with lambdas, spans and values. Nothing but headers.
//
//   void worker(isthmus::kernel& me) {
//       std::int64_t sum = 0;
//       me.handle(5, [&](const isthmus::kernel_message& m) { sum += m.argument(0); });
//       me.barrier();
//       me.send_short({.kernel = 0, .handler = 5, .arguments = {me.id()}}).or_fail();
//       me.wait_replies(1).or_fail();
//       me.barrier();
//   }
//   int main() { return isthmus::kernels().any(worker, 4096).run(); }
//
// What each call does, and what is refused, stands with its C function.
#ifndef ISTHMUS_KERNEL_HPP
#define ISTHMUS_KERNEL_HPP

#include <isthmus/kernel.h>
#include <isthmus.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace isthmus::inline cpp {

// Where a message goes, or a get reads, and what is to run with it: a temporary, `{.kernel = 1}`.
struct kernel_call {
    int kernel;
    int handler = ISTHMUS_KERNEL_NOTHING;
    std::uint32_t token = 0;
    std::initializer_list<std::int64_t> arguments = {};
    bool async = false;

    isthmus_kernel_call native() const {
        return {kernel,
                handler,
                token,
                async ? unsigned{ISTHMUS_KERNEL_ASYNC} : 0U,
                arguments.begin(),
                arguments.size()};
    }
};

// A message as a handler or kernel::receive sees it.
class kernel_message {
  public:
    explicit kernel_message(const isthmus_kernel_message& message) : message_(&message) {}
    int source() const { return message_->source; }
    int handler() const { return message_->handler; }
    std::uint32_t token() const { return message_->token; }
    bool is_answer() const { return message_->is_answer != 0; }
    std::span<const std::int64_t> arguments() const {
        return {message_->arguments, message_->argument_count};
    }
    // 0 for one that it has not.
    std::int64_t argument(std::size_t i) const {
        return i < message_->argument_count ? message_->arguments[i] : 0;
    }
    // Ends the job if the bytes are no number of objects.
    template <movable_as_bytes T>
    requires(alignof(T) <= 16) std::span<T> payload()
    const {
        if (message_->size % sizeof(T) != 0)
            detail::give_up(
                "kernel_message::payload: a payload of %zu bytes does not consist of objects of "
                "%zu",
                message_->size, sizeof(T));
        return {static_cast<T*>(message_->payload), message_->size / sizeof(T)};
    }
    // Answers, from within the handler, once.
    status reply(int handler, std::initializer_list<std::int64_t> arguments = {}) const {
        return status(isthmus_kernel_reply(message_, handler, arguments.begin(), arguments.size(),
                                           nullptr, 0));
    }
    template <object_range R>
    status reply_with(int handler, const R& payload,
                      std::initializer_list<std::int64_t> arguments = {}) const {
        return status(isthmus_kernel_reply(message_, handler, arguments.begin(), arguments.size(),
                                           std::ranges::data(payload), detail::bytes_of(payload)));
    }
    const isthmus_kernel_message* native() const { return message_; }

  private:
    const isthmus_kernel_message* message_;
};

// What a kernel's function is given.
class kernel {
  public:
    using call = kernel_call;
    using blocks = isthmus_kernel_blocks;
    using range = isthmus_kernel_range;

    kernel() = default;
    kernel(const kernel&) = delete;
    kernel& operator=(const kernel&) = delete;

    int id() const { return isthmus_kernel_id(); }
    int count() const { return isthmus_kernel_count(); }
    // The kernel's own segment, as objects from `offset` bytes on.
    template <typename T = std::byte>
    std::span<T> segment(std::uint64_t offset = 0) const {
        const std::uint64_t bytes = segment_bytes(id());
        if (offset >= bytes) return {};
        return {reinterpret_cast<T*>(static_cast<char*>(isthmus_kernel_segment()) + offset),
                std::size_t{(bytes - offset) / sizeof(T)}};
    }
    std::uint64_t segment_bytes(int of) const { return isthmus_kernel_segment_bytes(of); }

    // `function` is called with a kernel_message, until the kernel's function returns. It must not
    // throw.
    template <typename Function>
    status handle(int handler, Function function) {
        using Holder = std::function<void(const kernel_message&)>;
        auto kept = std::make_unique<Holder>(std::move(function));
        const status registered(isthmus_kernel_register(
            handler,
            [](void* context, const isthmus_kernel_message* message) noexcept {
                (*static_cast<Holder*>(context))(kernel_message(*message));
            },
            kept.get()));
        if (registered) handlers_.push_back(std::move(kept));
        return registered;
    }

    status send_short(const call& to) { return with(to, isthmus_kernel_send_short); }
    template <object_range R>
    status send_medium(const call& to, const R& payload) {
        return with(to, isthmus_kernel_send_medium, std::ranges::data(payload),
                    detail::bytes_of(payload));
    }
    status send_medium_from(const call& to, std::uint64_t source, std::size_t size) {
        return with(to, isthmus_kernel_send_medium_from, source, size);
    }
    template <object_range R>
    status send_long(const call& to, const R& payload, std::uint64_t dest) {
        return with(to, isthmus_kernel_send_long, std::ranges::data(payload),
                    detail::bytes_of(payload), dest);
    }
    status send_long_from(const call& to, std::uint64_t source, std::size_t size,
                          std::uint64_t dest) {
        return with(to, isthmus_kernel_send_long_from, source, size, dest);
    }
    status send_strided(const call& to, const blocks& source, const blocks& dest) {
        return with(to, isthmus_kernel_send_strided, &source, &dest);
    }
    status send_vectored(const call& to, std::span<const range> source,
                         std::span<const range> dest) {
        return with(to, isthmus_kernel_send_vectored, source.data(), source.size(), dest.data(),
                    dest.size());
    }
    status get_medium(const call& from, std::uint64_t source, std::size_t size) {
        return with(from, isthmus_kernel_get_medium, source, size);
    }
    status get_long(const call& from, std::uint64_t source, std::size_t size, std::uint64_t dest) {
        return with(from, isthmus_kernel_get_long, source, size, dest);
    }
    status get_strided(const call& from, const blocks& source, const blocks& dest) {
        return with(from, isthmus_kernel_get_strided, &source, &dest);
    }
    status get_vectored(const call& from, std::span<const range> source,
                        std::span<const range> dest) {
        return with(from, isthmus_kernel_get_vectored, source.data(), source.size(), dest.data(),
                    dest.size());
    }

    std::uint64_t replies() const { return isthmus_kernel_replies(); }
    std::uint64_t arrivals() const { return isthmus_kernel_arrivals(); }
    std::int64_t counter() const { return isthmus_kernel_counter(); }
    status wait_replies(std::uint64_t count, double seconds = -1) {
        return status(isthmus_kernel_wait_replies(count, seconds));
    }
    status wait_arrivals(std::uint64_t count, double seconds = -1) {
        return status(isthmus_kernel_wait_arrivals(count, seconds));
    }
    status wait_counter(std::int64_t value, double seconds = -1) {
        return status(isthmus_kernel_wait_counter(value, seconds));
    }
    // Valid until the next call of it.
    result<kernel_message> receive(double seconds = -1) {
        const status come(isthmus_kernel_receive(&received_, seconds));
        if (!come) return come;
        return kernel_message(received_);
    }
    void barrier() { status(isthmus_kernel_barrier()).or_fail(); }
    int poll() { return isthmus_kernel_poll(); }

  private:
    template <typename Function, typename... Operands>
    static status with(const call& call, Function* function, Operands... operands) {
        const isthmus_kernel_call native = call.native();
        return status(function(&native, operands...));
    }
    std::vector<std::unique_ptr<std::function<void(const kernel_message&)>>> handlers_;
    isthmus_kernel_message received_{};
};

// The table of a program's kernels.
class kernels {
  public:
    using function = std::function<void(kernel&)>;

    // `rights`: what others may do with the segment; 0: read and write.
    kernels& add(int id, function run, std::uint64_t segment_bytes = 0, unsigned rights = 0) {
        functions_.push_back(std::move(run));
        entries_.push_back({id, call, &functions_.back(), segment_bytes, rights});
        return *this;
    }
    // Every kernel that is not added by its number.
    kernels& any(function run, std::uint64_t segment_bytes = 0, unsigned rights = 0) {
        return add(ISTHMUS_KERNEL_ANY, std::move(run), segment_bytes, rights);
    }
    // isthmus_kernel_run; ends the job with the sentence if it is refused. 0, for main.
    int run() {
        status(isthmus_kernel_run(entries_.data(), entries_.size())).or_fail();
        return 0;
    }

  private:
    static void call(int, void* context) noexcept {
        kernel self;
        (*static_cast<function*>(context))(self);
        // Others' messages may still need its handlers, which go with it.
        status(isthmus_kernel_detach()).or_fail();
    }
    std::list<function> functions_;
    std::vector<isthmus_kernel_entry> entries_;
};

}  // namespace isthmus::inline cpp

#endif
