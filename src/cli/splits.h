// Which rows train holds out or deals to folds, as the user asks: at random, by time, by group.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "postrider/splits.h"
#include "postrider/table.h"

namespace postrider::cli {

struct SplitRequest {
  double validation = 0;   // share of the rows
  std::size_t folds = 0;   // 0: none
  std::string time = {};   // a column; empty: none
  std::string group = {};  // the same

  // Throws InvalidArgument.
  void expect_possible() const;
};

// Rows that are held out, and in words which they are: "by time, from 2012-08-08 on".
struct Split {
  Fold fold;
  std::string words;
};

// What a split needs of a table, whose keys are the user's, then time, then group.
class Splitter {
 public:
  Splitter(const SplitRequest& request, const Table& table, std::size_t user_keys,
           std::uint64_t seed);

  bool is_by_rows() const { return times_.empty() && groups_.empty(); }
  Split held_out() const;
  std::vector<Fold> folds() const;     // by time or group
  std::string words_of_folds() const;  // "by time: each fold learns what came before it"
  // Those of all rows; none if rows are apart.
  std::vector<std::uint32_t> groups() const;

 private:
  const SplitRequest& request_;
  std::size_t rows_;
  std::uint64_t seed_;
  std::vector<std::string> time_texts_, groups_;
  std::vector<double> times_;
};

}  // namespace postrider::cli
