# GoogleTest. What is built against it runs once or twice: -O3 would gain it nothing and cost minutes of
# compiling. What it tests, and the programs of a user's kind, keep the release's optimisation.
find_package(GTest REQUIRED)
set_property(TARGET GTest::gtest APPEND PROPERTY INTERFACE_COMPILE_OPTIONS "$<$<CONFIG:Release>:-O1>")

# precompile_gtest(TARGET): reads its headers, most of what a small test costs, once for all programs. TARGET is a
# program in C++ alone.
include(${CMAKE_CURRENT_LIST_DIR}/precompile.cmake)
if(ISTHMUS_CAN_PRECOMPILE AND NOT TARGET gtest_precompiled)
    add_precompiled(gtest_precompiled gtest/gtest.h algorithm filesystem fstream sstream thread)
    target_link_libraries(gtest_precompiled PRIVATE GTest::gtest)
    # As programs are; GCC takes no headers that were compiled for a library.
    set_target_properties(gtest_precompiled PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(gtest_precompiled PRIVATE -fPIE)
endif()
function(precompile_gtest target)
    if(TARGET gtest_precompiled)
        target_precompile_headers(${target} REUSE_FROM gtest_precompiled)
    endif()
endfunction()
