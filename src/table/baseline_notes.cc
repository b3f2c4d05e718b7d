#include "table/baseline_notes.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "postrider/error.h"
#include "table/baseline.h"

namespace postrider::internal {
namespace {

using Json = nlohmann::ordered_json;

// Lists by name, in the order of the file.
template <class Of>
auto lists_of(Of& baseline) {
  return std::array{std::pair{"shares", &baseline.shares},
                    std::pair{"intercepts", &baseline.linear.intercepts},
                    std::pair{"weights", &baseline.linear.weights},
                    std::pair{"centres", &baseline.linear.centres}};
}
template <class Of>
auto moments_of(Of& baseline) {
  return std::array{std::pair{"mean", &baseline.mean}, std::pair{"variance", &baseline.variance},
                    std::pair{"residual_variance", &baseline.residual_variance}};
}

[[noreturn]] void refuse(const char* what) {
  reject("baseline", std::string_view(what), "is missing or no number");
}

}  // namespace

std::string baseline_note(const Baseline& baseline) {
  Json out;
  for (const auto& [name, number] : moments_of(baseline)) out[name] = *number;
  for (const auto& [name, list] : lists_of(baseline)) out[name] = *list;
  return out.dump();
}

Baseline read_baseline_note(const std::string& text, const TableEncoding& encoding) {
  // Nothing of ours is deeper than a list in an object, or has more keys.
  constexpr int kDeepest = 2;
  constexpr std::size_t kMostKeys = 16;
  std::size_t keys = 0;
  const auto is_bounded = [&](int depth, Json::parse_event_t event, const Json& /*value*/) {
    if (event == Json::parse_event_t::key) ++keys;
    if (depth > kDeepest || keys > kMostKeys) refuse("nesting");
    return true;
  };
  const Json json = Json::parse(text, is_bounded, /*allow_exceptions=*/false);
  if (!json.is_object()) refuse("object");
  Baseline out;
  for (const auto& [name, number] : moments_of(out)) {
    if (!json.contains(name) || !json[name].is_number()) refuse(name);
    *number = json[name].template get<double>();
  }
  for (const auto& [name, list] : lists_of(out)) {
    if (!json.contains(name) || !json[name].is_array()) refuse(name);
    for (const Json& value : json[name]) {
      if (!value.is_number()) refuse(name);
      list->push_back(value.template get<double>());
    }
  }
  expect_sense(out, encoding);
  return out;
}

}  // namespace postrider::internal
