#include "cli/report/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/report/text.h"

namespace postrider {

double share_inside(const ReportPredictions& predictions) {
  std::size_t inside = 0, seen = 0;
  for (std::size_t i = 0; i < predictions.observed.size(); ++i) {
    const double observed = predictions.observed[i];
    if (!std::isfinite(observed)) continue;
    ++seen;
    inside += observed >= predictions.low[i] && observed <= predictions.high[i];
  }
  return static_cast<double>(inside) / static_cast<double>(std::max<std::size_t>(seen, 1));
}

std::string coverage_text(const ReportContent& content) {
  if (content.predictions)
    return fmt::format("{} of the rows lie inside their {} interval",
                       percent_text(share_inside(*content.predictions)),
                       percent_text(content.predictions->level));
  double rows = 0, right = 0, said = 0;
  for (const ReportReliabilityBin& bin : content.reliability) {
    const auto weight = static_cast<double>(bin.rows);
    rows += weight;
    if (bin.rows > 0) {
      right += weight * bin.share_right;
      said += weight * bin.probability;
    }
  }
  if (rows == 0) return "";
  return fmt::format("predicted classes were right in {} of the rows, and said to be in {}",
                     percent_text(right / rows), percent_text(said / rows));
}

}  // namespace postrider
