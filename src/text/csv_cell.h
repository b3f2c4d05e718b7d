// Cells of the CSV that the program writes.
#pragma once

#include <string>

namespace postrider::cli {

// In quotes where it must be. A text that a spreadsheet would run, since it begins with = + - @, a tab or
// a carriage return and is not a number, gets an apostrophe in front, which spreadsheets take as "text
// follows". A sign alone, as some classes are called, is left.
std::string csv_cell(const std::string& text);

}  // namespace postrider::cli
