// The library's writer of whole files, for what Python itself saves.
#include <nanobind/stl/string.h>

#include <string>

#include "bindings.h"
#include "postrider/file.h"

namespace postrider::python {

void add_files(nanobind::module_& m) {
  m.def(
      "write_file",
      [](const std::string& path, const nanobind::bytes& bytes) {
        write_file(path, {bytes.c_str(), bytes.size()});
      },
      nanobind::arg("path"), nanobind::arg("bytes"),
      "Write a file that appears under its name once it is whole.");
}

}  // namespace postrider::python
