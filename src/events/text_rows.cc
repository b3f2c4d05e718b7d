// Tables of text that may grow: CSV and LIBSVM, row by row.
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "events/event_source.h"
#include "events/row_stream.h"
#include "postrider/error.h"

namespace postrider::cli {
namespace {

constexpr std::chrono::milliseconds kRowWait{500};

// The one of these that the header has most often, as in files that are read at once.
char delimiter_of(const std::string& header) {
  char out = ',';
  std::ptrdiff_t most = 0;
  for (const char candidate : {',', ';', '\t', '|'})
    if (const auto count = std::count(header.begin(), header.end(), candidate); count > most) {
      most = count;
      out = candidate;
    }
  return out;
}

// Whether no quotes are open at its end. They open where a cell begins, and nowhere else.
bool is_whole_row(const std::string& header, const std::string& text) {
  if (header.empty()) return std::count(text.begin(), text.end(), '"') % 2 == 0;
  const char delimiter = delimiter_of(header);
  bool is_quoted = false, may_open = true;
  for (const char c : text) {
    const bool was_quoted = is_quoted;
    is_quoted = c == '"' ? !is_quoted && may_open : is_quoted;
    // Behind a closing quote another one opens again: it was doubled.
    may_open = c == delimiter || (was_quoted && !is_quoted);
  }
  return !is_quoted;
}

// A label, and pairs such as 3:0.5.
bool is_libsvm_line(const std::string& line) {
  const std::size_t space = line.find(' ');
  const std::size_t colon = line.find(':');
  if (line.find(',') != std::string::npos || colon == std::string::npos || colon == 0) return false;
  const std::size_t from = space == std::string::npos || space > colon ? 0 : space + 1;
  return colon > from && std::all_of(line.begin() + static_cast<std::ptrdiff_t>(from),
                                     line.begin() + static_cast<std::ptrdiff_t>(colon),
                                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

class TextRows : public RowStream {
 public:
  TextRows(const StreamAddress& address, const DataRequest& data, const Schema& schema,
           const TableModel::StreamPosition& from, const StreamOpening& how)
      : address_(address),
        schema_(schema),
        options_(data.options()),
        lines_({.path = address.names.front(),
                .unit = kRows,
                .has_header = data.format != "libsvm",
                .is_data = data.format == "infer" ? is_libsvm_line : nullptr,
                .follow = how.follow,
                .is_whole = is_whole_row,
                .tell = how.tell,
                .stops = how.stops},
               from) {}

  RowBatch next(std::size_t most) override {
    RowBatch out = batch_of(lines_.next(most, kRowWait));
    out.is_end = lines_.is_at_end();
    return out;
  }
  RowBatch rest() override { return batch_of(lines_.rest()); }
  bool has_ended() const override { return lines_.has_ended(); }

 private:
  static constexpr const char* kRows = "rows";

  RowBatch batch_of(std::vector<Record> records) {
    RowBatch out;
    out.after.source = address_.text;
    if (!lines_.header().empty() && !std::exchange(is_header_read_, true)) expect_columns();
    if (records.empty()) return out;
    if (!take_all(records, out))
      for (const Record& record : records) take_one(record, out);
    if (!options_.keys.empty()) put_keys(out);
    lines_.put_position(out.after);
    return out;
  }

  // The first file must have all columns; rows of later ones are refused one by one.
  void expect_columns() const {
    try {
      table_of("");
    } catch (const Error& error) {
      expect_no_fault_of_key(error);
      throw CorruptFile(address_.text + ": " + error.what());
    }
  }

  Table table_of(const std::string& rows) const {
    const std::string& header = lines_.header();
    TableOptions options = options_;
    if (options.format == TableOptions::Format::infer)
      options.format = header.empty() ? TableOptions::Format::libsvm : TableOptions::Format::csv;
    TableReader reader =
        TableReader::of_text(header + (header.empty() ? "" : "\n") + rows, schema_, options);
    Table out, chunk;
    while (reader.next(chunk)) out.append(chunk);
    return out;
  }

  // Nearly always all rows make sense.
  bool take_all(const std::vector<Record>& records, RowBatch& out) const {
    std::string text;
    for (const Record& record : records) text += record.text + "\n";
    try {
      out.table = table_of(text);
    } catch (const Error&) {
      return false;
    }
    if (out.table.rows() != records.size()) {
      out.table = {};
      return false;
    }
    for (const Record& record : records) note(record, out);
    return true;
  }

  void take_one(const Record& record, RowBatch& out) const {
    try {
      const Table row = table_of(record.text + "\n");
      if (row.rows() == 0) return;  // a comment
      if (row.rows() > 1) throw CorruptFile("must be one row");
      out.table.append(row);
      note(record, out);
    } catch (const Table::Unreadable& error) {
      // Its place is a line of the batch, which nobody but this program counts.
      out.refusals.push_back({place_of(record), error.reason(), record.text});
    } catch (const Error& error) {
      out.refusals.push_back({place_of(record), error.what(), record.text});
    }
  }

  static std::string place_of(const Record& record) {
    return std::string(kRows) + " " + std::to_string(record.number);
  }
  static void note(const Record& record, RowBatch& out) {
    out.places.push_back(place_of(record));
    out.texts.push_back(record.text);
  }

  StreamAddress address_;
  Schema schema_;
  TableOptions options_;
  LineSource lines_;
  bool is_header_read_ = false;
};

}  // namespace

std::unique_ptr<RowStream> open_text_rows(const StreamAddress& address, const DataRequest& data,
                                          const Schema& schema,
                                          const TableModel::StreamPosition& from,
                                          const StreamOpening& how) {
  return std::make_unique<TextRows>(address, data, schema, from, how);
}

// --- A file, or standard input, with a JSON object on each line.

namespace {

class JsonLines : public EventSource {
 public:
  JsonLines(const std::string& path, const TableModel::StreamPosition& from,
            const StreamOpening& how)
      : path_(path),
        lines_({.path = path,
                .unit = kLines,
                .follow = how.follow,
                .tell = how.tell,
                .stops = how.stops},
               from) {}

  std::vector<Event> next(std::size_t most, std::chrono::milliseconds wait) override {
    return events_of(lines_.next(most, wait));
  }
  std::vector<Event> rest() override { return events_of(lines_.rest()); }
  bool is_at_end() const override { return lines_.is_at_end(); }
  bool has_ended() const override { return lines_.has_ended(); }
  void put_position(TableModel::StreamPosition& to) const override {
    to.source = path_;
    lines_.put_position(to);
  }

 private:
  static constexpr const char* kLines = "lines";

  static std::vector<Event> events_of(std::vector<Record> records) {
    std::vector<Event> out;
    for (Record& record : records)
      out.push_back({kLines, std::to_string(record.number), std::move(record.text)});
    return out;
  }

  std::string path_;
  LineSource lines_;
};

}  // namespace

std::unique_ptr<EventSource> open_json_lines(const StreamAddress& address,
                                             const TableModel::StreamPosition& from,
                                             const StreamOpening& how) {
  return std::make_unique<JsonLines>(address.names.front(), from, how);
}

}  // namespace postrider::cli
