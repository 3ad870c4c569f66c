/* Memory kinds of GASNet-EX, behind gasnetex.h. There is GEX_MK_HOST alone: what asks for the
 * memory of a device is refused with GASNET_ERR_RESOURCE, and no GASNET_HAVE_MK_CLASS_... is
 * defined. */
#ifndef ISTHMUS_GASNET_MK_H
#define ISTHMUS_GASNET_MK_H

#include <gasnetex.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Local. Errors: RESOURCE: a class of device memory; BAD_ARG: no class. Of GEX_MK_CLASS_HOST it
 * gives GEX_MK_HOST. */
int gex_MK_Create(gex_MK_t* kind, gex_Client_t client, const gex_MK_Create_args_t* arguments,
                  gex_Flags_t flags);
void gex_MK_Destroy(gex_MK_t kind, gex_Flags_t flags);

#ifdef __cplusplus
}
#endif
#endif
