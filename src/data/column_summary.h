// What the first rows show of a column, read in the way that most of its cells allow.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "data/cell_columns.h"
#include "data/date.h"
#include "postrider/table.h"

namespace postrider::internal {

struct ColumnSummary {
  static constexpr std::size_t kFew = 20;  // numbers so few that they may be classes or categories

  // Values are numbers, or dates; texts are neither. Marked cells are missing among values, and texts else.
  std::size_t rows = 0, missing = 0, marked = 0, numbers = 0, texts = 0;
  std::string first_text = {};
  std::size_t first_text_row = 0;
  std::string place = {};             // of that row, for messages
  std::vector<std::string> odd = {};  // the different texts; of too many, the first
  ColumnSchema::Form form = ColumnSchema::Form::decimal_point;
  bool is_order_open =
      false;  // they may be dates, and whether the day or the month is first cannot be told
  // About values alone.
  double least = 0, greatest = 0;
  bool whole = true;          // none has a fraction
  std::set<double> few = {};  // different ones, one more than a few at most
  std::string unit = {};
  std::size_t without_unit = 0;
  bool has_thousands_comma = false;
  // Whole numbers written in digits alone that have a zero in front, and how many digits such numbers have.
  std::size_t zero_led = 0, fewest_digits = 0, most_digits = 0;
  DatePartsSeen parts = {};
  // Different cells as they are written, sorted: by value if all are numbers, else by their bytes; and how many rows
  // have each. Empty for a column of values unless they are asked for.
  std::vector<std::string> categories = {};
  std::vector<std::size_t> category_rows = {};
  std::size_t copied = 0;  // of these cells, those in rows that are copies of others

  void add_number(double number);
  void add_date(double seconds);
  void count_digits(std::string_view cell);  // before its number is added
  void add_text(std::string_view text, std::size_t row);
  bool has_dates() const;
  // Whether all cells are values, or all but a few odd ones of a column with many values.
  bool has_values() const;
  // Whether numbers are names, such as postal codes: digits alone, all equally many or one in twenty with a zero in front.
  bool are_codes() const;
  // Texts of few whole numbers, where cells are numbers and not texts.
  void name_few_numbers();
};

// How a column is to be looked at.
struct ColumnQuestion {
  bool with_categories = false;  // also if all cells are values
  bool is_target = false;        // then two different numbers are categories, too
  Markers markers = {};          // that are missing
};
// `copies`: for each row whether it is a copy of another; empty if that is not known.
ColumnSummary summary_of(const Texts& cells, const ColumnQuestion& question,
                         const std::vector<bool>& copies = {});

}  // namespace postrider::internal
