#include "core/job/mapping.hpp"

#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/process_stat.hpp"

namespace isthmus {
namespace {

// PROCMAP_QUERY of <linux/fs.h>, which the headers of Debian 12 do not have yet.
struct Question {
    std::uint64_t size;
    std::uint64_t flags;
    std::uint64_t address;
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t rights;
    std::uint64_t page_size, offset, inode;
    std::uint32_t device_major, device_minor, name_size, build_id_size;
    std::uint64_t name_address, build_id_address;
};
static_assert(sizeof(Question) == 104);
constexpr unsigned long kAsk = _IOWR('f', 17, Question);
constexpr std::uint64_t kOrNext = 0x10;
constexpr char kLetters[] = "rwxs";

}  // namespace

Mappings::Mappings(bool by_text)
    : list_(std::fopen(os::own_proc("maps").c_str(), "re")),
      error_(list_ ? 0 : errno),
      by_text_(by_text) {
    if (error_ == ENOMEM) throw std::bad_alloc();
}

Mappings::~Mappings() {
    if (list_) std::fclose(list_);
}

bool Mappings::ask(std::uintptr_t address, Mapping& mapping) {
    Question question{};
    question.size = sizeof question;
    question.flags = kOrNext;
    question.address = address;
    if (ioctl(fileno(list_), kAsk, &question) != 0) {
        // Nothing is there and above: the answer. Anything else: no such question here.
        by_text_ = errno != ENOENT;
        return false;
    }
    mapping.begin = question.begin;
    mapping.end = question.end;
    for (int bit = 0; bit < 4; ++bit)
        mapping.rights[bit] = (question.rights >> bit & 1) != 0 ? kLetters[bit] : '-';
    if (mapping.rights[3] == '-') mapping.rights[3] = 'p';
    return true;
}

bool Mappings::read(std::uintptr_t address, Mapping& mapping) {
    char line[512];
    bool whole = true;  // the line before: names can be longer than this
    while (last_read_.end <= address) {
        if (!std::fgets(line, sizeof line, list_)) return false;
        const bool begins = whole;
        whole = std::strchr(line, '\n') != nullptr;
        unsigned long begin = 0, end = 0;
        if (!begins || std::sscanf(line, "%lx-%lx %4s", &begin, &end, last_read_.rights) != 3)
            continue;
        last_read_.begin = begin;
        last_read_.end = end;
    }
    mapping = last_read_;
    return true;
}

bool Mappings::find(std::uintptr_t address, Mapping& mapping) {
    if (!list_) return false;
    if (!by_text_ && ask(address, mapping)) return true;
    return by_text_ && read(address, mapping);
}

Text why_not_adoptable(std::uintptr_t begin, std::uint64_t size, Mappings& mappings,
                       std::vector<Range>& executable) {
    executable.clear();
    std::uintptr_t next = begin;  // what lies before it can be adopted

    Mapping mapping;
    while (next - begin < size) {
        if (!mappings.find(next, mapping) || mapping.begin > next)
            return Text("page ", InHex(next), " is not mapped");
        if (mapping.rights[3] != 'p')
            return Text("page ", InHex(next), " is shared with others already");
        if (std::strncmp(mapping.rights, "rw", 2) != 0)
            return Text("the rights of page ", InHex(next), " are not rw- but ",
                        std::string_view(mapping.rights, 3));
        const std::uintptr_t end = std::min<std::uintptr_t>(mapping.end, begin + size);
        if (mapping.rights[2] == 'x') executable.push_back({next, end - next});
        next = end;
    }
    return Text();
}

}  // namespace isthmus
