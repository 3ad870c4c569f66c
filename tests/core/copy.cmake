# One program a file; each links the library's objects, so that it sees what is not exported.
foreach(name copy)
    add_executable(core_${name}_test ${name}_test.cpp)
    target_link_libraries(core_${name}_test PRIVATE isthmus_objects GTest::gtest_main)
    gtest_discover_tests(core_${name}_test TEST_PREFIX core. PROPERTIES TIMEOUT 120)
endforeach()
