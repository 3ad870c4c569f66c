#include "transport/service/key_table.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "transport/transport.hpp"

namespace isthmus::transport::service {

bool KeyTable::make(int pes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = static_cast<std::size_t>(pes) * sizeof(std::uint64_t);
    const std::size_t used = (bytes + page - 1) / page * page;
    void* const room = mmap(nullptr, used + kKeyRoom, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return false;
    room_ = room;
    used_ = used;
    if (mprotect(room, used, PROT_READ | PROT_WRITE) != 0) return false;
    keys_ = reinterpret_cast<std::uint64_t*>(static_cast<char*>(room) + used - bytes);
    return true;
}

KeyTable::~KeyTable() {
    if (room_) munmap(room_, used_ + kKeyRoom);
}

}  // namespace isthmus::transport::service
