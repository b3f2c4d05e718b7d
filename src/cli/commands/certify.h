// postrider certify: how far a trained network's messages are from the exact ones.
#pragma once

#include <cstddef>
#include <string>

#include "cli/data.h"
#include "cli/exit_code.h"
#include "postrider/audit.h"

namespace postrider::cli {

struct CertifyRequest {
  std::string model;
  DataRequest data;
  std::size_t member = 1;  // from 1
  NetworkCertifyOptions options;
  bool json = false;
};

ExitCode certify(const CertifyRequest& request);

}  // namespace postrider::cli
