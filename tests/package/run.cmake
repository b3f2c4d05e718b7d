# Run by ctest; see CMakeLists.txt for the variables.
set(prefix "${SCRATCH}/prefix")
set(consumer_build "${SCRATCH}/consumer")
file(REMOVE_RECURSE "${SCRATCH}")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nfailed (${status}):\n${output}")
  endif()
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}" --config "${CONFIG}")

# A user who has our package installed need not have the libraries we are built from.
file(GLOB_RECURSE headers "${prefix}/${INCLUDE_DIR}/*")
if(NOT headers)
  message(FATAL_ERROR "no header was installed")
endif()
foreach(header IN LISTS headers)
  foreach(name IN ITEMS hwy boost fmt nlohmann zlib zstd)
    file(STRINGS "${header}" lines REGEX "(^|[^A-Za-z0-9])${name}([^A-Za-z0-9]|$)")
    if(lines)
      message(FATAL_ERROR "installed header ${header} mentions ${name}: ${lines}")
    endif()
  endforeach()
endforeach()

set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()
run("${CMAKE_COMMAND}" -S "${CONSUMER}" -B "${consumer_build}" -G "${GENERATOR}"
    "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_FLAGS=${flags}" "-DCMAKE_BUILD_TYPE=${CONFIG}"
    "-DEXPECTED_VERSION=${VERSION}" "-Dpostrider_DIR=${prefix}/${LIB_DIR}/cmake/postrider")
run("${CMAKE_COMMAND}" --build "${consumer_build}" --config "${CONFIG}")
run("${CMAKE_CTEST_COMMAND}" --test-dir "${consumer_build}" --build-config "${CONFIG}"
    --output-on-failure --no-tests=error)
