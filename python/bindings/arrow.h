// Objects of Python with __arrow_c_stream__.
#pragma once

#include <nanobind/nanobind.h>

#include "postrider/arrow.h"

namespace postrider::python {

// The stream that an object hands out, in the capsule that frees its memory. Raises TypeError if it
// hands out none.
class ArrowCapsule {
 public:
  explicit ArrowCapsule(nanobind::handle data);
  ArrowArrayStream& stream() const { return *stream_; }

 private:
  nanobind::object capsule_;
  ArrowArrayStream* stream_;
};

}  // namespace postrider::python
