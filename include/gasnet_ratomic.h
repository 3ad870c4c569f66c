/* Atomic domains of GASNet-EX: operations on words of other processes, atomic with respect to each
 * other. Behind gasnetex.h. They need no call at the target. */
#ifndef ISTHMUS_GASNET_RATOMIC_H
#define ISTHMUS_GASNET_RATOMIC_H

#include <gasnetex.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective over the team, but does not wait for it. `ops`: all that will be asked for, or-ed.
 * What there is not for the type ends the job with a message. */
void gex_AD_Create(gex_AD_t* domain, gex_TM_t team, gex_DT_t dt, gex_OP_t ops, gex_Flags_t flags);
/* Everybody's operations are complete. */
void gex_AD_Destroy(gex_AD_t domain);
gex_Flags_t gex_AD_QueryFlags(gex_AD_t domain);
gex_TM_t gex_AD_QueryTM(gex_AD_t domain);
gex_DT_t gex_AD_QueryDT(gex_AD_t domain);
gex_OP_t gex_AD_QueryOps(gex_AD_t domain);
void gex_AD_SetCData(gex_AD_t domain, const void* data);
void* gex_AD_QueryCData(gex_AD_t domain);

/* One operation on the word at `target`, an address of the process with this rank of the domain's
 * team, aligned to its size. What it held is written to *result by those that fetch, before the
 * event is complete. operand1 and operand2: expected and new of CAS and FCAS; else operand1 alone,
 * and none of INC, DEC and GET. */
#define ISTHMUS_GEX_DOMAIN(SUFFIX, TYPE)                                                           \
    gex_Event_t gex_AD_OpNB_##SUFFIX(gex_AD_t domain, TYPE* result, gex_Rank_t rank, void* target, \
                                     gex_OP_t op, TYPE operand1, TYPE operand2,                    \
                                     gex_Flags_t flags);                                           \
    int gex_AD_OpNBI_##SUFFIX(gex_AD_t domain, TYPE* result, gex_Rank_t rank, void* target,        \
                              gex_OP_t op, TYPE operand1, TYPE operand2, gex_Flags_t flags);
ISTHMUS_GEX_DOMAIN(I32, int32_t)
ISTHMUS_GEX_DOMAIN(U32, uint32_t)
ISTHMUS_GEX_DOMAIN(I64, int64_t)
ISTHMUS_GEX_DOMAIN(U64, uint64_t)
ISTHMUS_GEX_DOMAIN(FLT, float)
ISTHMUS_GEX_DOMAIN(DBL, double)
#undef ISTHMUS_GEX_DOMAIN

#ifdef __cplusplus
}
#endif
#endif
