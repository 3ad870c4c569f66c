// Handlers of GASNet-EX by tables, and what a token tells.
#include "message/handlers.hpp"
#include "api/gasnet/ex/objects.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;
using namespace isthmus::gasnet::ex;

namespace {

constexpr unsigned kMostArguments = 16;

bool is_one_size(gex_Flags_t flags) {
    const gex_Flags_t size = flags & (GEX_FLAG_AM_SHORT | GEX_FLAG_AM_MEDLONG);
    return size == GEX_FLAG_AM_SHORT || (size != 0 && (size & GEX_FLAG_AM_SHORT) == 0);
}

bool is_taken(unsigned index) {
    // Relaxed: changes come by the calls of this process alone.
    return messages::entries[kFirstHandler + index].free.load(std::memory_order_relaxed) != 0;
}

int check_table(const gex_AM_Entry_t* table, std::size_t count, const char* routine) {
    std::array<bool, kFaceHandlers> named{};
    for (std::size_t i = 0; i < count; ++i) {
        const gex_AM_Entry_t& entry = table[i];
        const unsigned index = entry.gex_index;
        const auto refuse = [&](auto... parts) {
            return refuse_object(GASNET_ERR_BAD_ARG, routine, "entry ", i, " of the table ",
                                 parts...);
        };
        if (!entry.gex_fnptr) return refuse("has a null handler");
        if (index != 0 && index < GEX_AM_INDEX_BASE)
            return refuse("has index ", index, "; those of clients are ", GEX_AM_INDEX_BASE,
                          "..255");
        if (index != 0 && (named[index] || is_taken(index)))
            return refuse("has index ", index, ", which is registered");
        if (!is_one_size(entry.gex_flags) || (entry.gex_flags & GEX_FLAG_AM_REQREP) == 0)
            return refuse("has flags ", entry.gex_flags,
                          "; one of GEX_FLAG_AM_SHORT, _MEDIUM, _LONG and _MEDLONG is wanted, "
                          "and one of _REQUEST, _REPLY and _REQREP");
        if (entry.gex_nargs > kMostArguments)
            return refuse("has ", entry.gex_nargs, " arguments; at most ", kMostArguments);
        named[index] = true;
    }
    return GASNET_OK;
}

// The highest that is neither registered nor in the table; 0: there is none.
gex_AM_Index_t free_index(const gex_AM_Entry_t* table, std::size_t count) {
    for (unsigned index = kFaceHandlers - 1; index >= GEX_AM_INDEX_BASE; --index) {
        bool is_free = !is_taken(index);
        for (std::size_t i = 0; is_free && i < count; ++i)
            is_free = table[i].gex_index != index;
        if (is_free) return static_cast<gex_AM_Index_t>(index);
    }
    return 0;
}

}  // namespace

ISTHMUS_API int gex_EP_RegisterHandlers(gex_EP_t endpoint, gex_AM_Entry_t* table, size_t count) {
    constexpr const char* kRoutine = "gex_EP_RegisterHandlers";
    if (const int error = check_initialised(kRoutine)) return error;
    const std::lock_guard lock(objects->guard);
    if (endpoint->index != 0)
        return refuse_object(GASNET_ERR_BAD_ARG, kRoutine,
                             "messages come to the first endpoint alone");
    if (const int error = check_table(table, count, kRoutine)) return error;
    const auto first_open = [=](std::size_t from) {
        while (from < count && table[from].gex_index != 0)
            ++from;
        return from;
    };
    for (std::size_t i = first_open(0); i < count; i = first_open(i + 1)) {
        table[i].gex_index = free_index(table, count);
        if (table[i].gex_index == 0)
            return refuse_object(GASNET_ERR_RESOURCE, kRoutine, "no index is free any more");
    }
    for (std::size_t i = 0; i < count; ++i)
        register_entry(table[i]);
    return GASNET_OK;
}

ISTHMUS_API gex_TI_t gex_Token_Info(gex_Token_t token, gex_Token_Info_t* info, gex_TI_t mask) {
    if (job.checked && check_token(token, info, "gex_Token_Info") != GASNET_OK) return 0;
    const auto& message = *static_cast<const messages::Message*>(token);
    gex_TI_t known = GEX_TI_SRCRANK | GEX_TI_EP | GEX_TI_IS_REQ | GEX_TI_IS_LONG;
    if ((mask & GEX_TI_SRCRANK) != 0) info->gex_srcrank = message.source;
    if ((mask & GEX_TI_EP) != 0) info->gex_ep = objects->endpoints.front().get();
    if ((mask & GEX_TI_IS_REQ) != 0) info->gex_is_req = (message.kind & messages::kRequest) != 0;
    if ((mask & GEX_TI_IS_LONG) != 0) info->gex_is_long = (message.kind & messages::kLong) != 0;
    if ((mask & GEX_TI_ENTRY) != 0) {
        info->gex_entry = entry_of(message.handler - kFirstHandler);
        if (info->gex_entry) known |= GEX_TI_ENTRY;
    }
    return known & mask;
}
