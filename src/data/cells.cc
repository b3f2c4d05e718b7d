#include "data/cells.h"

#include "data/cell.h"
#include "postrider/error.h"

namespace postrider {
namespace {

constexpr std::size_t kMostShown = 40;

[[noreturn]] void refuse(const CellColumn& column, std::string_view cell, const CellPlace& place,
                         const std::string& why) {
  throw CorruptFile(place.file + ", " + place.unit + " " + std::to_string(place.line) +
                    ": column " + shown(column.name) + ": " + shown(cell) + why);
}

double number_of(const CellColumn& column, std::string_view cell, const CellPlace& place) {
  const Cell read = read_cell(trimmed(cell));
  if (read.kind == CellKind::text)
    refuse(column, cell, place,
           " is not a number; missing cells are empty, NA, N/A, NaN, null or ?, and a column of "
           "texts must be named as categorical or ignored");
  if (read.kind == CellKind::infinite)
    refuse(column, cell, place, " is infinite; numbers must be finite");
  return read.number;
}

std::uint32_t code_of(const CellColumn& column, std::string_view cell, const CellPlace& place) {
  if (is_missing(cell)) return TableColumn::kMissing;
  const std::uint32_t code = column.dictionary.find(cell);
  if (code == TableColumn::kUnknown && column.must_be_known)
    refuse(column, cell, place,
           " is none of the classes of the first rows; infer the schema from more rows");
  return code;
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
    if (length == 0 || control)
      out += '?';
    else
      out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += text.empty() ? "\"" : "...\"";
  return out;
}

void put_cell(CellColumn& column, std::size_t row, std::string_view cell, const CellPlace& place) {
  switch (column.use) {
    case CellUse::skip:
      break;
    case CellUse::text:
      column.texts.add(cell);
      break;
    case CellUse::number:
      column.cells.numbers[row] = number_of(column, cell, place);
      break;
    case CellUse::code:
      column.cells.codes[row] = code_of(column, cell, place);
  }
}

}  // namespace postrider
