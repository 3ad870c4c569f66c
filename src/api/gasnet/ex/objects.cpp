// The client and its endpoints, and what is common to the calls of GASNet-EX.
#include "api/gasnet/ex/objects.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;
using namespace isthmus::gasnet::ex;

namespace isthmus::gasnet::ex {

Lasting<Objects> objects;
bool is_verbose = false;

isthmus_gex_endpoint& make_endpoint(gex_EP_Capabilities_t capabilities, gex_Flags_t flags) {
    auto made = std::make_unique<isthmus_gex_endpoint>();
    made->index = static_cast<gex_EP_Index_t>(objects->endpoints.size());
    made->capabilities = capabilities;
    made->flags = flags;
    objects->endpoints.push_back(std::move(made));
    return *objects->endpoints.back();
}

void require_client(const char* routine) {
    if (attached() && face->begun && objects->is_made) [[likely]]
        return;
    fail(routine, forked_child ? "called in a forked child, which is no process of the job"
                               : "called before gex_Client_Init or after the end of the session");
}

int refuse_with_code(int code, const char* routine, const Text& sentence) {
    refuse_with(code == GASNET_ERR_RESOURCE ? ISTHMUS_NO_MEMORY : ISTHMUS_ARGUMENT, routine,
                sentence);
    if (is_verbose && !job.checked) say_from(routine, sentence);
    return code;
}

}  // namespace isthmus::gasnet::ex

ISTHMUS_API const char* gex_Client_QueryName(gex_Client_t client) {
    return client->name.c_str();
}
ISTHMUS_API gex_Flags_t gex_Client_QueryFlags(gex_Client_t client) {
    return client->flags;
}
ISTHMUS_API void gex_Client_SetCData(gex_Client_t client, const void* data) {
    client->data = data;
}
ISTHMUS_API void* gex_Client_QueryCData(gex_Client_t client) {
    return const_cast<void*>(client->data);
}

ISTHMUS_API int gex_EP_Create(gex_EP_t* endpoint, gex_Client_t, gex_EP_Capabilities_t capabilities,
                              gex_Flags_t flags) {
    constexpr const char* kRoutine = "gex_EP_Create";
    require_client(kRoutine);
    if (capabilities == 0 || (capabilities & ~GEX_EP_CAPABILITY_ALL) != 0)
        return refuse_object(GASNET_ERR_BAD_ARG, kRoutine, "capabilities ", capabilities,
                             " are none of GEX_EP_CAPABILITY_...");
    return whole(kRoutine, [&] {
        const std::lock_guard lock(objects->guard);
        if (objects->endpoints.size() >= GASNET_MAXEPS)
            return refuse_object(GASNET_ERR_RESOURCE, kRoutine, "there are ", GASNET_MAXEPS,
                                 " endpoints, as many as may be (GASNET_MAXEPS)");
        *endpoint = &make_endpoint(capabilities, flags);
        return GASNET_OK;
    });
}
ISTHMUS_API gex_Client_t gex_EP_QueryClient(gex_EP_t) {
    return &objects->client;
}
ISTHMUS_API gex_EP_Index_t gex_EP_QueryIndex(gex_EP_t endpoint) {
    return endpoint->index;
}
ISTHMUS_API gex_Segment_t gex_EP_QuerySegment(gex_EP_t endpoint) {
    return endpoint->segment;
}
ISTHMUS_API gex_EP_Capabilities_t gex_EP_QueryCapabilities(gex_EP_t endpoint) {
    return endpoint->capabilities;
}
ISTHMUS_API gex_Flags_t gex_EP_QueryFlags(gex_EP_t endpoint) {
    return endpoint->flags;
}
ISTHMUS_API void gex_EP_SetCData(gex_EP_t endpoint, const void* data) {
    endpoint->data = data;
}
ISTHMUS_API void* gex_EP_QueryCData(gex_EP_t endpoint) {
    return const_cast<void*>(endpoint->data);
}
