// Evaluations for people: the figures of a model beside those of its baselines, then how far to trust it.
#pragma once

#include <string>
#include <vector>

#include "postrider/table_model.h"

namespace postrider::cli {

std::string estimate_text(const Estimate& estimate);  // "4.57 ± 0.12", or "-" if there is none
// "0.45 ± 0.02 nats per row better than linear"
std::string gain_text(const TableEvaluation::Baseline& baseline);

// What was evaluated, by its names.
struct EvaluatedTarget {
  std::string name;
  std::vector<std::string> classes;  // none: a number
};
std::string evaluation_text(const EvaluatedTarget& target, const TableEvaluation& evaluation);
std::string evaluation_text(const TableModel& model, const TableEvaluation& evaluation);

}  // namespace postrider::cli
