# Run by ctest; see CMakeLists.txt for the variables.
cmake_minimum_required(VERSION 3.21)
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
  foreach(name IN ITEMS hwy boost fmt nlohmann zlib zstd Eigen)
    file(STRINGS "${header}" lines REGEX "(^|[^A-Za-z0-9])${name}([^A-Za-z0-9]|$)")
    if(lines)
      message(FATAL_ERROR "installed header ${header} mentions ${name}: ${lines}")
    endif()
  endforeach()
endforeach()

# The bill of materials names what the library is made of, each part with a licence.
file(GLOB_RECURSE bill "${prefix}/*/postrider.cdx.json")
file(READ "${bill}" bill)
string(JSON count LENGTH "${bill}" components)
math(EXPR last "${count} - 1")
set(parts "")
foreach(place RANGE ${last})
  string(JSON part GET "${bill}" components ${place} name)
  string(JSON licence GET "${bill}" components ${place} licenses 0 expression)
  if(licence STREQUAL "")
    message(FATAL_ERROR "the bill of materials states no licence of ${part}")
  endif()
  list(APPEND parts ${part})
endforeach()
foreach(part IN ITEMS highway fmt zlib zstd boost nlohmann-json eigen)
  if(NOT part IN_LIST parts)
    message(FATAL_ERROR "the bill of materials does not name ${part}, only ${parts}")
  endif()
endforeach()

# pkg-config finds the library where it was installed, and asks for no other package.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_LIBDIR} "${prefix}/${LIB_DIR}/pkgconfig")
  execute_process(COMMAND "${PKG_CONFIG}" --modversion postrider OUTPUT_VARIABLE stated OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${PKG_CONFIG}" --cflags --libs postrider OUTPUT_VARIABLE pc_flags OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  if(NOT stated STREQUAL VERSION OR NOT pc_flags MATCHES "-lpostrider")
    message(FATAL_ERROR "pkg-config says version ${stated} and ${pc_flags}")
  endif()
  string(REGEX MATCH "-I([^ ]+)" ignored "${pc_flags}")
  if(NOT EXISTS "${CMAKE_MATCH_1}/postrider/version.h")
    message(FATAL_ERROR "pkg-config's folder of headers has no postrider/version.h: ${pc_flags}")
  endif()
  unset(ENV{PKG_CONFIG_LIBDIR})
endif()

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
