#include "cli/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "postrider/model_file.h"
#include "postrider/version.h"
#include "text/json_text.h"
#include "text/model_facts.h"

namespace postrider::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Estimate& estimate) {
  return {{"value", estimate.value}, {"standard_error", estimate.standard_error}};
}

Json json_of(const ColumnSummary& column) {
  Json out{{"name", column.schema.name},
           {"kind", to_string(column.schema.kind)},
           {"target", column.schema.target},
           {"has_missing", column.schema.has_missing || column.missing > 0}};
  if (column.is_known) out["missing"] = column.missing;
  if (column.least && column.schema.kind == ColumnSchema::Kind::date) {
    out["least"] = date_text(*column.least);
    out["largest"] = date_text(*column.largest);
  } else if (column.least) {
    out["least"] = *column.least;
    out["largest"] = *column.largest;
    if (column.mean) out["mean"] = *column.mean;
    if (column.deviation) out["std"] = *column.deviation;
  }
  if (!column.schema.categories.empty()) out["categories"] = column.schema.categories;
  if (column.schema.hashed > 0) out["shared_inputs"] = column.schema.hashed;
  if (!column.schema.unit.empty()) out["unit"] = column.schema.unit;
  for (const ColumnSchema::DatePart part : column.schema.parts)
    out["parts"].push_back(to_string(part));
  if (!column.schema.note.empty()) out["note"] = column.schema.note;
  if (!column.schema.place.empty()) out["place"] = column.schema.place;
  return out;
}

// Classes by name; none: of numbers.
using Classes = std::vector<std::string>;
Json json_of(const TableEvaluation& e, const Classes& classes);

Json baselines_of(const TableEvaluation& e, const Classes& classes) {
  Json out = Json::array();
  for (const TableEvaluation::Baseline& one : e.baselines) {
    Json to{{"name", one.name}, {"gain", json_of(one.gain)}};
    to.update(json_of(one.evaluation, classes));
    to.erase("baselines");
    out.push_back(std::move(to));
  }
  return out;
}

Json json_of(const TableEvaluation::Bin& bin) {
  Json out{{"low", bin.low},
           {"high", bin.high},
           {"rows", bin.rows},
           {"confidence", nullptr},
           {"accuracy", nullptr}};
  if (bin.rows > 0) {
    out["confidence"] = bin.confidence;
    out["accuracy"] = bin.accuracy;
  }
  return out;
}

Json json_of(const std::string& name, const ClassMetrics& one) {
  return {{"class", name},
          {"rows", one.rows},
          {"chosen", one.chosen},
          {"precision", json_of(one.precision)},
          {"recall", json_of(one.recall)},
          {"f1", json_of(one.f1)},
          {"area_under_curve", json_of(one.area_under_curve)},
          {"average_precision", json_of(one.average_precision)}};
}

Json json_of(const TableEvaluation& e, const Classes& classes) {
  Json out{{"rows", e.rows}, {"without_target", e.without_target}};
  if (classes.empty()) {
    out["root_mean_square_error"] = json_of(e.root_mean_square_error);
    out["mean_absolute_error"] = json_of(e.mean_absolute_error);
    out["explained_variance"] = json_of(e.explained_variance);
    if (e.mean_absolute_percentage_error)
      out["mean_absolute_percentage_error"] = json_of(*e.mean_absolute_percentage_error);
    for (const TableEvaluation::Pinball& at : e.pinball) {
      Json one{{"probability", at.probability}};
      one.update(json_of(at.loss));
      out["pinball"].push_back(std::move(one));
    }
    out["crps"] = json_of(e.crps);
    out["log_likelihood"] = json_of(e.log_likelihood);
    for (const TableEvaluation::Coverage& at : e.coverage)
      out["coverage"].push_back({{"level", at.level},
                                 {"share", at.share.value},
                                 {"standard_error", at.share.standard_error}});
    out["baselines"] = baselines_of(e, classes);
    return out;
  }
  out["accuracy"] = json_of(e.accuracy);
  out["log_loss"] = json_of(e.log_loss);
  out["brier"] = json_of(e.brier);
  out["expected_calibration_error"] = json_of(e.expected_calibration_error);
  for (const TableEvaluation::Bin& bin : e.bins) out["bins"].push_back(json_of(bin));
  out["area_under_curve"] = json_of(e.area_under_curve);
  out["average_precision"] = json_of(e.average_precision);
  for (std::size_t k = 0; k < e.by_class.size(); ++k)
    out["by_class"].push_back(json_of(classes.at(k), e.by_class[k]));
  out["baselines"] = baselines_of(e, classes);
  return out;
}

Json json_of(const TableModel::FoldScores& scores, bool classifies) {
  Json out{{"folds", scores.folds}};
  if (classifies) {
    out["accuracy"] = json_of(scores.accuracy);
    out["log_loss"] = json_of(scores.log_loss);
  } else {
    out["root_mean_square_error"] = json_of(scores.root_mean_square_error);
    out["log_likelihood"] = json_of(scores.log_likelihood);
    out["coverage"] = json_of(scores.coverage);
  }
  return out;
}

Json json_of(const FitReport& fit) {
  Json out{{"epochs", fit.epochs.size()},
           {"best_epoch", fit.best_epoch},
           {"damping", fit.damping},
           {"stopped", to_string(fit.reason)}};
  for (const EpochReport& epoch : fit.epochs) out["scores"].push_back(epoch.score);
  return out;
}

Json history_of(const TableModel& model) {
  Json out = Json::array();
  for (const TableModel::Step& step : model.history()) {
    Json one{{"kind", to_string(step.kind)},
             {"rows", step.rows},
             {"without_target", step.without_target}};
    if (step.kind == TableModel::Step::Kind::fit) one["copies"] = step.copies;
    for (const FitReport& fit : step.fits) one["members"].push_back(json_of(fit));
    if (step.fold_scores.folds > 0)
      one["cross_validation"] = json_of(step.fold_scores, model.classifies());
    out.push_back(std::move(one));
  }
  return out;
}

Json network_json(const TableModel& model) {
  const network::NetworkOptions& options = network_of(model).options();
  Json out{{"inputs", options.inputs}};
  for (const network::Layer& layer : options.layers)
    out["layers"].push_back({{"units", layer.units},
                             {"activation", to_string(layer.activation)},
                             {"slope", layer.slope},
                             {"bias", layer.bias}});
  out["weights"] = network_of(model).weight_count();
  out["members"] = members_of(model);
  out["rule"] = to_string(options.rule);
  out["precision"] = options.precision == network::Precision::float32 ? "float32" : "float64";
  out["seed"] = options.seed;
  return out;
}

void add_out_of_fold(const TableModel& model, Json& to) {
  if (const std::optional<Estimator::OutOfFoldScore> score = model.estimator().out_of_fold_score())
    to["out_of_fold"] = {{"log_likelihood", score->log_likelihood},
                         {"standard_error", score->standard_error},
                         {"rows", score->rows}};
}

void add_noise(const TableModel& model, Json& to) {
  if (model.classifies()) return;
  to["noise_varies"] = noise_varies(model);
  to["noise_known"] = is_noise_known(model);
  to["common_noise_std"] = noise_std(model);
}

Json json_of(const std::vector<DriftWatch::Warning>& drift) {
  Json out = Json::array();
  for (const DriftWatch::Warning& each : drift)
    out.push_back({{"column", each.column},
                   {"kind", to_string(each.kind)},
                   {"learned", each.learned},
                   {"found", each.found},
                   {"text", each.text}});
  return out;
}

Json json_of(const std::vector<TableWarning>& warnings) {
  Json out = Json::array();
  for (const TableWarning& each : warnings)
    out.push_back({{"kind", to_string(each.kind)},
                   {"column", each.column},
                   {"text", each.text},
                   {"remedy", each.remedy(OptionInfo::Spelling::command_line)}});
  return out;
}

Json profile_json(const TableProfile& profile) {
  Json columns = Json::array();
  for (const TableProfile::Column& column : profile.columns) {
    Json one{{"name", column.name}, {"rows", column.rows}, {"missing", column.missing}};
    if (!column.knots.empty()) one["knots"] = column.knots;
    one["counts"] = column.counts;
    columns.push_back(std::move(one));
  }
  return {{"rows", profile.rows}, {"rows_kept", profile.kept.size()}, {"columns", columns}};
}

}  // namespace

std::string training_json(const TableModel& model, const std::vector<ColumnSummary>& columns,
                          const LearnedFacts& facts) {
  Json out{{"model", facts.model_path}, {"target", model.target()}};
  for (const ColumnSummary& column : columns) out["columns"].push_back(json_of(column));
  out["network"] = network_json(model);
  out["history"] = history_of(model);
  add_out_of_fold(model, out);
  if (!model.classifies()) out["target_step"] = model.regressor()->target_steps().front();
  out["neighbour_rows"] = model.estimator().neighbour_rows();
  add_noise(model, out);
  if (facts.typical_noise) out["typical_noise_std"] = *facts.typical_noise;
  out["seconds"] = facts.seconds;
  out["interrupted"] = facts.interrupted;
  if (!facts.drift.empty()) out["drift"] = json_of(facts.drift);
  out["warnings"] = json_of(model.warnings());
  if (facts.validation != nullptr) out["validation"] = json_of(*facts.validation, model.classes());
  if (facts.folds != nullptr) {
    out["cross_validation"] = {{"folds", facts.folds->models.size()}};
    out["cross_validation"].update(json_of(facts.folds->evaluation, model.classes()));
  }
  return json_page(out);
}

std::string evaluation_json(const TableModel& model, const TableEvaluation& evaluation,
                            const std::vector<DriftWatch::Warning>& drift,
                            const RepeatWatch::Found& repeated) {
  Json out;
  if (repeated.repeated > 0) out["warning"] = repeated.warning();
  out["learned_before"] = {{"rows", repeated.repeated}, {"exact", repeated.is_exact}};
  out.update(json_of(evaluation, model.classes()));
  out["drift"] = json_of(drift);
  out["warnings"] = json_of(evaluation.warnings);
  return json_page(out);
}

std::string evaluation_json(const TableEvaluation& evaluation, const Classes& classes) {
  return json_page(json_of(evaluation, classes));
}

std::string inspection_json(const sparse::SparseModel& model, const std::string& path) {
  const sparse::SparseModel::Summary now = model.summary();
  Json out{{"model", path},
           {"version", kVersion},
           {"file_format", format_of_file(path)},
           {"kind", "sparse"},
           {"rows", now.rows},
           {"weights", now.weights},
           {"bytes", now.bytes},
           {"log_loss", now.log_loss},
           {"options", Json::object()},
           {"side_by_side", Json::array()}};
  for (const OptionInfo& info : sparse::sparse_options())
    out["options"][info.name] = std::visit([](const auto& value) { return Json(value); },
                                           sparse::get_sparse_option(model.options(), info.name));
  for (std::size_t k = 0; k < now.shares.size(); ++k)
    out["side_by_side"].push_back({{"prior_variance", now.prior_variances[k]},
                                   {"drift_rate", now.drift_rates[k]},
                                   {"share", now.shares[k]}});
  return json_page(out);
}

std::string inspection_json(const TableModel& model, const std::string& path) {
  const ModelFile file = describe_model_file(path);
  Json out{{"model", path},
           {"version", kVersion},
           {"file_format", file.format},
           {"written_by", file.writer},
           {"checksums", file.has_checksums},
           {"kind", model.classifies() ? "classifier" : "regressor"},
           {"target", model.target()},
           {"missing", to_string(model.missing())},
           {"indicators", model.indicators()}};
  for (const ColumnSummary& column : learned_summaries(model))
    out["columns"].push_back(json_of(column));
  if (!model.profile().is_empty()) out["profile"] = profile_json(model.profile());
  const std::vector<Estimator::ColumnScale> scales = input_scales(model);
  const std::vector<ColumnEncoding>& encodings = model.estimator().encodings();
  for (std::size_t f = 0; f < scales.size(); ++f)
    out["inputs"].push_back({{"name", model.features()[f].name},
                             {"mean", scales[f].mean},
                             {"std", scales[f].std},
                             {"encoding", to_string(encodings[f].kind)},
                             {"knots", encodings[f].knots}});
  out["network"] = network_json(model);
  if (!model.classifies()) {
    const Estimator::ColumnScale target = target_scale(model);
    out["target_scale"] = {{"mean", target.mean},
                           {"std", target.std},
                           {"scale", to_string(model.regressor()->target_scale())}};
    add_noise(model, out);
  }
  out["history"] = history_of(model);
  return json_page(out);
}

std::string understood_json(const Schema& schema, const std::vector<ColumnSummary>& columns,
                            const CopyWatch::Found& rows, const std::optional<ExpectedTime>& time,
                            const std::vector<TableWarning>& warnings) {
  Json out{{"rows", rows.rows},
           {"copies", rows.copies},
           {"target", schema.columns[schema.target()].name},
           {"task", schema.classifies() ? "classification" : "regression"}};
  for (const ColumnSummary& column : columns) out["columns"].push_back(json_of(column));
  if (time) out["training_seconds"] = Json{{"least", time->least}, {"most", time->most}};
  out["warnings"] = json_of(warnings);
  return json_page(out);
}

std::string rating_json(const RatedFacts& facts) {
  Json out{{"games", facts.history.game_count()},
           {"players", facts.history.player_count()},
           {"log_loss", facts.learned.log_loss},
           {"learned", Json::object()},
           {"leaderboard", Json::array()}};
  for (const skill::SkillHistory::LearnedSetting& one : facts.learned.settings)
    out["learned"][one.name] = {
        {"value", one.value},
        {"std", one.relative ? std::abs(one.value) * one.uncertainty : one.uncertainty}};
  for (const skill::Standing& one : facts.board)
    out["leaderboard"].push_back({{"player", one.name},
                                  {"mean", one.rating.mean()},
                                  {"std", one.rating.std()},
                                  {"games", facts.history.games_of(one.player)}});
  for (const PredictedFixture& one : facts.fixtures) {
    Json& to = out["fixtures"].emplace_back(
        Json{{"sides", one.sides}, {"quality", one.prediction.quality}});
    if (one.sides.size() == 2) {
      to["win"] = one.prediction.outcome.win;
      to["draw"] = one.prediction.outcome.draw;
      to["loss"] = one.prediction.outcome.loss;
    }
    for (std::size_t k = 0; k < one.sides.size(); ++k) {
      const auto row =
          one.prediction.rank.begin() + static_cast<std::ptrdiff_t>(k * one.sides.size());
      to["rank_probabilities"].push_back(
          std::vector<double>(row, row + static_cast<std::ptrdiff_t>(one.sides.size())));
    }
  }
  return json_page(out);
}

}  // namespace postrider::cli
