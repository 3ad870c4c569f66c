#include "core/session/arenas.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/settings.hpp"
#include "core/job/arena_layout.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/job/road.hpp"
#include "core/job/window.hpp"
#include "core/segments/arena.hpp"
#include "core/session/gather.hpp"
#include "core/session/roads.hpp"
#include "core/session/start_barrier.hpp"
#include "core/session/start_watch.hpp"
#include "core/teams/collective.hpp"

namespace isthmus {
namespace {

std::uint64_t wanted_size() {
    const std::uint64_t room = arena_room();
    const std::uint64_t largest = room - arena_table_size(room);
    std::uint64_t wanted = os::page_up(size(Setting::arena_size, os::memory_size()));
    if (value(Setting::arena_size).origin == SettingOrigin::standard) {
        // Nobody asked: as much as fits, an eighth of a limited address space for all PEs' arenas.
        const std::uint64_t share =
            os::address_space_limit() / 8 / static_cast<std::uint64_t>(job.pes);
        wanted = std::min({wanted, os::page_down(share),
                           os::under_valgrind() ? std::uint64_t{256} << 20 : largest});
    }
    return std::clamp(wanted, std::uint64_t{os::page_size()}, largest);
}

void map_or_fail(int pe, std::uint64_t arena) {
    const std::uint64_t length = arena_mapping_size(arena);
    char* const place = translate(reinterpret_cast<char*>(arena_base()), pe);
    const std::uint64_t offset = region(pe) + (arena_base() - heap_base());
    if (os::map_shared(place, length, memory_file(pe), offset, false)) return;
    fail("isthmus_init", "cannot map the arena of PE " + std::to_string(pe) + " (" +
                             format_size(length) + "): " + std::strerror(errno) +
                             "; lower ISTHMUS_ARENA_SIZE or raise the limit of address space "
                             "(ulimit -v)");
}

// The PEs of other hosts have other headers: what this one must know of theirs is filled in.
void fill_in_far_sizes() {
    const std::uint64_t mine = job.arena.size;
    std::vector<std::uint64_t> sizes(static_cast<std::size_t>(job.pes));
    gather(&mine, sizeof mine, sizes.data());
    for (int pe = 0; pe < job.pes; ++pe) {
        if (!job.host.test(static_cast<std::size_t>(pe)))
            job.header->pe[pe].arena_size.store(sizes[static_cast<std::size_t>(pe)],
                                                std::memory_order_relaxed);
    }
}

}  // namespace

void open_arenas() {
    if (job.arena.size == 0) {
        const std::uint64_t length = wanted_size();
        job.status().arena_size.store(length, std::memory_order_relaxed);
        // What others ask of each other is answered before anybody stops in the process manager;
        // and this one names who has left, which the next does not.
        barrier_world();
        // Which lets all wait for ever for one that does not go on.
        std::optional<StartWatch> watch;
        if (far::present && job.managed)
            watch.emplace(job.me, StartWatch::Phase::sharing,
                          routine_name(job.status().routine.load(std::memory_order_relaxed)));
        start_barrier();
        require_job_file("isthmus_init");
        for (int pe = 0; pe < job.pes; ++pe) {
            if (is_near(pe))
                map_or_fail(pe, job.header->pe[pe].arena_size.load(std::memory_order_relaxed));
        }
        job.arena = {arena_base(), length};
        if (far::present) {
            fill_in_far_sizes();
            publish_arena();
        }
    }
    begin_arena();
}

}  // namespace isthmus
