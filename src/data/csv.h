// Tables as text with delimiters: RFC 4180, with what files in the wild add to it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.h"
#include "data/cell_columns.h"
#include "data/text_window.h"

namespace postrider::internal {

struct CsvOptions {
  char delimiter = '\0';  // '\0': inferred from the first line
  bool header = true;
  std::size_t most_columns = 100'000;
  std::size_t most_bytes_per_row = 16 << 20;
  TableReader::Skipped* skipped =
      nullptr;  // where rows go that cannot be read; nullptr: they are errors
};

// Lines end with LF or CR LF. A cell in quotes may hold delimiters, line ends and doubled quotes. A
// byte order mark is passed over, and so are empty lines where there is more than one column. A row
// with more or fewer cells than the first is an error.
class CsvReader {
 public:
  CsvReader(std::unique_ptr<ByteSource> source, const std::string& name, const CsvOptions& options);

  const std::vector<std::string>& header() const { return header_; }
  char delimiter() const { return delimiter_; }
  const TextWindow& window() const { return window_; }
  // The lines, from 1, on which the rows of the last read() begin.
  const std::vector<std::size_t>& row_lines() const { return row_lines_; }

  // Fills the columns with at most this many rows, and says how many; 0 at the end. `rows_before`
  // are kept: the new ones come behind them.
  std::size_t read(std::span<CellColumn> columns, std::size_t rows, std::size_t rows_before = 0);

 private:
  enum class Ended { cell, row, cut };
  enum class Row { whole, blank, cut, none };

  void read_header(const CsvOptions& options);
  char inferred_delimiter();
  void set_delimiter(char delimiter);
  Row read_row(std::span<CellColumn> columns, std::size_t row);
  Row read_row_or_skip(std::span<CellColumn> columns, std::size_t row);
  const char* behind_number(const char* at, bool is_last_column, double& number) const;
  Ended read_cell_into(CellColumn& column, std::size_t row, const char*& at);
  Ended take_text(const char*& at, std::string_view& text);
  Ended take_quoted(const char*& at, std::string_view& text);
  Ended end_of_cell(const char*& at);
  bool at_empty_line(const char* at) const;

  TextWindow window_;
  std::vector<std::string> header_;
  char delimiter_ = ',';
  std::array<bool, 256> stops_{};  // bytes that may end a plain cell
  bool quoted_ = false;            // whether the cell just taken was
  std::string unescaped_;
  TableReader::Skipped* skipped_;
  std::vector<std::size_t> row_lines_;
  std::size_t line_ = 1;
  std::size_t lines_inside_ = 0;  // line ends in the cells of the row being read
};

}  // namespace postrider::internal
