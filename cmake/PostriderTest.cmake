# postrider_add_test(NAME <layer>_<file> SOURCES <file>_test.cc ... [LABELS fast|slow]
#                    [LINKS <layer or target> ...] [THREADS] [NO_SANITIZERS])
#
# One ctest entry for one file of src/<layer>, and one program for all files of a layer: <layer>_tests, whose entries run their own
# tests of it. The layer in front of the name is linked with everything below it; LINKS adds other layers (by their short name) or
# library targets.
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

# What --gtest_filter calls the tests of these files. A file that gains a test is read again by the next build.
function(postrider_names_of_tests out)
  set(names "")
  foreach(source IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
    file(READ "${source}" text)
    string(REGEX MATCHALL "\n(TEST|TEST_F|TEST_P|TYPED_TEST)\\([ \n]*[A-Za-z0-9_]+,[ \n]*[A-Za-z0-9_]+\\)" found "${text}")
    foreach(test IN LISTS found)
      string(REGEX REPLACE "\n([A-Z_]+)\\([ \n]*([A-Za-z0-9_]+),[ \n]*([A-Za-z0-9_]+)\\)" "\\1;\\2;\\3" test "${test}")
      list(GET test 0 kind)
      list(GET test 1 suite)
      list(GET test 2 name)
      if(kind STREQUAL "TEST_P")
        list(APPEND names "*/${suite}.${name}/*")
      elseif(kind STREQUAL "TYPED_TEST")
        list(APPEND names "${suite}/*.${name}")
      else()
        list(APPEND names "${suite}.${name}")
      endif()
    endforeach()
  endforeach()
  list(JOIN names ":" names)
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

# The program of a layer's tests, without files yet.
function(postrider_add_test_program target layer)
  add_executable(${target})
  postrider_link_layers(${target} ${layer})
  target_link_libraries(${target} PRIVATE GTest::gtest_main Boost::headers Threads::Threads)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_precompile_headers(${target} REUSE_FROM postrider_test_headers)
  target_compile_options(${target} PRIVATE ${POSTRIDER_TEST_FLAGS})
endfunction()

function(postrider_add_test)
  cmake_parse_arguments(arg "THREADS;NO_SANITIZERS" "NAME;LABELS" "SOURCES;LINKS" ${ARGN})
  if(NOT arg_NAME OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "postrider_add_test: needs NAME and SOURCES, given ${ARGN}")
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
  # A sanitizer's build has what it runs and nothing else: instrumented tests take long to compile.
  if(POSTRIDER_SANITIZE AND (arg_NO_SANITIZERS OR arg_LABELS STREQUAL "slow"))
    return()
  endif()
  if(POSTRIDER_SANITIZE STREQUAL "thread" AND NOT arg_THREADS)
    return()
  endif()

  string(REGEX REPLACE "_.*" "" layer ${arg_NAME})
  if(NOT TARGET postrider_${layer})
    message(FATAL_ERROR "${arg_NAME}: the name must begin with a layer")
  endif()
  set(target ${layer}_tests)
  if(NOT TARGET ${target})
    postrider_add_test_program(${target} ${layer})
    add_dependencies(postrider_fast_tests ${target})
  endif()
  target_sources(${target} PRIVATE ${arg_SOURCES})
  foreach(link IN LISTS arg_LINKS)
    if(TARGET postrider_${link})
      postrider_link_layers(${target} ${link})
    else()
      target_link_libraries(${target} PRIVATE ${link})
    endif()
  endforeach()

  postrider_names_of_tests(names ${arg_SOURCES})
  if(NOT names)
    message(FATAL_ERROR "${arg_NAME}: no test in ${arg_SOURCES}")
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${target} "--gtest_filter=${names}")
  set_tests_properties(${arg_NAME} PROPERTIES LABELS ${arg_LABELS} TIMEOUT ${timeout})
  if(arg_THREADS)
    set_property(TEST ${arg_NAME} APPEND PROPERTY LABELS threads)
    add_dependencies(postrider_thread_tests ${target})
  endif()
endfunction()
