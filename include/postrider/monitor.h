// What the columns of a table look like, and whether other rows look the same; which rows were learned before, which are copies, and
// which columns only name rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "postrider/export.h"
#include "postrider/table.h"

namespace postrider {

namespace internal {
class DriftWatchState;
class DriftWindowState;
class FarRowWatchState;
}  // namespace internal

// A value that tells a few thousand numbers of the rows that a model has learned. The first call of add() fixes the
// knots; afterwards it does not matter how rows are cut into calls.
struct POSTRIDER_EXPORT TableProfile {
  // One column of the rows that a model has learned.
  struct Column {
    std::string name;
    ColumnSchema::Kind kind = ColumnSchema::Kind::numeric;
    bool target = false;
    std::size_t shared = 0;  // of a categorical column, places that rare texts share
    std::size_t rows = 0, missing = 0;
    // The range of numbers, and of dates in seconds, over all rows.
    double least = 0, largest = 0;
    // The median of absolute values other than 0, of the first rows; 0 if there is none.
    double magnitude = 0;
    // For numbers and dates: least, quantiles and largest of the first rows, each once, ascending.
    std::vector<double> knots = {};
    // For numbers and dates, the rows at or below each knot that are above the one before, and last those above all. For a
    // categorical column, the rows of each code, and last those of texts that the schema does not know. Empty if the first
    // rows have no value.
    std::vector<std::size_t> counts = {};

    bool operator==(const Column&) const = default;
  };

  // A few of the rows that were learned, by which it is known of other rows whether they were: those with the least hashes, all if they
  // are no more. Rows without a target do not count, nor do cells of ignored columns and of those behind TableProfile::kMostColumns.
  struct POSTRIDER_EXPORT Sample {
    static constexpr std::size_t kMost = 512;

    std::map<std::uint64_t, std::uint64_t> rows;  // how often each came

    std::uint64_t largest() const;  // hash that is looked at
    void add(const Table& table);
    bool operator==(const Sample&) const = default;
  };

  static constexpr std::size_t kMostColumns = 500;  // those behind them are not watched
  static constexpr std::int32_t kNoPosition = INT32_MIN;

  std::vector<Column> columns;  // in the order of the schema, with the target
  // Every so many-th row, at most 512: of each column but the target, a code, or a position in thousandths.
  std::size_t rows = 0, stride = 1;
  std::vector<std::vector<std::int32_t>> kept = {};
  Sample sample = {};

  bool is_empty() const { return columns.empty(); }
  void add(const Table& table);

  bool operator==(const TableProfile&) const = default;
};

// Where a number stands among the first rows: 0 and 1 are their least and largest, each gap between knots is as long as
// another, and beyond them a step is the whole range.
POSTRIDER_EXPORT double position_of(const TableProfile::Column& column, double number);

// Counts rows that a sample knows, chunk by chunk.
class POSTRIDER_EXPORT RepeatWatch {
 public:
  // How many of some rows were learned before.
  struct POSTRIDER_EXPORT Found {
    std::size_t rows = 0, repeated = 0;
    bool is_exact = true;  // else estimated by a sample

    std::string text() const;  // such as "about 950 of 1000 rows were learned before"
    // What figures of these rows are worth, such as "552 of 700 rows were learned by this model: these figures say how well it
    // remembers, not how well it predicts"; empty if none was learned.
    std::string warning() const;
  };

  explicit RepeatWatch(TableProfile::Sample sample) : sample_(std::move(sample)) {}

  void add(const Table& table);
  // None where that many may be alike by chance, as in a table of a few categories.
  Found found() const;

 private:
  TableProfile::Sample sample_;
  std::size_t rows_ = 0, looked_at_ = 0, known_ = 0;
};

// Counts copies, chunk by chunk, and keeps eight bytes of each row. Rows without a target do not count, nor do cells of ignored
// columns.
class POSTRIDER_EXPORT CopyWatch {
 public:
  // How many of some rows are exact copies of others: the same inputs and the same target. Of rows that are alike, one is none.
  struct POSTRIDER_EXPORT Found {
    std::size_t rows = 0, copies = 0;

    std::string text() const;  // such as "300 of 3300 rows are exact copies of others"
  };

  void add(const Table& table);
  Found found() const;

 private:
  std::vector<std::uint64_t> hashes_;
};

// The rows that are no copies of one before them, in order.
POSTRIDER_EXPORT std::vector<std::size_t> distinct_rows(const Table& table);

// A column that names rows rather than says something about them.
struct Identifier {
  std::string column;
  bool is_input = false;  // the model would learn from it
};
// Texts of which nearly all differ, and whole numbers that are all different and lie close together, as numbers that
// were counted up do.
POSTRIDER_EXPORT std::vector<Identifier> identifiers_of(const Table& table);

// Compares rows with a profile, chunk by chunk. What is warned of is both large enough to matter and beyond what chance does:
// of files that are drawn as the learned rows were, at most one in a hundred gives a warning.
class POSTRIDER_EXPORT DriftWatch {
 public:
  struct Warning {
    enum class Kind {
      unit,     // the values are as if they were in another unit
      range,    // values beyond all that were learned
      shape,    // the same range, but other values are common
      levels,   // categories that were not learned
      missing,  // more cells are missing, or fewer
    };

    std::string column;
    Kind kind = Kind::shape;
    double learned = 0, found = 0;  // magnitudes of `unit`, shares of the others
    std::string text = {};          // what a person is told, without the column's name
  };

  explicit DriftWatch(const TableProfile& profile);
  ~DriftWatch();
  DriftWatch(DriftWatch&&) noexcept;
  DriftWatch& operator=(DriftWatch&&) noexcept;

  void add(const Table& table);
  std::size_t rows() const;
  // In the order of the columns, one for each at most.
  std::vector<Warning> warnings() const;

 private:
  std::unique_ptr<internal::DriftWatchState> state_;
};

POSTRIDER_EXPORT std::string_view to_string(DriftWatch::Warning::Kind kind);

// All that is to be said of rows as they come, chunk by chunk, before a model learns them or judges itself by them.
class POSTRIDER_EXPORT RowMonitor {
 public:
  // Which rows these are, in whatever order. Cells of ignored columns do not count.
  struct POSTRIDER_EXPORT Digest {
    std::uint64_t rows = 0, first = 0, second = 0;

    void add(const Table& table);
    bool operator==(const Digest&) const = default;
  };

  explicit RowMonitor(const TableProfile& profile);

  void add(const Table& table);
  const Digest& digest() const { return digest_; }
  // How many of them the model had learned when this was made.
  RepeatWatch::Found repeated() const { return repeats_.found(); }
  std::vector<DriftWatch::Warning> warnings() const { return drift_.warnings(); }

 private:
  DriftWatch drift_;
  RepeatWatch repeats_;
  Digest digest_;
};

// Whether rows that come without end look as those that were learned: judged by windows, so that a change is not lost among all rows
// before it. For any number of threads.
class POSTRIDER_EXPORT DriftWindow {
 public:
  static constexpr std::size_t kWindow = 20'000;  // rows

  explicit DriftWindow(const TableProfile& profile, std::size_t rows = kWindow);
  ~DriftWindow();

  void add(const Table& table);
  // About the rows of this window, or of the last one while there are few.
  std::vector<DriftWatch::Warning> warnings() const;

 private:
  std::unique_ptr<internal::DriftWindowState> state_;
};

// Which rows are far from all rows that were learned. The distance of a row to one of these is the root of a sum over the inputs: the
// squared difference of positions; 1/2 for two different categories, 1 for one that was not learned. Where a learned row has no number,
// the mean squared difference to a position drawn evenly, (p - 1/2)^2 + 1/12; where else one of both is missing, 1/6. A row is
// far if the nearest of the rows kept is 1.5 times as far as, for 99 % of these, the nearest other one is, and at least 1/4.
class POSTRIDER_EXPORT FarRowWatch {
 public:
  static constexpr std::size_t kLeastRows = 20;  // that are kept, to tell anything

  explicit FarRowWatch(const TableProfile& profile);
  ~FarRowWatch();
  FarRowWatch(FarRowWatch&&) noexcept;
  FarRowWatch& operator=(FarRowWatch&&) noexcept;

  // False where the profile has too few rows to tell.
  bool is_able() const;
  double limit() const;  // of the distance
  std::vector<double> distances(const Table& table) const;
  std::vector<bool> are_far(const Table& table) const;

 private:
  std::unique_ptr<internal::FarRowWatchState> state_;
};

}  // namespace postrider
