# Each case ends by itself within the limit; what it says tells how.
add_executable(core_ends ends.c)
target_link_libraries(core_ends PRIVATE isthmus Threads::Threads)
# Writing to freed memory is what the case is about.
target_compile_options(core_ends PRIVATE -Wno-use-after-free)
# `program`: core_ends, whose standard input stays open, or core_exits, which has none.
function(add_case program input case text)
    add_test(NAME core.ends.${case}
             COMMAND sh -c "${input} | timeout 4 \"$1\" run -n 2 \"$2\" ${case}; echo status $?" sh
                     $<TARGET_FILE:isthmus_tool> $<TARGET_FILE:${program}>)
    set_tests_properties(core.ends.${case} PROPERTIES PASS_REGULAR_EXPRESSION "${text}" TIMEOUT 30)
endfunction()
function(add_end case text)
    add_case(core_ends "sleep 4" ${case} "${text}")
endfunction()
if(NOT ISTHMUS_SANITIZE)  # a sanitizer's own handler and allocator come first
    add_end(fault_after_second_init "PE 1 .*killed by SIGSEGV.*status 139")
    add_end(fault_inside_malloc "PE 1 .*killed by SIG(SEGV|ABRT).*status 13[49]")
endif()
add_end(exit_while_input_is_read "status 7")
add_end(exit_by_handler_in_finalize "status 9")
add_end(exit_by_thread_in_finalize "status 3")
add_end(threads_want_one_lock "status 0")
add_end(failing_fork "status 0")
add_end(fork_without_the_file "a forked child ends: the program has closed the library's file.*status 0")
add_end(closed_before_init "shmem_init: the program has closed file descriptor .*status 1")

# What a program does behind main, and what the others learn of a PE that is there already.
add_executable(core_exits exits.cpp)
target_link_libraries(core_exits PRIVATE isthmus)
function(add_exit case text)
    add_case(core_exits ":" ${case} "${text}")
endfunction()
foreach(case static_object exit_handler destructor)
    add_exit(${case} "PE . finalised\nPE . finalised\nstatus 0")
endforeach()
add_exit(free_in_static_object "PE . freed\nPE . freed\nstatus 0")
add_exit(late "PE 0 exits\nPE 1 exits\nstatus 0")
add_exit(puts_to_who_has_exited "PE 0 counted\nstatus 0")
add_exit(status "PE 1 .*exited with status 3 before shmem_finalize[^\n]*\nstatus 3")
set(comes_not "waits in vain for PE 1, which has exited\nstatus 1")
add_exit(exit_early "^isthmus: PE 0 [^\n]*: shmem_barrier_all: ${comes_not}")
add_exit(exit_before_one_barrier "^isthmus: PE 0 [^\n]*: shmem_barrier_all: ${comes_not}")
add_exit(exit_before_collective "^isthmus: PE 0 [^\n]*: shmem_sum_reduce: ${comes_not}")
add_exit(exit_with_lock "^isthmus: PE 0 [^\n]*: shmem_set_lock: ${comes_not}")
add_exit(finalize_early "^isthmus: PE 0 [^\n]*: shmem_barrier_all: waits in vain for PE 1, which has called shmem_finalize\nstatus 1")

# Exit handlers outlive the handle of who loaded the library.
add_executable(core_unload unload.c)
target_link_libraries(core_unload PRIVATE ${CMAKE_DL_LIBS})
add_test(NAME core.ends.unload COMMAND core_unload $<TARGET_FILE:isthmus>)
