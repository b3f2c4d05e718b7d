// Rows of inputs as the sweeps take them: inputs that are zero are not there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace postrider::internal {

// One row: its columns in ascending order, a mean for each, and a variance unless all are known.
template <class T>
struct InputRow {
  std::span<const std::uint32_t> columns;
  std::span<const T> means, variances;

  T variance(std::size_t at) const { return variances.empty() ? T{0} : variances[at]; }
};

template <class T>
struct InputRowsView {
  std::span<const std::size_t> begins;  // of each row among the columns, and the end of the last
  std::span<const std::uint32_t> columns;
  std::span<const T> means, variances;  // variances: one for each mean, or none

  std::size_t size() const { return begins.empty() ? 0 : begins.size() - 1; }
  InputRow<T> row(std::size_t number) const {
    const std::size_t begin = begins[number], count = begins[number + 1] - begin;
    return {columns.subspan(begin, count), means.subspan(begin, count),
            variances.empty() ? variances : variances.subspan(begin, count)};
  }
};

// Such rows, put down one after another.
template <class T>
class StoredInputs {
 public:
  // From arrays that hold all inputs of all rows; variances may be none.
  static StoredInputs of_dense(std::span<const T> means, std::span<const T> variances,
                               std::size_t columns) {
    StoredInputs out;
    for (std::size_t i = 0; i < means.size(); ++i) {
      out.add(i % columns, means[i], variances.empty() ? T{0} : variances[i]);
      if ((i + 1) % columns == 0) out.end_row();
    }
    return out;
  }

  // To the row that is put down; columns in ascending order.
  void add(std::size_t column, T mean, T variance) {
    if (mean == 0 && variance == 0) return;
    if (variance != 0 && variances_.empty()) variances_.resize(means_.size());
    const bool has_variances = variance != 0 || !variances_.empty();
    columns_.push_back(static_cast<std::uint32_t>(column));
    means_.push_back(mean);
    if (has_variances) variances_.push_back(variance);
  }
  void end_row() { begins_.push_back(columns_.size()); }
  void shrink() {
    begins_.shrink_to_fit();
    columns_.shrink_to_fit();
    means_.shrink_to_fit();
    variances_.shrink_to_fit();
  }

  InputRowsView<T> view() const { return {begins_, columns_, means_, variances_}; }
  std::size_t size() const { return begins_.size() - 1; }
  InputRow<T> row(std::size_t number) const { return view().row(number); }

 private:
  std::vector<std::size_t> begins_{0};
  std::vector<std::uint32_t> columns_;
  std::vector<T> means_, variances_;
};

// Inputs of the first layer that are not zero for all examples in flight, in ascending order. All others hold
// zeros, which makes it cheap to put others in their place.
class ActiveColumns {
 public:
  std::span<const std::uint32_t> columns() const { return columns_; }
  std::size_t examples() const { return examples_; }  // in flight

  void begin(std::size_t examples) {
    columns_.clear();
    examples_ = examples;
  }
  void add(std::span<const std::uint32_t> columns) {
    if (columns_.empty()) {
      columns_.assign(columns.begin(), columns.end());
      return;
    }
    if (std::ranges::equal(columns, columns_)) return;
    scratch_.clear();
    std::ranges::set_union(columns_, columns, std::back_inserter(scratch_));
    columns_.swap(scratch_);
  }
  // The bias, which comes after all inputs.
  void add_last(std::size_t column) { columns_.push_back(static_cast<std::uint32_t>(column)); }

 private:
  std::vector<std::uint32_t> columns_, scratch_;
  std::size_t examples_ = 0;
};

}  // namespace postrider::internal
