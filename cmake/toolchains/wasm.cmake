# WebAssembly for browsers, with Debian's emscripten: vectors of 128 bits, exceptions of the engine, one thread. `tools/playground` uses it.
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
set(CMAKE_CXX_FLAGS_INIT "-msimd128 -fwasm-exceptions")
