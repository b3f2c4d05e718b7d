// The same facts for programs: what the commands answer with --json.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/train.h"
#include "postrider/skill/history.h"
#include "postrider/sparse/model.h"
#include "postrider/table_model.h"
#include "text/columns.h"

namespace postrider::cli {

// A game to come, as `postrider rate` predicts it.
struct PredictedFixture {
  std::vector<std::vector<std::string>> sides;  // the players of each
  skill::SkillHistory::Forecast prediction;
};

// What train and update did.
struct LearnedFacts {
  std::string model_path;
  double seconds = 0;
  bool interrupted = false;
  std::optional<double> typical_noise = {};
  const TableEvaluation* validation = nullptr;
  const TableModel::Validation* folds = nullptr;
  std::vector<DriftWatch::Warning> drift = {};
};

std::string training_json(const TableModel& model, const std::vector<ColumnSummary>& columns,
                          const LearnedFacts& facts);
std::string evaluation_json(const TableModel& model, const TableEvaluation& evaluation,
                            const std::vector<DriftWatch::Warning>& drift,
                            const RepeatWatch::Found& repeated);
// Without classes: of numbers.
std::string evaluation_json(const TableEvaluation& evaluation,
                            const std::vector<std::string>& classes);
std::string inspection_json(const TableModel& model, const std::string& path);
std::string inspection_json(const sparse::SparseModel& model, const std::string& path);

// What train would learn from, and how long it would take; of the rows, those that are copies of others.
std::string understood_json(const Schema& schema, const std::vector<ColumnSummary>& columns,
                            const CopyWatch::Found& rows, const std::optional<ExpectedTime>& time,
                            const std::vector<TableWarning>& warnings);

// What rate found.
struct RatedFacts {
  const skill::SkillHistory& history;
  const skill::SkillHistory::LearnReport& learned;
  const std::vector<skill::Standing>& board;
  const std::vector<PredictedFixture>& fixtures;
};
std::string rating_json(const RatedFacts& facts);

}  // namespace postrider::cli
