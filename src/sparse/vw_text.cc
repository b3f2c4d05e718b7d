#include "sparse/vw_text.h"

#include <algorithm>
#include <limits>

#include "data/cell.h"
#include "data/cell_columns.h"

namespace postrider::internal::hashed {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view take_word(std::string_view& text) {
  std::size_t begin = 0;
  while (begin < text.size() && is_blank(text[begin])) ++begin;
  std::size_t end = begin;
  while (end < text.size() && !is_blank(text[end])) ++end;
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

// What stands before and behind the last colon.
struct Pair {
  std::string_view name, value;
  bool has_value;
};
Pair pair_of(std::string_view word) {
  const std::size_t colon = word.rfind(':');
  if (colon == std::string_view::npos) return {word, {}, false};
  return {word.substr(0, colon), word.substr(colon + 1), true};
}

}  // namespace

double VwReader::number(std::string_view text, std::string_view of) const {
  const Cell cell = read_cell_in_place(text);
  if (cell.kind != CellKind::number)
    window_.fail(line_, "the value of " + shown(of) + " must be a finite number");
  return cell.number;
}

void VwReader::read_label(std::string_view text, sparse::FeatureRows& to) {
  // A tag begins with an apostrophe, or touches the bar.
  const bool touches = !text.empty() && !is_blank(text.back());
  double numbers[3] = {std::numeric_limits<double>::quiet_NaN(), 1, 0};
  std::size_t count = 0;
  for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
    const bool is_last = text.find_first_not_of(kBlanks) == std::string_view::npos;
    if (is_last && (word[0] == '\'' || touches)) break;
    const Cell cell = read_cell_in_place(word);
    if (cell.kind != CellKind::number || count == std::size(numbers))
      window_.fail(line_, shown(word) + " is not a label, a weight, a base or a tag before the |");
    numbers[count++] = cell.number;
  }
  if (numbers[2] != 0) window_.fail(line_, "a base other than 0 cannot be used");
  if (!(numbers[1] >= 0)) window_.fail(line_, "the weight must be at least 0");
  to.targets.push_back(numbers[0]);
  to.weights.push_back(numbers[1]);
}

void VwReader::read_field(std::string_view text, sparse::FeatureRows& to) {
  std::string_view field;
  double scale = 1;
  if (!text.empty() && !is_blank(text[0])) {
    const std::string_view word = take_word(text);
    const Pair pair = pair_of(word);
    field = pair.name;
    if (pair.has_value) scale = number(pair.value, word);
  }
  const std::uint32_t number_of_field = sparse::field_number(field);
  for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
    const Pair pair = pair_of(word);
    const double value = scale * (pair.has_value ? number(pair.value, word) : 1);
    to.keys.push_back(sparse::feature_key(field, pair.name));
    to.values.push_back(static_cast<float>(value));
    to.fields.push_back(number_of_field);
  }
}

bool VwReader::read(sparse::FeatureRows& to) {
  for (;;) {
    std::string_view text = window_.next_line(line_ + 1);
    if (text.empty()) return false;
    ++line_;
    if (text.find_first_not_of(kBlanks) == std::string_view::npos) continue;
    std::size_t bar = text.find('|');
    if (bar == std::string_view::npos)
      window_.fail(line_, "has no |, behind which the inputs stand");
    read_label(text.substr(0, bar), to);
    while (bar != std::string_view::npos) {
      text.remove_prefix(bar + 1);
      bar = text.find('|');
      read_field(text.substr(0, bar), to);
    }
    to.ends.push_back(to.keys.size());
    to.lines.push_back(line_);
    return true;
  }
}

bool looks_like_vw(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find('\n')).find('|') != std::string_view::npos;
}

}  // namespace postrider::internal::hashed
