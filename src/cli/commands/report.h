// postrider report: one HTML page that says how far to trust a model.
#pragma once

#include <string>

#include "cli/data.h"
#include "cli/exit_code.h"

namespace postrider::cli {

struct ReportRequest {
  std::string model;
  DataRequest data;
  std::string output = "report.html";
  bool force = false;  // replaces a file of another kind
  std::string title;   // empty: the target's name
  double level = 0.9;
  std::string time, group;  // columns; empty: none
  bool quiet = false;
};

ExitCode report(const ReportRequest& request);

}  // namespace postrider::cli
