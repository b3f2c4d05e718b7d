# The one installed library, merged from all layers, and its CMake package.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

configure_file("${PROJECT_SOURCE_DIR}/cmake/version.h.in"
               "${PROJECT_BINARY_DIR}/include/postrider/version.h" @ONLY)

add_library(postrider)
add_library(postrider::postrider ALIAS postrider)
target_compile_features(postrider PUBLIC cxx_std_20)
target_include_directories(
  postrider PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                   "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
                   "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
# Below 1.0 a minor version may break the binary interface.
set_target_properties(
  postrider PROPERTIES VERSION ${PROJECT_VERSION}
                       SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# Templates of the standard library that we instantiate would be exported all the same.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  target_link_options(postrider PRIVATE "LINKER:--version-script,${PROJECT_SOURCE_DIR}/cmake/exported.map")
  set_target_properties(postrider PROPERTIES LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/exported.map")
endif()

# The same objects for the Python module, which carries the library inside it.
if(BUILD_SHARED_LIBS AND POSTRIDER_BUILD_PYTHON)
  add_library(postrider_inside STATIC EXCLUDE_FROM_ALL)
  target_compile_features(postrider_inside PUBLIC cxx_std_20)
  target_include_directories(postrider_inside PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")
  set(libraries postrider postrider_inside)
else()
  add_library(postrider_inside ALIAS postrider)
  set(libraries postrider)
endif()

get_property(object_layers GLOBAL PROPERTY POSTRIDER_OBJECT_LAYERS)
foreach(library IN LISTS libraries)
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX)
  foreach(layer IN LISTS object_layers)
    target_sources(${library} PRIVATE $<TARGET_OBJECTS:postrider_${layer}>)
  endforeach()
endforeach()

# What a program must link besides a static postrider. Header-only targets are used up when the
# layers are compiled and must not become needs of the installed package.
get_property(private_links GLOBAL PROPERTY POSTRIDER_PRIVATE_LINKS)
list(REMOVE_DUPLICATES private_links)
set(POSTRIDER_STATIC_NEEDS "")
foreach(link IN LISTS private_links)
  get_target_property(type ${link} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY" OR link STREQUAL "Threads::Threads")
    foreach(library IN LISTS libraries)
      target_link_libraries(${library} PRIVATE ${link})
    endforeach()
    string(REGEX REPLACE "::.*" "" package ${link})
    list(APPEND POSTRIDER_STATIC_NEEDS ${package})
  endif()
endforeach()
list(REMOVE_DUPLICATES POSTRIDER_STATIC_NEEDS)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/postrider")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/postriderConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/postriderConfig.cmake"
  INSTALL_DESTINATION "${package_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/postriderConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)

install(TARGETS postrider EXPORT postriderTargets)
install(EXPORT postriderTargets NAMESPACE postrider:: DESTINATION "${package_dir}")
install(FILES "${PROJECT_BINARY_DIR}/postriderConfig.cmake"
              "${PROJECT_BINARY_DIR}/postriderConfigVersion.cmake"
        DESTINATION "${package_dir}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/postrider"
                  "${PROJECT_BINARY_DIR}/include/postrider"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h")

# For programs that are not built by CMake. The file's own place says where the prefix is: `cmake --install --prefix` may
# choose it later, and an installation may be moved.
file(RELATIVE_PATH pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(PREPEND pc_prefix "\${pcfiledir}/")
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
# What a static library leaves to the program stands in Libs.private: Requires.private would ask every program for their .pc
# files, and the headers need none of them.
set(pc_libs_private "")
foreach(need IN ITEMS "hwy -lhwy" "fmt -lfmt" "ZLIB -lz" "zstd -lzstd")
  string(REPLACE " " ";" need "${need}")
  list(GET need 0 package)
  list(GET need 1 flag)
  if(package IN_LIST POSTRIDER_STATIC_NEEDS)
    list(APPEND pc_libs_private ${flag})
  endif()
endforeach()
list(JOIN pc_libs_private " " pc_libs_private)
foreach(folder IN ITEMS INCLUDEDIR LIBDIR)
  string(TOLOWER "${folder}" lower)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
    set(pc_${lower} "${CMAKE_INSTALL_${folder}}")
  else()
    set(pc_${lower} "\${prefix}/${CMAKE_INSTALL_${folder}}")
  endif()
endforeach()
configure_file("${PROJECT_SOURCE_DIR}/cmake/postrider.pc.in" "${PROJECT_BINARY_DIR}/postrider.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/postrider.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

postrider_write_parts("${PROJECT_BINARY_DIR}/postrider.cdx.json")
install(FILES "${PROJECT_BINARY_DIR}/postrider.cdx.json" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
