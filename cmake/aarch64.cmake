# Debian's cross compiler; programs run under qemu-user through the emulator variable.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

# Libraries that are headers alone serve every architecture, but /usr/include as a whole must not be
# searched: the C library's headers there are the host's. So those few are linked into a folder of
# their own. Whatever else is optional (libpng, GoogleTest) is not found and left out.
set(shared_headers ${CMAKE_BINARY_DIR}/shared-headers)
# hwloc's generated part is in the host's folder; all that it holds is sizes, alike on 64 bits.
file(GLOB hwloc_autogen /usr/include/*-linux-gnu/hwloc/autogen)
list(APPEND hwloc_autogen /usr/include/hwloc/autogen)
list(GET hwloc_autogen 0 hwloc_autogen)
file(GLOB hwloc_parts /usr/include/hwloc/*.h)
set(headers CLI=/usr/include/CLI nlohmann=/usr/include/nlohmann hwloc.h=/usr/include/hwloc.h
            hwloc/autogen=${hwloc_autogen})
foreach(part ${hwloc_parts})
    get_filename_component(name ${part} NAME)
    list(APPEND headers hwloc/${name}=${part})
endforeach()
file(MAKE_DIRECTORY ${shared_headers}/include/hwloc)
foreach(header ${headers})
    string(REPLACE "=" ";" header ${header})
    list(GET header 0 name)
    list(GET header 1 place)
    if(EXISTS ${place} AND NOT EXISTS ${shared_headers}/include/${name})
        file(CREATE_LINK ${place} ${shared_headers}/include/${name} SYMBOLIC)
    endif()
endforeach()
foreach(package CLI11 nlohmann_json)
    file(WRITE ${shared_headers}/lib/cmake/${package}/${package}Config.cmake
         "add_library(${package}::${package} INTERFACE IMPORTED)\n"
         "target_include_directories(${package}::${package} INTERFACE ${shared_headers}/include)\n")
endforeach()

set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu ${shared_headers})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
