#include "data/markers.h"

#include <algorithm>

#include "data/cell.h"

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

}  // namespace postrider::internal
