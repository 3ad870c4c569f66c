# Teams and collectives. The programs run as the PEs of a job.
set(pe_counts 1 2 3 4 8)
foreach(name team collective_active_set collective_check collective_across)
    add_executable(core_${name} teams/${name}_test.cpp)
    target_link_libraries(core_${name} PRIVATE isthmus::isthmus Threads::Threads)
    # The typed tests are large: little optimisation.
    target_compile_options(core_${name} PRIVATE -O1)
endforeach()
foreach(pes ${pe_counts})
    add_test(NAME core.team.${pes}
             COMMAND isthmus_tool run -n ${pes} --timeout 60 $<TARGET_FILE:core_team>)
    add_test(NAME core.active_set.${pes}
             COMMAND isthmus_tool run -n ${pes} --timeout 60 $<TARGET_FILE:core_collective_active_set>)
    add_test(NAME core.active_set_multiple.${pes}
             COMMAND isthmus_tool run -n ${pes} --timeout 60
                     $<TARGET_FILE:core_collective_active_set> multiple)
    set_tests_properties(core.team.${pes} core.active_set.${pes} core.active_set_multiple.${pes}
                         PROPERTIES PROCESSORS 2)
endforeach()

# On one host, and with every PE a host of its own; on hosts of several PEs: tests/hosts.
foreach(pes 3 4)
    add_test(NAME core.collective_across.one_host.${pes}
             COMMAND isthmus_tool run -n ${pes} --timeout 60 $<TARGET_FILE:core_collective_across> 200 ${pes})
    set_tests_properties(core.collective_across.one_host.${pes} PROPERTIES PROCESSORS 2)
endforeach()
if(TARGET isthmus_ofi)
    # 6 hosts: more than tell each other directly.
    foreach(pes 2 3 6)
        add_test(NAME core.collective_across.${pes}
                 COMMAND isthmus_tool run -n ${pes} --timeout 60 $<TARGET_FILE:core_collective_across> 150 ${pes})
        set_tests_properties(core.collective_across.${pes} PROPERTIES
            ENVIRONMENT "ISTHMUS_TRANSPORT=ofi" PROCESSORS 2)
    endforeach()
endif()

# Golden texts, 3 PEs: the case, then what standard error must say.
function(add_refusal case text)
    add_test(NAME core.collective_check.${case}
             COMMAND isthmus_tool run -n 3 --timeout 20 $<TARGET_FILE:core_collective_check> ${case})
    set_tests_properties(core.collective_check.${case} PROPERTIES
        ENVIRONMENT "ISTHMUS_CHECK=1" PASS_REGULAR_EXPRESSION "${text}")
endfunction()
set(same "all PEs of the collective must pass the same")
add_refusal(nelems "shmem_broadcast: PE 0 passes nelems 4 and PE 2 passes nelems 8; ${same}")
add_refusal(root "shmem_broadcast: PE 0 passes PE_root 0 and PE 2 passes PE_root 1; ${same}")
add_refusal(range "shmem_broadcast: PE_root 3 is out of range 0..2 of the collective")
add_refusal(routine "PE 0 is in shmem_team_sync and PE 2 in shmem_sum_reduce; all PEs of a team must call its collectives in the same order")
add_refusal(operation "PE 0 is in shmem_max_reduce and PE 2 in shmem_sum_reduce")
add_refusal(element "shmem_fcollect: PE 0 passes elements of 8 bytes and PE 2 passes elements of 4 bytes; ${same}")
add_refusal(dest "shmem_fcollect: PE 0 passes dest heap [+] 0x[0-9a-f]+ and PE 2 passes dest heap [+] 0x[0-9a-f]+; ${same}")
add_refusal(stack "shmem_broadcast: dest: address 0x[0-9a-f]+ is not symmetric: it is on the stack")
add_refusal(source "shmem_sum_reduce: source: address 0x[0-9a-f]+ is not symmetric: it is on the stack")
add_refusal(overlap "shmem_sum_reduce: dest \\(32 bytes at 0x[0-9a-f]+\\) overlaps source \\(32 bytes at 0x[0-9a-f]+\\); they must be the same or disjoint")
add_refusal(in_place "shmem_alltoall: dest .* overlaps source .*; they must be disjoint")
add_refusal(stride "shmem_alltoalls: PE 0 passes stride sst 2 and PE 2 passes stride sst 3; ${same}")
add_refusal(zero_stride "shmem_alltoalls: dst 0 is out of range: strides are at least 1")
add_refusal(split "shmem_team_split_strided: PE 0 passes size 1 and PE 2 passes size 3; ${same}")
add_refusal(set "shmem_broadcast: PE 0 passes nelems 4 and PE 2 passes nelems 8; ${same}")
add_refusal(psync "shmem_barrier: pSync: address 0x[0-9a-f]+ is not symmetric: it is on the stack")
add_refusal(no_set "shmem_barrier: the active set \\(PE_start 0, logPE_stride 0, PE_size 4\\) is no set of PEs out of 0..2")
add_refusal(not_member "shmem_barrier: the active set \\(PE_start 0, logPE_stride 0, PE_size 2\\) does not contain this PE; only its members may call")
add_refusal(destroyed "shmem_team_sync: the team has been destroyed")
add_refusal(world "shmem_team_destroy: SHMEM_TEAM_WORLD and SHMEM_TEAM_SHARED cannot be destroyed")
add_refusal(right "nothing to refuse")

# Every length and every way of meeting: all tell all, by way of a root (more PEs than processors),
# in rounds (more than 8 PEs on as many processors; more than 64 on fewer), across hosts.
add_executable(core_collective_lengths teams/collective_lengths.c)
target_link_libraries(core_collective_lengths PRIVATE isthmus::isthmus)
target_compile_options(core_collective_lengths PRIVATE -O2)
function(add_lengths_test name pes)
    cmake_parse_arguments(PARSE_ARGV 2 lengths "" "" "ARGUMENTS;ENVIRONMENT")
    add_test(NAME core.collective_lengths.${name}
             COMMAND isthmus_tool run -n ${pes} --timeout 100 $<TARGET_FILE:core_collective_lengths>
                     ${lengths_ARGUMENTS})
    add_test(NAME core.late.${name}
             COMMAND isthmus_tool run -n ${pes} --timeout 100 $<TARGET_FILE:shmem_late> 10)
    set_tests_properties(core.collective_lengths.${name} core.late.${name} PROPERTIES
        PROCESSORS 2 ENVIRONMENT "${lengths_ENVIRONMENT}")
endfunction()
foreach(pes 2 3 8)
    add_lengths_test(${pes} ${pes})
endforeach()
add_lengths_test(65 65 ARGUMENTS 60)
# With threads, active sets have no team: by pSync.
add_test(NAME core.late.multiple.5 COMMAND isthmus_tool run -n 5 --timeout 100 $<TARGET_FILE:shmem_late> 10 multiple)
set_tests_properties(core.late.multiple.5 PROPERTIES PROCESSORS 2)
if(NOT ISTHMUS_SANITIZE)
    add_library(core_many_processors MODULE teams/many_processors.c)
    target_link_libraries(core_many_processors PRIVATE ${CMAKE_DL_LIBS})
    set(many "LD_PRELOAD=$<TARGET_FILE:core_many_processors>" MANY_PROCESSORS=32 ISTHMUS_BIND=none ISTHMUS_SPIN=0)
    add_lengths_test(flat.3 3 ENVIRONMENT ${many})
    foreach(pes 9 16 17)
        add_lengths_test(rounds.${pes} ${pes} ARGUMENTS 17000 ENVIRONMENT ${many})
    endforeach()
endif()
if(TARGET isthmus_ofi)
    foreach(pes 2 3 6)
        add_lengths_test(hosts.${pes} ${pes} ENVIRONMENT ISTHMUS_TRANSPORT=ofi)
    endforeach()
endif()
