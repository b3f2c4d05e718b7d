#include "estimator/column_forms.h"

#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "data/kept_inputs.h"
#include "encode/input_encoding.h"
#include "encode/relevance.h"
#include "estimator/cross_validation.h"
#include "estimator/member_folds.h"
#include "network/network_state.h"

namespace postrider::internal {
namespace {

// The rows that cut columns; fewer than so many would not tell where.
constexpr double kShareThatCuts = 0.5;
constexpr std::size_t kFewestRowsThatCut = 20;
// A stream of the seed's random numbers that nobody else uses.
constexpr std::uint64_t kCutStream = 0xc0715;

TargetsToTell targets_of(const EstimatorState& state, const Examples& rows) {
  if (state.kind() != ModelKind::classifier)
    return {rows.targets, 0, state.options.outputs, rows.sample_weights};
  return {rows.targets, classes_in(state, rows), 1, rows.sample_weights};
}

// Half of the rows, drawn at random; of rows that belong together all or none, as far as that is known.
std::vector<std::uint32_t> rows_that_cut(const Examples& rows, std::uint64_t seed) {
  const std::vector<std::uint32_t> names =
      rows.groups.empty() ? first_copies(rows)
                          : std::vector<std::uint32_t>(rows.groups.begin(), rows.groups.end());
  std::vector<std::uint32_t> out;
  for (std::size_t row = 0; row < rows.count(); ++row)
    if (RandomStream(seed ^ kCutStream, names[row]).uniform() < kShareThatCuts)
      out.push_back(static_cast<std::uint32_t>(row));
  return out;
}

// Cut by the targets of some rows, so that the others can still judge what is learned.
FormsOfColumns cut_by_some(Encoding kind, const EstimatorState& state, const Examples& rows) {
  FormsOfColumns out;
  out.cut_by = rows_that_cut(rows, state.options.training.seed);
  if (out.cut_by.size() < kFewestRowsThatCut || out.cut_by.size() == rows.count())
    out.cut_by.clear();
  std::vector<std::size_t> places(out.cut_by.begin(), out.cut_by.end());
  if (places.empty()) {
    places.resize(rows.count());
    std::iota(places.begin(), places.end(), std::size_t{0});
  }
  const OwnedInputs inputs(rows.inputs, places);
  const std::vector<double> targets =
      picked(rows.targets, places, rows.targets.size() / rows.count());
  const std::vector<double> weights = picked(rows.sample_weights, places, 1);
  TargetsToTell told = targets_of(state, rows);
  told.values = targets;
  told.weights = weights;
  out.inputs =
      InputEncoding(column_encodings(kind, inputs, told), rows.inputs, rows.sample_weights);
  return out;
}

InputEncoding encoding_of(Encoding kind, const EstimatorState& state, const Examples& rows) {
  if (kind == Encoding::standard && rows.inputs.keeps_zeros())
    return InputEncoding(zero_keeping_encodings(rows.inputs, rows.sample_weights), rows.inputs,
                         rows.sample_weights);
  if (kind == Encoding::relevance)
    return InputEncoding(
        relevance_encodings(
            rows.inputs, targets_of(state, rows),
            slope_of(network::Layer{
                .units = 1, .activation = state.options.activation, .slope = state.options.slope})),
        rows.inputs, rows.sample_weights);
  if (kind == Encoding::standard)
    return InputEncoding(column_moments(rows.inputs, rows.sample_weights));
  return InputEncoding(column_encodings(kind, rows.inputs, targets_of(state, rows)), rows.inputs,
                       rows.sample_weights);
}

}  // namespace

FormsOfColumns forms_of(const EstimatorState& state, const Examples& rows,
                        const Preparation& preparation) {
  const Encoding kind = preparation.encoding;
  if (kind != Encoding::piecewise && kind != Encoding::bins)
    return {encoding_of(kind, state, rows), preparation.targets};
  FormsOfColumns out = cut_by_some(kind, state, rows);
  out.targets = preparation.targets;
  return out;
}

Preparation stream_preparation(const EstimatorOptions& options) {
  return {Encoding::standard, options.target_scale == EstimatorOptions::TargetScale::chosen
                                  ? EstimatorOptions::TargetScale::plain
                                  : options.target_scale};
}

std::size_t classes_in(const EstimatorState& state, const Examples& rows) {
  if (state.kind() != ModelKind::classifier) return 0;
  return static_cast<std::size_t>(*std::ranges::max_element(rows.targets)) + 1;
}

}  // namespace postrider::internal
