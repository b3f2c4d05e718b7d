#include "cli/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "cli/expected_time.h"
#include "cli/json.h"
#include "cli/row_watch.h"
#include "text/columns.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

std::string task_text(const ColumnSchema& target) {
  if (target.kind != ColumnKind::categorical) return "regression: " + target.name + " is a number";
  return fmt::format("classification: {} has {} classes, {}", target.name, target.categories.size(),
                     shortened(listed(target.categories), 60));
}

}  // namespace

ExitCode tell_understood(TableReader& reader, const std::string& path,
                         const EstimatorOptions& options, bool json) {
  const Schema& schema = reader.schema();
  std::vector<ColumnSummary> columns = summaries_of(schema);
  CopyWatch watch;
  for (Table chunk; reader.next(chunk);) {
    add_rows(chunk, columns);
    watch.add(chunk);
  }
  const CopiedRows copied = watch.found();
  tell_skipped("train", reader.skipped());
  const std::size_t unknown = columns[schema.target()].missing;
  const std::optional<ExpectedTime> time = expected_time(options, schema, reader.rows() - unknown);
  if (json) {
    std::cout << understood_json(schema, columns, {reader.rows(), copied.copies}, time);
    return ExitCode::ok;
  }
  const auto ignored = static_cast<std::size_t>(std::ranges::count(
      schema.columns, ColumnKind::ignored, [](const ColumnSchema& each) { return each.kind; }));
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
            << facts.text() << "\nnothing was learned: --dry-run\n";
  return ExitCode::ok;
}

}  // namespace postrider::cli
