// Ensembles that differ in how columns and targets are prepared, trained beside each other until one is found best.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "estimator/column_forms.h"
#include "estimator/fitting.h"
#include "estimator/row_scores.h"
#include "estimator/state.h"

namespace postrider::internal {

// After so many epochs, how many stay besides the first.
struct RaceStretch {
  std::size_t epochs, kept;
  double least_lead;  // over the first, in standard errors, of those that stay
};

// Networks that are not the estimator's, and know some of the rows.
struct SmallModel {
  FittedModel model;
  std::vector<FitReport> reports;  // for each network
};

// Each is judged by rows that its networks have not learned. Where rows are few the ensembles are those of the estimator, and those
// that fall behind are given up early; else they are small ones that learn some of the rows.
class Race {
 public:
  // Fewer rows cannot tell ways apart.
  static bool can_tell(const EstimatorState& state, const Examples& rows);

  // All must outlive it.
  Race(EstimatorState& state, const Examples& rows, const TrainingCallbacks& callbacks);
  ~Race();

  // The winner is the best, if it is clearly above the first one; else that. What is learned fast (ranks, bins) looks better in a short
  // race than it is in the end.
  void run(const std::vector<Preparation>& ways);
  // The winner runs against another, which need not be clearly above it.
  void challenge(const Preparation& way);

  const Preparation& winner() const;
  // Its networks, if they are those of the estimator, or none. The race is over.
  std::unique_ptr<Fitting> take_winner();
  // The first way's networks, which know the rows that raced: they are what there is of a model until the estimator's own networks have learned an epoch. None if these raced, or
  // memory is bounded. The race is over.
  std::optional<SmallModel> take_small_model();

 private:
  struct SomeRows;
  struct Runner {
    Preparation way;
    std::unique_ptr<Fitting> fitting;  // none: it was judged and given up
    RowScores scores = {};
    std::vector<RowScores> on_the_way = {};  // after each stretch
    std::size_t epochs = 0;                  // that it was trained
    double last_gain = 0;                    // of the last of them
  };

  static std::vector<double> leads(const std::vector<Runner>& runners);
  static std::size_t best_of(const std::vector<Runner>& runners);
  std::size_t winner_of(const std::vector<Runner>& runners) const;
  static void drop_those_behind(std::vector<Runner>& runners, const RaceStretch& stretch);
  void train(std::vector<Runner>& runners, std::size_t epochs);
  void tell(std::size_t ways, std::size_t epochs);
  void judge(std::vector<Runner>& runners) const;
  void keep_small_model(const Runner& first);
  Runner runner(const Preparation& way);
  void use_small_ones();
  // Whether networks are trained, judged and given up one after another: all of them would take much memory.
  bool is_one_stretch() const;
  std::size_t epochs() const;
  bool is_interrupted() const;
  bool is_over() const;

  EstimatorState& state_;
  Examples rows_;  // that are learned
  const TrainingCallbacks& callbacks_;
  bool has_many_rows_ = false;
  std::unique_ptr<SomeRows> some_;              // if they are not all
  std::unique_ptr<EstimatorState> small_ = {};  // with networks that are not the estimator's
  Runner winner_ = {};
  std::vector<FitReport> small_reports_ = {};
  std::mutex telling_ = {};
  std::size_t learned_ = 0, left_ = 0;  // epochs, by all of them; at most
};

}  // namespace postrider::internal
