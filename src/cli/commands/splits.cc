#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "cli/commands/train.h"
#include "io/predicted_columns.h"
#include "postrider/error.h"
#include "text/evaluation_facts.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

// The library names its fields, the command line its options.
template <class Call>
auto as_option(Call&& call) {
  try {
    return call();
  } catch (const InvalidArgument& error) {
    if (error.field().empty()) throw;
    throw error.about("--" + error.field());
  }
}

}  // namespace

void SplitRequest::expect_possible() const {
  if (!(validation >= 0 && validation < 1))
    reject("--validation", validation, "must be at least 0 and below 1");
  if (!time.empty() && !group.empty())
    reject("--group", group, "does not go with --time; ask for one of both");
}

Splitter::Splitter(const SplitRequest& request, const Table& table, std::size_t user_keys,
                   std::uint64_t seed)
    : request_(request), rows_(table.rows()), seed_(seed) {
  if (!request.time.empty()) {
    time_texts_ = table.keys(user_keys);
    times_ = as_option([&] { return times_of(request.time, time_texts_); });
  } else if (!request.group.empty()) {
    groups_ = table.keys(user_keys);
  }
}

Split Splitter::held_out() const {
  return as_option([&]() -> Split {
    if (!times_.empty()) {
      Split out{split_by_time(times_, request_.validation), ""};
      const std::size_t first = *std::ranges::min_element(
          out.fold.left_out, {}, [&](std::size_t row) { return times_[row]; });
      out.words = fmt::format(" by time, from {} {} on", request_.time, time_texts_[first]);
      return out;
    }
    if (groups_.empty()) return {split_at_random(rows_, request_.validation, seed_), " at random"};
    Split out{split_by_group(groups_, request_.validation, seed_), ""};
    const std::set<std::string> all(groups_.begin(), groups_.end());
    std::set<std::string> left_out;
    for (const std::size_t row : out.fold.left_out) left_out.insert(groups_[row]);
    out.words = fmt::format(" by group, {} of {} values of {}", left_out.size(), all.size(),
                            request_.group);
    return out;
  });
}

std::vector<Fold> Splitter::folds() const {
  return as_option([&] {
    return times_.empty() ? folds_by_group(groups_, request_.folds, seed_)
                          : folds_by_time(times_, request_.folds);
  });
}

std::string Splitter::words_of_folds() const {
  if (!times_.empty())
    return fmt::format(" by time: each fold learns what came before it by {}", request_.time);
  if (!groups_.empty())
    return fmt::format(" by group: no value of {} is both learned and predicted", request_.group);
  return "";
}

std::vector<std::uint32_t> Splitter::groups() const {
  return times_.empty() ? groups_of_names(groups_) : groups_of_times(times_);
}

namespace {

constexpr const char* kRow = "row";

// Lines of the rows of one model, by the rows.
void add_lines(const Table& table, const LeftOutPart& part, const PredictRequest& request,
               std::map<std::size_t, std::string>& lines) {
  PredictedColumns columns(request, part.model);
  const Table rows = table.selected(part.rows);
  columns.begin(part.model.predict(rows), rows);
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    const std::size_t row = part.rows[i];
    std::vector<JsonCell> cells{{kRow, static_cast<double>(row + 1)},
                                target_cell(part.model, table, row)};
    std::ranges::move(columns.row(i), std::back_inserter(cells));
    lines[row] = csv_line(cells);
  }
}

}  // namespace

std::string folds_text(const TableModel& model, const TableModel::Validation& found,
                       const std::string& how) {
  return fmt::format("cross-validation{}: {} folds, means over folds and their standard errors; ",
                     how, found.models.size()) +
         evaluation_text(model, found.evaluation);
}

OutputKind out_of_fold_kind() {
  return text_kind("predictions out of folds", {fmt::format("{},{},", kRow, kTargetName)});
}

std::vector<LeftOutPart> left_out_rows(const TableModel::Validation& found) {
  std::vector<LeftOutPart> out;
  for (const TableModel& model : found.models) out.push_back({model, {}});
  for (std::size_t place = 0; place < found.rows.size(); ++place)
    out[found.folds[place]].rows.push_back(found.rows[place]);
  return out;
}

void write_out_of_fold(const Table& table, const std::vector<LeftOutPart>& parts,
                       const std::vector<std::string>& keys, const std::string& path) {
  PredictRequest request;
  request.data.keys = keys;
  std::vector<std::string> names{kRow, kTargetName};
  std::ranges::copy(PredictedColumns(request, parts.front().model).names(),
                    std::back_inserter(names));
  std::map<std::size_t, std::string> lines;
  for (const LeftOutPart& part : parts) add_lines(table, part, request, lines);
  Output output(path);
  output.stream() << csv_header(names);
  for (const auto& [row, line] : lines) output.stream() << line;
  output.finish();
}

}  // namespace postrider::cli
