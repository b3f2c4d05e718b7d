#include "cli/expected_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "postrider/time_budget.h"

namespace postrider::cli {
namespace {

// Four of five trainings take between the expected seconds divided by this, and multiplied by it (postrider/time_budget.h).
constexpr double kFactor = 2.5;

// The network has an input for each category.
std::size_t inputs_of(const Schema& schema) {
  std::size_t out = 0;
  for (const ColumnSchema& column : schema.columns) {
    if (column.target || column.kind == ColumnKind::ignored) continue;
    out += column.kind == ColumnKind::categorical ? column.categories.size() + column.hashed
                                                  : std::max<std::size_t>(1, column.parts.size());
  }
  return out;
}

std::size_t outputs_of(const EstimatorOptions& options, const ColumnSchema& target) {
  if (target.kind != ColumnKind::categorical) return options.varying_noise ? 2 : 1;
  return target.categories.size() > 2 ? target.categories.size() : 1;
}

// One digit says as much as is known, from ten on two.
double rounded(double amount) {
  if (amount < 1) return 1;
  const double unit = amount < 10 ? 1 : amount < 100 ? 5 : 50;
  return unit * std::round(amount / unit);
}

}  // namespace

std::optional<ExpectedTime> expected_time(const EstimatorOptions& options, const Schema& schema,
                                          std::size_t rows) {
  if (options.training.max_epochs > 0) return {};
  const double seconds = expected_seconds(options, rows, inputs_of(schema),
                                          outputs_of(options, schema.columns.at(schema.target())));
  return ExpectedTime{seconds / kFactor, seconds * kFactor};
}

std::string ExpectedTime::text() const {
  if (most < 1.5) return "about a second";
  constexpr double kMinute = 60, kHour = 3600;
  // Both in the unit of the larger one, unless the smaller one is less than one of it.
  const auto in = [](double time, double unit) { return rounded(time / unit); };
  if (most < 2 * kMinute) {
    const double low = in(least, 1), high = in(most, 1);
    return low == high ? fmt::format("{:.0f} s", high)
                       : fmt::format("{:.0f} to {:.0f} s", low, high);
  }
  if (most < 2 * kHour) {
    if (least < kMinute)
      return fmt::format("{:.0f} s to {:.0f} min", in(least, 1), in(most, kMinute));
    return fmt::format("{:.0f} to {:.0f} min", in(least, kMinute), in(most, kMinute));
  }
  if (least < kHour)
    return fmt::format("{:.0f} min to {:.0f} h", in(least, kMinute), in(most, kHour));
  return fmt::format("{:.0f} to {:.0f} h", in(least, kHour), in(most, kHour));
}

}  // namespace postrider::cli
