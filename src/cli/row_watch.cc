#include "cli/row_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <numeric>
#include <utility>

#include "postrider/error.h"
#include "text/model_facts.h"
#include "text/terminal.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

constexpr std::size_t kMostTold = 10;

std::string head_of(const std::string& command) {
  return command.empty() ? "postrider: " : "postrider: " + command + ": ";
}

// Some lines, and how many more there are.
void tell(const std::string& head, const std::vector<std::string>& lines, std::size_t count) {
  std::cerr << head << "\n";
  const std::size_t told = std::min(lines.size(), kMostTold);
  for (std::size_t k = 0; k < told; ++k) std::cerr << "  " << printable(lines[k]) << "\n";
  if (count > told) std::cerr << "  and " << count - told << " more\n";
}

}  // namespace

RowWatch::RowWatch(const TableModel& model, TableReader& reader)
    : reader_(reader), found_(model.profile()) {
  reader_.observe([this](const Table& chunk) { found_.add(chunk); });
}

RowWatch::~RowWatch() { reader_.observe({}); }

void end_reading_when(const InterruptWatch& watch, TableReader& reader) {
  reader.observe([&watch](const Table&) {
    if (watch.interrupted())
      throw Interrupted("interrupted while the table was read: nothing was learned");
  });
}

WatchedTable read_watched(const DataRequest& data, const TableModel& model) {
  TableReader reader = open_for_model(data, model);
  tell_absent("", reader);
  const RowWatch watch(model, reader);
  Table table = read_all(reader).table;
  tell_skipped("", reader.skipped());
  tell_drift("", watch.found().warnings());
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (rows_with_target(model, table, rows).empty())
    throw CorruptFile("cannot use " + data.path + ": no row has a value of " + model.target() +
                      ", the target");
  return {std::move(table), watch.found().repeated()};
}

void tell_drift(const std::string& command, const std::vector<DriftWatch::Warning>& warnings) {
  if (warnings.empty()) return;
  std::vector<std::string> lines;
  for (const DriftWatch::Warning& each : warnings) lines.push_back(each.column + ": " + each.text);
  tell(fmt::format(
           "{}warning: {} not look as in the rows that the model has learned:", head_of(command),
           counted(warnings.size(), "column") + (warnings.size() == 1 ? " does" : " do")),
       lines, lines.size());
}

void tell_skipped(const std::string& command, const TableReader::Skipped& skipped) {
  if (skipped.count == 0) return;
  tell(fmt::format("{}warning: {} passed over, which cannot be read:", head_of(command),
                   counted(skipped.count, "row")),
       skipped.reasons, skipped.count);
}

void tell_absent(const std::string& command, const TableReader& reader) {
  const std::vector<std::string> absent = reader.absent();
  if (absent.empty()) return;
  tell(fmt::format("{}warning: {} not in the table, and missing in all rows; predictions are less "
                   "certain for that:",
                   head_of(command),
                   counted(absent.size(), "column") + (absent.size() == 1 ? " is" : " are")),
       absent, absent.size());
}

void tell_repeated(const std::string& command, const RepeatWatch::Found& repeated) {
  if (repeated.repeated == 0) return;
  std::cerr << head_of(command) << "warning: " << repeated.warning() << "\n";
}

std::string copies_text(const CopyWatch::Found& copied) {
  return copied.copies == 0 ? "" : copied.text() + ": they are kept in one fold";
}

void expect_new_rows(const TableModel& model, const RowMonitor& rows, const std::string& path) {
  const std::string doubts = model.doubts(rows.digest(), rows.repeated(), rows.warnings());
  if (!doubts.empty())
    throw CorruptFile(
        fmt::format("{}: {} The model is left as it was; --anyway learns these rows all the same",
                    path, doubts));
}

std::string identifiers_text(const std::vector<Identifier>& found) {
  std::string out;
  for (const Identifier& one : found) {
    out += fmt::format("{} looks like an identifier: predict --key {} writes it beside predictions",
                       one.column, one.column);
    if (one.is_input) out += fmt::format("; it is an input, unless --ignore {}", one.column);
    out += "\n";
  }
  return out.empty() ? out : out + "\n";
}

}  // namespace postrider::cli
