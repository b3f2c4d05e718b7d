#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>

#include "cli/commands/train.h"
#include "cli/json.h"
#include "cli/row_watch.h"
#include "postrider/time_budget.h"
#include "text/columns.h"
#include "text/text_table.h"
#include "text/warning_lines.h"

namespace postrider::cli {
namespace {

// Four of five trainings take between the expected seconds divided by this, and multiplied by it (postrider/time_budget.h).
constexpr double kFactor = 2.5;

// The network has an input for each category.
std::size_t inputs_of(const Schema& schema) {
  std::size_t out = 0;
  for (const ColumnSchema& column : schema.columns) {
    if (column.target || column.kind == ColumnSchema::Kind::ignored) continue;
    out += column.kind == ColumnSchema::Kind::categorical
               ? column.categories.size() + column.hashed
               : std::max<std::size_t>(1, column.parts.size());
  }
  return out;
}

std::size_t outputs_of(const EstimatorOptions& options, const ColumnSchema& target) {
  if (target.kind != ColumnSchema::Kind::categorical) return options.varying_noise ? 2 : 1;
  return target.categories.size() > 2 ? target.categories.size() : 1;
}

// One digit says as much as is known, from ten on two.
double rounded(double amount) {
  if (amount < 1) return 1;
  const double unit = amount < 10 ? 1 : amount < 100 ? 5 : 50;
  return unit * std::round(amount / unit);
}

}  // namespace

std::optional<ExpectedTime> expected_time(const EstimatorOptions& options, const Schema& schema,
                                          std::size_t rows) {
  if (options.training.max_epochs > 0) return {};
  const double seconds = expected_seconds(options, rows, inputs_of(schema),
                                          outputs_of(options, schema.columns.at(schema.target())));
  return ExpectedTime{seconds / kFactor, seconds * kFactor};
}

std::string ExpectedTime::text() const {
  if (most < 1.5) return "about a second";
  constexpr double kMinute = 60, kHour = 3600;
  // Both in the unit of the larger one, unless the smaller one is less than one of it.
  const auto in = [](double time, double unit) { return rounded(time / unit); };
  if (most < 2 * kMinute) {
    const double low = in(least, 1), high = in(most, 1);
    return low == high ? fmt::format("{:.0f} s", high)
                       : fmt::format("{:.0f} to {:.0f} s", low, high);
  }
  if (most < 2 * kHour) {
    if (least < kMinute)
      return fmt::format("{:.0f} s to {:.0f} min", in(least, 1), in(most, kMinute));
    return fmt::format("{:.0f} to {:.0f} min", in(least, kMinute), in(most, kMinute));
  }
  if (least < kHour)
    return fmt::format("{:.0f} min to {:.0f} h", in(least, kMinute), in(most, kHour));
  return fmt::format("{:.0f} to {:.0f} h", in(least, kHour), in(most, kHour));
}

namespace {

std::string task_text(const ColumnSchema& target) {
  if (target.kind != ColumnSchema::Kind::categorical)
    return "regression: " + target.name + " is a number";
  return fmt::format("classification: {} has {} classes, {}", target.name, target.categories.size(),
                     shortened(listed(target.categories), 60));
}

}  // namespace

ExitCode tell_understood(TableReader& reader, const std::string& path,
                         const EstimatorOptions& options, bool json) {
  const Schema& schema = reader.schema();
  std::vector<ColumnSummary> columns = summaries_of(schema);
  CopyWatch watch;
  TableCheck check;
  for (Table chunk; reader.next(chunk);) {
    add_rows(chunk, columns);
    watch.add(chunk);
    check.add(chunk);
  }
  const std::vector<TableWarning> warnings = check.warnings();
  const CopyWatch::Found copied = watch.found();
  tell_skipped("train", reader.skipped());
  const std::size_t unknown = columns[schema.target()].missing;
  const std::optional<ExpectedTime> time = expected_time(options, schema, reader.rows() - unknown);
  if (json) {
    std::cout << understood_json(schema, columns, {reader.rows(), copied.copies}, time, warnings);
    return ExitCode::ok;
  }
  const auto ignored = static_cast<std::size_t>(
      std::ranges::count(schema.columns, ColumnSchema::Kind::ignored,
                         [](const ColumnSchema& each) { return each.kind; }));
  TextTable facts({Align::left, Align::left});
  facts.add({"rows", std::to_string(reader.rows())});
  facts.add({"task", task_text(schema.columns[schema.target()])});
  facts.add(
      {"inputs", fmt::format("{} used, {} ignored",
                             counted(schema.columns.size() - ignored - 1, "column"), ignored)});
  if (copied.copies > 0) facts.add({"copies", copies_text(copied)});
  if (unknown > 0) facts.add({"without target", counted(unknown, "row") + ", passed over"});
  if (time) facts.add({"training", "usually takes " + time->text() + " by one thread"});
  std::cout << path << ": " << counted(reader.rows(), "row") << ", "
            << counted(columns.size(), "column") << "\n\n"
            << columns_text(columns) << "\n"
            << facts.text() << (warnings.empty() ? "" : "\n") << warnings_text(warnings)
            << "\nnothing was learned: --dry-run\n";
  return ExitCode::ok;
}

}  // namespace postrider::cli
