#include "data/cell_columns.h"

#include <algorithm>
#include <optional>

#include "data/cell.h"
#include "data/date.h"
#include "data/written_number.h"
#include "postrider/error.h"

namespace postrider::internal {
void Markers::add(std::span<const std::string> words) {
  for (const std::string& word : words) {
    const std::string_view cell = trimmed(word);
    const Cell read = read_cell(cell);
    words_.emplace_back(cell);
    if (read.kind == CellKind::number) numbers_.push_back(read.number);
  }
}

bool Markers::has_text(std::string_view cell) const {
  return std::any_of(words_.begin(), words_.end(),
                     [&](const std::string& word) { return same_letters(word, cell); });
}

bool Markers::has_number(double number) const {
  return std::find(numbers_.begin(), numbers_.end(), number) != numbers_.end();
}

namespace {

constexpr std::size_t kMostShown = 40;

[[noreturn]] void refuse(const CellColumn& column, std::string_view cell, const CellPlace& place,
                         const std::string& why) {
  throw Table::Unreadable(place.file + ", " + place.unit + " " + std::to_string(place.line),
                          "column " + shown(column.name) + ": " + shown(cell) + why);
}

double number_of(const CellColumn& column, std::string_view given, const CellPlace& place) {
  const std::string_view cell = trimmed(given);
  const WrittenNumber read = read_written_number(cell, column.form);
  if (read.kind == CellKind::missing || column.markers.has_text(cell)) return kMissingNumber;
  if (read.kind == CellKind::text && may_be_missing(cell)) return kMissingNumber;
  if (read.kind == CellKind::text)
    refuse(column, given, place,
           " is not a number; " + std::string(kMissingCells) +
               ", and a column of texts must be named as categorical or ignored");
  if (read.kind == CellKind::infinite)
    refuse(column, given, place, " is infinite; numbers must be finite");
  if (!read.unit.empty() && read.unit != column.unit)
    refuse(column, given, place,
           column.unit.empty()
               ? " has a unit, and the numbers of the rows learned had none"
               : " has another unit than the rows learned, whose numbers are in " + column.unit);
  return column.markers.has_number(read.number) ? kMissingNumber : read.number;
}

double date_of(const CellColumn& column, std::string_view given, const CellPlace& place) {
  const std::string_view cell = trimmed(given);
  if (is_missing(cell) || column.markers.has_text(cell) || may_be_missing(cell))
    return kMissingNumber;
  const std::optional<double> seconds = read_date(cell, column.form);
  if (!seconds) {
    const char* const example = column.form == ColumnSchema::Form::year_first  ? "2026-11-16"
                                : column.form == ColumnSchema::Form::day_first ? "16/11/2026"
                                                                               : "11/16/2026";
    refuse(column, given, place,
           std::string(" is not a date such as ") + example + "; " + kMissingCells);
  }
  return *seconds;
}

std::uint32_t class_of_value(const CellColumn& column, std::string_view cell) {
  if (column.class_values.empty()) return Table::Column::kUnknown;
  const Cell read = read_cell(trimmed(cell));
  for (std::size_t k = 0; k < column.class_values.size(); ++k)
    if (column.class_values[k] == read.number) return static_cast<std::uint32_t>(k);
  return Table::Column::kUnknown;
}

std::uint32_t code_of(const CellColumn& column, std::string_view cell, const CellPlace& place) {
  const std::uint32_t code = column.dictionary.find(cell);
  // A model may have learned a category that is taken as missing now.
  if (code != Table::Column::kUnknown) return code;
  if (is_missing(cell) || column.markers.has_text(trimmed(cell))) return Table::Column::kMissing;
  if (const std::uint32_t same = class_of_value(column, cell); same != Table::Column::kUnknown)
    return same;
  if (column.hashed > 0)
    return static_cast<std::uint32_t>(column.categories + hashed_place(cell, column.hashed));
  if (column.must_be_known)
    refuse(column, cell, place,
           " is none of the classes of the rows that the columns were learned from; a new class "
           "needs a model that is trained anew");
  return Table::Column::kUnknown;
}

// Characters by which a text reads as another one: U+061C, U+200E and F, U+202A to E, U+2066 to 9.
bool turns_direction(std::string_view character) {
  if (character == "\xd8\x9c") return true;
  if (character.starts_with("\xe2\x80")) {
    const auto last = static_cast<unsigned char>(character[2]);
    return last == 0x8e || last == 0x8f || (last >= 0xaa && last <= 0xae);
  }
  return character.starts_with("\xe2\x81") && character[2] >= '\xa6' && character[2] <= '\xa9';
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t at = 1; at < length; ++at)
    if ((byte(at) & 0xc0u) != 0x80) return 0;
  // Written with more bytes than it takes, half of a pair of UTF-16, or beyond the last one.
  const bool refused = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
                       (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f);
  return refused ? 0 : length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string shown(std::string_view text) {
  std::string out = "\"";
  while (!text.empty() && out.size() <= kMostShown) {
    const std::size_t length = utf8_length(text);
    const bool control = text[0] == 0x7f || (length == 1 && text[0] < ' ');
    if (length == 0 || control || turns_direction(text.substr(0, length)))
      out += '?';
    else
      out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += text.empty() ? "\"" : "...\"";
  return out;
}

// The last steps of MurmurHash3.
std::uint64_t mixed_hash(std::uint64_t hash) {
  hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd;
  hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53;
  return hash ^ hash >> 33;
}

std::uint64_t text_hash(std::string_view text, std::uint64_t start) {
  std::uint64_t hash = start;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return mixed_hash(hash);
}

std::size_t hashed_place(std::string_view text, std::size_t places) {
  return static_cast<std::size_t>(text_hash(text) % places);
}

void put_cell(CellColumn& column, std::size_t row, std::string_view cell, const CellPlace& place) {
  if (column.keeps_texts()) column.texts.add(cell);
  switch (column.use) {
    case CellUse::skip:
    case CellUse::text:
      break;
    case CellUse::number:
    case CellUse::written:
      column.cells.numbers[row] = number_of(column, cell, place);
      break;
    case CellUse::date:
      column.cells.numbers[row] = date_of(column, cell, place);
      break;
    case CellUse::code:
      column.cells.codes[row] = code_of(column, cell, place);
  }
}

}  // namespace postrider::internal
