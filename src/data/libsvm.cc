#include "data/libsvm.h"

#include <algorithm>
#include <charconv>

#include "data/cell.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

// Plain comparisons: words are short, and searching for a set of characters takes several times as long.
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
constexpr std::string_view kQuery = "qid:";

// The next word, taken off the front; empty if there is none.
std::string_view take_word(std::string_view& text) {
  std::size_t begin = 0;
  while (begin < text.size() && is_blank(text[begin])) ++begin;
  std::size_t end = begin;
  while (end < text.size() && !is_blank(text[end])) ++end;
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

// 0 if it is no whole number that fits.
std::uint32_t index_of(std::string_view text) {
  std::uint32_t index = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), index);
  return trouble == std::errc() && end == text.data() + text.size() ? index : 0;
}

bool is_pair(std::string_view word) {
  const std::size_t colon = word.find(':');
  return colon != std::string_view::npos && index_of(word.substr(0, colon)) > 0 &&
         read_cell(word.substr(colon + 1)).kind == CellKind::number;
}

}  // namespace

LibsvmReader::LibsvmReader(std::unique_ptr<ByteSource> source, const std::string& name,
                           std::size_t most_index, std::size_t most_bytes_per_row,
                           SkippedRows* skipped)
    : window_(std::move(source), name, most_bytes_per_row),
      most_index_(most_index),
      skipped_(skipped) {}

void LibsvmReader::read_pairs(std::string_view text, SparseRows& to) {
  const std::size_t begin = to.indices.size();
  for (;;) {
    const std::string_view pair = take_word(text);
    if (pair.empty()) return;
    if (pair.starts_with(kQuery)) continue;
    const std::size_t colon = pair.find(':');
    if (colon == std::string_view::npos)
      window_.fail(line_, shown(pair) + " must be a pair index:value");
    const std::uint32_t index = index_of(pair.substr(0, colon));
    if (index == 0)
      window_.fail(line_, "the index of " + shown(pair) + " must be a whole number from 1");
    if (index > most_index_)
      window_.fail(line_, "the index of " + shown(pair) + " must be at most " +
                              std::to_string(most_index_) + ", the most columns that are read");
    if (to.indices.size() > begin && index <= to.indices.back())
      window_.fail(line_, "the index of " + shown(pair) + " must be above the one before it, " +
                              std::to_string(to.indices.back()));
    const Cell value = read_cell_in_place(pair.substr(colon + 1));
    if (value.kind == CellKind::text || value.kind == CellKind::infinite)
      window_.fail(line_, "the value of " + shown(pair) + " must be a finite number");
    to.indices.push_back(index);
    to.values.push_back(value.number);
  }
}

bool LibsvmReader::read_pairs_or_skip(std::string_view text, SparseRows& to) {
  const std::size_t before = to.indices.size();
  try {
    read_pairs(text, to);
    return true;
  } catch (const CorruptFile& error) {
    if (skipped_ == nullptr) throw;
    skipped_->add(error.what());
  }
  to.indices.resize(before);
  to.values.resize(before);
  return false;
}

bool LibsvmReader::read(SparseRows& to) {
  for (;;) {
    std::string_view text = window_.next_line(line_ + 1);
    if (text.empty()) return false;
    ++line_;
    text = text.substr(0, text.find('#'));
    std::string_view rest = text;
    const std::string_view label = take_word(rest);
    if (label.empty()) continue;
    const bool has_label = label.find(':') == std::string_view::npos;
    if (!read_pairs_or_skip(has_label ? rest : text, to)) continue;
    to.labels.add(has_label ? label : std::string_view());
    to.ends.push_back(to.indices.size());
    to.lines.push_back(line_);
    return true;
  }
}

bool looks_like_libsvm(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, length);
    line = line.substr(0, line.find('#'));
    text.remove_prefix(std::min(length + 1, text.size()));
    const std::string_view label = take_word(line);
    if (label.empty()) continue;
    if (is_pair(label)) return true;  // a row without a label
    const std::string_view pair = take_word(line);
    return read_cell(label).kind == CellKind::number && (is_pair(pair) || pair.starts_with(kQuery));
  }
  return false;
}

}  // namespace postrider::internal
