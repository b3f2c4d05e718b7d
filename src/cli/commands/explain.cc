#include "postrider/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/commands/commands.h"
#include "cli/json.h"
#include "cli/row_watch.h"
#include "io/output.h"
#include "io/predicted_columns.h"
#include "postrider/error.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

constexpr double kUnusual = 3;            // standard deviations
constexpr std::size_t kColumnsTold = 12;  // of one row, as text
constexpr const char *kBaseline = "(baseline)", *kPrediction = "(prediction)";

// --- each row as lines of CSV or JSON

std::vector<std::string> names_of(const ExplainRequest& request,
                                  const std::vector<std::string>& quantities) {
  std::vector<std::string> out = request.data.keys;
  out.insert(out.end(), {"row", "column", "value", "unusual"});
  for (const std::string& quantity : quantities) {
    out.push_back(quantity);
    out.push_back(quantity + " spread");
  }
  return out;
}

// What the model explains, in the order of Explanation.
std::vector<std::string> quantities_of(const TableModel& model) {
  if (model.classifies()) return model.classes();
  return {"mean", "std"};
}

class Lines {
 public:
  Lines(const ExplainRequest& request, const std::vector<std::string>& names)
      : request_(request), names_(names) {}

  // The rows of a chunk, of which so many came before.
  void write(const Explanation& found, const Table& rows, std::size_t before,
             std::ostream& to) const {
    const std::size_t quantities = found.quantities.size();
    for (std::size_t row = 0; row < found.rows; ++row) {
      const auto line = [&](const std::string& column, const std::string& value, double unusual,
                            const double* amounts, const double* spread) {
        std::vector<JsonCell> cells;
        for (std::size_t k = 0; k < request_.data.keys.size(); ++k)
          cells.push_back({names_[k], 0, rows.key(k, row), true});
        const auto add = [&](double number) { cells.push_back({names_[cells.size()], number}); };
        add(static_cast<double>(before + row + 1));
        cells.push_back({names_[cells.size()], 0, column, true});
        cells.push_back({names_[cells.size()], 0, value, true});
        add(unusual);
        for (std::size_t q = 0; q < quantities; ++q) {
          add(amounts[q]);
          add(spread == nullptr ? 0 : spread[q]);
        }
        to << (request_.json ? json_line(cells) : csv_line(cells));
      };
      line(kBaseline, "", 0, found.baseline.data(), nullptr);
      for (std::size_t c = 0; c < found.columns.size(); ++c) {
        const std::size_t at = found.place(row, c, 0), cell = row * found.columns.size() + c;
        line(found.columns[c], found.cells[cell], found.unusual[cell], &found.contributions[at],
             &found.spread[at]);
      }
      line(kPrediction, "", 0, &found.predictions[row * quantities], nullptr);
    }
  }

 private:
  const ExplainRequest& request_;
  const std::vector<std::string>& names_;
};

// --- one row as text

std::string signed_number(double value) { return (value < 0 ? "" : "+") + short_number(value); }

std::string note_of(double unusual) {
  if (std::isinf(unusual)) return "unusual: not among the categories learned";
  if (unusual <= kUnusual) return "";
  return fmt::format("unusual: {} standard deviations out", short_number(unusual));
}

std::string quantity_name(const TableModel& model, const Explanation& found, std::size_t quantity) {
  const std::string& name = found.quantities[quantity];
  return model.classifies() ? "probability of " + name : name + " of " + model.target();
}

std::string text_of(const TableModel& model, const Explanation& found, std::size_t quantity) {
  const std::size_t columns = found.columns.size();
  const auto move = [&](std::size_t c) { return found.contributions[found.place(0, c, quantity)]; };
  std::vector<std::size_t> order(columns);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t c) { return std::abs(move(c)); });
  TextTable table({Align::left, Align::right, Align::left, Align::left});
  table.add({"baseline", short_number(found.baseline[quantity]), "", ""});
  const std::size_t told = std::min(columns, kColumnsTold);
  for (const std::size_t c : std::span(order).first(told))
    table.add({found.columns[c] + " = " + shortened(found.cells[c], 40), signed_number(move(c)),
               "± " + short_number(found.spread[found.place(0, c, quantity)]),
               note_of(found.unusual[c])});
  double rest = 0;
  for (const std::size_t c : std::span(order).subspan(told)) rest += move(c);
  if (told < columns)
    table.add({fmt::format("{} other columns", columns - told), signed_number(rest), "", ""});
  table.add({"prediction", short_number(found.predictions[quantity]), "", ""});
  return quantity_name(model, found, quantity) + "\n" + table.text();
}

// What is told of one row: the mean and the standard deviation, or the most probable class.
std::vector<std::size_t> quantities_told(const TableModel& model, const Explanation& found) {
  if (!model.classifies()) return {0, 1};
  return {static_cast<std::size_t>(std::ranges::max_element(found.predictions) -
                                   found.predictions.begin())};
}

std::string prediction_text(const TableModel& model, const Table& row) {
  const TableModel::Prediction said = model.predict(row);
  if (!model.classifies())
    return fmt::format("{} ± {}", short_number(said.mean[0]), short_number(said.std[0]));
  const std::size_t chosen = said.most_probable()[0];
  return fmt::format("{} ({} %)", model.classes()[chosen],
                     short_number(100 * said.probabilities[chosen]));
}

// "column=value", as often as the user says.
std::string what_if_text(const TableModel& model, const Table& row,
                         const std::vector<std::string>& changes) {
  std::string out;
  for (const std::string& change : changes) {
    const std::size_t sign = change.find('=');
    if (sign == std::string::npos)
      reject("--what-if", change, "must be a column and its new value, such as age=41");
    const Table changed = with_value(row, change.substr(0, sign), change.substr(sign + 1));
    out += fmt::format("with {}: {}\n", change, prediction_text(model, changed));
  }
  return out;
}

std::string row_text(const ExplainRequest& request, const TableModel& model, const Table& row,
                     const Table& baseline) {
  const Explanation found = explain(model, row, baseline, request.options);
  std::string out = fmt::format("row {}: {}\n\n", request.row, prediction_text(model, row));
  for (const std::size_t quantity : quantities_told(model, found))
    out += text_of(model, found, quantity) + "\n";
  const FarRowWatch far(model.profile());
  if (far.is_able() && far.are_far(row)[0]) out += "This row is far from all rows learned.\n";
  return out + what_if_text(model, row, request.what_if);
}

Table baseline_of(const ExplainRequest& request, const TableModel& model) {
  if (request.baseline.empty()) return {};
  DataRequest data = request.data;
  data.path = request.baseline;
  data.keys.clear();
  TableReader reader = open_for_model(data, model);
  Table out = read_all(reader).table;
  if (out.rows() == 0)
    throw InvalidArgument("--baseline: " + request.baseline + " has no rows to compare with");
  return out;
}

Table row_of(const ExplainRequest& request, TableReader& reader) {
  std::size_t before = 0;
  for (Table chunk; reader.next(chunk); before += chunk.rows()) {
    if (request.row > before + chunk.rows()) continue;
    const std::vector<std::size_t> one{request.row - before - 1};
    return chunk.selected(one);
  }
  reject("--row", request.row,
         "must be at most " + std::to_string(before) + ", the rows of the file");
}

}  // namespace

ExitCode explain(const ExplainRequest& request) {
  if (!request.what_if.empty() && request.row == 0)
    throw InvalidArgument("--what-if: needs --row, the row to change");
  request.options.validate();
  const TableModel model = TableModel::load(request.model);
  const std::vector<std::string> names = names_of(request, quantities_of(model));
  std::vector<std::string> inputs{request.model, request.data.path};
  if (!request.baseline.empty()) inputs.push_back(request.baseline);
  expect_writable(
      {"--output", request.output, inputs, request.force},
      text_kind("explanations", {csv_header(names), "{\"" + names.front() + "\"", "row "}));
  const Table baseline = baseline_of(request, model);
  TableReader reader = open_for_model(request.data, model);
  tell_absent("explain", reader);
  const RowWatch watch(model, reader);
  Output output(request.output);
  if (request.row > 0) {
    output.stream() << row_text(request, model, row_of(request, reader), baseline);
    output.finish();
    return ExitCode::ok;
  }
  if (!request.json) output.stream() << csv_header(names);
  const Lines lines(request, names);
  std::size_t before = 0;
  for (Table chunk; reader.next(chunk); before += chunk.rows())
    lines.write(explain(model, chunk, baseline, request.options), chunk, before, output.stream());
  output.finish();
  tell_skipped("explain", reader.skipped());
  tell_drift("explain", watch.found().warnings());
  return ExitCode::ok;
}

}  // namespace postrider::cli
