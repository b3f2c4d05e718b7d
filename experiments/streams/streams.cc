#include "streams.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/random.h"
#include "common/text_table.h"

namespace postrider::experiments {
using namespace internal;
namespace {

// Where the columns of hour.csv are.
constexpr std::size_t kDay = 1, kCount = 16;
struct Levels {
  std::size_t column, first, count;
};
constexpr std::array<Levels, 5> kLevels{{{2, 1, 4}, {4, 1, 12}, {5, 0, 24}, {7, 0, 7}, {9, 1, 4}}};
constexpr std::array<std::size_t, 6> kNumbers{6, 8, 10, 11, 12, 13};

constexpr std::size_t kInputs = 8, kUnits = 12;
constexpr double kNoise = 0.3;

// y = sum_k v_k tanh(w_k x).
class BentFunction {
 public:
  explicit BentFunction(RandomStream& random) {
    for (double& each : inner_) each = 1.5 / std::sqrt(double{kInputs}) * random.normal();
    for (double& each : outer_) each = 2 / std::sqrt(double{kUnits}) * random.normal();
  }
  double at(std::span<const double> x) const {
    double out = 0;
    for (std::size_t k = 0; k < kUnits; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < kInputs; ++j) sum += inner_[k * kInputs + j] * x[j];
      out += outer_[k] * std::tanh(sum);
    }
    return out;
  }

 private:
  std::array<double, kInputs * kUnits> inner_{};
  std::array<double, kUnits> outer_{};
};

}  // namespace

Stream Stream::beginning(std::size_t rows) const {
  Stream out;
  for (const std::size_t end : ends) {
    out.ends.push_back(end);
    if (end >= rows) break;
  }
  const auto count = static_cast<std::ptrdiff_t>(out.ends.back());
  const auto width = static_cast<std::ptrdiff_t>(columns());
  out.inputs.assign(inputs.begin(), inputs.begin() + count * width);
  out.targets.assign(targets.begin(), targets.begin() + count);
  return out;
}

Stream read_bike(const std::string& data) {
  Stream out;
  std::string day;
  for (const std::string& line :
       read_lines(existing(data, "stream/bike-sharing-hourly/hour.csv"))) {
    const std::vector<std::string> fields = fields_of(line);
    if (!day.empty() && fields.at(kDay) != day) out.ends.push_back(out.size());
    day = fields.at(kDay);
    const auto number = [&](std::size_t column) {
      return number_of(fields.at(column), "hour.csv");
    };
    for (const Levels& levels : kLevels)
      for (std::size_t k = 0; k < levels.count; ++k)
        out.inputs.push_back(number(levels.column) == static_cast<double>(levels.first + k) ? 1
                                                                                            : 0);
    for (const std::size_t column : kNumbers) out.inputs.push_back(number(column));
    out.targets.push_back(number(kCount));
  }
  out.ends.push_back(out.size());
  return out;
}

Stream read_classes(const std::string& data, const std::string& name) {
  const NumberTable table = read_numbers(existing(data, "stream/" + name + "/" + name + ".csv"));
  Stream out;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double* const values = &table.values[row * table.columns];
    out.inputs.insert(out.inputs.end(), values, values + table.columns - 1);
    out.targets.push_back(values[table.columns - 1]);
    out.ends.push_back(out.size());
  }
  return out;
}

Stream changing_stream(std::size_t rows, std::size_t stretch, std::size_t block,
                       std::uint64_t seed) {
  RandomStream random(seed, 0);
  Stream out;
  BentFunction function(random);
  for (std::size_t row = 0; row < rows; ++row) {
    if (row > 0 && row % stretch == 0) function = BentFunction(random);
    std::array<double, kInputs> x{};
    for (double& each : x) each = random.normal();
    out.inputs.insert(out.inputs.end(), x.begin(), x.end());
    out.targets.push_back(function.at(x) + kNoise * random.normal());
    if ((row + 1) % block == 0 || row + 1 == rows) out.ends.push_back(row + 1);
  }
  return out;
}

}  // namespace postrider::experiments
