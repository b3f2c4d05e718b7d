# postrider_add_test(NAME <layer>_<file> SOURCES <file>_test.cc ... [LABELS fast|slow]
#                    [LINKS <layer or target> ...] [THREADS] [NO_SANITIZERS])
#
# One program and one ctest entry for one file of src/<layer>. The layer in front of the name is
# linked with everything below it; LINKS adds other layers (by their short name) or library targets.
# fast (the default): seconds, also run under the address sanitizer. slow: only in the full run.
# THREADS: starts threads, so the thread sanitizer runs it too. NO_SANITIZERS: pure arithmetic that
# other tests run under the sanitizers as well, and that takes minutes to compile with them.
set(POSTRIDER_FAST_TIMEOUT 120)
set(POSTRIDER_SLOW_TIMEOUT 600)
# Sanitizers and an emulated processor take their time.
if(POSTRIDER_SANITIZE)
  set(POSTRIDER_FAST_TIMEOUT 400)
endif()
if(CMAKE_CROSSCOMPILING)
  set(POSTRIDER_FAST_TIMEOUT 2400)
  set(POSTRIDER_SLOW_TIMEOUT 12000)
endif()

# Builds exactly what `ctest -L fast` runs.
add_custom_target(postrider_fast_tests)
# And what `ctest -L threads` runs.
add_custom_target(postrider_thread_tests)

# What nearly all tests include, compiled once: about a third of the time that a test takes to compile.
add_executable(postrider_test_headers "${CMAKE_CURRENT_LIST_DIR}/test_headers.cc")
target_link_libraries(postrider_test_headers PRIVATE GTest::gtest_main Boost::headers Threads::Threads)
target_precompile_headers(postrider_test_headers PRIVATE
  <gtest/gtest.h> <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional> <limits> <map> <memory>
  <numeric> <optional> <span> <sstream> <string> <variant> <vector>)
# The layers are optimised as users get them; a test's own lines run once and are compiled often.
set(POSTRIDER_TEST_FLAGS $<$<CONFIG:Release>:-O1>)
if(POSTRIDER_SANITIZE)
  set(POSTRIDER_TEST_FLAGS -O0)
endif()
# So that ccache can tell whether it has compiled the same with the same headers; .ci/run lets it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND POSTRIDER_TEST_FLAGS -fpch-preprocess)
else()
  list(APPEND POSTRIDER_TEST_FLAGS "SHELL:-Xclang -fno-pch-timestamp")
endif()
target_compile_options(postrider_test_headers PRIVATE ${POSTRIDER_TEST_FLAGS})

# postrider_add_numpy_test(<name> <file.py> fast|slow)
#
# A test in Python that needs numpy; there is none where no interpreter has it. Debian's own interpreter is tried besides the first
# one, since that is the one which tools/install-deps gives numpy.
find_package(Python3 3.11 COMPONENTS Interpreter)
foreach(interpreter IN ITEMS "${Python3_EXECUTABLE}" /usr/bin/python3)
  if(EXISTS "${interpreter}" AND NOT POSTRIDER_NUMPY_PYTHON)
    execute_process(COMMAND "${interpreter}" -c "import numpy" RESULT_VARIABLE without_numpy OUTPUT_QUIET ERROR_QUIET)
    if(without_numpy EQUAL 0)
      set(POSTRIDER_NUMPY_PYTHON "${interpreter}")
    endif()
  endif()
endforeach()
function(postrider_add_numpy_test name file label)
  if(POSTRIDER_NUMPY_PYTHON)
    add_test(NAME ${name} COMMAND "${POSTRIDER_NUMPY_PYTHON}" "${file}")
    set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${POSTRIDER_FAST_TIMEOUT})
  endif()
endfunction()

function(postrider_add_test)
  cmake_parse_arguments(arg "THREADS;NO_SANITIZERS" "NAME;LABELS" "SOURCES;LINKS" ${ARGN})
  if(NOT arg_NAME OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "postrider_add_test: needs NAME and SOURCES, given ${ARGN}")
  endif()
  if(arg_NO_SANITIZERS AND POSTRIDER_SANITIZE)
    return()
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS fast)
  endif()
  if(arg_LABELS STREQUAL "fast")
    set(timeout ${POSTRIDER_FAST_TIMEOUT})
  elseif(arg_LABELS STREQUAL "slow")
    set(timeout ${POSTRIDER_SLOW_TIMEOUT})
  else()
    message(FATAL_ERROR "${arg_NAME}: LABELS ${arg_LABELS}: must be fast or slow")
  endif()

  set(target ${arg_NAME}_test)
  add_executable(${target} ${arg_SOURCES})
  string(REGEX REPLACE "_.*" "" layer ${arg_NAME})
  foreach(link IN ITEMS ${layer} ${arg_LINKS})
    if(TARGET postrider_${link})
      postrider_link_layers(${target} ${link})
    elseif(link STREQUAL layer)
      message(FATAL_ERROR "${arg_NAME}: the name must begin with a layer")
    else()
      target_link_libraries(${target} PRIVATE ${link})
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE GTest::gtest_main Boost::headers Threads::Threads)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_precompile_headers(${target} REUSE_FROM postrider_test_headers)
  target_compile_options(${target} PRIVATE ${POSTRIDER_TEST_FLAGS})

  add_test(NAME ${arg_NAME} COMMAND ${target})
  set_tests_properties(${arg_NAME} PROPERTIES LABELS ${arg_LABELS} TIMEOUT ${timeout})
  if(arg_LABELS STREQUAL "fast")
    add_dependencies(postrider_fast_tests ${target})
  endif()
  if(arg_THREADS)
    set_property(TEST ${arg_NAME} APPEND PROPERTY LABELS threads)
    add_dependencies(postrider_thread_tests ${target})
  endif()
endfunction()
