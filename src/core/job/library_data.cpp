#include "core/job/library_data.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/lasting.hpp"
#include "base/os.hpp"
#include "core/job/loaded_object.hpp"
#include "core/job/room_above.hpp"
#include "core/job/window.hpp"

namespace isthmus {
namespace {

constexpr const char* kLate = "the library was loaded when the program already ran";
constexpr const char* kSystem = "it is a library of the system";
constexpr const char* kWritten = "the library writes to its own code";
constexpr const char* kNotMoved = "the system would not make them shared memory";
constexpr const char* kNoRoom = "the window has no room for those of the other PEs";
constexpr const char* kElsewhere = "another PE cannot make them symmetric";

struct Library {
    LoadedObject object;
    std::string name;
    const char* why_private = "";
};
struct Libraries {
    int slots = 1;
    std::vector<Library> all;         // by number in job.libraries
    std::vector<std::string> system;  // names
};
Lasting<Libraries> lasting_libraries;
constinit Libraries& found = *lasting_libraries;

std::string_view base_name(std::string_view path) {
    const auto slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Run-time libraries of compilers and of communication, wherever they are installed, and ours.
bool is_system(std::string_view path) {
    for (const std::string_view folder : {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"}) {
        if (path.starts_with(folder)) return true;
    }
    constexpr std::string_view kNames[] = {"ld-",         "libc.so",     "libm.so",
                                           "libdl.so",    "librt.so",    "libpthread.so",
                                           "libgcc_s.",   "libstdc++",   "libc++",
                                           "libgfortran", "libquadmath", "libgomp",
                                           "libomp",      "libatomic",   "libasan",
                                           "libtsan",     "libubsan",    "liblsan",
                                           "libclang_rt", "libisthmus",  "libgasnet-isthmus",
                                           "libmpi",      "libopen-",    "libpmi",
                                           "libprrte",    "libfabric",   "libuc",
                                           "libvg",       "vgpreload",   "linux-vdso"};
    const std::string_view name = base_name(path);
    return name.empty() || std::any_of(std::begin(kNames), std::end(kNames),
                                       [&](std::string_view one) { return name.starts_with(one); });
}

// Whether this library came with the program, and not by dlopen while it ran: then a list of what
// each object needs leads from the program to here.
bool came_with_program() {
    Dl_info own{};
    link_map* own_map = nullptr;
    if (dladdr1(reinterpret_cast<const void*>(&came_with_program), &own,
                reinterpret_cast<void**>(&own_map), RTLD_DL_LINKMAP) == 0 ||
        !own_map)
        return false;
    const link_map* first = own_map;
    while (first->l_prev)
        first = first->l_prev;
    std::set<const link_map*> seen{first};
    std::vector<const link_map*> next{first};
    while (!next.empty()) {
        const link_map* const object = next.back();
        next.pop_back();
        if (object == own_map) return true;
        const char* names = nullptr;
        for (const ElfW(Dyn)* entry = object->l_ld; entry && entry->d_tag != DT_NULL; ++entry) {
            if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
        }
        if (!names) continue;
        for (const ElfW(Dyn)* entry = object->l_ld; entry->d_tag != DT_NULL; ++entry) {
            if (entry->d_tag != DT_NEEDED) continue;
            const std::string_view needed = base_name(names + entry->d_un.d_val);
            for (const link_map* other = first; other; other = other->l_next) {
                if (base_name(other->l_name) == needed && seen.insert(other).second)
                    next.push_back(other);
            }
        }
    }
    return false;
}

// Text that is written to would lose its right to run.
bool is_movable(const LoadedObject& object) {
    return std::none_of(object.headers.begin(), object.headers.end(), [](const auto& header) {
        return header.p_type == PT_LOAD && (header.p_flags & PF_W) && (header.p_flags & PF_X);
    });
}

int take(dl_phdr_info* info, std::size_t, void* out) {
    auto& libraries = *static_cast<Libraries*>(out);
    const std::string_view path = info->dlpi_name ? info->dlpi_name : "";
    if (path.empty()) return 0;  // the program, the kernel's
    Library library;
    library.name = base_name(path);
    library.object.load_address = info->dlpi_addr;
    library.object.headers.assign(info->dlpi_phdr, info->dlpi_phdr + info->dlpi_phnum);
    library.object.is_library = true;
    if (is_system(path)) {
        libraries.system.push_back(library.name);
    } else if (data_range(library.object).size != 0 &&
               libraries.all.size() < static_cast<std::size_t>(kMaxLibraries)) {
        if (!is_movable(library.object)) library.why_private = kWritten;
        libraries.all.push_back(std::move(library));
    }
    return 0;
}

// Whether slots of two ranges would ever meet.
bool may_meet(const Range& one, const Range& other) {
    const std::uint64_t mask = window_stride() - 1;
    return ((other.begin - one.begin) & mask) < one.size ||
           ((one.begin - other.begin) & mask) < other.size;
}

// What others see of the program: its constants and its data.
Range program_image() {
    const LoadedObject program = main_program();
    std::uintptr_t begin = ~std::uintptr_t{0};
    std::uintptr_t end = 0;
    for (const auto& header : program.headers) {
        if (header.p_type != PT_LOAD) continue;
        const std::uintptr_t from = program.load_address + header.p_vaddr;
        begin = std::min<std::uintptr_t>(begin, os::page_down(from));
        end = std::max<std::uintptr_t>(end, os::page_up(from + header.p_memsz));
    }
    return {begin, end - begin};
}

void free_slots(const Range& range, int slots) {
    for (int slot = 1; slot < slots; ++slot) {
        munmap(reinterpret_cast<void*>(range.begin +
                                       static_cast<std::uint64_t>(slot) * window_stride()),
               range.size);
    }
}

// Keeps the places where the data of the other PEs will be; false if they are taken.
bool reserve_slots(const Range& range, int slots) {
    for (int slot = 1; slot < slots; ++slot) {
        void* const place = reinterpret_cast<void*>(range.begin + static_cast<std::uint64_t>(slot) *
                                                                      window_stride());
        void* const got =
            mmap(place, range.size, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == place) continue;
        if (got != MAP_FAILED) munmap(got, range.size);
        free_slots(range, slot);
        return false;
    }
    return true;
}

bool take_slots(const Range& range, int slots) {
    if (slots == 1 || slots > kMostSlotsAbove) return slots == 1;
    const std::uint64_t span = static_cast<std::uint64_t>(slots) * window_stride();
    const bool in_heaps = range.begin < heap_base() + span && range.end() + span > heap_base();
    return !in_heaps && has_room_above(range, slots) && !may_meet(range, program_image()) &&
           reserve_slots(range, slots);
}

}  // namespace

void find_library_data(int slots) {
    found.slots = slots;
    if (!came_with_program()) return;
    dl_iterate_phdr(take, &found);
    const auto lacks_room = [slots](const Library& library) {
        return *library.why_private == '\0' && !has_room_above(data_range(library.object), slots);
    };
    if (std::any_of(found.all.begin(), found.all.end(), lacks_room)) make_room_above(slots);
    std::uint64_t offset = data_range(main_program()).size;
    for (Library& library : found.all) {
        const Range range = data_range(library.object);
        LibraryData& place = job.libraries[static_cast<std::size_t>(job.library_count++)];
        place.offset = offset;
        offset += range.size;
        if (*library.why_private == '\0' && (offset > kDataOffset || !take_slots(range, slots)))
            library.why_private = kNoRoom;
        if (*library.why_private == '\0') place.range = range;
    }
}

std::uint64_t program_checksum() {
    std::uint64_t sum = identity(main_program());
    for (const Library& library : found.all)
        sum = sum * 31 + identity(library.object);
    return sum;
}

void share_library_data(int file, std::uint64_t offset) {
    for (int i = 0; i < job.library_count; ++i) {
        LibraryData& place = job.libraries[static_cast<std::size_t>(i)];
        Library& library = found.all[static_cast<std::size_t>(i)];
        std::string reason;
        if (place.range.size == 0 ||
            share_data(library.object, file, offset + place.offset, reason))
            continue;
        library.why_private = kNotMoved;
        free_slots(place.range, found.slots);
        place.range = {};
    }
}

void keep_libraries(std::uint64_t mask) {
    for (int i = 0; i < job.library_count; ++i) {
        LibraryData& place = job.libraries[static_cast<std::size_t>(i)];
        if (place.range.size == 0 || (mask >> i & 1) != 0) continue;
        found.all[static_cast<std::size_t>(i)].why_private = kElsewhere;
        free_slots(place.range, found.slots);
        place.range = {};
    }
}

Range whole_static_data(int file, std::uint64_t offset) {
    std::uint64_t size = 0;
    for (int i = 0; i < job.library_count; ++i) {
        const LibraryData& place = job.libraries[static_cast<std::size_t>(i)];
        if (place.range.size != 0) size = place.offset + place.range.size;
    }
    if (size == 0) return job.data;
    void* const all = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file,
                           static_cast<off_t>(offset));
    return all == MAP_FAILED ? Range{} : Range{reinterpret_cast<std::uintptr_t>(all), size};
}

Text why_library_is_private(const void* address) {
    Dl_info place{};
    const std::string_view name =
        dladdr(address, &place) != 0 && place.dli_fname ? base_name(place.dli_fname) : "";
    for (const Library& library : found.all) {
        if (library.name == name) return Text(library.why_private);
    }
    return Text(std::find(found.system.begin(), found.system.end(), name) == found.system.end()
                    ? kLate
                    : kSystem);
}

}  // namespace isthmus
