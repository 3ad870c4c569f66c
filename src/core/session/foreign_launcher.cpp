#include "core/session/foreign_launcher.hpp"

#include <cstdlib>

#include "base/error.hpp"

namespace isthmus {
namespace {

// Other launchers that start processes in numbers. Each variable holds that number.
struct ForeignLauncher {
    const char* variable;
    const char* name;
    const char* remedy = nullptr;  // instead of `isthmus run`
};
constexpr ForeignLauncher kForeignLaunchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun"},
    {"PMI_SIZE", "a PMI launcher (mpiexec, srun --mpi=pmi2)"},
    {"PMIX_SIZE", "a PMIx launcher"},
    {"SLURM_STEP_NUM_TASKS", "Slurm's srun without --mpi",
     "say `srun --mpi=pmix` or `srun --mpi=pmi2`"},
    {"PALS_NRANKS", "PALS"},
    {"ALPS_APP_PE_COUNT", "aprun"},
    {"FLUX_JOB_SIZE", "Flux without its PMI", "say `flux run -o pmi=simple`"},
    {"JSM_NAMESPACE_SIZE", "jsrun without PMIx"},
    {"MV2_COMM_WORLD_SIZE", "MVAPICH's mpirun_rsh"},
};

}  // namespace

void refuse_foreign_launcher(const std::string& why) {
    for (const auto& [variable, name, remedy] : kForeignLaunchers) {
        const char* text = std::getenv(variable);
        const int processes = text ? std::atoi(text) : 0;
        if (processes <= 1) continue;
        fail("shmem_init", std::string("started by ") + name + " (" + variable + "=" + text +
                               "), which this library cannot talk to" +
                               (why.empty() ? " yet" : ": " + why) + "; " +
                               (remedy ? remedy
                                       : std::string("start the program with `isthmus run -n ") +
                                             text + "` instead"));
    }
}

}  // namespace isthmus
