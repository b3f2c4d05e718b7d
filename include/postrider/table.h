// Tables from files: CSV and LIBSVM text, plain or compressed, read in chunks, with a schema that is
// inferred from the first rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "postrider/error.h"
#include "postrider/export.h"

namespace postrider {

namespace internal {
struct Access;
class TableReaderState;
}  // namespace internal

struct ColumnSchema {
  enum class Kind { numeric, categorical, ignored, date };
  // How the numbers or the dates of a column are written.
  enum class Form { decimal_point, decimal_comma, year_first, day_first, month_first };
  // What a network is told of a date: days since 1970, and where in the year, the week and the day it lies.
  enum class DatePart { trend, year, month, weekday, hour };

  std::string name;
  Kind kind = Kind::numeric;
  bool target = false;                       // else an input, unless it is ignored
  bool has_missing = false;                  // in the rows that the schema was inferred from
  std::vector<std::string> categories = {};  // of a categorical column; of a target, the classes
  std::string note = {};  // why it is ignored, or what else it might be; empty if nothing is to say
  Form form = Form::decimal_point;  // of numbers and dates
  // That numbers are written with: the sign of a currency, or %; empty if none is.
  std::string unit = {};
  // The few texts among numbers or dates, which are read as missing.
  std::vector<std::string> odd = {};
  std::vector<DatePart> parts = {};  // of dates, those that vary
  // Inputs that the texts share which are none of the categories; 0: such a text is unknown.
  std::size_t hashed = 0;
  // Where the first cell stands that the note speaks of, such as "line 7"; model files do not keep it.
  std::string place = {};

  // All but the place, so that columns of a file and of a stream are the same.
  bool operator==(const ColumnSchema& other) const;
};

POSTRIDER_EXPORT std::string_view to_string(ColumnSchema::Kind kind);
POSTRIDER_EXPORT std::string_view to_string(ColumnSchema::Form form);
POSTRIDER_EXPORT std::string_view to_string(ColumnSchema::DatePart part);

// What the columns of a table are. docs/columns.md states the rules of inference.
struct POSTRIDER_EXPORT Schema {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // Which column an input of the network comes from.
  struct Feature {
    std::string name;        // such as "age", "age is missing" or "sex = male"
    std::size_t column = 0;  // its place in the schema

    bool operator==(const Feature&) const = default;
  };

  std::vector<ColumnSchema> columns;
  std::vector<std::string> na = {};  // cells that are missing, besides those that always are

  std::size_t find(std::string_view name) const;  // a column's place, or kNone
  std::size_t target() const;                     // its place, or kNone
  bool classifies() const;                        // whether the target is categorical
  void validate() const;                          // throws InvalidArgument

  bool operator==(const Schema&) const = default;
};

struct POSTRIDER_EXPORT TableOptions {
  enum class Format { infer, csv, libsvm };  // inferred from the first line

  Format format = Format::infer;
  char delimiter =
      '\0';            // of CSV; '\0': the one of , ; | and tab that the first line has most often
  bool header = true;  // of CSV: whether the first line names the columns; else column_1, ...

  // For the schema. The target of LIBSVM text is the column "label", and needs no name here.
  std::string target = {};  // empty: none
  bool classify = false;    // take a numeric target's values as classes
  bool regress = false;     // take them as amounts, also if they are 0 and 1
  std::vector<std::string> categorical = {}, numeric = {},
                           ignored = {};  // names; overrule inference
  std::vector<std::string> na = {};       // cells that are missing, besides those that always are
  bool keep_constants = false;            // columns of one value, from which no model can learn
  std::size_t most_categories = 200;  // of more texts, rare ones share inputs; and the most classes
  std::size_t sample_rows = 100'000;  // the first rows, from which the schema is inferred
  std::size_t most_columns = 100'000;  // a file that says more is taken for damaged

  // For CSV and Arrow streams: columns whose texts are kept as they are, whatever else they are.
  std::vector<std::string> keys = {};
  // For the same: a column that says how often each row counts. It is not an input. Empty: there is none.
  std::string weights = {};

  // Rows that cannot be read, with more or fewer cells than the header or a text among numbers, are passed over and
  // counted; else the first of them is an error.
  bool skip_bad = false;
  // With a schema: a table may lack some of its inputs, not all of them, whose cells are then missing in all rows; else that is an error. See
  // TableReader::absent().
  bool may_lack_columns = false;

  std::size_t chunk_rows = 8192;              // at most
  std::size_t most_bytes_per_row = 16 << 20;  // a longer line, or an unclosed quote, is an error

  void validate() const;  // throws InvalidArgument
};

// Some rows, column by column.
class POSTRIDER_EXPORT Table {
 public:
  // A row or a cell that cannot be read. The message is `<place>: <reason>`.
  class POSTRIDER_EXPORT Unreadable : public CorruptFile {
   public:
    Unreadable(const std::string& place, std::string reason)
        : CorruptFile(place + ": " + reason), reason_(std::move(reason)) {}

    // The message without the place, for those who know the row by another one.
    const std::string& reason() const { return reason_; }

   private:
    std::string reason_;
  };

  // The cells of one column: numbers, dates, or the places of their categories in the schema.
  struct Column {
    static constexpr std::uint32_t kMissing = 0xffffffff;
    static constexpr std::uint32_t kUnknown =
        0xfffffffe;  // a category that the schema does not have

    // Cells of a numeric column; dates are seconds since 1970 by the clock that wrote them. NaN where missing.
    std::vector<double> numbers = {};
    // Cells of a categorical one. Behind the places of the categories come those of the inputs that others share.
    std::vector<std::uint32_t> codes = {};
  };

  class Builder;  // in postrider/table_builder.h

  Table() = default;
  // One column for each of the schema. Those of ignored columns are empty; so is the target's where
  // it is not known. Throws InvalidArgument if sizes differ or a code is none of the column's.
  Table(Schema schema, std::vector<Column> columns);

  const Schema& schema() const { return *schema_; }
  std::size_t rows() const { return rows_; }
  const Column& column(std::size_t place) const { return columns_.at(place); }
  bool has_target() const;
  // The line of the file on which a row begins, from 1; 0 if there was no file.
  std::size_t line(std::size_t row) const { return row < lines_.size() ? lines_[row] : 0; }
  // The text of a row in one of the columns that were asked for as keys.
  const std::string& key(std::size_t which, std::size_t row) const {
    return keys_.at(which).at(row);
  }
  // Those of all rows.
  std::vector<std::string> keys(std::size_t which) const;
  // How often each row counts; empty: once.
  const std::vector<double>& weights() const { return weights_; }
  // Rows behind these. Throws InvalidArgument if they are of another schema; a table without rows takes any.
  void append(const Table& more);
  // Some rows, in this order.
  Table selected(std::span<const std::size_t> rows) const;

 private:
  friend class internal::TableReaderState;
  std::shared_ptr<const Schema> schema_ = std::make_shared<Schema>();
  std::vector<Column> columns_;
  std::size_t rows_ = 0;
  std::vector<std::size_t> lines_;
  std::vector<std::vector<std::string>> keys_;  // column by column
  std::vector<double> weights_;
};

// A date as text: 2026-11-16, or 2026-11-16 12:30 or 2026-11-16 12:30:59 where it is not midnight.
POSTRIDER_EXPORT std::string date_text(double seconds);

// Asks for the column that says which rows belong together, behind the keys that are there. It is no input unless the
// options say what it is: rows of new groups come with names that nobody has seen.
POSTRIDER_EXPORT void keep_group(const std::string& column, TableOptions& options);

// Cells of one column as numbers that can be put in order: numbers, or dates as seconds since 1970, read by the rules of
// tables. Throws InvalidArgument, naming the column, if one is missing or neither.
POSTRIDER_EXPORT std::vector<double> times_of(const std::string& column,
                                              std::span<const std::string> cells);

// Reads a file once, from front to end, in memory that does not grow with it. What is compressed by
// gzip or Zstandard is recognised by its first bytes. The path "-" is standard input. Throws Error,
// with the name of the file and the line, for what cannot be read.
class POSTRIDER_EXPORT TableReader {
 public:
  // Rows that a reader passed over, since they cannot be read.
  struct POSTRIDER_EXPORT Skipped {
    static constexpr std::size_t kMostListed = 100;

    std::size_t count = 0;
    std::vector<std::string> reasons = {};  // of the first ones, with file and line

    void add(const std::string& reason);
  };

  // Infers the schema from the first rows.
  explicit TableReader(const std::string& path, const TableOptions& options = {});
  // Takes the columns of this schema, by name and in any order; others are passed over. The target
  // may be absent. Of the options, those about the schema are not used.
  TableReader(const std::string& path, const Schema& schema, const TableOptions& options = {});
  // The same of a text that is in memory.
  static TableReader of_text(std::string text, const Schema& schema,
                             const TableOptions& options = {});
  // Infers the schema from its first rows.
  static TableReader of_text(std::string text, const TableOptions& options);
  ~TableReader();
  TableReader(TableReader&&) noexcept;
  TableReader& operator=(TableReader&&) noexcept;

  const Schema& schema() const;
  // The next rows; false, and none, at the end. Where the schema was inferred, the first chunk holds
  // the rows of the sample.
  bool next(Table& chunk);
  // Will be called with each chunk that next() hands out, whoever asks for it.
  void observe(std::function<void(const Table&)> observer);

  const Skipped& skipped() const;           // so far; see TableOptions::skip_bad
  std::vector<std::string> absent() const;  // columns of the schema that the table lacks
  const std::string& path() const;          // empty if there is no file, as of read_arrow()
  std::size_t rows() const;                 // handed out so far
  std::uint64_t bytes_read() const;         // of the file as it is stored
  std::uint64_t bytes_decoded() const;      // of its text
  std::uint64_t file_bytes() const;         // 0 where it has no size, as standard input

 private:
  friend struct internal::Access;
  explicit TableReader(std::unique_ptr<internal::TableReaderState> state);
  std::unique_ptr<internal::TableReaderState> state_;
};

}  // namespace postrider
