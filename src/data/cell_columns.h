// Cells that stand for nothing in one table or column, besides those that always do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "postrider/table.h"

namespace postrider::internal {

class Markers {
 public:
  Markers() = default;
  explicit Markers(std::span<const std::string> words) { add(words); }

  void add(std::span<const std::string> words);
  // Whether a trimmed cell is one of the words, in capitals or not.
  bool has_text(std::string_view cell) const;
  // A word that is a number stands for its value, however that is written.
  bool has_number(double number) const;
  bool has_numbers() const { return !numbers_.empty(); }

 private:
  std::vector<std::string> words_;
  std::vector<double> numbers_;
};

// --- Columns that a reader of text fills.

// The places of categories.
class Dictionary {
 public:
  Dictionary() = default;
  explicit Dictionary(const std::vector<std::string>& categories) {
    for (const std::string& category : categories)
      places_.emplace(category, static_cast<std::uint32_t>(places_.size()));
  }
  std::uint32_t find(std::string_view category) const {
    const auto found = places_.find(category);
    return found == places_.end() ? Table::Column::kUnknown : found->second;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> places_;
};

// Many texts in one piece of memory.
class Texts {
 public:
  std::size_t size() const { return ends_.size(); }
  std::size_t bytes() const { return text_.size() + ends_.size() * sizeof(ends_[0]); }
  void add(std::string_view text) {
    text_ += text;
    ends_.push_back(text_.size());
  }
  std::string_view operator[](std::size_t at) const {
    const std::size_t begin = at == 0 ? 0 : ends_[at - 1];
    return std::string_view(text_).substr(begin, ends_[at] - begin);
  }
  void shorten(std::size_t size) {
    if (size >= ends_.size()) return;
    text_.resize(size == 0 ? 0 : ends_[size - 1]);
    ends_.resize(size);
  }

 private:
  std::string text_;
  std::vector<std::size_t> ends_;
};

// A number may be read as it comes; a written one must be looked at, since its comma is decimal or its value may
// stand for nothing.
enum class CellUse { skip, text, number, written, date, code };

struct CellColumn {
  CellUse use = CellUse::skip;
  std::string name = {};                   // for messages
  Dictionary dictionary = {};              // of codes
  bool must_be_known = false;              // a text that is not in the dictionary is an error
  std::size_t categories = 0, hashed = 0;  // as the schema has them
  std::vector<double> class_values = {};  // of a target, those that are numbers: 1.0 is the class 1
  ColumnSchema::Form form = ColumnSchema::Form::decimal_point;
  std::string unit = {};
  Markers markers = {};
  Table::Column cells = {};  // numbers and codes
  Texts texts = {};          // trimmed, unless they were quoted
  bool is_key = false;       // texts are kept besides what they are used for

  bool has_numbers() const {
    return use == CellUse::number || use == CellUse::written || use == CellUse::date;
  }
  bool keeps_texts() const { return use == CellUse::text || is_key; }
  void resize(std::size_t rows) {
    if (has_numbers()) cells.numbers.resize(rows);
    if (use == CellUse::code) cells.codes.resize(rows);
    if (keeps_texts()) texts.shorten(rows);
  }
};

// Where a cell stands, for messages.
struct CellPlace {
  const std::string& file;
  std::size_t line;
  const char* unit = "line";
};
// Puts a cell's text to its use; numbers and codes at this row, texts behind the others. Throws Error
// if it is no number where one must be, or of no known category.
void put_cell(CellColumn& column, std::size_t row, std::string_view cell, const CellPlace& place);

// The FNV-1a hash of a text, of 64 bits, mixed so that all bits count; of several texts one begins where another ended. Models
// depend on it: it must never change.
inline constexpr std::uint64_t kTextHashStart = 0xcbf29ce484222325;
std::uint64_t mixed_hash(std::uint64_t hash);
std::uint64_t text_hash(std::string_view text, std::uint64_t start = kTextHashStart);
// Which of so many inputs a text shares with others: the remainder of its hash.
std::size_t hashed_place(std::string_view text, std::size_t places);

// What missing cells look like, for messages.
inline constexpr const char* kMissingCells =
    "missing cells are empty, NA, N/A, NaN, null, None, ? or -, or named as such";

// A text for a message: in quotes, shortened, without bytes that are no UTF-8 or that a terminal would
// obey.
std::string shown(std::string_view text);
// The length of the character of UTF-8 at the front of a text that is not empty; 0 if there is none.
std::size_t utf8_length(std::string_view text);
bool is_utf8(std::string_view text);

}  // namespace postrider::internal
