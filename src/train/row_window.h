// A window of recent rows of a stream: what they say is kept apart from the beliefs as well, so that it can be
// said anew while they are in it.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "network/network_state.h"
#include "train/row_sweeps.h"
#include "train/training_rows.h"

namespace postrider::internal {

// A stream learns each row when little is known of the rows after it, and early ones when next to nothing is. Rows
// in the window are refreshed: their message is taken out of the beliefs, they are swept again, and what they say
// now takes its place. A row that leaves has become part of the beliefs. Rows that are predicted together are
// refreshed together.
//
// With forgetting, what a row said counts for less and less; its share of the belief is k^n of what it was n
// times of forgetting ago (see Drift), and it is swept anew with its messages raised to that power.
template <class T>
class RowWindow {
 public:
  // Blocks that are refreshed for each one that is new.
  static constexpr std::size_t kRefreshes = 2;

  // As many blocks of rows as so many bytes hold the messages of; none if that is not even one. `seed` draws which
  // are refreshed. The network must outlive it.
  RowWindow(NetworkArrays<T>& network, const network::Trainer::Task& task, std::size_t bytes,
            std::uint64_t seed);

  std::size_t capacity() const { return capacity_; }
  std::size_t size() const { return blocks_.size(); }

  // Around each row that is learned: its message is what the belief has gained meanwhile. It is a row of those
  // that `sweeps` has loaded.
  void before_row(const WeightMessages<T>& belief);
  void after_row(const WeightMessages<T>& belief, const ExamplesView<T>& examples, std::size_t row,
                 double weight);
  // After the drift of a row; so many have been learned.
  void after_drift(std::size_t seen);
  // The rows since the last call are a block, and others are refreshed. With a horizon above 1 those of a block
  // are judged without all of it, as in the stream.
  void end_block(WeightMessages<T>& belief, const std::vector<double>& noise, std::size_t seen,
                 bool looks_ahead, Sweeper<T>& with);
  // All rows leave.
  void clear();

 private:
  struct Block {
    std::size_t slot;                  // where its message is
    std::size_t born = 0, stored = 0;  // how often all had been forgotten then
    std::unique_ptr<TrainingRows> rows = {};
    std::vector<double> targets = {}, weights = {};
  };
  // Rows of the block that is not ended.
  struct Open {
    SparseInputs inputs;
    std::vector<double> targets, weights;
  };

  std::span<T> tau(std::size_t slot) { return std::span(tau_).subspan(slot * numbers_, numbers_); }
  std::span<T> rho(std::size_t slot) { return std::span(rho_).subspan(slot * numbers_, numbers_); }
  void refresh(Block& block, WeightMessages<T>& belief, std::size_t forgotten, bool looks_ahead,
               Sweeper<T>& with);

  NetworkArrays<T>& network_;
  network::Trainer::Task task_;
  std::size_t numbers_, capacity_, next_slot_ = 0;
  std::uint64_t seed_;
  double keep_;
  std::unique_ptr<Targets<T>> targets_;
  RowSweeps<T> sweeps_;
  AlignedVector<T> tau_, rho_;
  WeightMessages<T> before_, open_message_, without_;
  Open open_;
  std::deque<Block> blocks_;
};

extern template class RowWindow<float>;
extern template class RowWindow<double>;

}  // namespace postrider::internal
