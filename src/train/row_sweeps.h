// Rows with their targets, swept by a network, and what was predicted of each before it was learned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sweep/engine.h"
#include "train/targets.h"
#include "train/training_rows.h"

namespace postrider::internal {

// What is needed to sweep rows one block after another, and the events that were counted.
template <class T>
struct Sweeper {
  Sweeper(const SweepEngine<T>& engine, std::unique_ptr<Observation<T>> of_targets,
          Workers* for_layers = nullptr)
      : workspace(engine.layers()), observation(std::move(of_targets)), workers(for_layers) {}

  Workspace<T> workspace;
  std::unique_ptr<Observation<T>> observation;
  SweepRecord record;
  Workers* workers;  // who share the passes over large layers; may be none
};

template <class T>
class RowSweeps {
 public:
  // Both must outlive it.
  RowSweeps(const SweepEngine<T>& engine, Targets<T>& targets)
      : engine_(engine), targets_(targets), is_observed_(targets.observation() != nullptr) {}

  // Throws InvalidArgument if the targets or weights make no sense.
  void load(const RowsToLearn& rows);
  std::size_t size() const { return examples_.size(); }
  const ExamplesView<T>& examples() const { return examples_; }
  // Where to write what was predicted.
  Predictions<T> predictions() { return {mean_, variance_, observed_}; }

  // In the sweeps' type, for all rows that are learned from now on.
  void set_noise(const std::vector<double>& noise) { noise_.assign(noise.begin(), noise.end()); }

  // Reads the noise, rows and targets. Changes the belief and, at the places of these rows, what was
  // predicted; several threads may learn different rows at a time.
  void learn(WeightMessages<T>& belief, std::span<const std::uint32_t> rows, double power,
             std::size_t block, Sweeper<T>& with);
  // The same for beliefs that keep a share of what these rows said: they are predicted by the beliefs
  // without all of it.
  void learn_left_out(WeightMessages<T>& belief, const WeightMessages<T>& without,
                      std::span<const std::uint32_t> rows, double power, std::size_t block,
                      Sweeper<T>& with);

  // Predicts rows that these beliefs have not learned, in the place of what was predicted of them before.
  void judge(const WeightMessages<T>& belief, std::span<const std::uint32_t> rows,
             Sweeper<T>& with);

  // What was predicted of each row by the beliefs just before it was learned, or by those that last judged it.
  Predictions<const T> predicted() const { return {mean_, variance_, observed_}; }
  // The score of all rows by these beliefs; leaves what was predicted as it is.
  double score(const WeightMessages<T>& belief, const std::vector<double>& noise,
               Workspace<T>& workspace) const;

 private:
  std::size_t outputs() const { return engine_.layers().back().units; }
  // What was predicted of a row, and its targets.
  OutputRow<T> output_row(std::size_t row) const;
  void learn(WeightMessages<T>& belief, std::span<const std::uint32_t> rows, double power,
             std::size_t block, Observation<T>* observation, const Predictions<T>& predictions,
             Sweeper<T>& with);

  const SweepEngine<T>& engine_;
  Targets<T>& targets_;
  bool is_observed_;  // and not Gaussian
  std::shared_ptr<const StoredInputs<T>> inputs_;
  ExamplesView<T> examples_{};
  std::vector<T> mean_, variance_, noise_;
  std::vector<T> unused_mean_, unused_variance_;  // of rows that were predicted otherwise
  std::vector<Observed> observed_;
};

// How many rows may be swept from one snapshot of the beliefs: what was asked for, or what suits the
// size of the network, but few while few examples were seen.
template <class T>
std::size_t block_size(const SweepEngine<T>& engine, std::size_t weights, std::size_t asked,
                       std::size_t seen);

extern template class RowSweeps<float>;
extern template class RowSweeps<double>;

}  // namespace postrider::internal
