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

get_property(object_layers GLOBAL PROPERTY POSTRIDER_OBJECT_LAYERS)
foreach(layer IN LISTS object_layers)
  target_sources(postrider PRIVATE $<TARGET_OBJECTS:postrider_${layer}>)
endforeach()

# What a program must link besides a static postrider. Header-only targets are used up when the
# layers are compiled and must not become needs of the installed package.
get_property(private_links GLOBAL PROPERTY POSTRIDER_PRIVATE_LINKS)
list(REMOVE_DUPLICATES private_links)
set(POSTRIDER_STATIC_NEEDS "")
foreach(link IN LISTS private_links)
  get_target_property(type ${link} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY" OR link STREQUAL "Threads::Threads")
    target_link_libraries(postrider PRIVATE ${link})
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
