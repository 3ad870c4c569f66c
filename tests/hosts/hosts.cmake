# Hosts made of namespaces, under the launchers that are installed. Skipped, with the reason, where
# namespaces or a launcher are missing.
set(hosts_folder ${CMAKE_CURRENT_LIST_DIR})
function(add_hosts_test name)
    add_test(NAME hosts.${name}
             COMMAND Python3::Interpreter ${hosts_folder}/run.py --bin ${CMAKE_BINARY_DIR}/bin ${ARGN})
    set_tests_properties(hosts.${name} PROPERTIES SKIP_RETURN_CODE 77 PROCESSORS 2 TIMEOUT 300)
endfunction()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(launcher hydra mpirun)
    add_hosts_test(${launcher} --launcher ${launcher} --hosts 2 --pes 4
                   basics rma_inline p2p active_sets)
    add_hosts_test(${launcher}.pair --launcher ${launcher} --hosts 2 --pes 2
                   basics atomics_inline collectives)
    # Hosts whose PEs are no aligned power of two: the window reaches fewer than the host has.
    add_hosts_test(${launcher}.odd --launcher ${launcher} --hosts 3 --pes 9 basics rma_inline)
    # By `isthmus run --hosts`.
    add_hosts_test(${launcher}.handover --launcher ${launcher} --handover)
endforeach()
add_hosts_test(killed --fault killed)
add_hosts_test(cut_off --fault cut-off)
