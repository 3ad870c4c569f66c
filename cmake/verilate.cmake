# C++ models that Verilator makes of gates. Its own CMake function runs it when CMake configures, and once more
# when it builds, compiles each of its many files alone and its runtime for every model; most of that time goes
# into the same headers again and again. Here a model is two sources, and the runtime is one library.
include_guard(GLOBAL)
find_program(ISTHMUS_VERILATOR verilator)
# Where it has its runtime: of the same version.
execute_process(COMMAND ${ISTHMUS_VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)

find_package(Threads REQUIRED)
add_library(isthmus_verilated STATIC EXCLUDE_FROM_ALL ${root}/include/verilated.cpp ${root}/include/verilated_dpi.cpp
            ${root}/include/verilated_threads.cpp ${root}/include/verilated_vcd_c.cpp)
# Somebody else's code, and headers: warnings of it help nobody.
target_compile_options(isthmus_verilated PRIVATE -w -O2)
target_include_directories(isthmus_verilated SYSTEM PUBLIC ${root}/include ${root}/include/vltstd)
target_link_libraries(isthmus_verilated PUBLIC Threads::Threads)
set_target_properties(isthmus_verilated PROPERTIES POSITION_INDEPENDENT_CODE OFF)
if(ISTHMUS_RTL_COVERAGE)
    target_sources(isthmus_verilated PRIVATE ${root}/include/verilated_cov.cpp)
endif()

# isthmus_verilate(TARGET TOP_MODULE NAME PREFIX NAME SPEED -O2 [TRACE] SOURCES FILE... ARGUMENTS WORD...): the library
# TARGET, whose class is PREFIX. All that Verilator is to read is among the sources.
function(isthmus_verilate target)
    cmake_parse_arguments(model "TRACE" "TOP_MODULE;PREFIX;SPEED" "SOURCES;ARGUMENTS" ${ARGN})
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${model_PREFIX})
    set(fast ${folder}/fast.cpp)
    set(slow ${folder}/slow.cpp)
    set(trace)
    if(model_TRACE)
        set(trace --trace)
    endif()
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${fast} ${slow}
        COMMAND ${ISTHMUS_VERILATOR} --cc --make cmake --Mdir ${folder} --prefix ${model_PREFIX} --top ${model_TOP_MODULE}
                --threads 1 ${trace} ${model_ARGUMENTS} ${model_SOURCES}
        COMMAND ${CMAKE_COMMAND} -D FOLDER=${folder} -D PREFIX=${model_PREFIX}
                -P ${PROJECT_SOURCE_DIR}/cmake/verilated_sources.cmake
        DEPENDS ${model_SOURCES} ${PROJECT_SOURCE_DIR}/cmake/verilated_sources.cmake
        WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
        COMMENT "Making ${model_PREFIX} of its gates" VERBATIM)
    add_library(${target} STATIC EXCLUDE_FROM_ALL ${fast} ${slow})
    target_compile_options(${target} PRIVATE -w ${model_SPEED})
    # What runs once. With coverage it lists all points, in functions of megabytes that no optimiser comes to an
    # end with.
    set_source_files_properties(${slow} PROPERTIES COMPILE_OPTIONS -O0)
    set(definitions VM_TRACE=$<BOOL:${model_TRACE}> VM_TRACE_VCD=$<BOOL:${model_TRACE}>)
    if(ISTHMUS_RTL_COVERAGE)
        list(APPEND definitions VM_COVERAGE=1)
    endif()
    target_compile_definitions(${target} PRIVATE ${definitions})
    target_include_directories(${target} SYSTEM PUBLIC ${folder})
    target_link_libraries(${target} PUBLIC isthmus_verilated)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endfunction()
