// Text for people: aligned columns, numbers, lists.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::cli {

enum class Align { left, right };

// Cells in columns as wide as their widest cell, two spaces apart and two at the front.
class TextTable {
 public:
  explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}

  // A name may hold line breaks and other control characters: they are written out.
  void add(std::vector<std::string> cells);
  std::string text() const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

std::size_t shown_width(std::string_view text);             // characters of UTF-8
std::string shortened(std::string text, std::size_t most);  // with ... at the end if it is longer
std::string short_number(double value);                     // four digits
std::string exact_number(double value);                     // as many as it takes to read it back
std::string listed(const std::vector<std::string>& names, std::string_view between = ", ");
std::string counted(std::size_t count, std::string_view one);  // "1 row", "2 rows"
std::string seconds_text(double seconds);
// The one that is most like `wrong`; empty if none is.
std::string nearest(std::string_view wrong, const std::vector<std::string>& names);
// "; did you mean that?", or nothing.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& names);

// --- Cells of the CSV that the program writes.

// In quotes where it must be. A text that a spreadsheet would run, since it begins with = + - @, a tab or
// a carriage return and is not a number, gets an apostrophe in front, which spreadsheets take as "text
// follows". A sign alone, as some classes are called, is left.
std::string csv_cell(const std::string& text);

}  // namespace postrider::cli
