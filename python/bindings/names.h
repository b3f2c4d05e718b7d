// Enumerations by the names that Python's users write.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "postrider/error.h"
#include "postrider/graph/factor.h"

namespace postrider::python {

template <class Enum, std::size_t N>
using Names = std::array<std::pair<std::string_view, Enum>, N>;

template <class Enum, std::size_t N>
Enum by_name(std::string_view field, std::string_view name, const Names<Enum, N>& names) {
  std::string known;
  for (const auto& [its_name, value] : names) {
    if (its_name == name) return value;
    known += (known.empty() ? "" : ", ") + std::string(its_name);
  }
  reject(field, name, "must be one of: " + known);
}

template <class Enum, std::size_t N>
Names<Enum, N> names_of(const std::array<Enum, N>& values) {
  Names<Enum, N> out;
  for (std::size_t i = 0; i < N; ++i) out[i] = {to_string(values[i]), values[i]};
  return out;
}

inline graph::Rule rule_by_name(std::string_view name) {
  return by_name(
      "rule", name,
      names_of(std::array{graph::Rule::exact, graph::Rule::direct, graph::Rule::conditioned}));
}

inline graph::Claim claim_by_name(std::string_view name) {
  return by_name("claim", name,
                 names_of(std::array{graph::Claim::exact, graph::Claim::moments,
                                     graph::Claim::tilted_moments, graph::Claim::approximate}));
}

}  // namespace postrider::python
