# The road packet: its parts over pairs of sockets.
add_executable(packet_road_test
    ${CMAKE_CURRENT_LIST_DIR}/courier_test.cpp ${CMAKE_CURRENT_LIST_DIR}/door_test.cpp ${CMAKE_CURRENT_LIST_DIR}/ends_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/flow_test.cpp ${CMAKE_CURRENT_LIST_DIR}/framing_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/join_test.cpp ${CMAKE_CURRENT_LIST_DIR}/link_peer_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/link_test.cpp ${CMAKE_CURRENT_LIST_DIR}/mac_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/record_test.cpp)
target_include_directories(packet_road_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_LIST_DIR})
target_link_libraries(packet_road_test PRIVATE isthmus_road_packet GTest::gtest_main Threads::Threads)
precompile_gtest(packet_road_test)
gtest_discover_tests(packet_road_test)
add_fuzz_target(packet_join_fuzz SOURCES ${CMAKE_CURRENT_LIST_DIR}/join_fuzz.cpp LINKS isthmus_road_packet
                SEEDS @${CMAKE_CURRENT_LIST_DIR}/greeting.seed)
add_fuzz_target(packet_flow_fuzz SOURCES ${CMAKE_CURRENT_LIST_DIR}/flow_fuzz.cpp LINKS isthmus_road_packet)
add_fuzz_target(packet_record_fuzz SOURCES ${CMAKE_CURRENT_LIST_DIR}/record_fuzz.cpp LINKS isthmus_road_packet)
target_include_directories(packet_record_fuzz PRIVATE ${CMAKE_CURRENT_LIST_DIR})
