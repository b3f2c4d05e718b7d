// postrider factor: what can be shown about a factor, the library's or one loaded from a file.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "postrider/certify.h"

namespace postrider::cli {

struct FactorRequest {
  std::vector<std::string> names, parameters, loads;
  CertifyOptions options;
  bool json = false;
};

ExitCode factor_list();
ExitCode factor_certify(const FactorRequest& request);

}  // namespace postrider::cli
