// How names become keys: hashes of 64 bits of field and name.
#include <charconv>
#include <string_view>

#include "data/cell_columns.h"
#include "postrider/sparse/model.h"

namespace postrider::sparse {
using namespace internal;
namespace {

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

}  // namespace postrider::sparse
