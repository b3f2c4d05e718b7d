// An estimator's model before it has learned anything, and what its networks are told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimator/column_forms.h"
#include "estimator/state.h"

namespace postrider::internal {

// How many outputs the networks have: two classes need one score only.
std::size_t network_outputs(const EstimatorOptions& options, ModelKind kind,
                            std::span<const double> targets);
// Throws InvalidArgument if a label is none of the classes that so many outputs tell apart.
void expect_labels(const EstimatorState& state, std::span<const double> labels,
                   std::size_t outputs);

// What a model must know of its rows before it learns them, wherever they are.
struct RowsSummary {
  std::size_t rows = 0;     // as many as their weights are worth
  std::size_t outputs = 0;  // of the networks
  Scales inputs;
  TargetScales targets;  // of a classifier none
  InputEncoding encoding;
  std::vector<std::uint32_t> cut_by = {};  // as in FormsOfColumns
};
// Throws InvalidArgument if a label is none of the classes.
RowsSummary summary_of(const EstimatorState& state, const Examples& rows,
                       const Preparation& preparation);

// For so many rows, or for a stream: there is no telling how many rows will come.
FittedModel untrained(const EstimatorState& state, const RowsSummary& rows, bool is_stream);
// For a stream that begins with these rows.
FittedModel untrained_stream(const EstimatorState& state, const Examples& rows);

network::Trainer::Task task_of(ModelKind kind, double power);
// Variances of the noise that the options know, in the units in which targets are learned; none if it is learned.
std::vector<double> known_noise(const EstimatorOptions& options, const TargetScales& targets);
// In standardised units; class numbers as they are.
std::vector<double> told(const FittedModel& model, std::span<const double> targets);

}  // namespace postrider::internal
