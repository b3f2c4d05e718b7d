// The inside of a TableCheck.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "postrider/monitor.h"
#include "postrider/table_warnings.h"

namespace postrider::internal {

class TableCheckState {
 public:
  static constexpr std::size_t kNoPlace = std::numeric_limits<std::size_t>::max();

  void add(const Table& table);
  std::vector<TableWarning> warnings(double level) const;

  // The rows that are looked at, and the place of each among all rows that have a target; kNoPlace if it has none.
  const Table& kept() const { return kept_; }
  const std::vector<std::size_t>& places() const { return places_; }

 private:
  void thin();
  void keep(const Table& table, const std::vector<std::size_t>& known);
  void count_classes(const Table& table, const std::vector<std::size_t>& known);

  Table kept_;
  std::vector<std::size_t> places_;
  std::size_t rows_ = 0, stride_ = 1;
  std::size_t known_ = 0;  // rows with a target
  std::vector<std::size_t> classes_;
  CopyWatch copies_;
};

}  // namespace postrider::internal
