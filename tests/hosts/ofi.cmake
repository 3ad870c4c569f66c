# Hosts made of namespaces whose PEs take libfabric by its provider for plain IP networks. Some with each
# build, all by hand: ctest -C ofi -R hosts.ofi.
set(by_libfabric "ISTHMUS_FABRIC=tcp$<SEMICOLON>ofi_rxm")
function(add_ofi_hosts_test name)
    add_hosts_test(ofi.${name} ${ARGN})
    set_property(TEST hosts.ofi.${name} PROPERTY ENVIRONMENT "${by_libfabric}")
endfunction()
set(hosts_configurations)
add_ofi_hosts_test(pair --hosts 2 --pes 2 basics atomics_inline collectives)
add_ofi_hosts_test(unequal --hosts 3 --pes 5 --layout 2,1,2 rma_inline native_segments "extensions both 100"
                   native_aggregation "gasnet_barriers 30")
add_ofi_hosts_test(one_and_three --layout 1,3 ${one_beside_three})
set_property(TEST hosts.ofi.one_and_three APPEND PROPERTY ENVIRONMENT ISTHMUS_TRANSPORT=ofi)
add_ofi_hosts_test(killed --fault killed)
add_ofi_hosts_test(cut_off --fault cut-off --operation "a get|outside")
add_ofi_hosts_test(cut_off.quiet --fault cut-off --operation "a quiet|outside" "transport_ring quiet")
# Connections go nowhere, datagrams do.
add_ofi_hosts_test(cut_connections --fault connections)
add_ofi_hosts_test(link.slow --link slow)
add_ofi_hosts_test(link.short_cut --link short-cut)
set(hosts_configurations CONFIGURATIONS ofi)
add_ofi_hosts_test(basics --hosts 2 --pes 4 basics rma_inline p2p active_sets)
add_ofi_hosts_test(odd --hosts 3 --pes 9 basics rma_inline)
add_ofi_hosts_test(collectives --hosts 2 --pes 4 collectives "core_collective_across 300 1")
add_ofi_hosts_test(collectives.scattered --hosts 3 --pes 7 --layout 1,1,1 "core_collective_across 300 4")
add_ofi_hosts_test(native --hosts 2 --pes 4 native_segments native_operations "native_geometry 4000"
                   native_symmetric native_pointers native_shared_arrays native_gather)
add_ofi_hosts_test(messages --hosts 2 --pes 4 "extensions both 200" "aggregation 50000" native_queues
                   native_queue_ends "native_flood 30000" native_messages native_message_objects
                   native_message_pieces
                   "native_message_flood 5000" "native_message_flood 500 20000")
add_ofi_hosts_test(native.litmus --hosts 2 --pes 2 "native_litmus all 1000" "native_life stale")
add_ofi_hosts_test(gasnet --hosts 2 --pes 4 gasnet_messages gasnet_attach gasnet_transfer "gasnet_barriers 50")
add_ofi_hosts_test(gasnet.ex --hosts 2 --pes 4 gasnet_ex_objects gasnet_ex_messages gasnet_ex_transfer
                   gasnet_ex_vis gasnet_ex_collectives "gasnet_ex_atomics 50")
add_ofi_hosts_test(cut_off.atomic --fault cut-off --operation "an atomic|outside" "transport_ring atomic")
add_ofi_hosts_test(cut_off.barrier --fault cut-off --operation "shmem_barrier_all" "transport_ring barrier")
add_ofi_hosts_test(killed.enqueue --fault killed "transport_messages enqueue")
add_ofi_hosts_test(killed.finish --fault killed "transport_messages finish")
add_ofi_hosts_test(cut_off.dequeue --fault cut-off "transport_messages dequeue")
add_ofi_hosts_test(cut_off.push --fault cut-off "transport_messages push")
set(hosts_configurations)
# Hostile peers on a third host; by hand: hostile.py BIN connections --connections 100000.
add_test(NAME hosts.ofi.hostile
         COMMAND Python3::Interpreter ${hosts_folder}/hostile.py ${CMAKE_BINARY_DIR}/bin)
set_tests_properties(hosts.ofi.hostile PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300 LABELS hosts
                     ENVIRONMENT "${by_libfabric}")
set_waiting(hosts.ofi.hostile SECONDS 80)
if(NOT TARGET core_whole_life)
    return()
endif()
# Anything at any time; by hand, with ISTHMUS_FABRIC set: random_faults.py ISTHMUS PROGRAM 2000 SEED.
add_test(NAME hosts.ofi.random_faults
         COMMAND Python3::Interpreter ${hosts_folder}/random_faults.py $<TARGET_FILE:isthmus_tool> $<TARGET_FILE:core_whole_life> 20 1)
set_tests_properties(hosts.ofi.random_faults PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300
                     LABELS hosts ENVIRONMENT "${by_libfabric}")
set_waiting(hosts.ofi.random_faults SECONDS 70)
# While libfabric is loaded.
add_library(hosts_start_faults MODULE ${hosts_folder}/start_faults.c)
# Not linked with libfabric, which the program is to load itself.
target_include_directories(hosts_start_faults PRIVATE ${LIBFABRIC_INCLUDE_DIRS})
target_link_libraries(hosts_start_faults PRIVATE ${CMAKE_DL_LIBS})
add_executable(hosts_second_start ${hosts_folder}/second_start.c)
target_link_libraries(hosts_second_start PRIVATE isthmus::isthmus)
add_test(NAME hosts.ofi.start_faults
         COMMAND Python3::Interpreter ${hosts_folder}/start_faults.py $<TARGET_FILE:core_whole_life>
                 $<TARGET_FILE:hosts_start_faults> $<TARGET_FILE:hosts_second_start>)
set_tests_properties(hosts.ofi.start_faults PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 180
                     LABELS hosts ENVIRONMENT "${by_libfabric}")
set_waiting(hosts.ofi.start_faults SECONDS 25)
