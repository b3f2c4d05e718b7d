// What is noted of rows while a reader hands them out.
#pragma once

#include "postrider/table_model.h"

namespace postrider::python {

// Shared with the reader, which may outlive what Python holds.
struct RowWatch {
  DriftWatch drift;
  RepeatWatch repeats;
  RowDigest digest = {};
};

}  // namespace postrider::python
