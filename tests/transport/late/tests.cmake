# ISTHMUS_DELAY: what is missing in a program shows, and what is right stays right.
add_executable(late_test ${CMAKE_CURRENT_LIST_DIR}/backlog_test.cpp
               ${CMAKE_SOURCE_DIR}/src/transport/late/backlog.cpp
               ${CMAKE_SOURCE_DIR}/src/transport/late/schedule.cpp)
target_include_directories(late_test PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(late_test PRIVATE isthmus_base GTest::gtest_main Threads::Threads)
precompile_gtest(late_test)
gtest_discover_tests(late_test)

# Programs with one mistake each: one host hides it, some seed shows it, and without it all pass.
add_executable(transport_mistakes ${CMAKE_CURRENT_LIST_DIR}/mistakes.c)
target_link_libraries(transport_mistakes PRIVATE isthmus::isthmus)
target_compile_options(transport_mistakes PRIVATE -O2)
foreach(case data_and_flag rows_and_flag rows_twice sync_of_set split_for_barrier atomic_and_flag fence_for_quiet counters source_reused result_read
             signal_for_all put_then_get sync_for_barrier other_context fetched_read signal_source_reused
             last_word put_and_atomic source_changed reduction_for_barrier lock_and_context
             own_put own_data_and_flag own_rows own_result)
    add_test(NAME transport.late.mistakes.${case}
             COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/mistakes.sh $<TARGET_FILE:isthmus_tool>
                     $<TARGET_FILE:transport_mistakes> ${case})
    set_tests_properties(transport.late.mistakes.${case} PROPERTIES PROCESSORS 2 TIMEOUT 120)
endforeach()

function(add_late_test name pes target)
    cmake_parse_arguments(PARSE_ARGV 3 late "" "" "ARGUMENTS;ENVIRONMENT;SEEDS")
    if(NOT late_SEEDS)
        set(late_SEEDS 1 2)
    endif()
    foreach(seed ${late_SEEDS})
        add_test(NAME transport.late.${name}.${seed}
                 COMMAND isthmus_tool run -n ${pes} --timeout 60 $<TARGET_FILE:${target}> ${late_ARGUMENTS})
        set_tests_properties(transport.late.${name}.${seed} PROPERTIES PROCESSORS 2 TIMEOUT 80
            FAIL_REGULAR_EXPRESSION "WRONG" ENVIRONMENT "ISTHMUS_DELAY=${seed};TEST_HOST_PES=1;${late_ENVIRONMENT}")
    endforeach()
endfunction()
# Programs as outsiders write them.
foreach(name circular_shift heat_2d lock_counter random_access wait_flags signal_pipeline contexts_pthreads
             nonblocking teams_grid direct_pointers sessions collect_subsets scan_compaction)
    add_late_test(programs.${name} 4 program_${name})
endforeach()
# Those of the faces: checked, without a thread that serves, on the road that is there between hosts.
add_late_test(shmem.p2p 3 shmem_p2p SEEDS 3)
add_late_test(shmem.collectives 3 shmem_collectives SEEDS 1 6)
foreach(name rma_inline atomics basics blocks elements extensions late)
    add_late_test(shmem.${name} 3 shmem_${name} SEEDS 3)
endforeach()
foreach(name rma atomics_inline basics waits memory generics_c_O0 generics_c_O2 generics_cpp_O0 generics_cpp_O2)
    add_late_test(shmem.${name} 2 shmem_${name} SEEDS 5)
endforeach()
add_late_test(shmem.active_sets 4 shmem_active_sets SEEDS 4)
add_late_test(shmem.aggregation 3 shmem_aggregation ARGUMENTS 2000 SEEDS 4)
add_test(NAME transport.late.shmem.global_exit
         COMMAND sh -c "\"$@\"\ntest $? -eq 7" sh $<TARGET_FILE:isthmus_tool> run -n 3 --timeout 60
                 $<TARGET_FILE:shmem_global_exit>)
set_tests_properties(transport.late.shmem.global_exit PROPERTIES PROCESSORS 2 TIMEOUT 80 ENVIRONMENT ISTHMUS_DELAY=4)
add_late_test(core.blocks 2 core_blocks SEEDS 5)
add_late_test(core.shape 2 core_shape SEEDS 5)
# Not shmem_signals: its pages must be read by the thread that puts.
add_late_test(native.operations 3 native_operations SEEDS 3)
add_late_test(native.litmus 2 native_litmus SEEDS 3 ARGUMENTS all 50)
add_late_test(native.objects 3 native_objects SEEDS 3)
add_late_test(gasnet.transfer 2 gasnet_transfer)
add_late_test(gasnet.messages 3 gasnet_messages SEEDS 3)
foreach(name transfer vis atomics)
    add_late_test(gasnet.ex.${name} 2 gasnet_ex_${name} SEEDS 3)
endforeach()
add_late_test(checked 3 shmem_p2p SEEDS 4 ENVIRONMENT ISTHMUS_CHECK=1)
add_executable(transport_handler ${CMAKE_CURRENT_LIST_DIR}/handler.c)
target_link_libraries(transport_handler PRIVATE isthmus::isthmus)
add_late_test(handler 2 transport_handler SEEDS 1 2)
add_late_test(handler.checked 2 transport_handler SEEDS 3 ENVIRONMENT ISTHMUS_CHECK=1)
add_late_test(handler.called 2 transport_handler SEEDS 4 ENVIRONMENT ISTHMUS_PROGRESS=0)
add_late_test(called 3 program_wait_flags SEEDS 4 ENVIRONMENT ISTHMUS_PROGRESS=0)
add_late_test(forks 3 native_forks SEEDS 4)
# A PE alone is late to itself, up to its barrier.
add_late_test(alone 1 shmem_basics SEEDS 3)
add_test(NAME transport.late.mistakes.alone
         COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/mistakes.sh $<TARGET_FILE:isthmus_tool>
                 $<TARGET_FILE:transport_mistakes> own_put 1)
set_tests_properties(transport.late.mistakes.alone PROPERTIES TIMEOUT 120)
# The start says that it is on, and with what.
add_test(NAME transport.late.told
         COMMAND isthmus_tool run -n 2 $<TARGET_FILE:program_circular_shift>)
set_tests_properties(transport.late.told PROPERTIES PROCESSORS 2
    ENVIRONMENT "ISTHMUS_DELAY=12;ISTHMUS_DELAY_MICROSECONDS=300;SHMEM_DEBUG=1"
    PASS_REGULAR_EXPRESSION "^isthmus: ISTHMUS_DELAY=12: operations between PEs come late [^\n]*\n.*on purpose, seed [0-9]+, up to 300 us, in front of: loop")
