#include "text/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "text/text_table.h"

namespace postrider::cli {
namespace {

// Means and squares of two parts as those of the whole.
void join(ColumnSummary& to, double mean, double squares, double count) {
  const auto before = static_cast<double>(to.numbers);
  const double all = before + count, apart = mean - to.mean.value_or(mean);
  const double deviation = to.deviation.value_or(0);
  const double sum =
      deviation * deviation * before + squares + apart * apart * before * count / all;
  to.deviation = std::sqrt((before == 0 ? squares : sum) / all);
  to.mean = before == 0 ? mean : *to.mean + apart * count / all;
  to.numbers += static_cast<std::size_t>(count);
}

void summarise_numbers(const std::vector<double>& numbers, ColumnSummary& out) {
  double sum = 0, squares = 0, count = 0;
  for (const double number : numbers) {
    if (std::isnan(number)) {
      ++out.missing;
      continue;
    }
    out.least = std::min(out.least.value_or(number), number);
    out.largest = std::max(out.largest.value_or(number), number);
    sum += number;
    ++count;
  }
  if (count == 0) return;
  const double mean = sum / count;
  for (const double number : numbers)
    if (!std::isnan(number)) squares += (number - mean) * (number - mean);
  join(out, mean, squares, count);
}

void summarise_codes(const std::vector<std::uint32_t>& codes, ColumnSummary& out) {
  out.counts.resize(out.schema.categories.size() + (out.schema.hashed > 0 ? 1 : 0));
  for (const std::uint32_t code : codes) {
    if (code == Table::Column::kMissing)
      ++out.missing;
    else if (code == Table::Column::kUnknown)
      ++out.unknown;
    else  // those that share inputs count together
      ++out.counts[std::min<std::size_t>(code, out.counts.size() - 1)];
  }
}

std::string kind_text(const ColumnSchema& column) {
  switch (column.kind) {
    case ColumnSchema::Kind::numeric:
      return "number";
    case ColumnSchema::Kind::categorical:
      return column.target ? "classes" : "category";
    case ColumnSchema::Kind::date:
      return "date";
    case ColumnSchema::Kind::ignored:
      break;
  }
  return "ignored";
}

std::string values_text(const ColumnSummary& column) {
  constexpr std::size_t kMostShown = 36;
  if (column.least && column.schema.kind == ColumnSchema::Kind::date)
    return fmt::format("{} to {}", date_text(*column.least), date_text(*column.largest));
  if (column.least)
    return fmt::format("{} to {}", short_number(*column.least), short_number(*column.largest));
  const std::vector<std::string>& categories = column.schema.categories;
  if (categories.empty()) return "";
  return shortened(fmt::format("{}: {}", categories.size(), listed(categories)), kMostShown);
}

// Where columns are many, the first and those of which there is something to say.
std::vector<std::size_t> shown_columns(const std::vector<ColumnSummary>& columns) {
  constexpr std::size_t kMostShown = 60, kFirst = 30;
  std::vector<std::size_t> out;
  std::size_t noted = 0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const ColumnSchema& schema = columns[c].schema;
    const bool is_noted = !schema.note.empty() && ++noted <= kFirst;
    if (columns.size() <= kMostShown || c < kFirst || schema.target || is_noted) out.push_back(c);
  }
  return out;
}

// How many others there are of each kind.
std::string folded_text(const std::vector<ColumnSummary>& columns,
                        const std::vector<std::size_t>& shown) {
  std::map<std::string, std::size_t> kinds;
  for (const ColumnSummary& column : columns) ++kinds[kind_text(column.schema)];
  for (const std::size_t c : shown) --kinds[kind_text(columns[c].schema)];
  std::vector<std::string> parts;
  for (const auto& [kind, count] : kinds)
    if (count > 0) parts.push_back(fmt::format("{} {}", count, kind));
  if (parts.empty()) return "";
  return fmt::format("  and {} more columns ({}); --json lists all\n",
                     columns.size() - shown.size(), listed(parts));
}

}  // namespace

std::vector<ColumnSummary> summaries_of(const Table& table) {
  std::vector<ColumnSummary> out = summaries_of(table.schema());
  add_rows(table, out);
  return out;
}

void add_rows(const Table& chunk, std::vector<ColumnSummary>& to) {
  for (std::size_t c = 0; c < to.size(); ++c) {
    const Table::Column& column = chunk.column(c);
    to[c].is_known |= !column.numbers.empty() || !column.codes.empty();
    if (!column.numbers.empty()) summarise_numbers(column.numbers, to[c]);
    if (!column.codes.empty()) summarise_codes(column.codes, to[c]);
  }
}

std::vector<ColumnSummary> summaries_of(const Schema& schema) {
  std::vector<ColumnSummary> out;
  for (const ColumnSchema& column : schema.columns) {
    out.emplace_back();
    out.back().schema = column;
  }
  return out;
}

std::vector<ColumnSummary> learned_summaries(const TableModel& model) {
  std::vector<ColumnSummary> out = summaries_of(model.schema());
  for (const TableProfile::Column& column : model.profile().columns) {
    ColumnSummary& to = out[model.schema().find(column.name)];
    to.is_known = true;
    to.missing = column.missing;
    if (column.knots.empty()) continue;
    to.least = column.least;
    to.largest = column.largest;
  }
  return out;
}

ColumnGroups::ColumnGroups(const TableModel& model) {
  for (std::size_t k = 0; k < model.features().size(); ++k) {
    const std::size_t column = model.features()[k].column;
    const auto found = std::ranges::find(places, column);
    const auto at = static_cast<std::size_t>(found - places.begin());
    if (found == places.end()) {
      places.push_back(column);
      inputs.emplace_back();
    }
    inputs[at].push_back(k);
  }
}

std::string columns_text(const std::vector<ColumnSummary>& columns) {
  constexpr std::size_t kMostName = 32;
  TextTable table({Align::left, Align::left, Align::left, Align::right, Align::left});
  table.add({"column", "kind", "values", "missing", ""});
  const std::vector<std::size_t> shown = shown_columns(columns);
  for (const std::size_t c : shown) {
    const ColumnSummary& column = columns[c];
    const std::string missing = column.is_known             ? std::to_string(column.missing)
                                : column.schema.has_missing ? "some"
                                                            : "-";
    std::string remark = column.schema.target ? "<- target" : "";
    if (!column.schema.note.empty()) remark += (remark.empty() ? "" : "; ") + column.schema.note;
    if (!column.schema.place.empty()) remark += " (" + column.schema.place + ")";
    table.add({shortened(column.schema.name, kMostName), kind_text(column.schema),
               values_text(column), missing, remark});
  }
  return table.text() + folded_text(columns, shown);
}

std::string cell_text(const Table& table, std::size_t column, std::size_t row) {
  const Table::Column& cells = table.column(column);
  const ColumnSchema& schema = table.schema().columns[column];
  if (!cells.numbers.empty()) {
    const double number = cells.numbers[row];
    if (std::isnan(number)) return "missing";
    return schema.kind == ColumnSchema::Kind::date ? date_text(number) : short_number(number);
  }
  if (cells.codes.empty()) return "";
  const std::uint32_t code = cells.codes[row];
  if (code == Table::Column::kMissing) return "missing";
  if (code == Table::Column::kUnknown) return "unknown";
  return code < schema.categories.size() ? schema.categories[code] : "another text";
}

}  // namespace postrider::cli
