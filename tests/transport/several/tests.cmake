# Several roads in one job. ROADS is ISTHMUS_TRANSPORT.
function(add_several_test name pes target roads)
    cmake_parse_arguments(PARSE_ARGV 4 several "" "" "ARGUMENTS;ENVIRONMENT")
    add_test(NAME transport.several.${name}
             COMMAND isthmus_tool run -n ${pes} --timeout 60 $<TARGET_FILE:${target}> ${several_ARGUMENTS})
    set_tests_properties(transport.several.${name} PROPERTIES PROCESSORS 2 TIMEOUT 80 ENVIRONMENT
        "ISTHMUS_TRANSPORT=${roads};TEST_HOST_PES=1;${several_ENVIRONMENT}")
endfunction()
foreach(program shmem_basics shmem_rma_inline shmem_p2p shmem_active_sets shmem_collectives
                native_segments native_operations native_symmetric native_gather native_queues)
    add_several_test(loops.${program} 3 ${program} loop:0-1,loop:2)
endforeach()
# Of two roads that messages take one has frames.
add_several_test(frames.messages.flood 4 native_message_flood packet,loop:1+3 ARGUMENTS 500)
add_several_test(loops.aggregation 4 shmem_aggregation loop,loop:1+3 ARGUMENTS 2000)
add_several_test(loops.extensions 3 shmem_extensions loop:0,loop:1,loop:2 ARGUMENTS both 20)
add_several_test(loops.apart 3 transport_apart loop,loop:1 ENVIRONMENT ISTHMUS_PROGRESS=0)
add_several_test(loops.native_apart 3 transport_native_apart loop,loop:1 ENVIRONMENT ISTHMUS_PROGRESS=0)
# Which PEs each leads to, as a job says it.
add_several_test(chosen 4 shmem_basics loop,loop:1-2 ENVIRONMENT SHMEM_DEBUG=1)
set_tests_properties(transport.several.chosen PROPERTIES
    PASS_REGULAR_EXPRESSION "to PE 0,3: [^\n]*; to PE 1-2: ")
