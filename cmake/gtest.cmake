# GoogleTest. What is built against it runs once or twice: -O3 would gain it nothing and cost minutes of
# compiling. What it tests, and the programs of a user's kind, keep the release's optimisation.
find_package(GTest REQUIRED)
set_property(TARGET GTest::gtest APPEND PROPERTY INTERFACE_COMPILE_OPTIONS "$<$<CONFIG:Release>:-O1>")
