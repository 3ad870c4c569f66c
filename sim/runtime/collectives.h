/* What the files of the collectives share. */
#ifndef ISTHMUS_SIM_COLLECTIVES_H
#define ISTHMUS_SIM_COLLECTIVES_H

#include "runtime.h"

/* Ends the job: the team of a collective is SHMEM_TEAM_INVALID. */
void isthmus_refuse_no_team(const char* routine) __attribute__((noreturn, cold));
static inline struct isthmus_team* isthmus_collective_team(const char* routine, shmem_team_t team) {
    if (ISTHMUS_UNLIKELY(team == SHMEM_TEAM_INVALID)) isthmus_refuse_no_team(routine);
    return isthmus_live_team(routine, team);
}

/* What this PE has below it in the tree of `root`: dest and flags. */
int isthmus_send_down(struct isthmus_team* team, void* dest, const void* source, size_t bytes,
                      int root);

/* An active set (deprecated) as a team; ends the job if it is none with this PE in it. */
struct isthmus_team isthmus_set(const char* routine, int start, int log_stride, int size,
                                long* psync);
#define ISTHMUS_IN_SET_(NAME) \
    struct isthmus_team set = isthmus_set("shmem_" #NAME, PE_start, logPE_stride, PE_size, pSync)

#endif
