// Memory calls: the break, maps, rights.
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {

// Real pages of the host's file where the file has some. What lies behind its end has no rights: an
// access there would end the simulator, not the program.
bool Process::map_shared(const SharedMap& map) {
    AddressSpace& memory = node_.memory;
    struct stat st;
    if (fstat(map.file, &st) != 0) return false;
    const auto length = static_cast<std::uint64_t>(std::max<off_t>(st.st_size, 0));
    const std::uint64_t there =
        length > map.offset ? std::min(up(length - map.offset), map.size) : 0;
    try {
        memory.map(map.start, map.size, 0, "behind the end of a file");
        if (there != 0)
            memory.map_file(map.start, there, map.rights, "shared file", map.file, map.offset,
                            map.writable);
    } catch (const std::runtime_error&) {
        return false;
    }
    return true;
}

void Process::forget_shared(std::uint64_t start, std::uint64_t size) {
    std::vector<SharedMap> parts;
    std::erase_if(shared_maps_, [&](SharedMap& map) {
        const std::uint64_t end = map.start + map.size, stop = start + size;
        if (end <= start || map.start >= stop) return false;
        const auto keep = [&](std::uint64_t from, std::uint64_t to) {
            if (from >= to) return;
            SharedMap part = map;
            part.start = from;
            part.size = to - from;
            part.offset += from - map.start;
            part.file = dup(map.file);
            parts.push_back(part);
        };
        keep(map.start, std::min(start, end));
        keep(std::max(stop, map.start), end);
        close(map.file);
        return true;
    });
    shared_maps_.insert(shared_maps_.end(), parts.begin(), parts.end());
}

void Process::file_resized(int host) {
    struct stat st;
    if (shared_maps_.empty() || fstat(host, &st) != 0) return;
    for (const SharedMap& map : shared_maps_) {
        if (map.device == st.st_dev && map.inode == st.st_ino) map_shared(map);
    }
}

std::int64_t Process::memory_call(std::uint64_t number, const std::uint64_t (&a)[6]) {
    AddressSpace& memory = node_.memory;
    switch (number) {
        case kSysBrk: {
            const std::uint64_t wanted = a[0];
            if (wanted < break_start_ || wanted > kLinuxSharedBase)
                return static_cast<std::int64_t>(break_);
            const std::uint64_t have = up(break_), need = up(wanted);
            if (need > have) memory.map(have, need - have, kRead | kWrite, "heap");
            if (need < have) memory.unmap(need, have - need);
            break_ = wanted;
            return static_cast<std::int64_t>(break_);
        }
        case kSysMmap: {
            const std::uint64_t size = up(a[1]);
            if (size == 0 || size < a[1]) return -EINVAL;
            std::uint64_t start = a[0] & kPageMask;
            const bool fixed = a[3] & (kMapFixed | kMapFixedNoReplace);
            if ((a[3] & kMapFixedNoReplace) && !memory.is_free(start, size)) return -EEXIST;
            if (!fixed) {
                start = memory.find_free(kLinuxMapBase, size, kLinuxStackTop - 2 * kStackSize);
                if (start == 0) return -ENOMEM;
            } else if (start < kPageSize || start + size > kLinuxStackTop || start + size < start) {
                return -ENOMEM;
            }
            const bool anonymous = a[3] & kMapAnonymous;
            const int host = anonymous ? -1 : host_file(a[4]);
            if (!anonymous && host < 0) return -EBADF;
            if (!anonymous && (a[3] & kMapShared)) {
                const int mode = fcntl(host, F_GETFL) & O_ACCMODE;
                if (mode == O_WRONLY || (mode == O_RDONLY && (a[2] & kWrite))) return -EACCES;
                if (a[5] & ~kPageMask) return -EINVAL;
                struct stat st;
                if (fstat(host, &st) != 0) return -errno;
                if (!S_ISREG(st.st_mode)) return -ENODEV;
                forget_shared(start, size);
                SharedMap map{start,          size,      static_cast<std::uint8_t>(a[2] & 7),
                              mode == O_RDWR, st.st_dev, st.st_ino,
                              dup(host),      a[5]};
                if (map.file < 0) return -errno;
                if (!map_shared(map)) {
                    close(map.file);
                    return -ENOMEM;
                }
                shared_maps_.push_back(map);
                return static_cast<std::int64_t>(start);
            }
            forget_shared(start, size);
            try {
                memory.map(start, size, static_cast<std::uint8_t>(a[2] & 7),
                           anonymous ? "anonymous" : "file");
            } catch (const std::runtime_error&) {
                return -ENOMEM;
            }
            if (!anonymous) {
                std::byte* to = memory.host(start, 0);
                std::uint64_t done = 0;
                while (done < a[1]) {
                    const ssize_t got =
                        pread(host, to + done, a[1] - done, static_cast<off_t>(a[5] + done));
                    if (got <= 0) break;
                    done += static_cast<std::uint64_t>(got);
                }
            }
            return static_cast<std::int64_t>(start);
        }
        case kSysMunmap:
            if ((a[0] & ~kPageMask) || a[1] == 0) return -EINVAL;
            forget_shared(a[0], up(a[1]));
            memory.unmap(a[0], up(a[1]));
            return 0;
        case kSysMremap: {
            const std::uint64_t old_size = up(a[1]), size = up(a[2]);
            const Region* region = memory.find(a[0]);
            if (!region || size == 0) return -EINVAL;
            for (const SharedMap& map : shared_maps_) {
                if (a[0] - map.start < map.size) return -ENOMEM;  // stays as large as it is
            }
            if (size <= old_size) {
                if (size < old_size) memory.unmap(a[0] + size, old_size - size);
                return static_cast<std::int64_t>(a[0]);
            }
            const std::uint8_t rights = region->rights;
            if (memory.is_free(a[0] + old_size, size - old_size) &&
                a[0] + size < kLinuxStackTop - 2 * kStackSize) {
                memory.map(a[0] + old_size, size - old_size, rights, "anonymous");
                return static_cast<std::int64_t>(a[0]);
            }
            if (!(a[3] & 1)) return -ENOMEM;
            const std::uint64_t start =
                memory.find_free(kLinuxMapBase, size, kLinuxStackTop - 2 * kStackSize);
            if (start == 0) return -ENOMEM;
            memory.map(start, size, rights, "anonymous");
            for (std::uint64_t at = 0; at < old_size; at += kPageSize) {
                std::byte page[kPageSize];
                if (memory.read(a[0] + at, page, kPageSize, 0))
                    memory.write(start + at, page, kPageSize, 0);
            }
            memory.unmap(a[0], old_size);
            return static_cast<std::int64_t>(start);
        }
        case kSysMprotect:
            if (a[0] & ~kPageMask) return -EINVAL;
            if (a[1] == 0) return 0;
            for (const SharedMap& map : shared_maps_) {
                if ((a[2] & kWrite) && !map.writable && map.start < a[0] + up(a[1]) &&
                    a[0] < map.start + map.size)
                    return -EACCES;
            }
            return memory.protect(a[0], up(a[1]), static_cast<std::uint8_t>(a[2] & 7)) ? 0
                                                                                       : -ENOMEM;
        case kSysMsync: {
            if ((a[0] & ~kPageMask) || (a[2] & ~std::uint64_t{7}) || (a[2] & 5) == 5)
                return -EINVAL;
            for (std::uint64_t at = a[0]; at < a[0] + up(a[1]);) {
                const Region* region = memory.find(at);
                if (!region) return -ENOMEM;
                at = region->end;
            }
            // The pages are the file's own: only MS_SYNC has something to wait for.
            for (const SharedMap& map : shared_maps_) {
                if ((a[2] & 4) && map.start < a[0] + up(a[1]) && a[0] < map.start + map.size &&
                    fdatasync(map.file) != 0)
                    return -errno;
            }
            return 0;
        }
        case kSysMadvise: {
            if (a[2] != 4) return 0;  // only MADV_DONTNEED has an effect a program can see
            const std::byte zeros[kPageSize] = {};
            for (std::uint64_t at = a[0]; at < a[0] + up(a[1]); at += kPageSize) {
                if (std::ranges::any_of(shared_maps_, [at](const SharedMap& map) {
                        return at - map.start < map.size;
                    }))
                    continue;  // a file keeps its contents
                if (!memory.write(at, zeros, kPageSize, 0)) return -ENOMEM;
            }
            return 0;
        }
        default: return -ENOSYS;
    }
}

}  // namespace isthmus::sim::linux_abi
