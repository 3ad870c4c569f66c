# Each case ends by itself within the limit; what it says tells how.
add_executable(core_ends ends.c)
target_link_libraries(core_ends PRIVATE isthmus Threads::Threads)
# Writing to freed memory is what the case is about.
target_compile_options(core_ends PRIVATE -Wno-use-after-free)
function(add_end case text)
    add_test(NAME core.ends.${case}
             COMMAND sh -c "sleep 4 | timeout 4 \"$1\" run -n 2 \"$2\" ${case}; echo status $?" sh
                     $<TARGET_FILE:isthmus_tool> $<TARGET_FILE:core_ends>)
    set_tests_properties(core.ends.${case} PROPERTIES PASS_REGULAR_EXPRESSION "${text}" TIMEOUT 30)
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

# Exit handlers outlive the handle of who loaded the library.
add_executable(core_unload unload.c)
target_link_libraries(core_unload PRIVATE ${CMAKE_DL_LIBS})
add_test(NAME core.ends.unload COMMAND core_unload $<TARGET_FILE:isthmus>)
