# Hosts made of namespaces, under the launchers that are installed. Skipped, with the reason, where
# namespaces or a launcher are missing. Between them by packets over TCP, as on any plain IP network if
# nothing is set; libfabric's are in ofi.cmake.
set(hosts_folder ${CMAKE_CURRENT_LIST_DIR})
function(add_hosts_test name)
    add_test(NAME hosts.${name} ${hosts_configurations}
             COMMAND Python3::Interpreter ${hosts_folder}/run.py --bin ${CMAKE_BINARY_DIR}/bin ${ARGN})
    set_tests_properties(hosts.${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300 LABELS hosts)
    if("${ARGN}" MATCHES "--exits")
        set_waiting(hosts.${name} SECONDS 25)
    elseif("${ARGN}" MATCHES "--(fault|link|handover)")
        set_waiting(hosts.${name})
    else()
        set_tests_properties(hosts.${name} PROPERTIES PROCESSORS 2)
    endif()
endfunction()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(launcher hydra mpirun)
    add_hosts_test(${launcher} --launcher ${launcher} --hosts 2 --pes 4
                   basics rma_inline p2p active_sets)
    add_hosts_test(${launcher}.pair --launcher ${launcher} --hosts 2 --pes 2
                   basics atomics_inline collectives)
    # Hosts whose PEs are no aligned power of two: the window reaches fewer than the host has.
    add_hosts_test(${launcher}.odd --launcher ${launcher} --hosts 3 --pes 9 basics rma_inline)
    add_hosts_test(${launcher}.exits --launcher ${launcher} --exits)
    add_hosts_test(${launcher}.leaves --launcher ${launcher} --leaves)
    add_hosts_test(${launcher}.leaves.three --launcher ${launcher} --leaves --hosts 3 --pes 6)
    # By `isthmus run --hosts`.
    add_hosts_test(${launcher}.handover --launcher ${launcher} --handover)
endforeach()
# By isthmus run itself, over what stands for ssh.
add_hosts_test(ssh --launcher ssh --hosts 2 --pes 4 basics p2p active_sets)
add_hosts_test(ssh.three --launcher ssh --hosts 3 --pes 6 basics)
add_hosts_test(ssh.exits --launcher ssh --exits)
add_hosts_test(ssh.leaves --launcher ssh --leaves)
add_hosts_test(ssh.killed --launcher ssh --fault killed)
add_hosts_test(ssh.killed_unheard --launcher ssh --fault killed-unheard)
add_hosts_test(ssh.cut_off --launcher ssh --fault cut-off --operation "a get|outside")
add_hosts_test(ssh.handover --launcher ssh --handover)
add_hosts_test(mpirun.killed --launcher mpirun --fault killed)
add_hosts_test(prterun --launcher prterun --hosts 2 --pes 4 basics collectives)
add_hosts_test(prterun.exits --launcher prterun --exits)
add_hosts_test(prterun.killed --launcher prterun --fault killed)
add_hosts_test(prterun.handover --launcher prterun --handover)
foreach(protocol pmix pmi2)
    add_hosts_test(slurm.${protocol} --launcher srun-${protocol} --hosts 2 --pes 4
                   basics collectives)
    add_hosts_test(slurm.${protocol}.exits --launcher srun-${protocol} --exits)
    add_hosts_test(slurm.${protocol}.killed --launcher srun-${protocol} --fault killed)
endforeach()
add_hosts_test(slurm.handover --launcher salloc --handover)
# Collectives: all of them, then in any order; on unequal hosts, and on ones whose PEs do not follow
# each other.
add_hosts_test(collectives --hosts 2 --pes 4 collectives "core_collective_across 300 1")
add_hosts_test(collectives.unequal --hosts 3 --pes 6 --layout 3,1,2 "core_collective_across 300 2")
add_hosts_test(collectives.in_turn --hosts 2 --pes 6 --layout 2,1 "core_collective_across 300 3")
add_hosts_test(collectives.scattered --hosts 3 --pes 7 --layout 1,1,1 "core_collective_across 300 4")
# The native interface: PEs beside each other and apart, in one job.
add_hosts_test(native --hosts 2 --pes 4 native_segments native_operations "native_geometry 4000"
               native_symmetric native_pointers native_shared_arrays)
add_hosts_test(native.unequal --hosts 3 --pes 5 --layout 2,1,2 native_segments native_symmetric
               native_gather "native_threads 10" native_forks)
# Messages: to PEs beside and apart, into one ring from both.
add_hosts_test(messages --hosts 2 --pes 4 "extensions both 200" "aggregation 50000" native_queues
               native_queue_ends "native_flood 30000" native_messages native_message_objects
               native_message_pieces
               native_message_tracked
               "native_message_flood 5000" "native_message_flood 500 20000")
add_hosts_test(messages.unequal --hosts 3 --pes 5 --layout 2,1,2 "extensions both 100"
               "aggregation 20000" native_aggregation native_aggregation_phases native_messages
               "native_message_flood 3000")
# PEs that are near each other and PEs that are not: barriers in two steps.
add_hosts_test(gasnet --hosts 2 --pes 4 gasnet_messages gasnet_attach gasnet_transfer
               "gasnet_barriers 50" "gasnet_exits main_one_good" "gasnet_exits main")
# All return another status than 0: one line tells it.
add_hosts_test(gasnet.all_wrong --launcher ssh --hosts 2 --pes 4 --status 5 --each "was here"
               "gasnet_exits main_wrong" "gasnet_exits main_wrong" "gasnet_exits main_wrong")
# Who ends the job leaves a moment to those that wait, of other hosts as well, where Hydra kills all.
foreach(layout 1,3 3,1 2,2)
    string(REPLACE , _ name ${layout})
    add_hosts_test(gasnet.last_words.${name} --hosts 2 --pes 4 --layout ${layout} --each "was here"
                   "gasnet_exits all_but_one_wait" "gasnet_exits all_but_one_wait")
endforeach()
add_hosts_test(gasnet.ex --hosts 2 --pes 4 gasnet_ex_objects gasnet_ex_messages gasnet_ex_transfer
               gasnet_ex_vis gasnet_ex_collectives "gasnet_ex_atomics 100" gasnet_ex_both)
add_hosts_test(gasnet.ex.unequal --hosts 3 --pes 5 --layout 2,1,2 gasnet_ex_transfer gasnet_ex_collectives)
add_hosts_test(gasnet.unequal --hosts 3 --pes 5 --layout 2,1,2 gasnet_transfer "gasnet_barriers 30")
add_hosts_test(native.litmus --hosts 2 --pes 2 "native_litmus all 1000" "native_life stale")
add_hosts_test(killed --fault killed)
add_hosts_test(cut_off --fault cut-off --operation "a get|outside")
add_hosts_test(cut_off.quiet --fault cut-off --operation "a quiet|outside" "transport_ring quiet")
add_hosts_test(cut_off.atomic --fault cut-off --operation "an atomic|outside" "transport_ring atomic")
add_hosts_test(cut_off.barrier --fault cut-off --operation "shmem_barrier_all" "transport_ring barrier")
# Connections go nowhere, datagrams do.
add_hosts_test(cut_connections --fault connections)
# In the middle of messages.
add_hosts_test(killed.enqueue --fault killed "transport_messages enqueue")
add_hosts_test(killed.finish --fault killed "transport_messages finish")
add_hosts_test(cut_off.dequeue --fault cut-off "transport_messages dequeue")
add_hosts_test(cut_off.push --fault cut-off "transport_messages push")
# What the stall report says of PEs of other hosts.
if(TARGET stall_program)
    add_test(NAME hosts.stalls
             COMMAND Python3::Interpreter ${hosts_folder}/stalls.py $<TARGET_FILE:stall_program>)
    set_tests_properties(hosts.stalls PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 240 LABELS hosts)
    set_waiting(hosts.stalls SECONDS 15)
endif()
# Anything at any time; by hand: random_faults.py ISTHMUS PROGRAM 2000 SEED.
# Drivers of faults and of strangers wait for most of their time.
if(TARGET core_whole_life)
    add_test(NAME hosts.random_faults
             COMMAND Python3::Interpreter ${hosts_folder}/random_faults.py $<TARGET_FILE:isthmus_tool> $<TARGET_FILE:core_whole_life> 20 1)
    set_tests_properties(hosts.random_faults PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300
                         LABELS hosts)
    set_waiting(hosts.random_faults SECONDS 55)
endif()
# The part of the process manager that passes on what the first PE to end the job says: others speak.
if(TARGET core_whole_life)
    add_test(NAME hosts.proxy_frozen
             COMMAND Python3::Interpreter ${hosts_folder}/random_faults.py $<TARGET_FILE:isthmus_tool> $<TARGET_FILE:core_whole_life> 2 9
                     "proxy frozen")
    set_tests_properties(hosts.proxy_frozen PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120
                         LABELS hosts)
    set_waiting(hosts.proxy_frozen SECONDS 30)
endif()
# PEs that end before shmem_init.
if(TARGET core_whole_life)
    foreach(launcher hydra mpirun)
        add_test(NAME hosts.missing.${launcher}
                 COMMAND Python3::Interpreter ${hosts_folder}/missing.py ${launcher} $<TARGET_FILE:core_whole_life>)
        set_tests_properties(hosts.missing.${launcher} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120 LABELS hosts)
    endforeach()
    add_test(NAME hosts.missing.ssh
             COMMAND Python3::Interpreter ${hosts_folder}/missing.py $<TARGET_FILE:isthmus_tool> $<TARGET_FILE:core_whole_life>)
    set_tests_properties(hosts.missing.ssh PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120 LABELS hosts)
endif()
if(TARGET core_ring)
    add_test(NAME hosts.way_back
             COMMAND Python3::Interpreter ${hosts_folder}/way_back.py $<TARGET_FILE:isthmus_tool> $<TARGET_FILE:core_ring>)
    set_tests_properties(hosts.way_back PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120 LABELS hosts)
endif()
# FILE.py gives FILE.c to the PEs, which changes or listens to calls of the system within them.
function(add_preloaded_test name file timeout)
    if(NOT TARGET hosts_${file})
        add_library(hosts_${file} MODULE ${hosts_folder}/${file}.c)
        target_link_libraries(hosts_${file} PRIVATE ${CMAKE_DL_LIBS})
        set_property(TARGET hosts_${file} PROPERTY LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    endif()
    add_test(NAME hosts.${name}
             COMMAND Python3::Interpreter ${hosts_folder}/${file}.py ${ARGN} $<TARGET_FILE:core_whole_life>
                     $<TARGET_FILE:hosts_${file}>)
    set_tests_properties(hosts.${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${timeout} LABELS hosts)
endfunction()
if(TARGET core_whole_life)
    # Calls that are taken and swallowed on their way.
    foreach(protocol tcp udp)
        add_preloaded_test(swallowed.${protocol} swallowed 180)
        set_tests_properties(hosts.swallowed.${protocol} PROPERTIES
            ENVIRONMENT "ISTHMUS_TRANSPORT=packet;ISTHMUS_PACKET_PROTOCOL=${protocol}")
        set_waiting(hosts.swallowed.${protocol})
    endforeach()
    # Who listens while a process manager starts a job, and who changes what that carries.
    foreach(launcher hydra mpirun)
        add_preloaded_test(listened.${launcher} listened 120 ${launcher})
    endforeach()
    # A PE that is stopped while others of its host wait for it, and the other host has begun to watch them.
    add_preloaded_test(stopped_exchange stopped_exchange 120)
    # A PE that stops or dies within shmem_init; by hand all that can be combined: start_ends.py ... 400 SEED.
    add_preloaded_test(start_ends start_ends 120 $<TARGET_FILE:isthmus_tool>)
    set_waiting(hosts.start_ends SECONDS 20)
    # The same with times in the ratio of the defaults, in which reports of a stall come first.
    add_test(NAME hosts.start_ratio
             COMMAND Python3::Interpreter ${hosts_folder}/start_ratio.py $<TARGET_FILE:isthmus_tool> $<TARGET_FILE:core_whole_life>
                     $<TARGET_FILE:hosts_start_ends>)
    set_tests_properties(hosts.start_ratio PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120 LABELS hosts)
    set_waiting(hosts.start_ratio SECONDS 12)
    # A process manager's part that stops between the beginnings of two interfaces.
    add_executable(hosts_second_interface ${hosts_folder}/second_interface.c)
    target_link_libraries(hosts_second_interface PRIVATE isthmus::isthmus ${CMAKE_DL_LIBS})
    add_test(NAME hosts.second_interface
             COMMAND Python3::Interpreter ${hosts_folder}/second_interface.py $<TARGET_FILE:isthmus_tool>
                     $<TARGET_FILE:hosts_second_interface>)
    set_tests_properties(hosts.second_interface PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120 LABELS hosts)
    set_waiting(hosts.second_interface SECONDS 12)
    set_waiting(hosts.stopped_exchange)
endif()
# Slow and lossy, and cut for less than the detection time: nobody is given up.
add_hosts_test(link.slow --link slow)
# Who ends because of it says so to the others, and is not taken for the lost one.
add_hosts_test(killed.three --hosts 3 --pes 6 --fault killed)
add_hosts_test(cut_off.three --hosts 3 --pes 9 --fault cut-off --operation "a get|outside" "transport_ring get")
add_hosts_test(link.short_cut --link short-cut)
# Who is on the way changes what the connections carry.
add_hosts_test(changed --fault changed --operation ".*" "transport_slow 10000")
# Packets between all PEs, those of a host as well. More by hand: ctest -C packet -R hosts.packet.
function(add_packet_hosts_test name)
    add_hosts_test(packet.${name} ${ARGN})
    set_tests_properties(hosts.packet.${name} PROPERTIES ENVIRONMENT ISTHMUS_TRANSPORT=packet)
endfunction()
add_packet_hosts_test(short_cut --link short-cut)
# A PE that is alone on its host, and others that are not: all have to count the same hosts.
set(one_beside_three --hosts 2 --pes 4 "core_collective_across 100 1" "gasnet_barriers 10")
add_packet_hosts_test(one_and_three --layout 1,3 ${one_beside_three})
add_packet_hosts_test(three_and_one --launcher ssh --layout 3,1 ${one_beside_three})
set(hosts_configurations CONFIGURATIONS packet)
add_hosts_test(packet.window.more --hosts 2 --pes 4 rma_inline collectives native_operations "native_geometry 4000"
               native_gather "extensions both 100")
add_packet_hosts_test(apart --hosts 2 --pes 2 basics rma atomics_inline)
add_packet_hosts_test(three --hosts 3 --pes 3 basics collectives)
add_packet_hosts_test(cut_off --fault cut-off --operation "a get|outside")
add_packet_hosts_test(cut_off.quiet --fault cut-off --operation "a quiet|outside" "transport_ring quiet")
# By UDP. A filter of connections alone, as in cut_connections, is none of its faults.
function(add_udp_hosts_test name roads)
    add_hosts_test(packet.udp.${name} ${ARGN})
    set_tests_properties(hosts.packet.udp.${name} PROPERTIES
                         ENVIRONMENT "ISTHMUS_TRANSPORT=${roads};ISTHMUS_PACKET_PROTOCOL=udp")
endfunction()
foreach(link loses-1 loses-5 slow short-cut)
    add_udp_hosts_test(${link} packet --link ${link})
endforeach()
add_udp_hosts_test(window "auto,packet:0-3" --hosts 2 --pes 4 basics native_segments collectives native_operations
                   "native_geometry 4000" native_gather "extensions both 100")
add_udp_hosts_test(apart packet --hosts 2 --pes 2 basics rma atomics_inline)
add_udp_hosts_test(three packet --hosts 3 --pes 3 basics collectives)
add_udp_hosts_test(killed packet --fault killed)
# A firewall that lets connections pass, and signs of life.
add_udp_hosts_test(cut_packets packet --fault packets)
add_udp_hosts_test(cut_off.quiet packet --fault cut-off --operation "a quiet|outside" "transport_ring quiet")
set(hosts_configurations)
add_udp_hosts_test(one_and_three packet --layout 1,3 ${one_beside_three})
add_udp_hosts_test(one_and_three.within "auto,packet:@h2" --layout 1,3 ${one_beside_three})
add_udp_hosts_test(cut_off packet --fault cut-off --operation "a get|outside")
# Of the packets' protocol in the loop below.
function(add_hostile_test name)
    cmake_parse_arguments(PARSE_ARGV 1 hostile "" "CONFIGURATIONS" "ATTACKS")
    set(configurations)
    if(hostile_CONFIGURATIONS)
        set(configurations CONFIGURATIONS ${hostile_CONFIGURATIONS})
    endif()
    add_test(NAME ${name} ${configurations}
             COMMAND Python3::Interpreter ${hosts_folder}/hostile.py ${CMAKE_BINARY_DIR}/bin ${hostile_ATTACKS})
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300 LABELS hosts
        ENVIRONMENT "ISTHMUS_TRANSPORT=packet;ISTHMUS_PACKET_PROTOCOL=${protocol}")
    set_waiting(${name} SECONDS 25)
endfunction()
foreach(protocol tcp udp)
    # Those of libfabric's own peers left out.
    string(REPLACE tcp. "" test hosts.packet.${protocol}.hostile)
    set(attacks datagrams replay idle)
    set(more garbage truncated slow-writers mutated connections few-descriptors)
    if(protocol STREQUAL tcp)  # the road between hosts where nothing is set: all with each build
        list(APPEND attacks ${more})
    else()
        add_hostile_test(${test}.more CONFIGURATIONS packet ATTACKS ${more})
    endif()
    add_hostile_test(${test} ATTACKS ${attacks})
    if(TARGET core_whole_life)
        string(REPLACE tcp. "" test hosts.packet.${protocol}.random_faults)
        add_test(NAME ${test} CONFIGURATIONS packet
                 COMMAND Python3::Interpreter ${hosts_folder}/random_faults.py $<TARGET_FILE:isthmus_tool> $<TARGET_FILE:core_whole_life> 40 1)
        set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600 LABELS hosts
            ENVIRONMENT "ISTHMUS_TRANSPORT=packet;ISTHMUS_PACKET_PROTOCOL=${protocol}")
    endif()
endforeach()
add_udp_hosts_test(loses-20 packet --link loses-20)
add_udp_hosts_test(bad packet --link bad)
