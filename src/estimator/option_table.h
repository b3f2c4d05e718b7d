// The options of estimators as data; see postrider/options.h.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "postrider/estimator_options.h"

namespace postrider::internal {

struct EstimatorOptionRow {
  OptionInfo info;
  std::function<OptionValue(const EstimatorOptions&)> get;
  std::function<void(EstimatorOptions&, const OptionValue&)> set;
};

// Those of the estimator itself, then those of its training.
const std::vector<EstimatorOptionRow>& estimator_option_rows();

// Whether a model's file says it: not what tells how a run is carried out, nor what its networks show.
bool is_saved(const OptionInfo& info);
// The inverse of to_string. Throws InvalidArgument.
OptionValue parsed_option(const OptionInfo& info, const std::string& text);

}  // namespace postrider::internal
