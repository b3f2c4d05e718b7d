// Rows of keys and values.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "data/cell_columns.h"
#include "postrider/error.h"
#include "postrider/sparse/hashed_inputs.h"
#include "postrider/sparse/model.h"

namespace postrider::sparse {
using namespace internal;
namespace {

// Larger inputs, squared and times a prior variance, could leave the range of float.
constexpr float kMostValue = 1e9F;
// Its square, with some room, is a number.
constexpr double kMostTarget = 1e120;

[[noreturn]] void refuse(const char* what, const std::string& place, double value,
                         const char* accepted) {
  reject(std::string(what) + " of " + place, value, accepted);
}

}  // namespace

void FeatureRows::clear() { *this = {}; }

std::string FeatureRows::place(std::size_t row) const {
  return lines.empty() ? "row " + std::to_string(row) : "line " + std::to_string(lines[row]);
}

void FeatureRows::validate(bool needs_targets) const {
  if (values.size() != keys.size())
    reject("values", values.size(), "must be as many as keys, " + std::to_string(keys.size()));
  if (!fields.empty() && fields.size() != keys.size())
    reject("fields", fields.size(),
           "must be none or as many as keys, " + std::to_string(keys.size()));
  for (std::size_t row = 0; row < size(); ++row)
    if (ends[row] < begin_of(row) || ends[row] > keys.size())
      reject("ends", ends[row], "must not fall, and be at most the number of keys");
  if (size() > 0 && ends.back() != keys.size())
    reject("ends", ends.back(), "must end at the number of keys, " + std::to_string(keys.size()));
  if (needs_targets && targets.size() != size())
    reject("targets", targets.size(),
           "must be one for each of " + std::to_string(size()) + " rows");
  if (!weights.empty() && weights.size() != size())
    reject("weights", weights.size(),
           "must be none or one for each of " + std::to_string(size()) + " rows");
  if (!lines.empty() && lines.size() != size())
    reject("lines", lines.size(),
           "must be none or one for each of " + std::to_string(size()) + " rows");
  for (std::size_t row = 0; row < size(); ++row) {
    if (needs_targets && !(std::abs(targets[row]) <= kMostTarget))
      refuse("target", place(row), targets[row], "must be a finite number, at most 1e120 in size");
    if (!weights.empty() && !(weights[row] >= 0 && std::isfinite(weights[row])))
      refuse("weight", place(row), weights[row], "must be a finite number of at least 0");
    for (std::size_t i = begin_of(row); i < ends[row]; ++i)
      if (!(std::abs(values[i]) <= kMostValue))
        refuse("value", place(row), static_cast<double>(values[i]), "must be within -1e9 and 1e9");
  }
}

SparseInputs hashed_inputs(const FeatureRows& rows, std::size_t columns) {
  if (columns == 0 || columns > std::numeric_limits<std::uint32_t>::max())
    reject("columns", columns, "must be within 1 and 4294967295");
  rows.validate(/*needs_targets=*/false);
  SparseInputs out;
  out.columns = columns;
  std::vector<std::pair<std::size_t, double>> cells;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    cells.clear();
    for (std::size_t i = rows.begin_of(row); i < rows.ends[row]; ++i)
      cells.emplace_back(static_cast<std::size_t>(mixed_hash(rows.keys[i]) % columns),
                         static_cast<double>(rows.values[i]));
    // Stable, so that sums are the same in whatever way the standard library sorts.
    std::stable_sort(cells.begin(), cells.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < cells.size();) {
      const std::size_t column = cells[i].first;
      double sum = 0;
      for (; i < cells.size() && cells[i].first == column; ++i) sum += cells[i].second;
      out.add(column, sum);
    }
    out.end_row();
  }
  return out;
}

}  // namespace postrider::sparse
