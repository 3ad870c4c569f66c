# What `cmake --install` puts where. Everything finds everything else by relative paths, so the tree
# may be moved as a whole.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS isthmus EXPORT IsthmusTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS isthmus-profile DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(optional isthmus_ofi isthmus_loop isthmus_packet_road isthmus_pmix)
    if(TARGET ${optional})
        install(TARGETS ${optional} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    endif()
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(EXISTS ${CMAKE_SOURCE_DIR}/docs)
    install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()

# CMake: find_package(Isthmus) gives the target isthmus::isthmus.
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/Isthmus)
install(EXPORT IsthmusTargets NAMESPACE isthmus:: DESTINATION ${package_directory})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/IsthmusConfig.cmake.in
                              ${CMAKE_BINARY_DIR}/IsthmusConfig.cmake
                              INSTALL_DESTINATION ${package_directory}
                              PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/IsthmusConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/IsthmusConfig.cmake ${CMAKE_BINARY_DIR}/IsthmusConfigVersion.cmake
        DESTINATION ${package_directory})

# pkg-config
file(RELATIVE_PATH PREFIX_FROM_PC ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" PREFIX_FROM_PC "${PREFIX_FROM_PC}")
configure_file(${CMAKE_SOURCE_DIR}/cmake/isthmus.pc.in ${CMAKE_BINARY_DIR}/isthmus.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/isthmus.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
