# The programs of the faces over the road loop, which is late and reorders on purpose: two seeds.
function(add_loop_test name pes target)
    cmake_parse_arguments(PARSE_ARGV 3 loop "" "" "ARGUMENTS;ENVIRONMENT;SEEDS")
    if(NOT loop_SEEDS)
        set(loop_SEEDS 1 2)
    endif()
    foreach(seed ${loop_SEEDS})
        add_test(NAME transport.loop.${name}.${seed}
                 COMMAND isthmus_tool run -n ${pes} --timeout 60 $<TARGET_FILE:${target}> ${loop_ARGUMENTS})
        set_tests_properties(transport.loop.${name}.${seed} PROPERTIES PROCESSORS 2 TIMEOUT 80 ENVIRONMENT
            "ISTHMUS_TRANSPORT=loop;ISTHMUS_LOOP_SEED=${seed};TEST_HOST_PES=1;${loop_ENVIRONMENT}")
    endforeach()
endfunction()
foreach(name basics rma rma_inline atomics_inline generics_c_O2)
    add_loop_test(shmem.${name} 2 shmem_${name})
endforeach()
foreach(name basics p2p active_sets collectives)
    add_loop_test(shmem.${name}.3 3 shmem_${name} SEEDS 3)
endforeach()
add_loop_test(shmem.locks 3 shmem_locks)
add_loop_test(shmem.aggregation 3 shmem_aggregation ARGUMENTS 2000 SEEDS 1)
add_loop_test(shmem.extensions 3 shmem_extensions ARGUMENTS both 20)
foreach(name segments operations symmetric pointers shared_arrays views objects gather queues queue_ends messages message_objects)
    add_loop_test(native.${name} 3 native_${name})
endforeach()
add_loop_test(native.messages.flood 3 native_message_flood ARGUMENTS 3000)
add_loop_test(native.messages.flood.called 2 native_message_flood ARGUMENTS 2000 SEEDS 1
              ENVIRONMENT ISTHMUS_PROGRESS=0)
foreach(name messages attach transfer vis)
    add_loop_test(gasnet.${name} 3 gasnet_${name})
endforeach()
add_loop_test(gasnet.barriers 3 gasnet_barriers ARGUMENTS 30)
add_loop_test(gasnet.threads 2 gasnet_threads ARGUMENTS 30 SEEDS 1)
add_loop_test(gasnet.called 2 gasnet_transfer SEEDS 1 ENVIRONMENT ISTHMUS_PROGRESS=0)
add_loop_test(gasnet.checked 3 gasnet_transfer SEEDS 1 ENVIRONMENT ISTHMUS_CHECK=1)
add_loop_test(native.geometry 2 native_geometry ARGUMENTS 500)
add_loop_test(native.litmus 2 native_litmus ARGUMENTS all 50)
add_loop_test(native.threads 2 native_threads ARGUMENTS 10 SEEDS 1)
add_loop_test(native.called 2 native_operations SEEDS 1 ENVIRONMENT ISTHMUS_PROGRESS=0)
add_loop_test(native.checked 3 native_objects SEEDS 1 ENVIRONMENT ISTHMUS_CHECK=1)

# What is waited for apart: some PEs, some contexts, some channels.
foreach(name apart native_apart)
    add_executable(transport_${name} ${CMAKE_CURRENT_LIST_DIR}/${name}.c)
    target_link_libraries(transport_${name} PRIVATE isthmus::isthmus)
    target_compile_definitions(transport_${name} PRIVATE _GNU_SOURCE)
    add_loop_test(${name} 3 transport_${name} ENVIRONMENT ISTHMUS_PROGRESS=0)
endforeach()

# The PEs of a job as threads of one process.
add_executable(loop_test ${CMAKE_CURRENT_LIST_DIR}/loop_test.cpp ${CMAKE_CURRENT_LIST_DIR}/handles_test.cpp
               ${CMAKE_CURRENT_LIST_DIR}/../several/several_test.cpp
               ${CMAKE_SOURCE_DIR}/src/transport/loop/link.cpp
               ${CMAKE_SOURCE_DIR}/src/transport/several/several.cpp)
target_include_directories(loop_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_LIST_DIR})
target_link_libraries(loop_test PRIVATE isthmus_road_packet isthmus_road_service isthmus_base GTest::gtest_main Threads::Threads)
gtest_discover_tests(loop_test)
