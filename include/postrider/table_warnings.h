// What is odd about a table, or about what a model says of its rows, and what mends it. docs/warnings.md lists all of it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "postrider/export.h"
#include "postrider/options.h"
#include "postrider/table.h"

namespace postrider {

namespace internal {
struct Access;
class TableCheckState;
}  // namespace internal

struct POSTRIDER_EXPORT TableWarning {
  enum class Kind {
    leak,          // a column that all but is the target
    identifier,    // a column that names rows, and tells their target
    copies,        // rows that repeat others
    sentinel,      // a number that stands for a missing one
    dates,         // dates that are not read as such
    spelling,      // categories that differ in capitals or blanks alone
    target,        // that lies on few numbers, or on one again and again
    imbalance,     // a class of very few rows
    few_rows,      // to know where intervals end
    learned_rows,  // figures that are made of rows which were learned
    coverage,      // a group of rows that intervals do not hold
    disagreement,  // rows that are predicted otherwise than those of training that were left out
  };

  Kind kind = Kind::leak;
  std::string column = {};               // as its header has it; empty where it is none alone
  std::string text = {};                 // what was seen, in one or two sentences
  std::vector<std::string> values = {};  // that the remedy names, as users write them

  // What to do about it, with options as the command line, Python or C++ spells them.
  std::string remedy(OptionInfo::Spelling spelling = OptionInfo::Spelling::cpp) const;

  bool operator==(const TableWarning&) const = default;
};

POSTRIDER_EXPORT std::string_view to_string(TableWarning::Kind kind);

// Looks at rows that are to be learned, chunk by chunk. All rows are counted; of more than 50 000 rows or four million cells
// the checks of columns see some that lie evenly among them. It does not matter how rows are cut into calls.
class POSTRIDER_EXPORT TableCheck {
 public:
  static constexpr double kLevel = 0.9;  // of intervals, where nobody asks for another

  TableCheck();
  ~TableCheck();
  TableCheck(TableCheck&&) noexcept;
  TableCheck& operator=(TableCheck&&) noexcept;

  // The chunks have one schema, with a target.
  void add(const Table& table);
  // Those about the table as a whole, then column by column.
  std::vector<TableWarning> warnings(double level = kLevel) const;

 private:
  friend struct internal::Access;
  std::unique_ptr<internal::TableCheckState> state_;
};

// Whether so many rows are too few to tell where intervals of this level end.
POSTRIDER_EXPORT bool are_few_rows(std::size_t rows, double level);
POSTRIDER_EXPORT TableWarning few_rows_warning(std::size_t rows, double level);

}  // namespace postrider
