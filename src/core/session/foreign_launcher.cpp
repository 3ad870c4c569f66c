#include "core/session/foreign_launcher.hpp"

#include <cstdlib>

#include "base/error.hpp"

namespace isthmus {
namespace {

// Other launchers that start processes in numbers, by what each leaves in the environment. A null
// pointer: it has no such variable.
struct ForeignLauncher {
    const char* size;  // how many processes
    const char* rank;  // which of them this one is
    const char* name;
    const char* remedy = nullptr;  // instead of `isthmus run`
    // Of one that this library joins: what leads there, beside the rank.
    const char* way = nullptr;
};
constexpr ForeignLauncher kForeignLaunchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI's mpirun"},
    {"PMI_SIZE", "PMI_RANK", "a PMI launcher (mpiexec, srun --mpi=pmi2)", nullptr, "PMI_FD"},
    {"PMIX_SIZE", "PMIX_RANK", "a PMIx launcher",
     "hand all of its environment on to the program, or unset what is left over from one",
     "PMIX_NAMESPACE"},
    {"SLURM_STEP_NUM_TASKS", nullptr, "Slurm's srun without --mpi",
     "say `srun --mpi=pmix` or `srun --mpi=pmi2`"},
    {"PALS_NRANKS", "PALS_RANKID", "PALS"},
    {"ALPS_APP_PE_COUNT", "ALPS_APP_PE", "aprun"},
    {"FLUX_JOB_SIZE", "FLUX_TASK_RANK", "Flux without its PMI", "say `flux run -o pmi=simple`"},
    {"JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK", "jsrun"},
    {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "MVAPICH's mpirun_rsh"},
    {"MPIRUN_NPROCS", "MPIRUN_RANK", "an MVAPICH launcher"},
};
// Hydra gives its processes a port to call instead of a descriptor if it is told to, a number to
// say there, and neither rank nor size: it is never known that one is alone.
constexpr ForeignLauncher kPmiByPort = {nullptr, "PMI_ID", "mpiexec.hydra -pmi-port",
                                        "leave out -pmi-port"};

constexpr const char* kNotYet = " yet";

// -1: not set, or no number.
int number_in(const char* variable) {
    const char* const text = variable ? std::getenv(variable) : nullptr;
    return text && *text >= '0' && *text <= '9' ? std::atoi(text) : -1;
}

// Null if nothing is missing, or nobody has written how such a launcher is joined.
const char* missing_way_to(const ForeignLauncher& launcher) {
    if (!launcher.way) return nullptr;
    for (const char* const variable : {launcher.way, launcher.rank}) {
        if (!std::getenv(variable)) return variable;
    }
    return nullptr;
}

std::string describe(const ForeignLauncher& launcher, const char* variable, int number,
                     const std::string& otherwise) {
    const char* const missing = missing_way_to(launcher);
    return std::string("started by ") + launcher.name + " (" + variable + "=" +
           std::to_string(number) + ")" +
           (missing ? std::string(" without ") + missing + ", by which its processes find it"
                    : ", which this library cannot talk to" + otherwise);
}

std::string remedy_of(const ForeignLauncher& launcher, const std::string& processes) {
    return launcher.remedy ? launcher.remedy
                           : "start the program with `isthmus run -n " + processes + "` instead";
}

}  // namespace

void refuse_foreign_launcher(const std::string& why) {
    bool alone_by_size = false;
    for (const ForeignLauncher& launcher : kForeignLaunchers) {
        const int size = number_in(launcher.size);
        alone_by_size |= size == 1;
        if (size > 1)
            fail("shmem_init", describe(launcher, launcher.size, size,
                                        why.empty() ? std::string(kNotYet) : ": " + why) +
                                   "; " + remedy_of(launcher, std::to_string(size)));
    }
    if (!why.empty()) return;
    if (const int id = number_in(kPmiByPort.rank);
        id >= 0 && std::getenv("PMI_PORT") && !std::getenv("PMI_FD"))
        fail("shmem_init",
             describe(kPmiByPort, kPmiByPort.rank, id, "") + "; " + remedy_of(kPmiByPort, "N"));
    // Some say which process this is and not how many there are. The first of them may be alone.
    for (const ForeignLauncher& launcher : kForeignLaunchers) {
        const int rank = number_in(launcher.rank);
        if (rank > 0)
            fail("shmem_init", describe(launcher, launcher.rank, rank, kNotYet) + "; " +
                                   remedy_of(launcher, "N"));
        if (rank != 0 || alone_by_size) continue;
        say_from("shmem_init", describe(launcher, launcher.rank, rank, kNotYet) +
                                   "; this process runs as a job of one PE; if there are "
                                   "more, " +
                                   remedy_of(launcher, "N"));
        return;
    }
}

}  // namespace isthmus
