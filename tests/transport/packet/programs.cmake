# The programs of the faces and of the transport over the road packet, which is chosen alone: each
# PE counts as a host of its own. By TCP, and once more by UDP (transport.packet.udp.*). Those with CI
# are run with each build, the others by hand: ctest -C packet -R '^transport\.packet\.'
function(add_packet_test name pes target)
    cmake_parse_arguments(PARSE_ARGV 3 packet "CI" "" "ARGUMENTS;ENVIRONMENT")
    if(NOT TARGET ${target})  # of those that are built with libfabric alone
        return()
    endif()
    set(configurations CONFIGURATIONS packet)
    if(packet_CI)
        set(configurations)
    endif()
    foreach(protocol tcp udp)
        string(REPLACE tcp. "" test transport.packet.${protocol}.${name})
        add_test(NAME ${test} ${configurations}
                 COMMAND isthmus_tool run -n ${pes} --timeout 100 $<TARGET_FILE:${target}> ${packet_ARGUMENTS})
        set_tests_properties(${test} PROPERTIES PROCESSORS 2 TIMEOUT 120 ENVIRONMENT
            "ISTHMUS_TRANSPORT=packet;ISTHMUS_PACKET_PROTOCOL=${protocol};TEST_HOST_PES=1;${packet_ENVIRONMENT}")
    endforeach()
endfunction()

foreach(program basics rma_inline)
    add_packet_test(${program}.2 2 shmem_${program} CI)
endforeach()
foreach(program rma atomics_inline collectives generics_c_O2 blocks waits late elements)
    add_packet_test(${program}.2 2 shmem_${program})
endforeach()
foreach(program basics rma_inline p2p active_sets)
    add_packet_test(${program}.4 4 shmem_${program})
endforeach()
add_packet_test(strided.2 2 core_blocks CI)
add_packet_test(shape.2 2 core_shape CI)
add_packet_test(collectives.4 4 shmem_collectives CI)
add_packet_test(message_flood.3 3 native_message_flood CI ARGUMENTS 1000)
add_packet_test(late.6 6 shmem_late)
add_packet_test(locks.3 3 shmem_locks)
add_packet_test(signals 2 shmem_signals ARGUMENTS far ENVIRONMENT ISTHMUS_PROGRESS=0)
add_packet_test(checked 3 shmem_collectives ENVIRONMENT ISTHMUS_CHECK=1)
add_packet_test(lengths 3 core_collective_lengths ARGUMENTS 20000)
# The other family of addresses.
foreach(program shmem_basics shmem_collectives native_operations)
    add_packet_test(six.${program} 3 ${program} ENVIRONMENT ISTHMUS_PACKET_ADDRESS=::1)
endforeach()
add_packet_test(six 2 shmem_rma_inline CI ENVIRONMENT ISTHMUS_PACKET_ADDRESS=::1)

# Without hashes: other ways in and out of a connection (outbox.hpp, inbox.hpp, and not record.hpp).
foreach(program shmem_rma_inline shmem_collectives native_operations)
    add_packet_test(bare.${program} 3 ${program} CI ENVIRONMENT ISTHMUS_PACKET_SEAL=0)
endforeach()
foreach(program shmem_basics shmem_blocks native_gather native_messages native_message_pieces
                native_message_tracked)
    add_packet_test(bare.${program} 3 ${program} ENVIRONMENT ISTHMUS_PACKET_SEAL=0)
endforeach()

# Messages: rings that wrap around, few cells, no thread, checked mode.
foreach(pes 2 5)
    add_packet_test(aggregation.${pes} ${pes} shmem_aggregation ENVIRONMENT ISTHMUS_AGGREGATOR_RING=16k)
endforeach()
foreach(setting OUTSTANDING=8 PROGRESS=0 CHECK=1)
    string(REGEX REPLACE "=.*" "" name ${setting})
    string(TOLOWER ${name} name)
    add_packet_test(aggregation.${name} 3 shmem_aggregation ARGUMENTS 20000 ENVIRONMENT ISTHMUS_${setting})
endforeach()
add_packet_test(message_pieces.4 4 native_message_pieces CI)
add_packet_test(message_tracked.4 4 native_message_tracked CI)
add_packet_test(extensions.2 2 shmem_extensions ARGUMENTS both 300)
add_packet_test(extensions.4 4 shmem_extensions ARGUMENTS both 100 CI)
add_packet_test(extensions.progress 3 shmem_extensions ARGUMENTS both 50 ENVIRONMENT ISTHMUS_PROGRESS=0)

# The transport's own.
add_packet_test(passive 2 transport_passive CI)
add_packet_test(nbi.2 2 transport_nbi ARGUMENTS timed)
add_packet_test(nbi.3 3 transport_nbi ARGUMENTS timed CI)
add_packet_test(nbi.progress 3 transport_nbi ARGUMENTS timed ENVIRONMENT ISTHMUS_PROGRESS=0)
foreach(name apart native_apart)
    add_packet_test(${name} 3 transport_${name} ENVIRONMENT ISTHMUS_PROGRESS=0)
endforeach()
add_packet_test(polls.O0 2 transport_polls_O0 ENVIRONMENT ISTHMUS_PROGRESS=0)
add_packet_test(polls.O2 2 transport_polls_O2 CI ENVIRONMENT ISTHMUS_PROGRESS=0)
foreach(pes 2 3)
    add_packet_test(short_puts.${pes} ${pes} transport_short_puts)
endforeach()
foreach(what object key)
    add_packet_test(thread_end.${what} 2 transport_thread_end ARGUMENTS ${what})
endforeach()

# The native interface.
foreach(name segments operations)
    add_packet_test(native.${name} 3 native_${name} CI)
endforeach()
foreach(name bounds symmetric pointers shared_arrays views objects forks gather queues queue_ends aggregation)
    add_packet_test(native.${name} 3 native_${name})
endforeach()
add_packet_test(native.geometry 2 native_geometry ARGUMENTS 10000)
add_packet_test(native.phases 3 native_aggregation_phases
                ENVIRONMENT ISTHMUS_AGGREGATOR_RING=16k ISTHMUS_STALL_SECONDS=1.5)
add_packet_test(native.flood 3 native_flood ARGUMENTS 60000 ENVIRONMENT ISTHMUS_AGGREGATOR_RING=16k)
add_packet_test(native.flood.bounded 2 native_flood ARGUMENTS 20000
                ENVIRONMENT ISTHMUS_AGGREGATOR_RING=16k ISTHMUS_OUTSTANDING=8)
add_packet_test(native.threads 2 native_threads ARGUMENTS 40 CI)
add_packet_test(native.life 2 native_life ARGUMENTS stale)
add_packet_test(native.litmus 2 native_litmus ARGUMENTS all 1000)
add_packet_test(native.passive 2 transport_native_passive)
set(asleep ISTHMUS_SLEEP_MILLISECONDS=0 ISTHMUS_SPIN=0)
add_packet_test(native.idle 3 native_events ARGUMENTS idle ENVIRONMENT ISTHMUS_SLEEP_MILLISECONDS=0)
add_packet_test(native.wake 3 native_events ARGUMENTS wake 300
                ENVIRONMENT ${asleep} ISTHMUS_WAKE_MILLISECONDS=600000)
add_packet_test(native.waking 2 native_waking ENVIRONMENT ${asleep} ISTHMUS_WAKE_MILLISECONDS=1200)
foreach(name operations symmetric objects)
    add_packet_test(native.checked.${name} 3 native_${name} ENVIRONMENT ISTHMUS_CHECK=1)
    add_packet_test(native.called.${name} 2 native_${name} ENVIRONMENT ISTHMUS_PROGRESS=0)
endforeach()

# GASNet-EX.
foreach(name messages transfer)
    add_packet_test(gasnet.ex.${name} 3 gasnet_ex_${name} CI)
endforeach()
foreach(name objects vis collectives atomics both)
    add_packet_test(gasnet.ex.${name} 3 gasnet_ex_${name})
endforeach()

# Beside another road in one job.
foreach(program shmem_collectives native_operations)
    add_packet_test(mixed.${program} 4 ${program} ENVIRONMENT ISTHMUS_TRANSPORT=packet,loop:2-3)
    add_packet_test(mixed.two.${program} 3 ${program} ENVIRONMENT ISTHMUS_TRANSPORT=packet,packet:1)
endforeach()
add_packet_test(mixed 4 shmem_basics CI ENVIRONMENT ISTHMUS_TRANSPORT=packet,loop:2-3)

# One machine as several nodes: the window within each.
add_packet_test(nodes.basics 4 shmem_basics CI
                ENVIRONMENT ISTHMUS_TRANSPORT=auto,packet:0-3 ISTHMUS_NODES=2,2 TEST_HOST_PES=2)
foreach(counts 1,3 3,1 1,1,2)
    string(REPLACE , + name ${counts})
    foreach(program shmem_collectives native_operations native_symmetric native_messages)
        add_packet_test(nodes.${name}.${program} 4 ${program}
                        ENVIRONMENT ISTHMUS_TRANSPORT=auto,packet:0-3 ISTHMUS_NODES=${counts})
    endforeach()
endforeach()

# Who leaves early, and what those learn who wait for it: as over ofi.
function(add_packet_end case text)
    foreach(protocol tcp udp)
        string(REPLACE tcp. "" test transport.packet.${protocol}.ends.${case})
        add_test(NAME ${test} CONFIGURATIONS packet
                 COMMAND sh -c "timeout 20 \"$1\" run -n 2 \"$2\" ${case}; echo status $?" sh
                         $<TARGET_FILE:isthmus_tool> $<TARGET_FILE:core_exits>)
        set_tests_properties(${test} PROPERTIES PROCESSORS 2 PASS_REGULAR_EXPRESSION "${text}" TIMEOUT 30
            ENVIRONMENT "ISTHMUS_TRANSPORT=packet;ISTHMUS_PACKET_PROTOCOL=${protocol}")
    endforeach()
endfunction()
foreach(case static_object exit_handler destructor)
    add_packet_end(${case} "PE . finalised\nPE . finalised\nstatus 0")
endforeach()
add_packet_end(late "PE 0 exits\nPE 1 exits\nstatus 0")
add_packet_end(puts_to_who_has_exited "PE 0 counted\nstatus 0")
add_packet_end(exit_early
    "^isthmus: PE 0 [^\n]*: shmem_barrier_all: waits in vain for PE 1, which has exited\nstatus 1")
add_packet_end(exit_with_lock
    "^isthmus: PE 0 [^\n]*: shmem_set_lock: waits in vain for PE 1, which has exited\nstatus 1")
add_packet_end(finalize_early
    "^isthmus: PE 0 [^\n]*: shmem_barrier_all: waits in vain for PE 1, which has called shmem_finalize\nstatus 1")
foreach(order "" native_first_)
    add_packet_end(${order}inner_finalize_before_aggregator_finish
        "^isthmus: PE 0 [^\n]*: isthmus_aggregator_finish: waits in vain for PE 1, which has called shmem_finalize\nstatus 1")
    add_packet_end(${order}exit_before_last_finalize "PE 0 finalised\nstatus 0")
    add_packet_end(${order}thread_goes_on "PE . finalised\nPE . finalised\nstatus 0")
endforeach()

# Strangers at the port.
if(NOT TARGET transport_victim)
    return()
endif()
add_test(NAME transport.packet.strangers
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/strangers.py
                 --isthmus $<TARGET_FILE:isthmus_tool> --victim $<TARGET_FILE:transport_victim>)
set_tests_properties(transport.packet.strangers PROPERTIES PROCESSORS 2 TIMEOUT 120)
