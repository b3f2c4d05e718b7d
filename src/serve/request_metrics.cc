#include "serve/request_metrics.h"

#include <fmt/format.h>

#include <algorithm>

namespace postrider::cli {
namespace {

std::string counter(const char* name, const char* help, std::uint64_t value) {
  return fmt::format("# HELP postrider_{0} {1}\n# TYPE postrider_{0} counter\npostrider_{0} {2}\n",
                     name, help, value);
}

}  // namespace

void RequestMetrics::add(int status, std::size_t rows, double seconds) {
  ++(status < 400 ? answered_ : status < 500 ? refused_ : failed_);
  rows_ += rows;
  nanoseconds_ += static_cast<std::uint64_t>(1e9 * seconds);
  const auto place = std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin();
  ++counts_[static_cast<std::size_t>(place)];
}

std::string RequestMetrics::text() const {
  std::string out =
      "# HELP postrider_requests_total Requests for predictions, by how they ended.\n"
      "# TYPE postrider_requests_total counter\n";
  out += fmt::format("postrider_requests_total{{result=\"answered\"}} {}\n", answered_.load());
  out += fmt::format("postrider_requests_total{{result=\"refused\"}} {}\n", refused_.load());
  out += fmt::format("postrider_requests_total{{result=\"failed\"}} {}\n", failed_.load());
  out += counter("rows_total", "Rows that were predicted.", rows_);
  out += counter("reloads_total", "Times that a new version of the model was loaded.", reloads_);
  out += counter("failed_reloads_total", "Times that a new version could not be loaded.",
                 failed_reloads_);
  out +=
      "# HELP postrider_request_seconds From the whole request to the whole answer.\n"
      "# TYPE postrider_request_seconds histogram\n";
  std::uint64_t below = 0;
  for (std::size_t k = 0; k < kBounds.size(); ++k) {
    below += counts_[k];
    out += fmt::format("postrider_request_seconds_bucket{{le=\"{}\"}} {}\n", kBounds[k], below);
  }
  below += counts_.back();
  out += fmt::format("postrider_request_seconds_bucket{{le=\"+Inf\"}} {}\n", below);
  out += fmt::format("postrider_request_seconds_sum {:.9f}\n",
                     static_cast<double>(nanoseconds_.load()) / 1e9);
  out += fmt::format("postrider_request_seconds_count {}\n", below);
  return out;
}

}  // namespace postrider::cli
