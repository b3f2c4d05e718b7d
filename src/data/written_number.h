// Numbers as people write them: with the sign of a currency or of percent, and with thousands apart.
#pragma once

#include <string_view>

#include "data/cell.h"
#include "postrider/table.h"

namespace postrider::internal {

struct WrittenNumber {
  CellKind kind;
  double number;           // NaN unless it is one
  std::string_view unit;   // $, €, £, ¥ or %; empty if none is written
  bool has_comma = false;  // between thousands
};

// Reads a trimmed cell, with decimal points or with decimal commas. Besides what read_cell() takes:
//  - one unit, before or behind the number; 12.5% is 12.5 in the unit %;
//  - groups of three digits behind one to three, all separated by a comma (a point where the comma is decimal), by
//    spaces or by apostrophes, one of them throughout; the first digit is not 0;
//  - brackets in place of a minus, and the minus of typographers.
WrittenNumber read_written_number(std::string_view cell, CellForm form);

}  // namespace postrider::internal
