#include "io/predicted_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "postrider/error.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

// Variances of independent parts add up.
double std_without(double whole, double part) {
  return std::sqrt(std::max(0.0, whole * whole - part * part));
}

}  // namespace

JsonCell target_cell(const TableModel& model, const Table& table, std::size_t row) {
  const Table::Column& target = table.column(model.schema().target());
  if (model.classifies()) return {kTargetName, 0, model.classes()[target.codes[row]]};
  return {kTargetName, target.numbers[row]};
}

PredictedColumns::PredictedColumns(const PredictRequest& request, const TableModel& model,
                                   const FarRowWatch* far)
    : request_(request), model_(model), names_(request.data.keys) {
  if (model.classifies()) {
    names_.push_back(model.target());
    for (const std::string& name : model.classes()) names_.push_back("probability of " + name);
  } else {
    names_.insert(names_.end(), {"mean", "std", "low", "high"});
    if (request.parts) names_.insert(names_.end(), {"epistemic std", "aleatoric std"});
  }
  for (const double q : request.quantiles) names_.push_back(fmt::format("quantile {}", q));
  for (std::size_t s = 0; s < request.samples; ++s)
    names_.push_back(fmt::format("sample {}", s + 1));
  if (!request.far) return;
  names_.emplace_back("far");
  far_rows_ = far != nullptr ? far : &own_far_rows_.emplace(model.profile());
}

void PredictedColumns::begin(TableModel::Prediction prediction, const Table& table) {
  keys_.assign(table.rows(), {});
  for (std::size_t k = 0; k < request_.data.keys.size(); ++k)
    for (std::size_t row = 0; row < table.rows(); ++row) keys_[row].push_back(table.key(k, row));
  if (far_rows_ != nullptr) far_ = far_rows_->are_far(table);
  prediction_ = std::move(prediction);
  if (model_.classifies()) {
    most_probable_ = prediction_.most_probable();
    for (std::size_t row = 0; row < table.rows() && request_.threshold; ++row)
      most_probable_[row] = prediction_.probabilities[2 * row + 1] >= *request_.threshold ? 1 : 0;
  } else {
    intervals_ = prediction_.intervals(request_.level);
    quantiles_ = prediction_.quantiles(request_.quantiles);
  }
  if (request_.samples > 0)
    samples_ = prediction_.samples(request_.samples, request_.seed, rows_before_);
  rows_before_ += prediction_.rows;
}

std::vector<JsonCell> PredictedColumns::row(std::size_t row) const {
  std::vector<JsonCell> out;
  for (const std::string& key : keys_[row]) out.push_back({names_[out.size()], 0, key, true});
  const auto add = [&](double number) { out.push_back({names_[out.size()], number}); };
  const auto add_class = [&](std::size_t index) {
    out.push_back({names_[out.size()], 0, model_.classes()[index]});
  };
  if (model_.classifies()) {
    add_class(most_probable_[row]);
    const std::size_t classes = model_.classes().size();
    for (std::size_t k = 0; k < classes; ++k) add(prediction_.probabilities[row * classes + k]);
  } else {
    add(prediction_.mean[row]);
    add(prediction_.std[row]);
    add(intervals_[2 * row]);
    add(intervals_[2 * row + 1]);
    if (request_.parts) {
      add(std_without(prediction_.std[row], prediction_.noise_std[row]));
      add(prediction_.noise_std[row]);
    }
    const std::size_t count = request_.quantiles.size();
    for (std::size_t q = 0; q < count; ++q) add(quantiles_[row * count + q]);
  }
  for (std::size_t s = 0; s < request_.samples; ++s) {
    const double drawn = samples_[row * request_.samples + s];
    if (model_.classifies())
      add_class(static_cast<std::size_t>(drawn));
    else
      add(drawn);
  }
  if (far_rows_ != nullptr) add(far_[row] ? 1 : 0);
  return out;
}

std::string csv_line(const std::vector<JsonCell>& cells) {
  std::string out;
  for (const JsonCell& cell : cells) {
    if (&cell != &cells.front()) out += ',';
    out += cell.is_text ? csv_cell(cell.text) : exact_number(cell.number);
  }
  return out + "\n";
}

std::string csv_header(const std::vector<std::string>& names) {
  std::vector<std::string> cells;
  for (const std::string& name : names) cells.push_back(csv_cell(name));
  return listed(cells, ",") + "\n";
}

void expect_possible(const PredictRequest& request, const TableModel& model,
                     const std::string& dashes) {
  if (request.far && model.profile().kept.size() < FarRowWatch::kLeastRows)
    throw InvalidArgument(
        dashes + "far: the model keeps too few of the rows that it has learned; train it anew");
  if (!(request.level > 0 && request.level < 1))
    reject(dashes + "level", request.level, "must be above 0 and below 1");
  for (const double probability : request.quantiles)
    if (!(probability > 0 && probability < 1))
      reject(dashes + "quantiles", probability, "must be above 0 and below 1");
  if (request.threshold && (!model.classifies() || model.classes().size() != 2))
    throw InvalidArgument(
        dashes + "threshold: is for two classes; " + model.target() + " has " +
        (model.classifies() ? std::to_string(model.classes().size()) : "numbers"));
  if (request.threshold && !(*request.threshold > 0 && *request.threshold < 1))
    reject(dashes + "threshold", *request.threshold, "must be above 0 and below 1");
  if (model.classifies() && !request.quantiles.empty())
    throw InvalidArgument(dashes + "quantiles: are of numbers; " + model.target() +
                          " has classes, whose probabilities are printed");
  if (model.classifies() && request.parts)
    throw InvalidArgument(dashes + "parts: are of a number's standard deviation; " +
                          model.target() + " has classes, whose probabilities are printed");
}

}  // namespace postrider::cli
