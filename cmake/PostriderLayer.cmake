# postrider_compile_together(<target>)
#
# With POSTRIDER_UNITY, several sources of the target become one. Those that are compiled once for each instruction set
# stay by themselves.
function(postrider_compile_together target)
  if(NOT POSTRIDER_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 9)
  # g++ would take a class of a source file for one of a header, and warn of its anonymous members.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    file(STRINGS "${CMAKE_CURRENT_SOURCE_DIR}/${source}" lanes REGEX "HWY_|hwy/" LIMIT_COUNT 1)
    if(lanes)
      set_property(SOURCE ${source} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

# postrider_add_layer(<layer> [SOURCES a.cc ...] [DEPENDS <layer> ...] [PRIVATE_LINKS <target> ...] [OWN_HEADERS <target> ...])
#
# Makes the target postrider_<layer> from the folder src/<layer>: an OBJECT library, or an INTERFACE
# library when there are no sources. The layers named in DEPENDS, and what they depend on, may be
# included. PRIVATE_LINKS are third-party targets: seen by layers and tests above this one, never by
# a user of the installed library. OWN_HEADERS are third-party headers that its own sources include, and no layer above.
function(postrider_add_layer layer)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;PRIVATE_LINKS;OWN_HEADERS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "postrider_add_layer(${layer}): unknown ${arg_UNPARSED_ARGUMENTS}")
  endif()

  set(target postrider_${layer})
  if(arg_SOURCES)
    add_library(${target} OBJECT ${arg_SOURCES})
    postrider_compile_together(${target})
    set(scope PUBLIC)
    set_property(GLOBAL APPEND PROPERTY POSTRIDER_OBJECT_LAYERS ${layer})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} "${PROJECT_SOURCE_DIR}/src"
                             "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")

  set(closure ${layer})
  foreach(dependency IN LISTS arg_DEPENDS)
    if(NOT TARGET postrider_${dependency})
      message(FATAL_ERROR "layer ${layer} depends on ${dependency}, which is not a layer below it")
    endif()
    get_property(below GLOBAL PROPERTY POSTRIDER_CLOSURE_${dependency})
    list(APPEND closure ${below})
    target_link_libraries(${target} ${scope} postrider_${dependency})
  endforeach()
  list(REMOVE_DUPLICATES closure)
  set_property(GLOBAL PROPERTY POSTRIDER_CLOSURE_${layer} ${closure})

  target_link_libraries(${target} ${scope} ${arg_PRIVATE_LINKS})
  foreach(headers IN LISTS arg_OWN_HEADERS)
    target_include_directories(${target} SYSTEM PRIVATE $<TARGET_PROPERTY:${headers},INTERFACE_INCLUDE_DIRECTORIES>)
  endforeach()
  set_property(GLOBAL APPEND PROPERTY POSTRIDER_PRIVATE_LINKS ${arg_PRIVATE_LINKS})
endfunction()

# postrider_link_layers(<target> <layer> ...)
#
# Gives a program of this repository (a test, an experiment, a benchmark) the inside of the library.
# CMake passes on the objects of an OBJECT library to direct dependents only, so that every layer
# below is named here.
function(postrider_link_layers target)
  foreach(layer IN LISTS ARGN)
    if(NOT TARGET postrider_${layer})
      message(FATAL_ERROR "${target}: no layer ${layer}")
    endif()
    get_property(closure GLOBAL PROPERTY POSTRIDER_CLOSURE_${layer})
    list(TRANSFORM closure PREPEND postrider_)
    target_link_libraries(${target} PRIVATE ${closure})
  endforeach()
endfunction()

# postrider_add_program_layer(<layer> [SOURCES a.cc ...] [DEPENDS <layer> ...] [PRIVATE_LINKS <target> ...])
#
# Makes the target postrider_<layer> from the folder src/<layer>, of which the programs consist: a static library, which sees the
# library as any user does, through its installed headers, and the programs' layers named in DEPENDS.
function(postrider_add_program_layer layer)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;PRIVATE_LINKS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "postrider_add_program_layer(${layer}): unknown ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(target postrider_${layer})
  add_library(${target} STATIC ${arg_SOURCES})
  postrider_compile_together(${target})
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/src")
  list(TRANSFORM arg_DEPENDS PREPEND postrider_)
  target_link_libraries(${target} PUBLIC ${arg_DEPENDS} postrider::postrider PRIVATE ${arg_PRIVATE_LINKS})
endfunction()
