// JSON of a model file's notes, read with care: only what is written as such is a whole number, a number, a text.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace postrider::internal::json_reading {

using Json = nlohmann::ordered_json;

struct Malformed {
  std::string why = "what it says of its table is malformed";
};

inline const Json& at(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) throw Malformed();
  return object[key];
}
inline const Json& list_at(const Json& object, const char* key) {
  const Json& list = at(object, key);
  if (!list.is_array()) throw Malformed();
  return list;
}
inline std::string text_of(const Json& value) {
  if (!value.is_string()) throw Malformed();
  return value.get<std::string>();
}
inline bool truth_of(const Json& value) {
  if (!value.is_boolean()) throw Malformed();
  return value.get<bool>();
}
inline std::size_t count_of(const Json& value) {
  if (!value.is_number_unsigned()) throw Malformed();
  return value.get<std::size_t>();
}
// JSON has no NaN: it is written as null.
inline double number_of(const Json& value) {
  if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (!value.is_number()) throw Malformed();
  return value.get<double>();
}
inline std::vector<double> numbers_of(const Json& values) {
  if (!values.is_array()) throw Malformed();
  std::vector<double> out;
  for (const Json& value : values) out.push_back(number_of(value));
  return out;
}
template <class E>
E choice_of(const Json& value, std::initializer_list<E> known) {
  const std::string text = text_of(value);
  for (const E each : known)
    if (to_string(each) == text) return each;
  throw Malformed();
}

// Hostile text could nest without end, or give one object keys by the thousand, for which each new one
// is compared with all; ours does neither.
inline Json bounded_json(const std::string& text) {
  constexpr int kDeepest = 16;
  constexpr std::size_t kMostKeys = 64;  // of one object
  std::vector<std::size_t> keys(kDeepest + 2);
  const auto bounded = [&](int depth, Json::parse_event_t event, const Json& /*value*/) {
    if (depth > kDeepest) throw Malformed();
    const auto level = static_cast<std::size_t>(depth);
    if (event == Json::parse_event_t::object_start) keys[level + 1] = 0;
    if (event == Json::parse_event_t::key && ++keys[level] > kMostKeys) throw Malformed();
    return true;
  };
  return Json::parse(text, bounded, /*allow_exceptions=*/false);
}

}  // namespace postrider::internal::json_reading
