#include "estimator/model_options.h"

#include <algorithm>

#include "estimator/option_table.h"
#include "postrider/network/network.h"
#include "sweep/layout.h"

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
  out.validate_for(model.kind == ModelKind::classifier ? OptionInfo::Scope::classes
                                                       : OptionInfo::Scope::numeric_target);
  return out;
}

namespace {

// Fewer units cannot bend a function enough to be of use, however few the rows.
constexpr std::size_t kFewestUnits = 4;

constexpr std::size_t kFewRowsUnits = 50, kFewRowsLayers = 2;
constexpr std::size_t kManyRowsUnits = 100, kManyRowsLayers = 3;
constexpr double kRowsPerWeight = 1.5;

std::vector<std::size_t> for_many_rows() {
  return std::vector<std::size_t>(kManyRowsLayers, kManyRowsUnits);
}

std::vector<std::size_t> limited(std::vector<std::size_t> hidden, std::size_t limit) {
  for (std::size_t& units : hidden) units = std::min(units, limit);
  return hidden;
}

}  // namespace

bool is_chosen(const std::vector<std::size_t>& hidden) {
  return hidden == std::vector<std::size_t>{0};
}

bool are_for_many_rows(const std::vector<std::size_t>& hidden) { return hidden == for_many_rows(); }

std::vector<std::size_t> chosen_widths(std::size_t inputs, std::size_t outputs, std::size_t rows) {
  const network::NetworkOptions large =
      network::NetworkOptions::dense(inputs, for_many_rows(), outputs);
  if (kRowsPerWeight * static_cast<double>(large.weights()) <= static_cast<double>(rows))
    return for_many_rows();
  return std::vector<std::size_t>(kFewRowsLayers, kFewRowsUnits);
}

std::vector<std::size_t> widths_for(const std::vector<std::size_t>& asked, std::size_t inputs,
                                    std::size_t outputs, std::size_t rows,
                                    double weights_per_example) {
  const std::vector<std::size_t> hidden =
      is_chosen(asked) ? chosen_widths(inputs, outputs, rows) : asked;
  if (hidden.empty() || weights_per_example == 0) return hidden;
  const double most = weights_per_example * static_cast<double>(rows);
  const auto fits = [&](std::size_t limit) {
    const network::NetworkOptions narrowed =
        network::NetworkOptions::dense(inputs, limited(hidden, limit), outputs);
    return static_cast<double>(narrowed.weights()) <= most;
  };
  std::size_t low = kFewestUnits, high = std::max(low, *std::ranges::max_element(hidden));
  if (fits(high)) return hidden;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return limited(hidden, low);
}

namespace {

// Below this power the two ways hardly differ.
constexpr double kWorthDamping = 1.1;

}  // namespace

double damping_for(const EstimatorOptions& options, double power, std::size_t weights) {
  const double apart = std::max(0.0, 1 - 1 / power);
  const double asked = options.training.damping;
  if (options.copies == EstimatorOptions::Copies::apart) return std::max(asked, apart);
  // Large networks have few epochs, in which damped ones do not come far.
  const bool is_chosen = options.copies == EstimatorOptions::Copies::chosen && asked == 0 &&
                         power >= kWorthDamping && fits_the_cache_in_packs(weights);
  return is_chosen ? apart : asked;
}

}  // namespace postrider::internal
