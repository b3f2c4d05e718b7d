# Third-party packages. A target of one of them reaches the library through the PRIVATE_LINKS of a
# layer; no installed header names any of them.

if(EMSCRIPTEN)
  include(PostriderWasm)
  return()
endif()

find_package(Threads REQUIRED)
find_package(hwy 1.0.3 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(ZLIB 1.2 REQUIRED)
find_package(zstd REQUIRED)

# For `mpirun postrider train`; the library does without. Where there are several, MPI_CXX_COMPILER tells which.
if(POSTRIDER_MPI AND (POSTRIDER_BUILD_PROGRAMS OR POSTRIDER_BUILD_EXPERIMENTS))
  find_package(MPI QUIET COMPONENTS CXX)
endif()
if(POSTRIDER_BUILD_PROGRAMS)
  find_package(CLI11 2.1 REQUIRED)
  # For `postrider serve`; a distribution may split Boost, and the program does without.
  find_file(POSTRIDER_BEAST boost/beast/http/parser.hpp PATHS ${Boost_INCLUDE_DIRS})
  mark_as_advanced(POSTRIDER_BEAST)
  set(HTTP_FOUND OFF)
  if(POSTRIDER_BEAST)
    set(HTTP_FOUND ON)
  endif()
  # For `postrider stream`; the program does without.
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(KAFKA QUIET IMPORTED_TARGET rdkafka>=1.9)
    pkg_check_modules(REDIS QUIET IMPORTED_TARGET hiredis>=0.14)
  endif()
  # For `rediss://`; likewise.
  find_package(OpenSSL 1.1.1 QUIET)
endif()
if(POSTRIDER_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
