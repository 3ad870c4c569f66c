# Variables of shared libraries that a program brings.
foreach(name calling plain)
    add_library(library_data_${name} SHARED job/library_data_${name}.c)
endforeach()
target_link_libraries(library_data_calling PRIVATE isthmus)
find_package(Threads REQUIRED)
add_executable(library_data job/library_data.c)
target_compile_definitions(library_data PRIVATE _GNU_SOURCE)
target_link_libraries(library_data PRIVATE isthmus library_data_calling library_data_plain Threads::Threads)

# core.library_data.NAME: on so many PEs, with a stack of so many KiB.
function(add_library_data_test name pes stack)
    add_test(NAME core.library_data.${name}
             COMMAND sh -c "ulimit -Ss ${stack} && exec \"$1\" run -n ${pes} --timeout 60 \"$2\" ${stack} 'two words'"
                     sh $<TARGET_FILE:isthmus_tool> $<TARGET_FILE:library_data>)
    set_tests_properties(core.library_data.${name} PROPERTIES TIMEOUT 80 ENVIRONMENT "SHMEM_SYMMETRIC_SIZE=1M;${ARGN}")
endfunction()
foreach(pes 1 2 3 8)
    add_library_data_test(${pes} ${pes} 8192)
endforeach()
add_library_data_test(checked 3 8192 ISTHMUS_CHECK=1)
add_library_data_test(delayed 3 8192 ISTHMUS_DELAY=1)
add_library_data_test(loop 3 8192 ISTHMUS_TRANSPORT=loop)
add_library_data_test(packet 2 8192 ISTHMUS_TRANSPORT=packet)
add_library_data_test(small_stack 3 4096)
foreach(test loop packet)
    set_tests_properties(core.library_data.${test} PROPERTIES PROCESSORS 2)
endforeach()
add_test(NAME core.library_data.alone COMMAND sh -c "ulimit -Ss 8192 && exec \"$1\" 8192 'two words'"
                                              sh $<TARGET_FILE:library_data>)

# Copies of a program are the same program.
add_test(NAME core.copies
         COMMAND sh -c "for pe in 0 1; do cp \"$2\" \"$3/program_copy$pe\"; done
                        exec \"$1\" run -n 2 sh -c 'pe=\${ISTHMUS_BOOTSTRAP%:*}; exec \"$0/program_copy\${pe##*:}\"' \"$3\""
                 sh $<TARGET_FILE:isthmus_tool> $<TARGET_FILE:several_segments> ${CMAKE_CURRENT_BINARY_DIR})
