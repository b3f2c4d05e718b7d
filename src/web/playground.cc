#include "web/playground.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/json.h"
#include "io/json_rows.h"
#include "io/predicted_columns.h"
#include "postrider/error.h"
#include "postrider/report.h"
#include "postrider/splits.h"
#include "postrider/time_budget.h"
#include "text/columns.h"
#include "text/json_text.h"
#include "text/model_facts.h"

namespace postrider::cli {

struct Playground::Request {
  std::string target;
  bool classify = false, regress = false;
  std::vector<std::string> ignored;
  double validation = 0.2;  // the share of the rows that is held out
  double seconds = 0;
  std::string effort = "standard";
  double level = 0.9;
};

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostRows = 100'000;  // that a page asks for in one call

nlohmann::json parsed(std::string_view text) {
  nlohmann::json out = nlohmann::json::parse(text.empty() ? "{}" : text, nullptr, false);
  if (!out.is_object()) throw InvalidArgument("request: must be a JSON object");
  return out;
}

template <class T>
void take(const nlohmann::json& from, const char* name, T& to) {
  if (!from.contains(name)) return;
  try {
    to = from[name].get<T>();
  } catch (const nlohmann::json::exception&) {
    throw InvalidArgument(std::string(name) + ": is of another kind than is expected");
  }
}

std::string list_of(const std::vector<double>& numbers, std::size_t first = 0,
                    std::size_t step = 1) {
  std::string out = "[";
  for (std::size_t i = first; i < numbers.size(); i += step) {
    if (out.size() > 1) out += ',';
    out += json_number(numbers[i]);
  }
  return out + "]";
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ',';
    out += json_text(text);
  }
  return out + "]";
}

// The target and what is predicted of it, column by column.
std::string predictions_json(const TableModel& model, const TableModel::Prediction& predicted,
                             double level, const Table* rows) {
  JsonMembers out{{"rows", std::to_string(predicted.rows)}};
  if (model.classifies()) {
    out.emplace_back("classes", list_of(model.classes()));
    out.emplace_back("probabilities", list_of(predicted.probabilities));
    if (rows != nullptr) {
      const std::vector<std::uint32_t>& codes = rows->column(model.schema().target()).codes;
      out.emplace_back("target", list_of(std::vector<double>(codes.begin(), codes.end())));
    }
    return json_object(out);
  }
  const std::vector<double> bounds = predicted.intervals(level);
  out.emplace_back("mean", list_of(predicted.mean));
  out.emplace_back("std", list_of(predicted.std));
  out.emplace_back("noise_std", list_of(predicted.noise_std));
  out.emplace_back("low", list_of(bounds, 0, 2));
  out.emplace_back("high", list_of(bounds, 1, 2));
  if (rows != nullptr)
    out.emplace_back("target", list_of(rows->column(model.schema().target()).numbers));
  return json_object(out);
}

Table table_of(TableReader reader) {
  Table out(reader.schema(), std::vector<Table::Column>(reader.schema().columns.size()));
  for (Table chunk; reader.next(chunk);) out.append(chunk);
  return out;
}

Table with_target(const TableModel& model, const Table& rows) {
  std::vector<std::size_t> all(rows.rows());
  for (std::size_t row = 0; row < all.size(); ++row) all[row] = row;
  return rows.selected(rows_with_target(model, rows, all));
}

std::string last_column(std::string_view bytes, const TableOptions& options) {
  const Schema schema = TableReader::of_text(std::string(bytes), options).schema();
  if (schema.columns.empty()) throw CorruptFile("the table has no columns");
  return schema.columns.back().name;
}

}  // namespace

std::string Playground::answer(std::string_view command, std::string_view request,
                               std::string_view bytes) {
  if (command == "rows") {
    Request asked;
    take(parsed(request), "level", asked.level);
    return rows(request, asked);
  }
  const nlohmann::json from = parsed(request);
  Request asked;
  take(from, "target", asked.target);
  take(from, "classify", asked.classify);
  take(from, "regress", asked.regress);
  take(from, "ignored", asked.ignored);
  take(from, "validation", asked.validation);
  take(from, "seconds", asked.seconds);
  take(from, "effort", asked.effort);
  take(from, "level", asked.level);
  if (command == "read") return read(asked, bytes);
  if (command == "train") return train(asked);
  if (command == "predict") return predict(bytes, asked);
  if (command == "report") return report(asked);
  if (command == "model") return model();
  reject("command", command, "must be read, train, rows, predict, report or model");
}

std::string Playground::read(const Request& request, std::string_view bytes) {
  TableOptions options;
  options.ignored = request.ignored;
  options.target = request.target.empty() ? last_column(bytes, options) : request.target;
  options.classify = request.classify;
  options.regress = request.regress;
  Table table = table_of(TableReader::of_text(std::string(bytes), options));
  if (table.rows() == 0) throw CorruptFile("the table has a header and no rows");
  CopyWatch copies;
  copies.add(table);
  TableCheck check;
  check.add(table);
  std::string out =
      understood_json(table.schema(), summaries_of(table), copies.found(), {}, check.warnings());
  table_ = std::move(table);
  held_out_.reset();
  model_.reset();
  return out;
}

TrainingCallbacks Playground::telling() const {
  TrainingCallbacks out;
  if (!progress_) return out;
  out.choosing = [this](const TrainingCallbacks::Choosing& report) {
    progress_(json_object({{"stage", json_text("choosing")},
                           {"ways", std::to_string(report.ways)},
                           {"epochs", std::to_string(report.epochs)},
                           {"most_epochs", std::to_string(report.most_epochs)}}));
  };
  out.progress = [this](const EpochReport& report) {
    progress_(json_object({{"stage", json_text("epoch")},
                           {"epoch", std::to_string(report.epoch)},
                           {"member", std::to_string(report.member)},
                           {"members", std::to_string(report.members)},
                           {"max_epochs", std::to_string(report.max_epochs)},
                           {"best_epoch", std::to_string(report.best_epoch)},
                           {"score", json_number(report.score)}}));
    return true;
  };
  out.warning = [this](const std::string& text) {
    progress_(json_object({{"stage", json_text("warning")}, {"text", json_text(text)}}));
  };
  return out;
}

std::string Playground::train(const Request& request) {
  if (!table_) throw InvalidArgument("train: needs a table; read one first");
  TableModelOptions options;
  set_option(options.estimator, "effort", request.effort);
  const Fold fold =
      split_at_random(table_->rows(), request.validation, options.estimator.training.seed);
  const Table learned = table_->selected(fold.learned);
  const TimeBudget budget = request.seconds > 0 ? TimeBudget(request.seconds) : TimeBudget();
  const Clock::time_point begin = Clock::now();
  TableModel model = TableModel::train(learned, options, budget.limiting(telling()), fold.groups);
  LearnedFacts facts;
  facts.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  facts.typical_noise = typical_noise(model, learned);
  RowMonitor::Digest all_rows;
  all_rows.add(*table_);
  model.keep(all_rows);
  Table held_out = with_target(model, table_->selected(fold.left_out));
  const TableEvaluation evaluation = model.evaluate(held_out);
  std::string out = json_object(
      {{"training", training_json(model, summaries_of(learned), facts)},
       {"evaluation", evaluation_json(model, evaluation, {}, {})},
       {"rows", predictions_json(model, model.predict(held_out), request.level, &held_out)}});
  held_out_ = std::move(held_out);
  model_ = std::move(model);
  return out;
}

const TableModel& Playground::learned() const {
  if (!model_) throw InvalidArgument("model: nothing was learned yet; train first");
  return *model_;
}

std::string Playground::rows(std::string_view text, const Request& request) const {
  const TableModel& model = learned();
  JsonRows rows(model.schema());
  // The level stands beside the rows, which JsonRows passes over.
  rows.add_all(std::string(text), kMostRows);
  const Table table = rows.finish();
  return predictions_json(model, model.predict(table), request.level, nullptr);
}

std::string Playground::predict(std::string_view bytes, const Request& request) const {
  const TableModel& model = learned();
  PredictRequest asked;
  asked.level = request.level;
  expect_possible(asked, model, "");
  PredictedColumns columns(asked, model);
  TableOptions options;
  options.may_lack_columns = true;
  TableReader reader = TableReader::of_text(std::string(bytes), model.schema(), options);
  std::string out = csv_header(columns.names());
  for (Table chunk; reader.next(chunk);) {
    columns.begin(model.predict(chunk), chunk);
    for (std::size_t row = 0; row < chunk.rows(); ++row) out += csv_line(columns.row(row));
  }
  return out;
}

std::string Playground::report(const Request& request) const {
  const TableModel& model = learned();
  TableReport::Options options;
  options.level = request.level;
  return report_on(model, *held_out_, options).page;
}

std::string Playground::model() const {
  std::ostringstream out;
  learned().save(out);
  return std::move(out).str();
}

}  // namespace postrider::cli
