// Rows of a table, from text of one format or another, or from Arrow batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/byte_source.h"
#include "data/cell_columns.h"
#include "data/text_window.h"
#include "postrider/table.h"

namespace postrider::internal {

// What was read so far.
struct ReadBytes {
  std::uint64_t stored = 0;   // as the file has them
  std::uint64_t decoded = 0;  // decompressed
  std::uint64_t all = 0;      // of the file; 0 where it has no size
};
inline ReadBytes read_bytes(const TextWindow& window) {
  return {window.source().stored_bytes(), window.decoded_bytes(), window.source().file_bytes()};
}

class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual const Schema& schema() const = 0;
  // Fills one column for each of the schema, and the lines, with the next rows; returns how many.
  virtual std::size_t read(std::vector<Table::Column>& columns,
                           std::vector<std::size_t>& lines) = 0;
  virtual ReadBytes bytes() const = 0;
  // For the rows that were read last, the texts of the columns that were asked for as keys.
  virtual std::vector<std::vector<std::string>> keys() const { return {}; }
  const TableReader::Skipped& skipped() const { return skipped_; }
  // Places in the schema of inputs that are not there.
  const std::vector<std::size_t>& absent() const { return absent_; }

 protected:
  // What is wrong with that, as a sentence about the table of this name; empty if nothing is.
  std::string trouble_with_absent(const std::string& name, bool may_lack_columns) const;

  TableReader::Skipped skipped_;
  std::vector<std::size_t> absent_;
};

// With a schema, its columns are taken by their names; without one, it is inferred.
struct RowRequest {
  std::unique_ptr<ByteSource> bytes;
  std::string name;  // of the file, for messages
  const TableOptions& options;
  const Schema* schema;
};
std::unique_ptr<RowSource> csv_rows(RowRequest request);
std::unique_ptr<RowSource> libsvm_rows(RowRequest request);

class ArrowBatches;
std::unique_ptr<RowSource> arrow_rows(ArrowBatches batches, const TableOptions& options,
                                      const Schema* schema);

// How the text of a column is put to use.
CellColumn cell_column(const Schema& schema, const ColumnSchema& column, bool is_inferred);
// Rows of a chunk: wide tables have fewer, so that its memory is bounded.
std::size_t chunk_rows(const TableOptions& options, std::size_t columns);

// Memory for the rows from which a schema is inferred.
inline constexpr std::size_t kSampleBytes = std::size_t{32} << 20;
inline constexpr std::size_t kSampleStep = 1024;  // rows between looks at the memory

}  // namespace postrider::internal
