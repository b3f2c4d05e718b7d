// The options of an estimator in the metadata of its file: all on which further learning depends.
#pragma once

#include <map>
#include <string>

#include "estimator/model_file.h"
#include "postrider/estimator_options.h"

namespace postrider::internal {

// One entry for each option, as `option.<name>`; not those of a run alone, such as
// threads, nor those that the networks show.
void describe_options(const EstimatorOptions& options, std::map<std::string, std::string>& to);

// What a file says; of what it does not say, as one of version 0.1 says nothing, what the model shows.
// Throws InvalidArgument if it makes no sense.
EstimatorOptions options_of(const std::map<std::string, std::string>& metadata,
                            const FittedModel& model);

}  // namespace postrider::internal
