# Headers that are compiled once for many sources, by GCC alone: Clang takes them only where each flag is the same.
# Not behind a launcher: a compiler's cache keeps nothing that was compiled with them.
set(ISTHMUS_CAN_PRECOMPILE OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(ISTHMUS_CAN_PRECOMPILE ON)
endif()

# add_precompiled(NAME HEADER...): a target of which others, of the same flags for position-independent code, can have
# these headers of C++ by target_precompile_headers(REUSE_FROM).
function(add_precompiled name)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "// A target needs a source.\n")
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${source})
    foreach(header ${ARGN})
        target_precompile_headers(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>")
    endforeach()
endfunction()
