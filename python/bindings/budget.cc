// Limits of memory.
#include "postrider/budget.h"

#include <nanobind/stl/string.h>

#include "bindings.h"

namespace postrider::python {

void add_budget(nanobind::module_& m) {
  m.def("store_bytes", &store_bytes, nanobind::arg("option"), nanobind::arg("limit"),
        nanobind::arg("data_bytes"), nanobind::arg("advice"),
        "Bytes for stored messages, if training may take so many in all.");
}

}  // namespace postrider::python
