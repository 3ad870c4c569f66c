# What `cmake --install` puts where. Everything finds everything else by relative paths, so the tree
# may be moved as a whole.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS isthmus EXPORT IsthmusTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS isthmus-profile isthmus-preload DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(optional isthmus_ofi isthmus_loop isthmus_packet_road isthmus_pmix)
    if(TARGET ${optional})
        install(TARGETS ${optional} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    endif()
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET isthmus_static)
    install(TARGETS isthmus_static DESTINATION ${CMAKE_INSTALL_LIBDIR})
    if(TARGET isthmus_musl)
        install(TARGETS isthmus_musl DESTINATION ${CMAKE_INSTALL_LIBDIR})
    endif()
endif()
# As in the sources, so that links lead on.
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/SECURITY.md
              ${CMAKE_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(EXISTS ${CMAKE_SOURCE_DIR}/docs)
    install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs ${CMAKE_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
            PATTERN CMakeLists.txt EXCLUDE PATTERN run-demo.sh EXCLUDE)
    install(CODE "set(ISTHMUS_PAGES \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR})
                  include(${CMAKE_SOURCE_DIR}/cmake/installed_pages.cmake)")
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

# Clients of GASNet see its headers alone: one that is an OpenSHMEM of its own has a shmem.h.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/isthmus-gasnet
        FILES_MATCHING PATTERN "gasnet*.h" PATTERN "gex_*.h" PATTERN "window.h"
        PATTERN "casts.h" PATTERN "warnings_*.inc" PATTERN "cpp" EXCLUDE PATTERN "mpp" EXCLUDE)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/gasnet_core.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/isthmus-conduit)

# And they have a library, a makefile fragment and a pkg-config file for each threading mode.
file(RELATIVE_PATH PREFIX_FROM_MAK ${CMAKE_INSTALL_FULL_INCLUDEDIR}/isthmus-conduit ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH PREFIX_FROM_TOOLS ${CMAKE_INSTALL_FULL_INCLUDEDIR} ${CMAKE_INSTALL_PREFIX})
foreach(mode seq parsync par)
    string(TOUPPER ${mode} MODE)
    set(GASNET_THREAD_DEFINES)
    set(GASNETTOOLS_DEFINES)
    if(NOT mode STREQUAL "seq")
        set(GASNET_THREAD_DEFINES " -D_REENTRANT")
        set(GASNETTOOLS_DEFINES " -D_REENTRANT -DGASNETT_THREAD_SAFE=1")
    endif()
    set(generated ${CMAKE_BINARY_DIR}/gasnet)
    configure_file(${CMAKE_SOURCE_DIR}/cmake/gasnet.mak.in ${generated}/isthmus-${mode}.mak @ONLY)
    configure_file(${CMAKE_SOURCE_DIR}/cmake/gasnet.pc.in ${generated}/gasnet-isthmus-${mode}.pc @ONLY)
    install(TARGETS gasnet-isthmus-${mode} EXPORT IsthmusTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(FILES ${generated}/isthmus-${mode}.mak DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/isthmus-conduit)
    install(FILES ${generated}/gasnet-isthmus-${mode}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
    if(NOT mode STREQUAL "parsync")
        configure_file(${CMAKE_SOURCE_DIR}/cmake/gasnet_tools.mak.in ${generated}/gasnet_tools-${mode}.mak @ONLY)
        configure_file(${CMAKE_SOURCE_DIR}/cmake/gasnet_tools.pc.in ${generated}/gasnet_tools-${mode}.pc @ONLY)
        install(FILES ${generated}/gasnet_tools-${mode}.mak DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
        install(FILES ${generated}/gasnet_tools-${mode}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
    endif()
endforeach()

# `isthmus gasnet` makes of these what clients take for an installed GASNet.
file(RELATIVE_PATH ISTHMUS_PREFIX_FROM_HELPERS ${CMAKE_INSTALL_FULL_LIBEXECDIR}/isthmus ${CMAKE_INSTALL_PREFIX})
foreach(script gasnet gasnetrun)
    set(helper ${CMAKE_BINARY_DIR}/libexec/isthmus/isthmus-${script})
    configure_file(${CMAKE_SOURCE_DIR}/src/tools/${script}.sh.in ${helper} @ONLY
                   FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    install(PROGRAMS ${helper} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/isthmus)
endforeach()
