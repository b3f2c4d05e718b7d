// Reads a factor's parameters by name and refuses the ones that nobody asked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "factor/words.h"

namespace postrider::internal {

class ParameterReader {
 public:
  ParameterReader(std::string_view factor, std::vector<Parameter> given);

  double number(std::string_view name, double otherwise);
  std::vector<double> numbers(std::string_view name, std::vector<double> otherwise);

  // `<factor>.<name>`, as error messages name a parameter.
  std::string field(std::string_view name) const;

  // Throws InvalidArgument for a given parameter that was never read, listing those that were.
  void finish() const;

 private:
  const Parameter* take(std::string_view name);

  std::string factor_;
  std::vector<Parameter> given_;
  std::vector<std::string> read_;
};

}  // namespace postrider::internal
