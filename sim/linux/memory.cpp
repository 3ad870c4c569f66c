// Memory calls: the break, maps, rights.
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {
namespace {

constexpr std::uint64_t kRemapMayMove = 1, kPiece = 1 << 20;
constexpr const char* kBehindFile = "behind the end of a file";

}  // namespace

// Real pages of the host's file in a shared map, copies in a private one. What lies behind the end
// of the file has no rights: an access to the host's pages there would end the simulator.
bool Process::follow_file(FileMap& map) {
    AddressSpace& memory = node_.memory;
    struct stat st;
    if (fstat(map.file, &st) != 0) return false;
    const auto length = static_cast<std::uint64_t>(std::max<off_t>(st.st_size, 0));
    std::uint64_t there = map.size;  // of a device
    if (S_ISREG(st.st_mode))
        there = length > map.offset ? std::min(up(length - map.offset), map.size) : 0;
    const std::uint64_t before = std::exchange(map.there, there);
    try {
        if (there < before) memory.map(map.start + there, before - there, 0, kBehindFile);
        if (there <= before) return true;
        const std::uint64_t from = map.start + before, more = there - before;
        if (map.shared) {
            memory.map_file(from, more, map.rights, "shared file", map.file, map.offset + before,
                            map.writable);
        } else {
            memory.map(from, more, map.rights, "file");
            load(map, from, more);
        }
    } catch (const std::runtime_error&) {
        return false;
    }
    return true;
}

/// No map lies across that address then.
void Process::split_file_maps(std::uint64_t at) {
    FileMap* const lower = file_map(at);
    if (lower == nullptr || lower->start == at) return;
    FileMap upper = *lower;
    const std::uint64_t kept = at - lower->start;
    upper.start = at;
    upper.size -= kept;
    upper.offset += kept;
    upper.there -= std::min(upper.there, kept);
    upper.file = dup(lower->file);
    lower->size = kept;
    lower->there = std::min(lower->there, kept);
    file_maps_.push_back(upper);
}

void Process::forget_file(std::uint64_t start, std::uint64_t size) {
    if (file_maps_.empty()) return;
    split_file_maps(start);
    split_file_maps(start + size);
    std::erase_if(file_maps_, [&](const FileMap& map) {
        const bool gone = map.start - start < size;
        if (gone) close(map.file);
        return gone;
    });
}

void Process::file_resized(int host) {
    struct stat st;
    if (file_maps_.empty() || fstat(host, &st) != 0) return;
    for (FileMap& map : file_maps_) {
        if (map.device == st.st_dev && map.inode == st.st_ino) follow_file(map);
    }
}

bool Process::is_behind_file(std::uint64_t address) {
    const FileMap* const map = file_map(address);
    return map != nullptr && !is_there(*map, address);
}

bool Process::all_mapped(std::uint64_t start, std::uint64_t size) const {
    for (std::uint64_t at = start; at < start + size;) {
        const Region* region = node_.memory.find(at);
        if (region == nullptr) return false;
        at = region->end;
    }
    return true;
}

FileMap* Process::file_map(std::uint64_t address) {
    const auto found = std::ranges::find_if(
        file_maps_, [address](const FileMap& map) { return address - map.start < map.size; });
    return found == file_maps_.end() ? nullptr : &*found;
}

// Whole pages, whatever length was asked for: behind the end of the file they stay zero.
void Process::load(const FileMap& map, std::uint64_t start, std::uint64_t size) {
    std::vector<std::byte> piece(std::min(size, kPiece));
    for (std::uint64_t done = 0; done < size;) {
        const ssize_t got =
            pread(map.file, piece.data(), std::min<std::uint64_t>(size - done, piece.size()),
                  static_cast<off_t>(map.offset + (start - map.start) + done));
        if (got <= 0) break;
        node_.memory.write(start + done, piece.data(), static_cast<std::size_t>(got), 0);
        done += static_cast<std::uint64_t>(got);
    }
}

std::int64_t Process::map_part(std::uint64_t start, const std::uint64_t (&a)[6], int host) {
    if (host < 0) return -EBADF;
    const int mode = fcntl(host, F_GETFL) & O_ACCMODE;
    const bool shared = (a[3] & kMapShared) != 0;
    if (mode == O_WRONLY || (shared && mode == O_RDONLY && (a[2] & kWrite))) return -EACCES;
    struct stat st;
    if (fstat(host, &st) != 0) return -errno;
    if (!S_ISREG(st.st_mode) && (shared || !S_ISCHR(st.st_mode))) return -ENODEV;
    FileMap map{shared,
                start,
                up(a[1]),
                static_cast<std::uint8_t>(a[2] & 7),
                mode == O_RDWR,
                st.st_dev,
                st.st_ino,
                dup(host),
                a[5]};
    if (map.file < 0) return -errno;
    forget_file(start, map.size);
    return add_file_map(map);
}

/// All of it anew.
std::int64_t Process::add_file_map(FileMap map) {
    map.there = 0;
    bool mapped = false;
    try {
        node_.memory.map(map.start, map.size, 0, kBehindFile);
        mapped = follow_file(map);
    } catch (const std::runtime_error&) {
    }
    if (!mapped) {
        close(map.file);
        return -ENOMEM;
    }
    file_maps_.push_back(map);
    return static_cast<std::int64_t>(map.start);
}

// Makes a map smaller, larger where it is, or larger elsewhere.
std::int64_t Process::remap(const std::uint64_t (&a)[6]) {
    AddressSpace& memory = node_.memory;
    const std::uint64_t old_size = up(a[1]), size = up(a[2]);
    const Region* region = memory.find(a[0]);
    if ((a[0] & ~kPageMask) != 0 || region == nullptr || size == 0 || (a[3] & ~kRemapMayMove) != 0)
        return -EINVAL;
    if (size <= old_size) {
        if (size < old_size) {
            forget_file(a[0] + size, old_size - size);
            memory.unmap(a[0] + size, old_size - size);
        }
        return static_cast<std::int64_t>(a[0]);
    }
    const std::uint64_t limit = kLinuxStackTop - 2 * kStackSize, grown = size - old_size;
    std::uint8_t rights = region->rights;
    std::uint64_t start = a[0];
    if (!memory.is_free(a[0] + old_size, grown) || a[0] + size >= limit) {
        start = (a[3] & kRemapMayMove) != 0 ? memory.find_free(kLinuxMapBase, size, limit) : 0;
        if (start == 0) return -ENOMEM;
    }
    std::optional<FileMap> map;
    if (const FileMap* const before = file_map(a[0])) {
        map = *before;
        const std::uint64_t skipped = a[0] - map->start;
        rights = map->rights;
        map->offset += skipped;
        map->there = std::min(map->there - std::min(map->there, skipped), old_size);
        map->start = start;
        map->size = size;
        map->file = dup(before->file);
        if (map->file < 0) return -ENOMEM;
        forget_file(a[0], old_size);
    }
    if (map && map->shared) {
        memory.unmap(a[0], old_size);
        return add_file_map(*map);
    }
    if (start == a[0]) {
        memory.map(start + old_size, grown, rights, "anonymous");
    } else {
        memory.map(start, size, rights, "anonymous");
        for (std::uint64_t at = 0; at < old_size; at += kPageSize) {
            std::byte page[kPageSize];
            if (memory.read(a[0] + at, page, kPageSize, 0))
                memory.write(start + at, page, kPageSize, 0);
        }
        memory.unmap(a[0], old_size);
    }
    if (map) {
        if (map->there != size) memory.map(start + map->there, size - map->there, 0, kBehindFile);
        follow_file(*map);
        file_maps_.push_back(*map);
    }
    return static_cast<std::int64_t>(start);
}

// Pages that a file may still get keep their rights for then.
std::int64_t Process::protect(std::uint64_t start, std::uint64_t size, std::uint8_t rights) {
    AddressSpace& memory = node_.memory;
    if (!memory.protect(start, size, rights)) return -ENOMEM;
    if (file_maps_.empty()) return 0;
    split_file_maps(start);
    split_file_maps(start + size);
    for (FileMap& map : file_maps_) {
        if (map.start - start >= size) continue;
        map.rights = rights;
        if (map.there != map.size) memory.protect(map.start + map.there, map.size - map.there, 0);
    }
    return 0;
}

// What the program wrote is gone: the pages are those of the file again, or zero.
std::int64_t Process::drop_pages(std::uint64_t start, std::uint64_t size) {
    const std::byte zeros[kPageSize] = {};
    for (std::uint64_t at = start; at < start + size; at += kPageSize) {
        const FileMap* const map = file_map(at);
        if (map != nullptr && (map->shared || !is_there(*map, at))) continue;
        if (!node_.memory.write(at, zeros, kPageSize, 0)) return -ENOMEM;
        if (map != nullptr) load(*map, at, kPageSize);
    }
    return 0;
}

std::int64_t Process::memory_call(std::uint64_t number, const std::uint64_t (&a)[6]) {
    AddressSpace& memory = node_.memory;
    switch (number) {
        case kSysBrk: {
            const std::uint64_t wanted = a[0];
            if (wanted < break_start_ || wanted > kLinuxSharedBase)
                return static_cast<std::int64_t>(break_);
            const std::uint64_t have = up(break_), need = up(wanted);
            if (need > have) memory.map_onto(have, need - have, kRead | kWrite, "heap");
            if (need < have) memory.unmap(need, have - need);
            break_ = wanted;
            return static_cast<std::int64_t>(break_);
        }
        case kSysMmap: {
            const std::uint64_t size = up(a[1]);
            if (size == 0 || size < a[1]) return -EINVAL;
            std::uint64_t start = a[0] & kPageMask;
            const bool fixed = a[3] & (kMapFixed | kMapFixedNoReplace);
            if ((fixed && start != a[0]) || (a[5] & ~kPageMask)) return -EINVAL;
            if ((a[3] & kMapType) == 0 || (a[3] & kMapType) > kMapSharedValidate) return -EINVAL;
            if ((a[3] & kMapFixedNoReplace) && !memory.is_free(start, size)) return -EEXIST;
            if (!fixed) {
                start = memory.find_free(kLinuxMapBase, size, kLinuxStackTop - 2 * kStackSize);
                if (start == 0) return -ENOMEM;
            } else if (start < kPageSize || start + size > kLinuxStackTop || start + size < start) {
                return -ENOMEM;
            }
            if ((a[3] & kMapAnonymous) == 0) return map_part(start, a, host_file(a[4]));
            forget_file(start, size);
            try {
                memory.map(start, size, static_cast<std::uint8_t>(a[2] & 7), "anonymous");
            } catch (const std::runtime_error&) {
                return -ENOMEM;
            }
            return static_cast<std::int64_t>(start);
        }
        case kSysMunmap:
            if ((a[0] & ~kPageMask) || a[1] == 0) return -EINVAL;
            forget_file(a[0], up(a[1]));
            memory.unmap(a[0], up(a[1]));
            return 0;
        case kSysMremap: return remap(a);
        case kSysMprotect:
            if (a[0] & ~kPageMask) return -EINVAL;
            if (a[1] == 0) return 0;
            for (const FileMap& map : file_maps_) {
                if (map.shared && (a[2] & kWrite) && !map.writable && map.start < a[0] + up(a[1]) &&
                    a[0] < map.start + map.size)
                    return -EACCES;
            }
            return protect(a[0], up(a[1]), static_cast<std::uint8_t>(a[2] & 7));
        case kSysMsync: {
            if ((a[0] & ~kPageMask) || (a[2] & ~std::uint64_t{7}) || (a[2] & 5) == 5)
                return -EINVAL;
            if (!all_mapped(a[0], up(a[1]))) return -ENOMEM;
            // The pages are the file's own: only MS_SYNC has something to wait for.
            for (const FileMap& map : file_maps_) {
                if (map.shared && (a[2] & 4) && map.start < a[0] + up(a[1]) &&
                    a[0] < map.start + map.size && fdatasync(map.file) != 0)
                    return -errno;
            }
            return 0;
        }
        case kSysMincore: {
            if ((a[0] & ~kPageMask) != 0) return -EINVAL;
            const std::uint64_t size = up(a[1]);
            if (size < a[1] || !all_mapped(a[0], size)) return -ENOMEM;
            const std::vector<std::uint8_t> resident(size / kPageSize, 1);
            return node_.memory.write(a[2], resident.data(), resident.size()) ? 0 : -EFAULT;
        }
        case kSysMadvise:
            if ((a[0] & ~kPageMask) != 0) return -EINVAL;
            // Only MADV_DONTNEED has an effect a program can see.
            return a[2] == 4 ? drop_pages(a[0], up(a[1])) : 0;
        // Nothing is ever paged out.
        case kSysMlock2:
            if ((a[2] & ~std::uint64_t{1}) != 0) return -EINVAL;
            [[fallthrough]];
        case kSysMlock:
        case kSysMunlock: {
            const std::uint64_t start = a[0] & kPageMask, size = up(a[0] - start + a[1]);
            if (size < a[1] || start + size < start) return -EINVAL;
            return all_mapped(start, size) ? 0 : -ENOMEM;
        }
        case kSysMlockall: return a[0] == 0 || a[0] == 4 || a[0] > 7 ? -EINVAL : 0;
        case kSysMunlockall: return 0;
        default: return -ENOSYS;
    }
}

}  // namespace isthmus::sim::linux_abi
