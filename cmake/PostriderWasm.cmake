# What PostriderDependencies.cmake finds, for WebAssembly: Debian has no libraries of that kind, so that only headers are used. They are linked
# into a folder of their own, since those of the system itself must not be found beside them.
set(headers "${PROJECT_BINARY_DIR}/headers")
file(MAKE_DIRECTORY "${headers}")
foreach(name IN ITEMS fmt hwy boost nlohmann eigen3/Eigen)
  get_filename_component(place "${name}" NAME)
  file(CREATE_LINK "/usr/include/${name}" "${headers}/${place}" SYMBOLIC)
endforeach()
foreach(package IN ITEMS hwy::hwy fmt::fmt Boost::headers nlohmann_json::nlohmann_json Eigen3::Eigen Threads::Threads)
  add_library(${package} INTERFACE IMPORTED)
  set_target_properties(${package} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${headers}" INTERFACE_INCLUDE_DIRECTORIES "${headers}")
endforeach()
add_compile_definitions(FMT_HEADER_ONLY)
# What the library of emscripten's compiler has not yet.
add_compile_options(-include "${PROJECT_SOURCE_DIR}/cmake/wasm/library.h")
