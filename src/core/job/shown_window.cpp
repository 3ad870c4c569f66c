#include "core/job/shown_window.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstring>

#include "base/os.hpp"
#include "core/job/fetch_watch.hpp"
#include "core/job/job.hpp"
#include "core/job/road.hpp"

namespace isthmus {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

bool is_shared = false;           // this PE's page lies in the job file
std::uint32_t program_limit = 0;  // what isthmus_window's is while it is open

char* own_page() {
    return reinterpret_cast<char*>(&window);
}
// More than its size if the variable is not there.
std::uintptr_t offset_in_page(const void* variable) {
    return reinterpret_cast<std::uintptr_t>(variable) - reinterpret_cast<std::uintptr_t>(&window);
}
bool is_whole_page() {
    return reinterpret_cast<std::uintptr_t>(&window) % kShownPageSize == 0 &&
           offset_in_page(&shown_rest) + sizeof shown_rest == kShownPageSize;
}

// Of a program that is linked statically the page is among its data, which are shared anyway.
bool share_page() {
    if (is_shared || in_static_data(&window)) return true;
    if (os::page_size() != kShownPageSize || !is_whole_page() || !job_file_is_open()) return false;
    const auto offset = static_cast<off_t>(shown_page(job.me));
    void* const place =
        mmap(nullptr, kShownPageSize, PROT_READ | PROT_WRITE, MAP_SHARED, job.file, offset);
    if (place == MAP_FAILED) return false;
    const auto copy = [place](const auto& variable) {
        const std::uintptr_t at = offset_in_page(&variable);
        if (at < kShownPageSize)
            std::memcpy(static_cast<char*>(place) + at, static_cast<const void*>(&variable),
                        sizeof variable);
    };
    copy(window);
    copy(isthmus_window);
    copy(shown_rest);
    if (mremap(place, kShownPageSize, kShownPageSize, MREMAP_MAYMOVE | MREMAP_FIXED, own_page()) ==
        MAP_FAILED) {
        munmap(place, kShownPageSize);
        return false;
    }
    return is_shared = true;
}

// Release, both: who closes writes the program's limit first, and who opens the library's, so that
// the program's does not stay closed where the library's is open, and no operation sees it.
// What is written here is read elsewhere without order, as it is by the program itself.
__attribute__((no_sanitize("thread"))) void store(std::uint32_t* limit, std::uint32_t value) {
    __atomic_store_n(limit, value, __ATOMIC_RELEASE);
}

void open_both() {
    store(&window.limit, window.open_limit);
    store(&isthmus_window.limit, program_limit);
}

// The page of another PE, while this object lives; null if it cannot be seen.
class OthersPage {
  public:
    explicit OthersPage(int pe) {
        if (!is_near(pe)) return;
        if (in_static_data(&window)) {
            page_ = translate(own_page(), pe);
        } else if (os::page_size() == kShownPageSize && job_file_is_open()) {
            void* const place = mmap(nullptr, kShownPageSize, PROT_READ | PROT_WRITE, MAP_SHARED,
                                     job.file, static_cast<off_t>(shown_page(pe)));
            is_mapped_ = place != MAP_FAILED;
            if (is_mapped_) page_ = static_cast<char*>(place);
        }
    }
    OthersPage(const OthersPage&) = delete;
    OthersPage& operator=(const OthersPage&) = delete;
    ~OthersPage() {
        if (is_mapped_) munmap(page_, kShownPageSize);
    }
    char* get() const { return page_; }

  private:
    char* page_ = nullptr;
    bool is_mapped_ = false;
};

// Where this PE's variable `mine` is to be found of the other one, which runs the same program.
template <typename T>
T* find_theirs(T* mine, int pe, char* page) {
    if (in_static_data(mine)) return translate(mine, pe);
    const std::uintptr_t at = offset_in_page(mine);
    return at < kShownPageSize ? reinterpret_cast<T*>(page + at) : nullptr;
}

}  // namespace

void show_window() {
    if (window.open_limit == 0 || job.pes == 1) return;
    const bool closes_itself = far::present;
    if (!closes_itself && !share_page()) return;
    program_limit = isthmus_window.limit;
    auto expected = WindowWatch::forbidden;
    // Release: partner is the acquire of who closes it.
    shown_rest.watch.compare_exchange_strong(expected, WindowWatch::allowed,
                                             std::memory_order_release, kRelaxed);
    if (closes_itself && expected != WindowWatch::kept)
        job.status().closes_window.store(1, kRelaxed);
}

void keep_window() {
    if (far::present) {
        hide_window();
        shown_rest.watch.store(WindowWatch::kept, kRelaxed);
        return fetch_watch::open_at_once();
    }
    constexpr std::uint64_t kPatience = 1'000'000'000;  // nanoseconds: who closes may be stopped
    const std::uint64_t begin = os::monotonic_nanoseconds();
    auto& watch = shown_rest.watch;
    auto found = watch.load(kRelaxed);
    const bool was_shown = found == WindowWatch::allowed || found == WindowWatch::closing;
    // Acquire: partner is the release of who has closed it.
    while (found == WindowWatch::closing ||
           !watch.compare_exchange_weak(found, WindowWatch::kept, std::memory_order_acquire)) {
        if (os::monotonic_nanoseconds() - begin > kPatience) {
            watch.store(WindowWatch::kept, kRelaxed);
            break;
        }
        os::sleep_nanoseconds(100'000);
        found = watch.load(kRelaxed);
    }
    if (was_shown) open_both();
}

void hide_window() {
    shown_rest.watch.store(WindowWatch::forbidden, kRelaxed);
    job.status().closes_window.store(0, kRelaxed);
}

bool close_own_window() {
    if (shown_rest.watch.load(kRelaxed) != WindowWatch::allowed) return false;
    store(&isthmus_window.limit, 0);
    store(&window.limit, 0);
    return true;
}

void open_own_window() {
    open_both();
}

void open_shown_window() {
    if (far::present) return fetch_watch::open_again();
    if (window.limit == window.open_limit || fetch_watch::is_on()) return;
    const auto watch = shown_rest.watch.load(kRelaxed);
    if (watch == WindowWatch::allowed || watch == WindowWatch::closing) open_both();
}

void unshare_shown_page(void (*make_private)(const Range& range, std::uint64_t offset)) {
    if (is_shared)
        make_private({reinterpret_cast<std::uintptr_t>(own_page()), kShownPageSize},
                     shown_page(job.me));
    is_shared = false;
    shown_rest.watch.store(WindowWatch::forbidden, kRelaxed);
}

bool close_window_of(int pe) {
    const OthersPage page(pe);
    if (!page.get()) return false;
    std::atomic<WindowWatch>& watch = find_theirs(&shown_rest, pe, page.get())->watch;
    auto expected = WindowWatch::allowed;
    // Acquire: partner is the release in show_window. Another one that closes it does so for all.
    if (!watch.compare_exchange_strong(expected, WindowWatch::closing, std::memory_order_acquire))
        return expected == WindowWatch::closing;
    if (std::uint32_t* const limit = find_theirs(&isthmus_window.limit, pe, page.get()))
        store(limit, 0);
    store(find_theirs(&window.limit, pe, page.get()), 0);
    expected = WindowWatch::closing;  // unless the PE has given up waiting for this
    watch.compare_exchange_strong(expected, WindowWatch::allowed, std::memory_order_release,
                                  kRelaxed);
    return true;
}

}  // namespace isthmus
