#include "launch/handover.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace isthmus::launch {
namespace {

using Words = std::vector<std::string>;

// A site whose programs are the keys; their answers are the values.
Site site_with(std::map<std::string, std::string> programs, bool allocation = false,
               bool pmix = true) {
    Site site;
    site.find = [programs](const std::string& name) {
        return programs.count(name) ? "/bin/" + name : std::string();
    };
    site.ask = [programs](const Words& command) { return programs.at(command[0].substr(5)); };
    site.allocation = allocation;
    site.pmix = pmix;
    return site;
}

TEST(Handover, ChoosesTheFirstThatIsHere) {
    const std::map<std::string, std::string> all = {
        {"srun", "MPI plugin types are...\n\tpmi2\n\tpmix\n\tpmix_v4"},
        {"mpiexec.hydra", ""},
        {"prterun", ""},
        {"mpirun", "mpirun (Open MPI) 5.0"}};
    EXPECT_EQ(choose_launcher("auto", site_with(all)).program, "/bin/mpiexec.hydra");
    const LauncherChoice slurm = choose_launcher("auto", site_with(all, true));
    EXPECT_EQ(slurm.program, "/bin/srun");
    EXPECT_EQ(slurm.pmi, "pmix");
    EXPECT_EQ(choose_launcher("auto", site_with(all, true, false)).pmi, "pmi2");
    EXPECT_EQ(choose_launcher("prterun", site_with(all)).program, "/bin/prterun");
    EXPECT_EQ(choose_launcher("mpirun", site_with(all)).program, "/bin/mpirun");
    EXPECT_EQ(choose_launcher("srun", site_with(all)).program, "/bin/srun");
}

TEST(Handover, SaysWhoTalksInClear) {
    const Site site = site_with({{"srun", "MPI plugin types are...\n\tpmix"},
                                 {"mpiexec.hydra", ""},
                                 {"prterun", ""},
                                 {"mpirun", "mpirun (Open MPI) 5.0"},
                                 {"ssh", ""}},
                                true);
    for (const char* const each : {"hydra", "prterun", "mpirun"})
        EXPECT_NE(who_may_hear(choose_launcher(each, site)), "") << each;
    for (const char* const each : {"srun", "ssh"}) {
        ASSERT_NE(choose_launcher(each, site).program, "") << each;
        EXPECT_EQ(who_may_hear(choose_launcher(each, site)), "") << each;
    }
    EXPECT_EQ(who_may_hear(choose_launcher("hydra", site_with({}))), "");
}

TEST(Handover, NamesThatAreAnybodysAreAsked) {
    const std::map<std::string, std::string> mpich = {{"mpirun", "HYDRA build details:"},
                                                      {"mpiexec", "HYDRA build details:"}};
    const LauncherChoice hydra = choose_launcher("auto", site_with(mpich));
    EXPECT_EQ(hydra.program, "/bin/mpiexec");
    EXPECT_EQ(hydra.kind, RemoteLauncher::hydra);
    EXPECT_EQ(choose_launcher("mpirun", site_with(mpich)).program, "");
    const std::map<std::string, std::string> open = {{"mpirun", "mpirun (Open MPI) 4.1.4"},
                                                     {"mpiexec", "mpiexec (OpenRTE) 4.1.4"}};
    EXPECT_EQ(choose_launcher("auto", site_with(open)).kind, RemoteLauncher::mpirun);
}

TEST(Handover, ARemoteShellThatIsNamedIsUsed) {
    Site site = site_with({{"mpiexec.hydra", ""}, {"myssh", ""}, {"srun", "pmi2"}});
    site.remote_shell = "myssh";
    site.own_shell = true;
    EXPECT_EQ(choose_launcher("auto", site).program, "/bin/myssh");
    EXPECT_EQ(choose_launcher("auto", site).kind, RemoteLauncher::ssh);
    EXPECT_EQ(choose_launcher("hydra", site).program, "/bin/mpiexec.hydra");
    site.allocation = true;
    EXPECT_EQ(choose_launcher("auto", site).program, "/bin/srun");
    site.allocation = false;
    site.remote_shell = "/no/such/shell";
    for (const char* const asked : {"auto", "ssh"}) {
        const LauncherChoice none = choose_launcher(asked, site);
        EXPECT_EQ(none.program, "") << asked;
        EXPECT_NE(none.reason.find("ISTHMUS_REMOTE_SHELL: there is no program /no/such/shell"),
                  std::string::npos)
            << none.reason;
    }
}

TEST(Handover, SaysWhyNot) {
    EXPECT_NE(choose_launcher("auto", site_with({})).reason.find("no launcher"), std::string::npos);
    EXPECT_EQ(choose_launcher("prterun", site_with({})).reason,
              "launcher prterun was not found in PATH");
    const LauncherChoice no_pmix =
        choose_launcher("mpirun", site_with({{"mpirun.openmpi", ""}}, false, false));
    EXPECT_EQ(no_pmix.program, "");
    EXPECT_NE(no_pmix.reason.find("built without libpmix"), std::string::npos);
    const LauncherChoice old = choose_launcher("srun", site_with({{"srun", "none\n"}}));
    EXPECT_EQ(old.program, "");
    EXPECT_NE(old.reason.find("neither pmi2 nor a pmix"), std::string::npos);
}

RunOptions options_for(std::vector<HostShare> hosts, int pes) {
    RunOptions options;
    options.hosts = std::move(hosts);
    options.pes = pes;
    options.command = {"prog", "-n", "x y"};
    return options;
}

Words command(const RunOptions& options, RemoteLauncher kind, std::string* error = nullptr) {
    LauncherChoice choice;
    choice.kind = kind;
    choice.program = "L";
    choice.pmi = "pmi2";
    std::string problem;
    Words words = handover_command(options, choice, {"A", "SHMEM_DEBUG"}, problem);
    if (error)
        *error = problem;
    else
        EXPECT_EQ(problem, "");
    std::erase(words, "--allow-run-as-root");
    return words;
}

TEST(Handover, Commands) {
    RunOptions options = options_for({{"a", 2}, {"b", 2}}, 4);
    EXPECT_EQ(command(options, RemoteLauncher::hydra),
              (Words{"L", "-hosts", "a:2,b:2", "-n", "4", "prog", "-n", "x y"}));
    EXPECT_EQ(command(options, RemoteLauncher::mpirun),
              (Words{"L", "--host", "a:2,b:2", "-n", "4", "--oversubscribe", "-x", "A", "-x",
                     "SHMEM_DEBUG", "prog", "-n", "x y"}));
    EXPECT_EQ(command(options, RemoteLauncher::prterun),
              (Words{"L", "--host", "a:2,b:2", "-n", "4", "--map-by", "slot:oversubscribe", "-x",
                     "A", "-x", "SHMEM_DEBUG", "prog", "-n", "x y"}));
    EXPECT_EQ(command(options, RemoteLauncher::srun),
              (Words{"L", "--mpi=pmi2", "--kill-on-bad-exit=1", "-n", "4", "--nodelist=a,b",
                     "--ntasks-per-node=2", "prog", "-n", "x y"}));
    options.hosts[1].pes = 1;
    options.pes = 3;
    EXPECT_EQ(command(options, RemoteLauncher::srun),
              (Words{"L", "--mpi=pmi2", "--kill-on-bad-exit=1", "-n", "3",
                     "--distribution=arbitrary", "--nodelist=a,a,b", "prog", "-n", "x y"}));
    options = options_for({}, 0);
    EXPECT_EQ(command(options, RemoteLauncher::srun),
              (Words{"L", "--mpi=pmi2", "--kill-on-bad-exit=1", "prog", "-n", "x y"}));
    EXPECT_EQ(command(options, RemoteLauncher::hydra), (Words{"L", "prog", "-n", "x y"}));
}

TEST(Handover, HydraIsCalledBackByAnAddress) {
    LauncherChoice choice;
    choice.program = "L";
    choice.address = "10.0.0.1";
    std::string problem;
    EXPECT_EQ(
        handover_command(options_for({{"a", 1}}, 1), choice, {}, problem),
        (Words{"L", "-hosts", "a:1", "-localhost", "10.0.0.1", "-n", "1", "prog", "-n", "x y"}));
    EXPECT_EQ(problem, "");
}

TEST(Handover, OptionsInEachSpelling) {
    RunOptions options = options_for({{"a", 1}}, 1);
    options.bind = BindMode::thread;
    options.prefix = true;
    options.working_directory = "/w";
    options.timeout_seconds = 2.5;
    EXPECT_EQ(command(options, RemoteLauncher::hydra),
              (Words{"/usr/bin/env", "MPIEXEC_TIMEOUT=3", "L", "-hosts", "a:1", "-n", "1",
                     "-bind-to", "hwthread", "-prepend-rank", "-wdir", "/w", "prog", "-n", "x y"}));
    options.show_binding = true;
    EXPECT_EQ(command(options, RemoteLauncher::mpirun), (Words{"L",
                                                               "--host",
                                                               "a:1",
                                                               "-n",
                                                               "1",
                                                               "--oversubscribe",
                                                               "--bind-to",
                                                               "hwthread",
                                                               "--report-bindings",
                                                               "--tag-output",
                                                               "--wdir",
                                                               "/w",
                                                               "--timeout",
                                                               "3",
                                                               "-x",
                                                               "A",
                                                               "-x",
                                                               "SHMEM_DEBUG",
                                                               "prog",
                                                               "-n",
                                                               "x y"}));
    options.timeout_seconds = 0;
    options.split_directory = "d";
    EXPECT_EQ(command(options, RemoteLauncher::srun),
              (Words{"L", "--mpi=pmi2", "--kill-on-bad-exit=1", "-n", "1", "--nodelist=a",
                     "--ntasks-per-node=1", "--cpu-bind=verbose,threads", "--label",
                     "--output=d/pe-%t.out", "--chdir=/w", "prog", "-n", "x y"}));
}

// What a launcher has no word for is refused, not dropped.
TEST(Handover, RefusesWhatCannotBeSaid) {
    std::string error;
    RunOptions options = options_for({{"a", 1}}, 1);
    options.timeout_seconds = 2;
    command(options, RemoteLauncher::srun, &error);
    EXPECT_NE(error.find("--timeout cannot be said to srun"), std::string::npos);
    options.timeout_seconds = 0;
    options.split_directory = "d";
    command(options, RemoteLauncher::mpirun, &error);
    EXPECT_NE(error.find("--split cannot be said"), std::string::npos);
    options.split_directory = "";
    options.show_binding = true;
    command(options, RemoteLauncher::hydra, &error);
    EXPECT_NE(error.find("--show-binding cannot be said"), std::string::npos);
    options.show_binding = false;
    options.foreign = {"--map-by", "node"};
    command(options, RemoteLauncher::hydra, &error);
    EXPECT_EQ(error, "--map-by cannot be said to L");
    EXPECT_EQ(command(options, RemoteLauncher::mpirun),
              (Words{"L", "--host", "a:1", "-n", "1", "--oversubscribe", "-x", "A", "-x",
                     "SHMEM_DEBUG", "--map-by", "node", "prog", "-n", "x y"}));
    options.foreign.clear();
    options.grace_given = true;
    command(options, RemoteLauncher::prterun, &error);
    EXPECT_NE(error.find("--grace cannot be said"), std::string::npos);
    options.grace_given = false;
    options.hosts = {{"a", 1}, {"localhost", 1}};
    error.clear();
    command(options, RemoteLauncher::mpirun, &error);
    EXPECT_EQ(error, "");
    command(options, RemoteLauncher::hydra, &error);
    EXPECT_NE(error.find("localhost among other hosts"), std::string::npos);
}

TEST(Handover, Allocations) {
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURM_STEP_ID");
    EXPECT_FALSE(in_allocation_of_hosts());
    setenv("SLURM_JOB_ID", "7", 1);
    setenv("SLURM_NNODES", "1", 1);
    EXPECT_FALSE(in_allocation_of_hosts());
    setenv("SLURM_NNODES", "2", 1);
    EXPECT_TRUE(in_allocation_of_hosts());
    setenv("SLURM_STEP_ID", "0", 1);
    EXPECT_FALSE(in_allocation_of_hosts());
    unsetenv("SLURM_STEP_ID");
    unsetenv("SLURM_NNODES");
    unsetenv("SLURM_JOB_ID");
}

}  // namespace
}  // namespace isthmus::launch
