# Options of the build and the flags that hold for everything we compile.

option(POSTRIDER_WERROR "Treat warnings as errors" OFF)
option(POSTRIDER_BUILD_PROGRAMS "Build the command-line programs" ${PROJECT_IS_TOP_LEVEL})
option(POSTRIDER_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(POSTRIDER_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(POSTRIDER_BUILD_EXPERIMENTS "Build the experiments" ${PROJECT_IS_TOP_LEVEL})
option(POSTRIDER_BUILD_BENCH "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(POSTRIDER_BUILD_PYTHON "Build the Python extension module; pip install . does so" OFF)
option(POSTRIDER_MPI "Let the programs use MPI, where it is found" ON)
option(POSTRIDER_UNITY "Compile several sources at once: half the time for a whole build, more for one change" OFF)
option(POSTRIDER_FUZZ "Build the fuzz targets for libFuzzer; needs clang" OFF)
set(POSTRIDER_SANITIZE "" CACHE STRING "Sanitizers, for example address,undefined or thread")

if(PROJECT_IS_TOP_LEVEL)
  option(BUILD_SHARED_LIBS "Build a shared library" ON)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  endif()
  find_program(POSTRIDER_CCACHE ccache)
  if(POSTRIDER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${POSTRIDER_CCACHE}")
  endif()
  # Three hundred test programs: mold links them in a tenth of the time. Not for what is installed elsewhere: -DPOSTRIDER_LINKER= leaves the
  # compiler's own.
  find_program(POSTRIDER_MOLD mold)
  if(POSTRIDER_MOLD AND POSTRIDER_BUILD_TESTS AND NOT CMAKE_CROSSCOMPILING)
    set(POSTRIDER_LINKER mold CACHE STRING "Linker by its name, as -fuse-ld takes it; empty: the compiler's own")
  endif()
  if(POSTRIDER_LINKER)
    add_link_options(-fuse-ld=${POSTRIDER_LINKER})
  endif()
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# In WebAssembly it would look up every address in a table.
if(NOT EMSCRIPTEN)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# What include/postrider marks POSTRIDER_EXPORT is the library's interface; the rest is hidden.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# A vector lane and the same code on one lane must agree to the bit. A compiler that fuses a
# multiplication and an addition in one of them and not in the other breaks that.
add_compile_options(-ffp-contract=off)

# Vectors whose length is known at run time only cannot be members of a struct, as a lane is: on 64-bit ARM the kernels use NEON.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
  add_compile_definitions(HWY_DISABLED_TARGETS=HWY_SVE+HWY_SVE2+HWY_SVE_256+HWY_SVE2_128)
  # Highway compiles its functions with this option, and g++ inlines them into those with the same options alone. No compiler
  # makes such instructions out of ordinary code, so that processors without them run it, too.
  add_compile_options(-march=armv8-a+crypto)
endif()

# Messages of failed checks name source files. Relative to the project they say as much, and the same sources give the same
# bytes in every folder. The second prefix is how ccache writes the first. Tests are not shipped.
if(NOT POSTRIDER_BUILD_TESTS)
  file(RELATIVE_PATH postrider_up "${PROJECT_BINARY_DIR}" "${PROJECT_SOURCE_DIR}")
  string(REGEX REPLACE "/$" "" postrider_up "${postrider_up}")
  add_compile_options("-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=" "-fmacro-prefix-map=${postrider_up}/=")
endif()

# No other -march here or anywhere: instruction sets are chosen at run time, per function.

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion)
# Lengths have 32 bits there, and numbers that count bytes of files have 64.
if(EMSCRIPTEN)
  add_compile_options(-Wno-shorten-64-to-32)
endif()
# g++ 12 warns of overlapping copies wherever a literal is added to a string that it inlines (its bug 105651,
# mended in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)
endif()
if(POSTRIDER_WERROR)
  add_compile_options(-Werror)
endif()

if(POSTRIDER_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(POSTRIDER_SANITIZE)
  add_compile_options(-fsanitize=${POSTRIDER_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${POSTRIDER_SANITIZE})
  # One vector target and no other: the source is the same for all, and compiling the kernels with
  # sanitizers takes minutes per target. A baseline of AVX2 leaves out the scalar target, too.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_options(-march=haswell -maes)
    add_compile_definitions(HWY_DISABLED_TARGETS=HWY_SSSE3+HWY_SSE4+HWY_AVX3+HWY_AVX3_DL)
  endif()
endif()
