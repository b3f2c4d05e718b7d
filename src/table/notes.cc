#include "table/notes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "postrider/error.h"
#include "table/baseline.h"
#include "table/json_reading.h"
#include "table/row_notes.h"

namespace postrider {
using namespace internal;

namespace internal {

namespace {

using namespace json_reading;

constexpr const char* kTable = "table";
constexpr const char* kHistory = "history";
constexpr const char* kProfile = "profile";
constexpr const char* kBaseline = "baseline";
constexpr const char* kWaiting = "waiting";
// Columns of the first version are numbers with points and categories without shared inputs; a program that knows only
// it must not take others for such.
constexpr std::uint64_t kFirstVersion = 1, kVersion = 2;
constexpr std::array kWarningKinds{TableWarning::Kind::leak,     TableWarning::Kind::identifier,
                                   TableWarning::Kind::copies,   TableWarning::Kind::sentinel,
                                   TableWarning::Kind::dates,    TableWarning::Kind::spelling,
                                   TableWarning::Kind::target,   TableWarning::Kind::imbalance,
                                   TableWarning::Kind::few_rows, TableWarning::Kind::learned_rows,
                                   TableWarning::Kind::coverage, TableWarning::Kind::disagreement};

// Bytes that are no UTF-8 cannot be written; a schema has none, other texts may.
std::string written(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// --- the schema ------------------------------------------------------------------------------------

Json to_json(const ColumnSchema& column) {
  Json out{{"name", column.name},
           {"kind", to_string(column.kind)},
           {"target", column.target},
           {"has_missing", column.has_missing}};
  if (!column.categories.empty()) out["categories"] = column.categories;
  if (!column.note.empty()) out["note"] = column.note;
  if (column.form != ColumnSchema::Form::decimal_point) out["form"] = to_string(column.form);
  if (!column.unit.empty()) out["unit"] = column.unit;
  if (!column.odd.empty()) out["odd"] = column.odd;
  for (const ColumnSchema::DatePart part : column.parts) out["parts"].push_back(to_string(part));
  if (column.hashed > 0) out["hashed"] = column.hashed;
  return out;
}

bool is_of_first_version(const Schema& schema) {
  return schema.na.empty() &&
         std::all_of(schema.columns.begin(), schema.columns.end(), [](const ColumnSchema& column) {
           return column.kind != ColumnSchema::Kind::date &&
                  column.form == ColumnSchema::Form::decimal_point && column.unit.empty() &&
                  column.odd.empty() && column.hashed == 0;
         });
}

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> out;
  for (const Json& text : list) out.push_back(text_of(text));
  return out;
}

ColumnSchema column_of(const Json& json) {
  ColumnSchema out;
  out.name = text_of(at(json, "name"));
  out.kind =
      choice_of(at(json, "kind"), {ColumnSchema::Kind::numeric, ColumnSchema::Kind::categorical,
                                   ColumnSchema::Kind::ignored, ColumnSchema::Kind::date});
  out.target = truth_of(at(json, "target"));
  out.has_missing = truth_of(at(json, "has_missing"));
  if (json.contains("categories")) out.categories = texts_of(list_at(json, "categories"));
  if (json.contains("note")) out.note = text_of(json["note"]);
  if (json.contains("form"))
    out.form =
        choice_of(json["form"], {ColumnSchema::Form::decimal_point,
                                 ColumnSchema::Form::decimal_comma, ColumnSchema::Form::year_first,
                                 ColumnSchema::Form::day_first, ColumnSchema::Form::month_first});
  if (json.contains("unit")) out.unit = text_of(json["unit"]);
  if (json.contains("odd")) out.odd = texts_of(list_at(json, "odd"));
  if (json.contains("parts"))
    for (const Json& part : list_at(json, "parts"))
      out.parts.push_back(
          choice_of(part, {ColumnSchema::DatePart::trend, ColumnSchema::DatePart::year,
                           ColumnSchema::DatePart::month, ColumnSchema::DatePart::weekday,
                           ColumnSchema::DatePart::hour}));
  if (json.contains("hashed")) out.hashed = count_of(json["hashed"]);
  return out;
}

Json to_json(const TableEncoding& encoding) {
  Json columns = Json::array();
  for (const ColumnSchema& column : encoding.schema.columns) columns.push_back(to_json(column));
  Json out{{"version", is_of_first_version(encoding.schema) ? kFirstVersion : kVersion},
           {"missing", to_string(encoding.missing)},
           {"indicators", encoding.indicators},
           {"means", encoding.means},
           {"columns", std::move(columns)}};
  if (!encoding.schema.na.empty()) out["na"] = encoding.schema.na;
  return out;
}

TableEncoding encoding_of(const Json& json) {
  const std::size_t version = count_of(at(json, "version"));
  if (version < kFirstVersion || version > kVersion)
    throw Malformed{"its table is of version " + std::to_string(version) +
                    ", and this program reads versions 1 to " + std::to_string(kVersion)};
  Schema schema;
  if (json.contains("na")) schema.na = texts_of(list_at(json, "na"));
  for (const Json& column : list_at(json, "columns")) schema.columns.push_back(column_of(column));
  TableEncoding out(std::move(schema),
                    choice_of(at(json, "missing"), {TableModelOptions::Missing::vague,
                                                    TableModelOptions::Missing::mean}),
                    truth_of(at(json, "indicators")));
  out.means = numbers_of(at(json, "means"));
  const std::size_t wanted =
      out.missing == TableModelOptions::Missing::mean ? out.encoder.features().size() : 0;
  if (out.means.size() != wanted) throw Malformed();
  for (const double mean : out.means)
    if (!std::isfinite(mean)) throw Malformed();
  return out;
}

// --- the history -----------------------------------------------------------------------------------

Json to_json(const EpochReport& epoch) {
  return {{"epoch", epoch.epoch},
          {"score", epoch.score},
          {"training_score", epoch.training_score},
          {"noise_variance", epoch.noise_variance},
          {"typical_noise_variance", epoch.typical_noise_variance},
          {"best_epoch", epoch.best_epoch},
          {"drift", epoch.drift},
          {"linearised", epoch.linearised},
          {"silent", epoch.silent},
          {"bounded", epoch.bounded},
          {"guarded", epoch.guarded}};
}

EpochReport epoch_of(const Json& json) {
  EpochReport out;
  out.epoch = count_of(at(json, "epoch"));
  out.score = number_of(at(json, "score"));
  out.training_score = number_of(at(json, "training_score"));
  out.noise_variance = numbers_of(at(json, "noise_variance"));
  // Files from before it was recorded have the common noise only.
  if (json.contains("typical_noise_variance"))
    out.typical_noise_variance = number_of(json["typical_noise_variance"]);
  else if (!out.noise_variance.empty())
    out.typical_noise_variance = out.noise_variance.front();
  out.best_epoch = count_of(at(json, "best_epoch"));
  out.drift = number_of(at(json, "drift"));
  out.linearised = count_of(at(json, "linearised"));
  out.silent = count_of(at(json, "silent"));
  out.bounded = count_of(at(json, "bounded"));
  out.guarded = count_of(at(json, "guarded"));
  return out;
}

Json to_json(const FitReport& fit) {
  Json epochs = Json::array();
  for (const EpochReport& epoch : fit.epochs) epochs.push_back(to_json(epoch));
  return {{"best_epoch", fit.best_epoch},
          {"reason", to_string(fit.reason)},
          {"damping", fit.damping},
          {"refit_epochs", fit.refit_epochs},
          {"epochs", std::move(epochs)}};
}

FitReport fit_of(const Json& json) {
  FitReport out;
  out.best_epoch = count_of(at(json, "best_epoch"));
  out.reason = choice_of(at(json, "reason"),
                         {FitReport::StopReason::converged, FitReport::StopReason::patience,
                          FitReport::StopReason::max_epochs, FitReport::StopReason::cancelled,
                          FitReport::StopReason::diverged, FitReport::StopReason::little_to_gain});
  // Files from before it was chosen do not say it.
  if (json.contains("damping")) out.damping = number_of(json["damping"]);
  if (json.contains("refit_epochs")) out.refit_epochs = count_of(json["refit_epochs"]);
  for (const Json& epoch : list_at(json, "epochs")) out.epochs.push_back(epoch_of(epoch));
  return out;
}

// The figures by name; those of the other kind of target are zero and stay so.
constexpr std::array<std::pair<const char*, Estimate TableModel::FoldScores::*>, 5> kFoldScores{
    {{"root_mean_square_error", &TableModel::FoldScores::root_mean_square_error},
     {"log_likelihood", &TableModel::FoldScores::log_likelihood},
     {"coverage", &TableModel::FoldScores::coverage},
     {"accuracy", &TableModel::FoldScores::accuracy},
     {"log_loss", &TableModel::FoldScores::log_loss}}};

Json to_json(const TableModel::FoldScores& scores) {
  Json out{{"folds", scores.folds}};
  for (const auto& [name, figure] : kFoldScores)
    out[name] = {(scores.*figure).value, (scores.*figure).standard_error};
  return out;
}

TableModel::FoldScores fold_scores_of(const Json& json) {
  TableModel::FoldScores out;
  out.folds = count_of(at(json, "folds"));
  for (const auto& [name, figure] : kFoldScores) {
    const std::vector<double> values = numbers_of(at(json, name));
    if (values.size() != 2) throw Malformed();
    out.*figure = {values[0], values[1]};
  }
  return out;
}

// Partitions as a list, since an object has few keys.
Json to_json(const TableModel::StreamPosition& position) {
  Json partitions = Json::array();
  for (const auto& [partition, event] : position.partitions)
    partitions.push_back({partition, event});
  return {{"source", position.source}, {"partitions", std::move(partitions)}};
}

TableModel::StreamPosition position_of(const Json& json) {
  TableModel::StreamPosition out{text_of(at(json, "source"))};
  for (const Json& partition : list_at(json, "partitions")) {
    if (!partition.is_array() || partition.size() != 2) throw Malformed();
    out.partitions[text_of(partition[0])] = text_of(partition[1]);
  }
  return out;
}

Json to_json(const std::vector<StreamReport::Change>& changes) {
  Json out = Json::array();
  for (const StreamReport::Change& each : changes)
    out.push_back({{"began", each.began}, {"found", each.found}, {"strength", each.strength}});
  return out;
}

std::vector<StreamReport::Change> changes_of(const Json& from) {
  if (!from.is_array()) throw Malformed();
  std::vector<StreamReport::Change> out;
  for (const Json& each : from)
    out.push_back({count_of(at(each, "began")), count_of(at(each, "found")),
                   number_of(at(each, "strength"))});
  return out;
}

Json to_json(const std::vector<StreamReport::Rate>& rates) {
  Json out = Json::array();
  for (const StreamReport::Rate& each : rates)
    out.push_back({{"forgetting", each.rate.forgetting},
                   {"walk", each.rate.walk},
                   {"weight", each.weight},
                   {"has_window", each.has_window}});
  return out;
}

std::vector<StreamReport::Rate> rates_of(const Json& from) {
  if (!from.is_array()) throw Malformed();
  std::vector<StreamReport::Rate> out;
  for (const Json& each : from)
    out.push_back({{number_of(at(each, "forgetting")), number_of(at(each, "walk"))},
                   number_of(at(each, "weight")),
                   truth_of(at(each, "has_window"))});
  return out;
}

Json to_json(const std::vector<TableWarning>& warnings) {
  Json out = Json::array();
  for (const TableWarning& each : warnings)
    out.push_back({{"kind", to_string(each.kind)},
                   {"column", each.column},
                   {"text", each.text},
                   {"values", each.values}});
  return out;
}

// A later version may know more kinds, whose remedies are not known here.
std::vector<TableWarning> warnings_of(const Json& list) {
  std::vector<TableWarning> out;
  for (const Json& from : list) {
    TableWarning each{TableWarning::Kind::leak, text_of(at(from, "column")),
                      text_of(at(from, "text")), texts_of(list_at(from, "values"))};
    const std::string kind = text_of(at(from, "kind"));
    const auto known =
        std::ranges::find(kWarningKinds, kind, [](TableWarning::Kind of) { return to_string(of); });
    if (known == kWarningKinds.end()) continue;
    each.kind = *known;
    out.push_back(std::move(each));
  }
  return out;
}

Json to_json(const std::vector<TableModel::Step>& history) {
  Json out = Json::array();
  for (const TableModel::Step& step : history) {
    Json fits = Json::array();
    for (const FitReport& fit : step.fits) fits.push_back(to_json(fit));
    out.push_back({{"kind", to_string(step.kind)},
                   {"rows", step.rows},
                   {"without_target", step.without_target},
                   {"fits", std::move(fits)}});
    if (step.kind != TableModel::Step::Kind::fit)
      out.back()["stream"] = {{"score", step.stream.score},
                              {"far_targets", step.stream.far_targets},
                              {"sound", step.stream.sound},
                              {"changes", to_json(step.stream.changes)},
                              {"rates", to_json(step.stream.rates)}};
    if (step.kind == TableModel::Step::Kind::follow)
      out.back()["position"] = to_json(step.position);
    if (step.fold_scores.folds > 0) out.back()["cross_validation"] = to_json(step.fold_scores);
    if (step.copies > 0) out.back()["copies"] = step.copies;
    if (!step.words.empty()) out.back()["words"] = step.words;
    if (!step.warnings.empty()) out.back()["warnings"] = to_json(step.warnings);
  }
  return out;
}

std::vector<TableModel::Step> history_of(const Json& json) {
  if (!json.is_array()) throw Malformed();
  std::vector<TableModel::Step> out;
  for (const Json& from : json) {
    TableModel::Step& step = out.emplace_back();
    step.kind = choice_of(at(from, "kind"),
                          {TableModel::Step::Kind::fit, TableModel::Step::Kind::stream,
                           TableModel::Step::Kind::update, TableModel::Step::Kind::follow});
    if (step.kind == TableModel::Step::Kind::follow)
      step.position = position_of(at(from, "position"));
    step.rows = count_of(at(from, "rows"));
    step.without_target = count_of(at(from, "without_target"));
    for (const Json& fit : list_at(from, "fits")) step.fits.push_back(fit_of(fit));
    if (from.contains("cross_validation"))
      step.fold_scores = fold_scores_of(from["cross_validation"]);
    if (from.contains("copies")) step.copies = count_of(from["copies"]);
    if (from.contains("words")) step.words = texts_of(list_at(from, "words"));
    if (from.contains("warnings")) step.warnings = warnings_of(list_at(from, "warnings"));
    step.stream.rows = step.kind == TableModel::Step::Kind::fit ? 0 : step.rows;
    if (!from.contains("stream")) continue;  // files of version 0.1
    step.stream.score = number_of(at(from["stream"], "score"));
    step.stream.far_targets = count_of(at(from["stream"], "far_targets"));
    step.stream.sound = truth_of(at(from["stream"], "sound"));
    if (!from["stream"].contains("changes")) continue;  // and those before drift
    step.stream.changes = changes_of(at(from["stream"], "changes"));
    step.stream.rates = rates_of(at(from["stream"], "rates"));
  }
  return out;
}

Json parsed(const std::string& path, const Notes& notes, const char* key) {
  const auto found = notes.find(key);
  if (found == notes.end())
    throw CorruptFile("cannot read the model " + path +
                      ": it has no table; an estimator alone wrote it");
  return bounded_json(found->second);
}

Notes notes_of(const TableEncoding& encoding, const std::vector<TableModel::Step>& history) {
  return {{kTable, written(to_json(encoding))}, {kHistory, written(to_json(history))}};
}

}  // namespace

Notes notes_of(const TableModelState& state) {
  Notes out = notes_of(state.encoding, state.history);
  if (!state.profile.is_empty() || !state.learned.empty())
    out[kProfile] = written(profile_json(state.profile, state.learned));
  if (state.baseline) out[kBaseline] = baseline_note(*state.baseline);
  if (!state.waiting.column.empty()) out[kWaiting] = written(waiting_json(state.waiting));
  return out;
}

}  // namespace internal

Notes table_notes(const Schema& schema, const std::vector<TableModel::Step>& history) {
  return notes_of(TableEncoding(schema, TableModelOptions::Missing::vague, /*indicators=*/false),
                  history);
}

TableModel::Notes read_table_notes(const Notes& notes) {
  ReadNotes read = read_notes("in memory", notes);
  return {std::move(read.encoding.schema), read.encoding.missing, read.encoding.encoder.features(),
          std::move(read.history)};
}

namespace internal {

ReadNotes read_notes(const std::string& path, const Notes& notes) {
  try {
    ReadNotes out{encoding_of(parsed(path, notes, kTable)),
                  history_of(parsed(path, notes, kHistory))};
    if (notes.contains(kProfile))  // files of version 0.1 have none
      read_profile(parsed(path, notes, kProfile), out.encoding.schema, out.profile, out.learned);
    if (const auto found = notes.find(kBaseline); found != notes.end())
      out.baseline = read_baseline_note(found->second, out.encoding);
    if (notes.contains(kWaiting))
      out.waiting = read_waiting(parsed(path, notes, kWaiting), out.encoding.schema);
    return out;
  } catch (const Malformed& trouble) {
    throw CorruptFile("cannot read the model " + path + ": " + trouble.why);
  } catch (const InvalidArgument& error) {
    throw CorruptFile("cannot read the model " + path + ": " + error.what());
  }
}

}  // namespace internal
}  // namespace postrider
