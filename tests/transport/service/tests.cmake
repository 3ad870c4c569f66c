# What every road needs, without a network.
foreach(part share attention wire watch one_sided seal sealed_secret)
    add_executable(${part}_test ${CMAKE_CURRENT_LIST_DIR}/${part}_test.cpp)
    target_link_libraries(${part}_test PRIVATE isthmus_road_service GTest::gtest_main Threads::Threads)
    precompile_gtest(${part}_test)
    gtest_discover_tests(${part}_test)
endforeach()
