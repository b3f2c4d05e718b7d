// LIBSVM text: a label and index:value pairs per line, what is not written being zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.h"
#include "data/cell_columns.h"
#include "data/text_window.h"

namespace postrider::internal {

// What is written in some rows, one after the other.
struct LibsvmText {
  Texts labels;                        // empty where a line has none
  std::vector<std::uint32_t> indices;  // from 1, ascending in a row
  std::vector<double> values;          // NaN where missing
  std::vector<std::size_t> ends;       // of each row, among indices and values
  std::vector<std::size_t> lines;      // from 1

  std::size_t rows() const { return ends.size(); }
  std::size_t begin_of(std::size_t row) const { return row == 0 ? 0 : ends[row - 1]; }
};

// Lines end with LF or CR LF; what follows # is a comment; a pair "qid:..." is passed over.
class LibsvmReader {
 public:
  LibsvmReader(std::unique_ptr<ByteSource> source, const std::string& name, std::size_t most_index,
               std::size_t most_bytes_per_row, TableReader::Skipped* skipped = nullptr);

  const TextWindow& window() const { return window_; }
  // Adds the next row; false at the end.
  bool read(LibsvmText& to);

 private:
  void read_pairs(std::string_view text, LibsvmText& to);
  bool read_pairs_or_skip(std::string_view text, LibsvmText& to);

  TextWindow window_;
  std::size_t most_index_;
  std::size_t line_ = 0;
  TableReader::Skipped* skipped_;  // where rows go that cannot be read; nullptr: they are errors
};

// Whether a text begins as LIBSVM text does: with a pair, or with a number and then a pair.
bool looks_like_libsvm(std::string_view text);

}  // namespace postrider::internal
