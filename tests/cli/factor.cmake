# Calls postrider factor. Run by ctest; see CMakeLists.txt for the variables.
cmake_minimum_required(VERSION 3.21)
file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")

set(quick --configurations 2 --evaluations 500)

# call(<exit code> <argument> ...): leaves what was printed in `output` and `complaint`.
function(call expected)
  execute_process(COMMAND "${PROGRAM}" factor ${ARGN} WORKING_DIRECTORY "${SCRATCH}"
                  RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE error)
  if(NOT status STREQUAL expected)
    list(JOIN ARGN " " arguments)
    message(FATAL_ERROR
      "postrider factor ${arguments}\nexit code ${status} instead of ${expected}\n"
      "${printed}${error}")
  endif()
  set(output "${printed}" PARENT_SCOPE)
  set(complaint "${error}" PARENT_SCOPE)
endfunction()

# Every part, as plain text, is in the text.
function(expect_in text)
  foreach(part IN LISTS ARGN)
    string(FIND "${text}" "${part}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "'${part}' is missing in:\n${text}")
    endif()
  endforeach()
endfunction()

# json_is(<expected> <member or index> ...), of what was printed last
function(json_is expected)
  string(JSON value GET "${output}" ${ARGN})
  if(NOT value STREQUAL expected)
    message(FATAL_ERROR "${ARGN} is '${value}' instead of '${expected}' in:\n${output}")
  endif()
endfunction()

# The list, and a mistake that shows it.
call(0 list)
string(REGEX MATCHALL "[^\n]+" names "${output}")
expect_in("${output}" gaussian_prior product leaky_relu)
call(2 certify softmax)
expect_in("${complaint}" "postrider: factor certify: no factor 'softmax'" ${names})

# One factor, its parameters, and the same numbers as JSON.
call(0 certify leaky_relu --parameter slope=0.3 ${quick})
expect_in("${output}" "leaky_relu: " "  no inconsistency found in ")
call(0 certify leaky_relu --parameter slope=0.3 ${quick} --json)
json_is(leaky_relu 0 factor)
json_is(ON 0 passed)
json_is(500 0 edges 0 properness evaluations)
call(0 certify leaky_relu -p slope=0 ${quick})
expect_in("${output}" "  no inconsistency found in ")
call(0 certify probit -p sign=-1 -p scale=0.5 ${quick})

# Several factors are an array of as many.
call(0 certify gaussian_prior probit ${quick} --json)
json_is(gaussian_prior 0 factor)
json_is(probit 1 factor)

# The seed decides, and nothing else does.
call(0 certify leaky_relu ${quick} --seed 5)
set(first "${output}")
call(0 certify leaky_relu ${quick} --seed 5)
if(NOT output STREQUAL first)
  message(FATAL_ERROR "the same seed gave\n${first}and\n${output}")
endif()

# No factor is exact beyond rounding.
call(1 certify leaky_relu ${quick} --tolerance 1e-30)
expect_in("${output}" "FAILED: moments are off by" " with y N(" ", x N(" "INCONSISTENT: ")

# Mistakes in the call.
call(2 certify leaky_relu -p slope)
expect_in("${complaint}" "--parameter = \"slope\": must look like name=value")
call(2 certify leaky_relu -p slope=steep)
expect_in("${complaint}" "--parameter slope = \"steep\": must be a number")
call(2 certify leaky_relu -p slope=0.1x)
expect_in("${complaint}" "must be a number")
call(2 certify leaky_relu -p slope=-1)
expect_in("${complaint}" "leaky_relu.slope = -1")
call(2 certify leaky_relu -p colour=1)
expect_in("${complaint}" "no parameter 'colour'; there are: slope")
call(2 certify leaky_relu product -p slope=0.1)
expect_in("${complaint}" "--parameter: goes with exactly one factor name")
call(2 certify leaky_relu --configurations 0)
expect_in("${complaint}" "configurations = 0: must be at least 1")
call(2 certify leaky_relu --evaluations many)
call(2 certify --no-such-option)

# A factor of the user's, by its path and by its bare name in the working directory.
call(2 certify --load missing.so)
expect_in("${complaint}" "postrider: factor certify: --load: " "missing.so")
call(2 certify --load "${NOT_LOADABLE}")
expect_in("${complaint}" "must define" "postrider_factor()")
if(LOADABLE)
  call(0 certify --load "${LOADABLE}" ${quick})
  expect_in("${output}" "cubic: " "  no inconsistency found in ")
  call(0 certify --load "${LOADABLE}" ${quick} --json)
  json_is(cubic 0 factor)
  file(COPY_FILE "${LOADABLE}" "${SCRATCH}/cubic.so")
  call(0 certify --load cubic.so ${quick})
endif()
