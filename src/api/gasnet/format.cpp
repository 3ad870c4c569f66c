// Words for what clients of gasnet_tools.h print behind gasnetex.h: types, operations, lists of
// pieces. Each is told how long it may become first, and then written.
// Of the library: no object of it belongs to one mode.
#define GASNET_PAR             1
#define ISTHMUS_GASNET_LIBRARY 1
#include <gasnetex.h>
// Behind it, so that it has these.
#include <gasnet_tools.h>

#include <array>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

#define ISTHMUS_API extern "C" __attribute__((visibility("default")))

namespace {

struct Name {
    std::uint32_t bit;
    const char* text;
};
#define NAME(constant)      \
    Name {                  \
        constant, #constant \
    }
constexpr std::array kTypes{
    NAME(GEX_DT_I32), NAME(GEX_DT_U32), NAME(GEX_DT_I64),  NAME(GEX_DT_U64),
    NAME(GEX_DT_FLT), NAME(GEX_DT_DBL), NAME(GEX_DT_USER),
};
constexpr std::array kOperations{
    NAME(GEX_OP_AND),  NAME(GEX_OP_OR),    NAME(GEX_OP_XOR),     NAME(GEX_OP_ADD),
    NAME(GEX_OP_SUB),  NAME(GEX_OP_MULT),  NAME(GEX_OP_MIN),     NAME(GEX_OP_MAX),
    NAME(GEX_OP_INC),  NAME(GEX_OP_DEC),   NAME(GEX_OP_SET),     NAME(GEX_OP_CAS),
    NAME(GEX_OP_FAND), NAME(GEX_OP_FOR),   NAME(GEX_OP_FXOR),    NAME(GEX_OP_FADD),
    NAME(GEX_OP_FSUB), NAME(GEX_OP_FMULT), NAME(GEX_OP_FMIN),    NAME(GEX_OP_FMAX),
    NAME(GEX_OP_FINC), NAME(GEX_OP_FDEC),  NAME(GEX_OP_SWAP),    NAME(GEX_OP_FCAS),
    NAME(GEX_OP_GET),  NAME(GEX_OP_USER),  NAME(GEX_OP_USER_NC),
};
constexpr std::array kTokenInfo{
    NAME(GEX_TI_SRCRANK), NAME(GEX_TI_EP),      NAME(GEX_TI_ENTRY),
    NAME(GEX_TI_IS_REQ),  NAME(GEX_TI_IS_LONG),
};
#undef NAME

// Bytes with the end of the text; written if there is a place.
template <std::size_t N>
std::size_t write_names(char* place, std::uint32_t bits, const std::array<Name, N>& names) {
    std::string text;
    for (const auto& [bit, name] : names) {
        if (!(bits & bit)) continue;
        text.append(text.empty() ? "" : "|").append(name);
        bits &= ~bit;
    }
    if (bits != 0 || text.empty()) {
        std::array<char, 16> rest{};
        std::snprintf(rest.data(), rest.size(), "%s0x%" PRIx32, text.empty() ? "" : "|", bits);
        text += rest.data();
    }
    if (place) std::memcpy(place, text.c_str(), text.size() + 1);
    return text.size() + 1;
}

// The longest of a list's line, and what stands around the lines.
constexpr std::size_t kLine = 64;

class Lines {
  public:
    Lines(char* place, std::size_t most) : place_(place), left_(most) {}
    __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
        va_list list;
        va_start(list, format);
        const int length = std::vsnprintf(place_, left_, format, list);
        va_end(list);
        place_ += length;
        left_ -= static_cast<std::size_t>(length);
    }

  private:
    char* place_;
    std::size_t left_;
};

}  // namespace

ISTHMUS_API size_t gasnett_format_dt(char* text, gex_DT_t type) {
    return write_names(text, type, kTypes);
}
ISTHMUS_API size_t gasnett_format_op(char* text, gex_OP_t operation) {
    return write_names(text, operation, kOperations);
}
ISTHMUS_API size_t gasnett_format_ti(char* text, gex_TI_t mask) {
    return write_names(text, mask, kTokenInfo);
}

ISTHMUS_API size_t gasnett_format_memveclist_bufsz(size_t count) {
    return (count + 1) * kLine;
}
ISTHMUS_API void gasnett_format_memveclist(char* text, size_t count, gex_Memvec_t const* list) {
    Lines lines(text, gasnett_format_memveclist_bufsz(count));
    lines.add("%zu entries", count);
    for (size_t i = 0; i < count; ++i)
        lines.add("\n  %zu: %p, %zu bytes", i, list[i].gex_addr, list[i].gex_len);
}
ISTHMUS_API size_t gasnett_format_addrlist_bufsz(size_t count) {
    return (count + 1) * kLine;
}
ISTHMUS_API void gasnett_format_addrlist(char* text, size_t count, void* const* list,
                                         size_t length) {
    Lines lines(text, gasnett_format_addrlist_bufsz(count));
    lines.add("%zu entries of %zu bytes", count, length);
    for (size_t i = 0; i < count; ++i)
        lines.add("\n  %zu: %p", i, list[i]);
}
ISTHMUS_API size_t gasnett_format_putsgets_bufsz(size_t levels) {
    return (levels + 4) * 2 * kLine;
}
ISTHMUS_API void gasnett_format_putsgets(char* text, void*, gex_TM_t, gex_Rank_t rank, void* to,
                                         const ptrdiff_t* to_strides, const void* from,
                                         const ptrdiff_t* from_strides, size_t element,
                                         const size_t* count, size_t levels) {
    Lines lines(text, gasnett_format_putsgets_bufsz(levels));
    lines.add("rank %" PRIu32 ": from %p to %p, elements of %zu bytes", rank, from, to, element);
    for (size_t i = 0; i < levels; ++i)
        lines.add("\n  %zu elements, %td bytes apart at the source, %td at the destination",
                  count[i], from_strides[i], to_strides[i]);
}
