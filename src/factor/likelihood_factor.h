// The likelihoods of likelihoods.h as factors that are made by name: what was observed is a parameter, the rest are edges.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "factor/words.h"

namespace postrider::internal {

std::vector<std::string> likelihood_factor_names();
// Null if there is none of this name.
std::unique_ptr<Factor> make_likelihood_factor(std::string_view name,
                                               std::vector<Parameter> parameters);

}  // namespace postrider::internal
