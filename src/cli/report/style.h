#pragma once

#include <string_view>

namespace postrider {

// The style sheet of a report: light, dark, phone and paper.
std::string_view report_style();

}  // namespace postrider
