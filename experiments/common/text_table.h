// Reading the data sets' text files.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace postrider::experiments {

// The path of a file below the data folder, plain or, if only that is there, with ".zst" appended;
// throws InvalidArgument if there is neither.
std::string existing(const std::string& data, const std::string& file);

// All lines but the heading. Compressed files go through the program zstd, which spares us a library
// for a few files.
std::vector<std::string> read_lines(const std::string& path);

// Between commas; quotes have no meaning.
std::vector<std::string> fields_of(const std::string& line);

// The whole field as a number; `where` is for the complaint if it is none.
double number_of(const std::string& field, const std::string& where);

// A file in which every field is a number.
struct NumberTable {
  std::size_t columns = 0;
  std::vector<double> values;  // row by row

  std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
};
NumberTable read_numbers(const std::string& path);

// splits.csv: per split the rows to test on; all others are for training.
std::vector<std::vector<std::size_t>> read_splits(const std::string& path);

// Whether a row is in the list, for all rows.
std::vector<bool> membership(const std::vector<std::size_t>& listed, std::size_t rows);

}  // namespace postrider::experiments
