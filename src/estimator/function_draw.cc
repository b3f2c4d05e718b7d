#include "postrider/function_draw.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/target_scales.h"
#include "encode/column_code.h"
#include "encode/input_encoding.h"
#include "estimator/dense.h"
#include "estimator/drawn_layers.h"
#include "estimator/unusable.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

void expect_fitting(const FunctionDraw::Parts& parts, std::size_t inputs) {
  if (parts.layers.empty()) reject("layers", 0, "must be at least one");
  for (const FunctionDraw::Layer& layer : parts.layers) {
    if (layer.inputs != inputs) reject("layers", layer.inputs, "must have the inputs given to it");
    if (layer.weights.size() != (layer.inputs + 1) * layer.units)
      reject("weights", layer.weights.size(),
             "must be one for each unit and input, and the biases");
    inputs = layer.units;
  }
  if (parts.targets.size() != inputs || parts.targets.empty())
    reject("targets", parts.targets.size(), "must be one for each unit of the last layer");
}

double in_units(const FunctionDraw::Target& target, double learned) {
  return TargetColumn(target.mean, target.std, target.offset).in_units(learned);
}

// dy/dt
double slope_in_units(const FunctionDraw::Target& target, double learned) {
  if (target.offset == 0) return target.std;
  const double root = target.mean + target.std * learned;
  return root > std::sqrt(target.offset) ? 2 * root * target.std : 0;
}

}  // namespace

namespace internal {

class FunctionState {
 public:
  explicit FunctionState(FunctionDraw::Parts given)
      : parts(std::move(given)),
        encoding(parts.columns, parts.typical_means,
                 std::vector<double>(parts.typical_means.size(), 0.0), parts.unit) {
    expect_fitting(parts, encoding.inputs());
  }

  SparseInputs encoded(const Inputs& inputs) const {
    expect_whole_rows(inputs, parts.columns.size());
    expect_finite("inputs", inputs.values());
    return encoding.encoded(inputs);
  }

  FunctionDraw::Parts parts;
  InputEncoding encoding;
};

}  // namespace internal

FunctionDraw::FunctionDraw(FunctionDraw::Parts parts)
    : state_(std::make_shared<const FunctionState>(std::move(parts))) {}

const FunctionDraw::Parts& FunctionDraw::parts() const { return state_->parts; }

std::vector<double> FunctionDraw::values(const Inputs& inputs) const {
  const FunctionDraw::Parts& own = parts();
  std::vector<double> out = layer_outputs(own.layers, state_->encoded(inputs));
  for (std::size_t place = 0; place < out.size(); ++place)
    out[place] = in_units(own.targets[place % own.targets.size()], out[place]);
  return out;
}

std::vector<double> FunctionDraw::gradients(const Inputs& inputs) const {
  const FunctionDraw::Parts& own = parts();
  const SparseInputs rows = state_->encoded(inputs);
  const std::size_t width = columns(), count = rows.rows(), outputs = targets();
  std::vector<double> out(count * outputs * width);
  // A network's input k is that of column column_of(k), and the place'th of its column.
  std::vector<std::size_t> first(width, 0);
  for (std::size_t k = state_->encoding.inputs(); k-- > 0;)
    first[state_->encoding.column_of(k)] = k;
  std::vector<double> numbers(count * width, 0.0);
  inputs.of_columns(width).for_each(
      [&](std::size_t row, std::size_t c, double x) { numbers[row * width + c] = x; });
  for (std::size_t row = 0; row < count; ++row)
    for (std::size_t o = 0; o < outputs; ++o) {
      const LayerSlope found = slope_by_inputs(own.layers, rows, row, o);
      const double unit = slope_in_units(own.targets[o], found.value) * own.unit;
      double* to = out.data() + (row * outputs + o) * width;
      for (std::size_t c = 0; c < width; ++c) {
        const double x = numbers[row * width + c];
        if (std::isnan(x)) continue;
        encode_slope(own.columns[c], x, [&](std::size_t k, double slope) {
          to[c] += unit * slope * found.by_input[first[c] + k];
        });
      }
    }
  return out;
}

std::vector<FunctionDraw::JointForecast> joint_moments(std::span<const FunctionDraw> functions,
                                                       const Inputs& inputs) {
  if (functions.size() < 2) reject("functions", functions.size(), "must be at least two");
  const std::size_t targets = functions.front().targets();
  std::vector<std::vector<double>> values;
  for (const FunctionDraw& function : functions) values.push_back(function.values(inputs));
  const std::size_t rows = values.front().size() / targets;
  const auto count = static_cast<double>(functions.size());
  std::vector<FunctionDraw::JointForecast> out(targets);
  for (std::size_t o = 0; o < targets; ++o) {
    FunctionDraw::JointForecast& joint = out[o];
    joint.mean.assign(rows, 0);
    joint.covariance.assign(rows * rows, 0);
    for (const std::vector<double>& of_one : values)
      for (std::size_t r = 0; r < rows; ++r) joint.mean[r] += of_one[r * targets + o] / count;
    for (const std::vector<double>& of_one : values)
      for (std::size_t r = 0; r < rows; ++r) {
        const double from_mean = (of_one[r * targets + o] - joint.mean[r]) / (count - 1);
        for (std::size_t s = 0; s < rows; ++s)
          joint.covariance[r * rows + s] += from_mean * (of_one[s * targets + o] - joint.mean[s]);
      }
  }
  return out;
}

}  // namespace postrider
