// Categories that are one but for capitals and blanks, and dates that are not read as such.
#include <algorithm>
#include <cmath>
#include <map>

#include "data/cell_columns.h"
#include "data/date_words.h"
#include "warnings/checks.h"

namespace postrider::internal {
namespace {

constexpr std::size_t kLeastLetters = 2;  // a and A may well be two
constexpr std::size_t kMostPairs = 2;     // that are named

// Small letters of ASCII and of Latin-1, without blanks but for single ones between words.
std::string folded(const std::string& text) {
  std::string out;
  bool is_behind_blank = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    auto c = static_cast<unsigned char>(text[k]);
    const auto next = static_cast<unsigned char>(k + 1 < text.size() ? text[k + 1] : 0);
    const bool is_wide_blank = c == 0xc2 && next == 0xa0;
    if (c == ' ' || (c >= '\t' && c <= '\r') || is_wide_blank) {
      k += is_wide_blank ? 1 : 0;
      is_behind_blank = !out.empty();
      continue;
    }
    if (is_behind_blank) out += ' ';
    is_behind_blank = false;
    if (c >= 'A' && c <= 'Z') c = static_cast<unsigned char>(c - 'A' + 'a');
    out += static_cast<char>(c);
    if (c != 0xc3 || k + 1 >= text.size()) continue;
    const bool is_capital = next >= 0x80 && next <= 0x9e && next != 0x97;
    out += static_cast<char>(is_capital ? next + 0x20 : next);
    ++k;
  }
  return out;
}

std::vector<std::size_t> counts_of(const SampledRows& rows, std::size_t c) {
  std::vector<std::size_t> out(rows.schema().columns[c].categories.size());
  for (const std::uint32_t code : rows.table.column(c).codes)
    if (code < out.size()) ++out[code];
  return out;
}

std::size_t letters_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) {
    return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80;
  }));
}

void check_spelling(const SampledRows& rows, std::size_t c, Warnings& to) {
  const ColumnSchema& column = rows.schema().columns[c];
  std::map<std::string, std::vector<std::size_t>> spellings;
  for (std::size_t k = 0; k < column.categories.size(); ++k)
    spellings[folded(column.categories[k])].push_back(k);
  std::erase_if(spellings, [](const auto& each) {
    return each.second.size() < 2 || letters_of(each.first) < kLeastLetters;
  });
  if (spellings.empty()) return;
  const std::vector<std::size_t> counts = counts_of(rows, c);
  std::string text = column.name + " has ";
  std::size_t told = 0;
  for (const auto& [key, places] : spellings) {
    if (told == kMostPairs) break;
    text += told++ == 0 ? "" : ", and ";
    for (std::size_t k = 0; k < places.size(); ++k)
      text += (k == 0                   ? ""
               : k + 1 == places.size() ? " and "
                                        : ", ") +
              shown(column.categories[places[k]]) + " (" + rows.rows_text(counts[places[k]]) + ")";
  }
  if (spellings.size() > told)
    text += " and " + std::to_string(spellings.size() - told) + " more such";
  to.push_back({TableWarning::Kind::spelling,
                column.name,
                text + ", which differ in capitals or blanks alone and count as different " +
                    (column.target ? "classes." : "categories."),
                {column.name}});
}

void check_date_texts(const ColumnSchema& column, Warnings& to) {
  const std::size_t begin = column.note.find(kLookLikeDates);
  if (begin == std::string::npos) return;
  to.push_back({TableWarning::Kind::dates,
                column.name,
                column.name + " is not read as dates, and " +
                    (column.kind == ColumnSchema::Kind::ignored
                         ? "left out: "
                         : "its texts are categories of which order and distance are lost: ") +
                    column.note.substr(begin, column.note.find("; ", begin) - begin) + ".",
                {column.name}});
}

}  // namespace

void check_categories(const SampledRows& rows, Warnings& to) {
  const std::vector<ColumnSchema>& columns = rows.schema().columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].kind == ColumnSchema::Kind::categorical) check_spelling(rows, c, to);
    check_date_texts(columns[c], to);
  }
}

void check_numbers_of_dates(const SampledRows& rows, Warnings& to) {
  constexpr std::size_t kLeastDifferent = 5;
  const std::vector<ColumnSchema>& columns = rows.schema().columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].kind != ColumnSchema::Kind::numeric || columns[c].target) continue;
    const std::vector<double>& numbers = rows.table.column(c).numbers;
    std::size_t known = 0;
    bool are_days = true;
    for (std::size_t row = 0; row < numbers.size() && are_days; ++row) {
      if (std::isnan(numbers[row])) continue;
      are_days = is_day_number(numbers[row]);
      ++known;
    }
    if (!are_days || known < kLeastChecked) continue;
    const Ranks ranks = ranks_of(numbers);
    if (ranks.different() < kLeastDifferent) continue;
    const std::string example = written(numbers[ranks.order.front()]);
    to.push_back({TableWarning::Kind::dates,
                  columns[c].name,
                  columns[c].name + " is read as amounts, and all " + rows.rows_text(known) +
                      " have numbers that look like days, such as " + example + ".",
                  {columns[c].name}});
  }
}

}  // namespace postrider::internal
