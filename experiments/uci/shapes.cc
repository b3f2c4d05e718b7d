#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "estimator/model_options.h"
#include "parts.h"
#include "trial.h"

namespace postrider::experiments {
using namespace internal;
namespace {

const std::vector<std::string> kSets{"concrete", "energy", "yacht"};
const std::vector<std::string> kQuickSets{"yacht"};
const std::vector<std::size_t> kWidths{10, 50, 200, 1000};
const std::vector<std::size_t> kDepths{1, 2, 3, 4};
constexpr std::size_t kSplits = 20, kQuickSplits = 1;
constexpr std::size_t kLeastWidth = 50;  // of those that must be as good as the best
constexpr double kMostLoss = 0.15;       // nats

// Shapes that the rows narrow to the same one are the same network: each is trained once.
class TestedShapes {
 public:
  TestedShapes(const UciSet& set, const Settings& settings) : set_(set), settings_(settings) {}

  const std::vector<Tested>& of(const EstimatorOptions& options) {
    const std::size_t rows = set_.rows(0, false).targets.size();
    const std::size_t outputs = options.varying_noise ? 2 : 1;
    const std::vector<std::size_t> widths =
        widths_for(options.hidden, set_.inputs(), outputs, rows, options.weights_per_example);
    const auto [place, is_new] = tested_.try_emplace(widths);
    if (is_new)
      place->second =
          test_splits(set_, settings_.quick ? kQuickSplits : kSplits, options, settings_);
    return place->second;
  }

 private:
  const UciSet& set_;
  const Settings& settings_;
  std::map<std::vector<std::size_t>, std::vector<Tested>> tested_;
};

struct Shape {
  std::size_t width, depth;
  double likelihood;
};

}  // namespace

Part shapes(const Settings& settings) {
  Part part{"shapes", {}, {}, {}};
  for (const std::string& name : settings.quick ? kQuickSets : kSets) {
    const UciSet set = read_uci_set(settings.data, name);
    TestedShapes tested_shapes(set, settings);
    Object entry;
    std::vector<Shape> found;
    for (const std::size_t depth : kDepths)
      for (const std::size_t width : kWidths) {
        EstimatorOptions options;
        options.hidden.assign(depth, width);
        options.training.seed = settings.seed;
        const std::vector<Tested>& tested = tested_shapes.of(options);
        found.push_back({width, depth, mean_of(tested, &Tested::likelihood)});
        entry.push_back({fmt::format("{}_layers_of_{}", depth, width),
                         {Object{{"rmse", {mean_of(tested, &Tested::error)}},
                                 {"rmse_se", {standard_error_of(tested, &Tested::error)}},
                                 {"ll", {found.back().likelihood}},
                                 {"ll_se", {standard_error_of(tested, &Tested::likelihood)}},
                                 {"weights", {mean_of(tested, &Tested::weights)}},
                                 {"failed", {static_cast<std::int64_t>(failures_of(tested))}}}}});
      }
    const auto is_wide = [](const Shape& shape) { return shape.width >= kLeastWidth; };
    double best = -std::numeric_limits<double>::infinity(), worst = -best;
    for (const Shape& shape : found) {
      if (!is_wide(shape)) continue;
      best = std::max(best, shape.likelihood);
      worst = std::min(worst, shape.likelihood);
    }
    const std::string text =
        fmt::format("{}: LL from {:.3f} to {:.3f} over widths from {} and depths to {}", name,
                    worst, best, kLeastWidth, kDepths.back());
    // Two splits do not tell.
    if (settings.quick)
      part.notes.push_back(text);
    else
      part.claims.push_back({text, best - worst <= kMostLoss});
    part.result.push_back({name, {entry}});
  }
  return part;
}

}  // namespace postrider::experiments
