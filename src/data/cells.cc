#include "data/cells.h"

#include "data/cell.h"
#include "postrider/error.h"

namespace postrider {
namespace {

constexpr std::size_t kMostShown = 40;

[[noreturn]] void refuse(const CellColumn& column, std::string_view cell, const CellPlace& place,
                         const std::string& why) {
  throw Error(place.file + ", line " + std::to_string(place.line) + ": column " +
              shown(column.name) + ": " + shown(cell) + why);
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

std::string shown(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, kMostShown)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < ' ' || byte == 0x7f ? '?' : c;
  }
  out += text.size() > kMostShown ? "...\"" : "\"";
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
