// What the library says to a mistake of the caller.
#pragma once

#include <functional>
#include <string>

#include "postrider/error.h"

namespace postrider {

inline std::string complaint(const std::function<void()>& mistake) {
  try {
    mistake();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no complaint";
}

}  // namespace postrider
