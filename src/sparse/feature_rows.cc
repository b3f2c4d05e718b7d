// Rows of keys and values.
#include <cmath>

#include "postrider/error.h"
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

}  // namespace postrider::sparse
