#include "factor/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "postrider/error.h"

namespace postrider::internal {

ParameterReader::ParameterReader(std::string_view factor, std::vector<Parameter> given)
    : factor_(factor), given_(std::move(given)) {}

const Parameter* ParameterReader::take(std::string_view name) {
  read_.emplace_back(name);
  const auto found = std::find_if(given_.begin(), given_.end(),
                                  [&](const Parameter& p) { return p.name == name; });
  return found == given_.end() ? nullptr : &*found;
}

double ParameterReader::number(std::string_view name, double otherwise) {
  const Parameter* parameter = take(name);
  if (parameter == nullptr) return otherwise;
  if (parameter->values.size() != 1)
    reject(field(name), fmt::format("{} values", parameter->values.size()), "takes one number");
  return parameter->values.front();
}

std::vector<double> ParameterReader::numbers(std::string_view name, std::vector<double> otherwise) {
  const Parameter* parameter = take(name);
  return parameter == nullptr ? std::move(otherwise) : parameter->values;
}

std::string ParameterReader::field(std::string_view name) const {
  return fmt::format("{}.{}", factor_, name);
}

void ParameterReader::finish() const {
  for (const Parameter& parameter : given_)
    if (std::find(read_.begin(), read_.end(), parameter.name) == read_.end())
      throw InvalidArgument(read_.empty()
                                ? fmt::format("{}: no parameter '{}'; this factor takes none",
                                              factor_, parameter.name)
                                : fmt::format("{}: no parameter '{}'; there are: {}", factor_,
                                              parameter.name, fmt::join(read_, ", ")));
}

}  // namespace postrider::internal
