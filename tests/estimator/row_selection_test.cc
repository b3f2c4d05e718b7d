#include "postrider/row_selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.h"
#include "estimator/pool.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kRounding = 1e-9;

PoolValues random_pool(std::size_t functions, std::size_t rows, std::size_t targets) {
  PoolValues out{rows, targets, {}, {}};
  RandomStream random(3, 0);
  std::vector<double> mixed(rows * targets);
  for (std::size_t k = 0; k < functions; ++k) {
    // Neighbours vary together.
    double last = 0;
    for (double& each : mixed) each = last = 0.8 * last + random.normal();
    out.values.insert(out.values.end(), mixed.begin(), mixed.end());
  }
  for (std::size_t j = 0; j < rows * targets; ++j)
    out.noise_variance.push_back(0.1 + random.uniform());
  return out;
}

// The formulas of the header on a whole covariance matrix, which is what PoolValues never makes.
class NaiveCovariance {
 public:
  NaiveCovariance(const PoolValues& pool, std::size_t target) : rows_(pool.rows) {
    const std::size_t functions = pool.values.size() / pool.rows / pool.targets;
    const auto value = [&](std::size_t k, std::size_t j) {
      return pool.values[(k * rows_ + j) * pool.targets + target];
    };
    std::vector<double> means(rows_, 0.0);
    for (std::size_t j = 0; j < rows_; ++j)
      for (std::size_t k = 0; k < functions; ++k)
        means[j] += value(k, j) / static_cast<double>(functions);
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < rows_; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < functions; ++k)
          sum += (value(k, i) - means[i]) * (value(k, j) - means[j]);
        entries_.push_back(sum / static_cast<double>(functions - 1));
      }
    for (std::size_t j = 0; j < rows_; ++j) {
      noise_.push_back(pool.noise_variance[j * pool.targets + target]);
      total_ += at(j, j);
    }
  }
  double removed(std::size_t i) const {
    double sum = 0;
    for (std::size_t j = 0; j < rows_; ++j) sum += at(i, j) * at(i, j);
    return sum / (at(i, i) + noise_[i]) / total_;
  }
  void label(std::size_t i) {
    const std::vector<double> before = entries_;
    for (std::size_t j = 0; j < rows_; ++j)
      for (std::size_t k = 0; k < rows_; ++k)
        entries_[j * rows_ + k] -=
            before[i * rows_ + j] * before[i * rows_ + k] / (before[i * rows_ + i] + noise_[i]);
  }

 private:
  double at(std::size_t i, std::size_t j) const { return entries_[i * rows_ + j]; }
  std::size_t rows_;
  std::vector<double> entries_, noise_;
  double total_ = 0;
};

void expect_naive(const PoolValues& pool, std::size_t count) {
  std::vector<NaiveCovariance> naive;
  for (std::size_t o = 0; o < pool.targets; ++o) naive.emplace_back(pool, o);
  std::set<std::size_t> taken;
  for (const SelectedRow& chosen : select_rows(pool, count)) {
    std::size_t best = pool.rows;
    double most = -1;
    for (std::size_t j = 0; j < pool.rows; ++j) {
      double removed = 0;
      for (const NaiveCovariance& each : naive)
        removed += each.removed(j) / static_cast<double>(pool.targets);
      if (!taken.contains(j) && removed > most) {
        most = removed;
        best = j;
      }
    }
    EXPECT_EQ(chosen.row, best);
    EXPECT_NEAR(chosen.removed, most, kRounding);
    for (NaiveCovariance& each : naive) each.label(best);
    taken.insert(best);
  }
}

TEST(RowSelection, TakesTheRowsThatTheWholeCovarianceNames) {
  expect_naive(random_pool(30, 25, 1), 10);
  expect_naive(random_pool(40, 12, 2), 12);  // all of them
}

TEST(RowSelection, DoesNotTakeTheSameTwice) {
  // Rows 0 and 1 are the same and most uncertain; 2 is another.
  const PoolValues pool{3, 1, {3, 3, 1, -3, -3, 1, 3, 3, -1, -3, -3, -1}, {0.01, 0.01, 0.01}};
  const std::vector<SelectedRow> chosen = select_rows(pool, 2);
  EXPECT_EQ(chosen[0].row, 0u);
  EXPECT_EQ(chosen[1].row, 2u);
}

TEST(RowSelection, PrefersARowThatTellsOfOthersToAnOutlier) {
  // Row 0 is most uncertain and like no other; 1 to 4 vary together.
  const PoolValues pool{5,
                        1,
                        {3, 2, 2, 2, 2, -3, 2, 2, 2, 2, 3, -2, -2, -2, -2, -3, -2, -2, -2, -2},
                        std::vector<double>(5, 0.1)};
  EXPECT_EQ(select_rows(pool, 1).front().row, 1u);
}

TEST(RowSelection, LeavesNoisyLabelsForLater) {
  PoolValues pool = random_pool(30, 6, 1);
  const std::size_t first = select_rows(pool, 1).front().row;
  pool.noise_variance[first] = 1e9;
  EXPECT_EQ(select_rows(pool, 6).back().row, first);
}

TEST(RowSelection, KnownRowsRemoveNothing) {
  const PoolValues pool{3, 1, {1, 1, 1, 1, 1, 1}, {0, 0, 0}};
  for (const SelectedRow& each : select_rows(pool, 3)) EXPECT_EQ(each.removed, 0);
}

TEST(RowSelection, RefusesWhatDoesNotFit) {
  const PoolValues pool = random_pool(4, 3, 1);
  EXPECT_THROW(select_rows(pool, 4), InvalidArgument);
  PoolValues wrong = pool;
  wrong.noise_variance.pop_back();
  EXPECT_THROW(select_rows(wrong, 1), InvalidArgument);
  wrong = pool;
  wrong.noise_variance[0] = -1;
  EXPECT_THROW(select_rows(wrong, 1), InvalidArgument);
  wrong = pool;
  wrong.values.resize(3);
  EXPECT_THROW(select_rows(wrong, 1), InvalidArgument);
  EXPECT_THROW(select_rows(PoolValues{}, 0), InvalidArgument);
  EXPECT_THROW((SelectionOptions{.functions = 1}.validate()), InvalidArgument);
  EXPECT_THROW((SelectionOptions{.candidates = 0}.validate()), InvalidArgument);
  EXPECT_THROW((SelectionOptions{.count = 9, .candidates = 8}.validate()), InvalidArgument);
}

class RegressorSelection : public testing::Test {
 protected:
  RegressorSelection() : model(options()) {
    RandomStream random(5, 0);
    for (std::size_t i = 0; i < 40; ++i) {
      inputs.push_back(random.uniform() - 1);  // nothing is known above 0
      targets.push_back(inputs.back() + 0.1 * random.normal());
    }
    for (std::size_t i = 0; i < 50; ++i) pool.push_back(-1 + 0.06 * static_cast<double>(i));
    model.fit(inputs, targets);
  }
  static EstimatorOptions options() {
    EstimatorOptions out;
    out.hidden = {10};
    out.ensemble_size = 2;
    out.encoding = Encoding::standard;
    out.target_scale = EstimatorOptions::TargetScale::plain;
    out.training.max_epochs = 20;
    return out;
  }
  std::vector<double> inputs, targets, pool;
  Regressor model;
};

TEST_F(RegressorSelection, AsksWhereNothingIsKnown) {
  const Examples labelled{inputs, targets};
  for (const Examples* rows : {static_cast<const Examples*>(nullptr), &labelled}) {
    const std::vector<SelectedRow> chosen = select_rows(model, pool, {.count = 3}, rows);
    EXPECT_GT(pool[chosen.front().row], 0.5);
  }
}

TEST_F(RegressorSelection, IsWhatItsFunctionsSay) {
  const Examples labelled{inputs, targets};
  const SelectionOptions options{.count = 4, .functions = 20, .seed = 7};
  PoolValues told{pool.size(), 1, {}, model.predict(pool).noise_variance};
  for (const FunctionDraw& function : model.sample_functions(20, 7, labelled)) {
    const std::vector<double> values = function.values(pool);
    told.values.insert(told.values.end(), values.begin(), values.end());
  }
  const std::vector<SelectedRow> expected = select_rows(told, 4);
  const std::vector<SelectedRow> found = select_rows(model, pool, options, &labelled);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(found[k].row, expected[k].row);
}

TEST_F(RegressorSelection, LabelsToComeHaveTheNoiseThatIsKnown) {
  constexpr double kLoud = 100;
  const SelectionOptions options{.count = 1, .functions = 20, .seed = 7};
  const Examples labelled{inputs, targets};
  PoolValues told{pool.size(), 1, {}, std::vector<double>(pool.size(), kLoud * kLoud)};
  for (const FunctionDraw& function : model.sample_functions(20, 7, labelled, kLoud)) {
    const std::vector<double> values = function.values(pool);
    told.values.insert(told.values.end(), values.begin(), values.end());
  }
  EXPECT_DOUBLE_EQ(select_rows(model, pool, options, &labelled, kLoud)[0].removed,
                   select_rows(told, 1)[0].removed);
}

TEST_F(RegressorSelection, TakesSomeCandidatesOfALargePool) {
  const SelectionOptions options{.count = 5, .functions = 10, .candidates = 5, .seed = 2};
  std::set<std::size_t> rows;
  for (const SelectedRow& each : select_rows(model, pool, options)) rows.insert(each.row);
  EXPECT_EQ(rows.size(), 5u);
  EXPECT_GT(*rows.rbegin(), 4u);  // not the first five
  SparseInputs sparse{.columns = 1};
  for (const double x : pool) {
    sparse.add(0, x);
    sparse.end_row();
  }
  std::set<std::size_t> again;
  for (const SelectedRow& each : select_rows(model, sparse, options)) again.insert(each.row);
  EXPECT_EQ(again, rows);
  EXPECT_THROW(select_rows(model, pool, {.count = 51}), InvalidArgument);
}

}  // namespace
}  // namespace postrider
