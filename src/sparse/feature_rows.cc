// Rows of keys and values, and how names become keys.
#include <charconv>
#include <cmath>

#include "data/cell_columns.h"
#include "postrider/error.h"
#include "postrider/sparse_model.h"

namespace postrider {
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

// A whole number as it would be printed, so that "017" is a name.
bool is_number(std::string_view name, std::uint64_t& out) {
  if (name.empty() || (name.size() > 1 && name[0] == '0')) return false;
  const auto [end, trouble] = std::from_chars(name.data(), name.data() + name.size(), out);
  return trouble == std::errc() && end == name.data() + name.size();
}

}  // namespace

std::uint64_t feature_key(std::uint64_t index) { return mixed_hash(index + 0x9e3779b97f4a7c15); }

std::uint64_t feature_key(std::string_view field, std::string_view name) {
  std::uint64_t index = 0;
  if (field.empty() && is_number(name, index)) return feature_key(index);
  return text_hash(name, field.empty() ? kTextHashStart : text_hash(field));
}

std::uint32_t field_number(std::string_view field) {
  if (field.empty()) return 0;
  return static_cast<std::uint32_t>(text_hash(field) >> 32) | 1;
}

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

}  // namespace postrider
