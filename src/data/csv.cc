#include "data/csv.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "data/cell.h"
#include "data/written_number.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kCandidates = ",;\t|";

// Empty names are common: some tools write the row's number without one.
std::vector<std::string> named(std::vector<std::string> names) {
  for (std::size_t c = 0; c < names.size(); ++c)
    if (names[c].empty()) names[c] = "column_" + std::to_string(c + 1);
  return names;
}

// Numbers that count the columns are names that tools give.
bool are_counted(const std::vector<std::string>& names) {
  for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
    std::size_t next = first;
    if (std::ranges::all_of(
            names, [&](const std::string& name) { return name == std::to_string(next++); }))
      return true;
  }
  return false;
}

}  // namespace

CsvReader::CsvReader(std::unique_ptr<ByteSource> source, const std::string& name,
                     const CsvOptions& options)
    : window_(std::move(source), name, options.most_bytes_per_row), skipped_(options.skipped) {
  window_.expect(kByteOrderMark.size());
  const std::string_view first(window_.begin(),
                               static_cast<std::size_t>(window_.end() - window_.begin()));
  if (first.starts_with("\xff\xfe") || first.starts_with("\xfe\xff"))
    window_.fail(1, "is UTF-16; save the file as UTF-8");
  if (first.starts_with(kByteOrderMark)) window_.use_until(window_.begin() + kByteOrderMark.size());
  set_delimiter(options.delimiter != '\0' ? options.delimiter : inferred_delimiter());
  read_header(options);
}

void CsvReader::set_delimiter(char delimiter) {
  delimiter_ = delimiter;
  stops_.fill(false);
  for (const char stop : {delimiter, '\n', '\0'}) stops_[static_cast<unsigned char>(stop)] = true;
}

char CsvReader::inferred_delimiter() {
  std::array<std::size_t, kCandidates.size()> counts{};
  bool quoted = false;
  for (const char* at = window_.begin();; ++at) {
    if (at == window_.end()) {
      const auto used = at - window_.begin();
      if (!window_.grow(line_)) break;
      at = window_.begin() + used;
    }
    if (*at == '"') quoted = !quoted;
    if (quoted) continue;
    if (*at == '\n') break;
    const std::size_t found = kCandidates.find(*at);
    if (found != std::string_view::npos) ++counts[found];
  }
  return kCandidates[static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin())];
}

void CsvReader::read_header(const CsvOptions& options) {
  Ended ended = Ended::cut;
  const char* at = nullptr;
  do {
    while (at_empty_line(window_.begin())) {  // above the header
      window_.use_until(std::find(window_.begin(), window_.end(), '\n') + 1);
      ++line_;
    }
    at = window_.begin();
    header_.clear();
    lines_inside_ = 0;
    if (at == window_.end()) continue;
    do {
      std::string_view text;
      ended = take_text(at, text);
      if (ended == Ended::cut) break;
      header_.emplace_back(quoted_ ? text : trimmed(text));
      if (header_.size() > options.most_columns)
        window_.fail(line_, "has more than " + std::to_string(options.most_columns) +
                                " cells; is the delimiter right?");
    } while (ended == Ended::cell);
  } while (ended == Ended::cut && (window_.grow(line_) || window_.begin() != window_.end()));
  if (header_.empty()) throw CorruptFile("cannot read " + window_.name() + ": it is empty");

  const bool all_numbers = std::ranges::all_of(
      header_, [](const std::string& cell) { return read_cell(cell).kind == CellKind::number; });
  if (!options.header) {
    header_.assign(header_.size(), "");
    header_ = named(std::move(header_));
    return;
  }
  if (all_numbers && !are_counted(header_))
    window_.fail(line_,
                 "should name the columns, and has numbers only; say that there is no header, "
                 "or put one in front");
  header_ = named(std::move(header_));
  std::set<std::string_view> seen;
  for (const std::string& name : header_)
    if (!seen.insert(name).second)
      window_.fail(line_, "names the column " + shown(name) + " twice");
  line_ += 1 + lines_inside_;
  window_.use_until(at);
}

bool CsvReader::at_empty_line(const char* at) const {
  return *at == '\n' || (*at == '\r' && at + 1 < window_.end() && at[1] == '\n');
}

CsvReader::Ended CsvReader::end_of_cell(const char*& at) {
  if (at == window_.end()) return window_.is_last() ? Ended::row : Ended::cut;
  const char stop = *at++;
  return stop == delimiter_ ? Ended::cell : Ended::row;
}

CsvReader::Ended CsvReader::take_quoted(const char*& at, std::string_view& text) {
  quoted_ = true;
  unescaped_.clear();
  const char* begin = ++at;
  for (bool doubled = false;; doubled = true) {
    const auto left = static_cast<std::size_t>(window_.end() - at);
    const char* quote = left == 0 ? nullptr : static_cast<const char*>(std::memchr(at, '"', left));
    if (quote == nullptr || (quote + 1 == window_.end() && !window_.is_last())) {
      if (window_.is_last()) window_.fail(line_, "has a quote that is not closed");
      return Ended::cut;
    }
    at = quote + 1;
    if (quote + 1 < window_.end() && quote[1] == '"') {
      unescaped_.append(begin, quote + 1);
      begin = ++at;
      continue;
    }
    text = {begin, static_cast<std::size_t>(quote - begin)};
    if (doubled) text = unescaped_.append(text);
    break;
  }
  lines_inside_ += static_cast<std::size_t>(std::ranges::count(text, '\n'));
  if (*at == '\r' && at < window_.end()) {
    if (at + 1 == window_.end() && !window_.is_last()) return Ended::cut;
    if (at + 1 == window_.end() || at[1] == '\n') ++at;
  }
  if (at < window_.end() && *at != delimiter_ && *at != '\n')
    window_.fail(line_ + lines_inside_,
                 "has text behind a closing quote; a quote inside quotes must be doubled");
  return end_of_cell(at);
}

CsvReader::Ended CsvReader::take_text(const char*& at, std::string_view& text) {
  if (*at == '"') return take_quoted(at, text);
  quoted_ = false;
  const char* const begin = at;
  while (!stops_[static_cast<unsigned char>(*at)] || (*at == '\0' && at < window_.end())) ++at;
  text = {begin, static_cast<std::size_t>(at - begin)};
  const Ended ended = end_of_cell(at);
  if (ended == Ended::row && text.ends_with('\r')) text.remove_suffix(1);
  return ended;
}

CsvReader::Ended CsvReader::read_cell_into(CellColumn& column, std::size_t row, const char*& at) {
  std::string_view text;
  const Ended ended = take_text(at, text);
  if (ended != Ended::cut)
    put_cell(column, row, quoted_ ? text : trimmed(text), {window_.name(), line_});
  return ended;
}

// Most cells are short numbers: their end is found by reading them. Behind the cell's end, or nullptr if
// it is no such cell. The place goes in and out by value, so that it stays in a register.
inline const char* CsvReader::behind_number(const char* at, bool is_last_column,
                                            double& number) const {
  const char* end = read_simple_number(at, number);
  if (end == nullptr) return nullptr;
  if (!is_last_column) return *end == delimiter_ ? end + 1 : nullptr;
  if (*end == '\r') ++end;
  return *end == '\n' ? end + 1 : nullptr;
}

CsvReader::Row CsvReader::read_row(std::span<CellColumn> columns, std::size_t row) {
  const char* at = window_.begin();
  if (at == window_.end()) return window_.is_last() ? Row::none : Row::cut;
  if (columns.size() > 1 && at_empty_line(at)) {
    window_.use_until(at + (*at == '\r' ? 2 : 1));
    ++line_;
    return Row::blank;
  }
  lines_inside_ = 0;
  for (std::size_t c = 0;; ++c) {
    const bool is_last_column = c + 1 == columns.size();
    if (columns[c].use == CellUse::number) {
      double number = 0;
      const char* const behind = behind_number(at, is_last_column, number);
      if (behind != nullptr) {
        columns[c].cells.numbers[row] = number;
        at = behind;
        if (is_last_column) break;
        continue;
      }
    }
    const char* behind = at;
    const Ended ended = read_cell_into(columns[c], row, behind);
    at = behind;
    if (ended == Ended::cut) return Row::cut;
    if (ended == Ended::cell && is_last_column)
      window_.fail(line_,
                   "has more cells than the header, which has " + std::to_string(columns.size()));
    if (ended == Ended::cell) continue;
    if (!is_last_column)
      window_.fail(line_, "has " + std::to_string(c + 1) + " cells, and the header has " +
                              std::to_string(columns.size()));
    break;
  }
  row_lines_.push_back(line_);
  line_ += 1 + lines_inside_;
  window_.use_until(at);
  return Row::whole;
}

// What a row is part of is told by line ends alone where it cannot be read.
CsvReader::Row CsvReader::read_row_or_skip(std::span<CellColumn> columns, std::size_t row) {
  if (skipped_ == nullptr) return read_row(columns, row);
  try {
    return read_row(columns, row);
  } catch (const CorruptFile& error) {
    skipped_->add(error.what());
  }
  for (CellColumn& column : columns)
    if (column.keeps_texts()) column.texts.shorten(row);
  window_.next_line(line_);
  ++line_;
  return Row::blank;
}

std::size_t CsvReader::read(std::span<CellColumn> columns, std::size_t rows,
                            std::size_t rows_before) {
  for (CellColumn& column : columns) column.resize(rows_before + rows);
  row_lines_.clear();
  std::size_t row = rows_before;
  while (row < rows_before + rows) {
    const Row read = read_row_or_skip(columns, row);
    if (read == Row::none) break;
    if (read == Row::whole) ++row;
    if (read == Row::cut) {
      for (CellColumn& column : columns)
        if (column.keeps_texts()) column.texts.shorten(row);
      window_.grow(line_);
    }
  }
  for (CellColumn& column : columns) column.resize(row);
  return row - rows_before;
}

}  // namespace postrider::internal
