#include "estimator/model_options.h"

#include "estimator/capacity.h"
#include "estimator/option_table.h"

namespace postrider::internal {
namespace {

constexpr std::string_view kPrefix = "option.";

std::string key_of(const OptionInfo& info) { return std::string(kPrefix) + std::string(info.name); }

// What the options of such a model would have been, as far as it tells.
EstimatorOptions shown_by(const FittedModel& model) {
  const DenseShape shape = shape_of(model.shape());
  EstimatorOptions out{.hidden = shape.hidden,
                       .ensemble_size = model.members.size(),
                       .activation = shape.activation,
                       .slope = shape.slope,
                       .precision = shape.precision};
  out.training.seed = shape.seed;
  if (model.kind == ModelKind::classifier) {
    out.classes = network::classes_of(model.shape().outputs());
  } else {
    out.outputs = model.targets.columns();
    out.varying_noise = model.kind == ModelKind::varying_noise;
  }
  return out;
}

}  // namespace

void describe_options(const EstimatorOptions& options, std::map<std::string, std::string>& to) {
  for (const EstimatorOptionRow& row : estimator_option_rows())
    if (is_saved(row.info)) to[key_of(row.info)] = to_string(row.get(options));
}

EstimatorOptions options_of(const std::map<std::string, std::string>& metadata,
                            const FittedModel& model) {
  EstimatorOptions out = shown_by(model);
  const std::vector<std::size_t> widths = out.hidden;
  for (const EstimatorOptionRow& row : estimator_option_rows()) {
    const auto found = metadata.find(key_of(row.info));
    if (found == metadata.end() || !is_saved(row.info)) continue;
    const OptionValue value = parsed_option(row.info, found->second);
    row.info.expect(value);
    row.set(out, value);
  }
  if (!is_chosen(out.hidden) && out.hidden.size() != widths.size()) out.hidden = widths;
  out.validate_for(model.kind == ModelKind::classifier ? OptionScope::classes
                                                       : OptionScope::numeric_target);
  return out;
}

}  // namespace postrider::internal
