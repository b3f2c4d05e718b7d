#include "cli/commands/predict.h"

#include <fmt/format.h>

#include <iterator>

#include "cli/csv_cell.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/text_table.h"
#include "postrider/error.h"

namespace postrider::cli {
namespace {

void expect_possible(const PredictRequest& request, const TableModel& model) {
  if (!(request.level > 0 && request.level < 1))
    reject("--level", request.level, "must be above 0 and below 1");
  for (const double probability : request.quantiles)
    if (!(probability > 0 && probability < 1))
      reject("--quantiles", probability, "must be above 0 and below 1");
  if (model.classifies() && !request.quantiles.empty())
    throw InvalidArgument("--quantiles: are of numbers; " + model.target() +
                          " has classes, whose probabilities are printed");
}

// The columns of the result, and a row's values in them.
class PredictedColumns {
 public:
  PredictedColumns(const PredictRequest& request, const TableModel& model)
      : request_(request), model_(model) {
    if (model.classifies()) {
      names_.push_back(model.target());
      for (const std::string& name : model.classes()) names_.push_back("probability of " + name);
    } else {
      names_ = {"mean", "std", "low", "high"};
    }
    for (const double q : request.quantiles) names_.push_back(fmt::format("quantile {}", q));
    for (std::size_t s = 0; s < request.samples; ++s)
      names_.push_back(fmt::format("sample {}", s + 1));
  }

  const std::vector<std::string>& names() const { return names_; }

  void begin(TablePrediction prediction) {
    prediction_ = std::move(prediction);
    if (model_.classifies()) {
      most_probable_ = prediction_.most_probable();
    } else {
      const double low = (1 - request_.level) / 2;
      std::vector<double> wanted{low, 1 - low};
      wanted.insert(wanted.end(), request_.quantiles.begin(), request_.quantiles.end());
      quantiles_ = prediction_.quantiles(wanted);
    }
    if (request_.samples > 0)
      samples_ = prediction_.samples(request_.samples, request_.seed, rows_before_);
    rows_before_ += prediction_.rows;
  }

  std::vector<JsonCell> row(std::size_t row) const {
    std::vector<JsonCell> out;
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
      const std::size_t count = 2 + request_.quantiles.size();
      for (std::size_t q = 0; q < count; ++q) add(quantiles_[row * count + q]);
    }
    for (std::size_t s = 0; s < request_.samples; ++s) {
      const double drawn = samples_[row * request_.samples + s];
      if (model_.classifies())
        add_class(static_cast<std::size_t>(drawn));
      else
        add(drawn);
    }
    return out;
  }

 private:
  const PredictRequest& request_;
  const TableModel& model_;
  std::vector<std::string> names_;
  TablePrediction prediction_;
  std::vector<std::size_t> most_probable_;
  std::vector<double> quantiles_, samples_;
  std::size_t rows_before_ = 0;
};

std::string csv_line(const std::vector<JsonCell>& cells) {
  std::string out;
  for (const JsonCell& cell : cells) {
    if (!out.empty()) out += ',';
    if (cell.text.empty())
      out += exact_number(cell.number);
    else
      out += csv_cell(cell.text);
  }
  return out + "\n";
}

std::string csv_header(const std::vector<std::string>& names) {
  std::vector<std::string> cells;
  for (const std::string& name : names) cells.push_back(csv_cell(name));
  return listed(cells, ",") + "\n";
}

// Predictions of before begin as these would: with the same first columns, or as JSON with the first.
OutputKind predictions_kind(const std::vector<std::string>& names) {
  const std::string first = csv_cell(names[0]);
  std::string json = json_line({{names[0], 0}});
  json.erase(json.find_last_of(':') + 1);
  return text_kind("predictions of this model", {first + "," + csv_cell(names[1]), json});
}

}  // namespace

ExitCode predict(const PredictRequest& request) {
  const TableModel model = TableModel::load(request.model);
  expect_possible(request, model);
  PredictedColumns columns(request, model);
  expect_writable({"--output", request.output, {request.model, request.data.path}, request.force},
                  predictions_kind(columns.names()));
  TableReader reader = open_for_model(request.data, model);
  Output output(request.output);
  if (!request.json) output.stream() << csv_header(columns.names());
  for (Table chunk; reader.next(chunk);) {
    columns.begin(model.predict(chunk));
    for (std::size_t row = 0; row < chunk.rows(); ++row)
      output.stream() << (request.json ? json_line(columns.row(row)) : csv_line(columns.row(row)));
  }
  output.finish();
  return ExitCode::ok;
}

}  // namespace postrider::cli
