#include "postrider/row_selection.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "base/shuffle.h"
#include "estimator/pool.h"
#include "estimator/unusable.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

double dot(const double* a, const double* b, std::size_t size) {
  double out = 0;
  for (std::size_t k = 0; k < size; ++k) out += a[k] * b[k];
  return out;
}

// The covariance of one target's rows as K = F^T F: of each row what every function says beyond the mean, over sqrt(S - 1).
// Kept are F, A = F F^T, the variances K_jj and q_j = sum_i K_ij^2 = f_j^T A f_j. A label of the row with f = s u, |u| = 1, and
// noise r makes of them, with c = s^2 / (s^2 + r) and M = 1 - (1 - sqrt(1 - c)) u u^T,
//
//   F' = M F,   A' = M A M,   K'_jj = K_jj - c t_j^2,   q'_j = q_j - 2 c t_j w_j + c^2 t_j^2 (u^T A u)
//
// where t_j = u^T f_j and w_j = u^T A f_j.
class PoolCovariance {
 public:
  PoolCovariance(const PoolValues& pool, std::size_t target)
      : functions_(pool.values.size() / (pool.rows * pool.targets)),
        of_rows_(pool.rows * functions_),
        products_(functions_ * functions_, 0.0) {
    const double unit = 1 / std::sqrt(static_cast<double>(functions_ - 1));
    for (std::size_t j = 0; j < pool.rows; ++j) {
      double* f = row(j);
      for (std::size_t k = 0; k < functions_; ++k)
        f[k] = pool.values[(k * pool.rows + j) * pool.targets + target];
      const double mean = std::accumulate(f, f + functions_, 0.0) / static_cast<double>(functions_);
      for (std::size_t k = 0; k < functions_; ++k) f[k] = (f[k] - mean) * unit;
      for (std::size_t k = 0; k < functions_; ++k)
        for (std::size_t l = 0; l < functions_; ++l) products_[k * functions_ + l] += f[k] * f[l];
      noise_.push_back(pool.noise_variance[j * pool.targets + target]);
      variance_.push_back(dot(f, f, functions_));
    }
    total_ = std::accumulate(variance_.begin(), variance_.end(), 0.0);
    for (std::size_t j = 0; j < pool.rows; ++j)
      squares_.push_back(dot(row(j), products_with(row(j)).data(), functions_));
  }

  // Share of the variance at first that a label of row j removes.
  double removed(std::size_t j) const {
    const double with_noise = variance_[j] + noise_[j];
    return total_ > 0 && with_noise > 0 ? std::max(0.0, squares_[j]) / with_noise / total_ : 0.0;
  }

  void label(std::size_t j) {
    const double size = std::sqrt(dot(row(j), row(j), functions_));
    if (!(size > 0)) return;
    std::vector<double> u(row(j), row(j) + functions_);
    for (double& each : u) each /= size;
    const std::vector<double> along = products_with(u.data());
    const double own = dot(u.data(), along.data(), functions_);
    const double c = size * size / (size * size + noise_[j]), shrink = 1 - std::sqrt(1 - c);
    for (std::size_t i = 0; i < variance_.size(); ++i) {
      double* f = row(i);
      const double t = dot(u.data(), f, functions_), w = dot(along.data(), f, functions_);
      squares_[i] += -2 * c * t * w + c * c * t * t * own;
      variance_[i] = std::max(0.0, variance_[i] - c * t * t);
      for (std::size_t k = 0; k < functions_; ++k) f[k] -= shrink * t * u[k];
    }
    for (std::size_t k = 0; k < functions_; ++k)
      for (std::size_t l = 0; l < functions_; ++l)
        products_[k * functions_ + l] +=
            -shrink * (u[k] * along[l] + along[k] * u[l]) + shrink * shrink * own * u[k] * u[l];
  }

 private:
  double* row(std::size_t j) { return of_rows_.data() + j * functions_; }
  std::vector<double> products_with(const double* f) const {
    std::vector<double> out(functions_);
    for (std::size_t k = 0; k < functions_; ++k)
      out[k] = dot(products_.data() + k * functions_, f, functions_);
    return out;
  }

  std::size_t functions_;
  std::vector<double> of_rows_;   // F, row of the pool by row
  std::vector<double> products_;  // A
  std::vector<double> noise_, variance_, squares_;
  double total_ = 0;
};

void expect_pool(const PoolValues& pool, std::size_t count) {
  const std::size_t labels = pool.rows * pool.targets;
  if (labels == 0) reject("rows", pool.rows, "must be at least one, with at least one target");
  if (pool.values.size() % labels != 0 || pool.values.size() / labels < 2)
    reject("values", pool.values.size(), "must be one for each label and function, of two or more");
  if (pool.noise_variance.size() != labels)
    reject("noise_variance", pool.noise_variance.size(), "must be one for each label");
  for (const double noise : pool.noise_variance)
    if (!(noise >= 0 && std::isfinite(noise)))
      reject("noise_variance", noise, "must be a finite number of at least 0");
  expect_finite("values", pool.values);
  if (count > pool.rows) reject("count", count, "must be no more than the pool has rows");
}

// So many rows of a pool at random, in its order.
std::vector<std::size_t> candidates_of(std::size_t rows, const SelectionOptions& options) {
  RandomStream random(options.seed, 0);
  std::vector<std::size_t> out = random_order(rows, random);
  if (rows > options.candidates) out.resize(options.candidates);
  std::ranges::sort(out);
  return out;
}

// All numbers of some rows, which are given in the pool's order.
std::vector<double> numbers_of(const Inputs& pool, std::span<const std::size_t> rows) {
  const std::size_t columns = pool.columns();
  std::vector<double> out(rows.size() * columns, 0.0);
  std::size_t at = 0;
  pool.for_each([&](std::size_t row, std::size_t column, double number) {
    while (at < rows.size() && rows[at] < row) ++at;
    if (at < rows.size() && rows[at] == row) out[at * columns + column] = number;
  });
  return out;
}

}  // namespace

namespace internal {

std::vector<SelectedRow> select_rows(const PoolValues& pool, std::size_t count) {
  expect_pool(pool, count);
  std::vector<PoolCovariance> of_targets;
  for (std::size_t o = 0; o < pool.targets; ++o) of_targets.emplace_back(pool, o);
  std::vector<bool> taken(pool.rows, false);
  std::vector<SelectedRow> out;
  while (out.size() < count) {
    SelectedRow best{pool.rows, -1};
    for (std::size_t j = 0; j < pool.rows; ++j) {
      if (taken[j]) continue;
      double removed = 0;
      for (const PoolCovariance& covariance : of_targets) removed += covariance.removed(j);
      removed /= static_cast<double>(pool.targets);
      if (removed > best.removed) best = {j, removed};
    }
    for (PoolCovariance& covariance : of_targets) covariance.label(best.row);
    taken[best.row] = true;
    out.push_back(best);
  }
  return out;
}

}  // namespace internal

void SelectionOptions::validate() const {
  if (functions < 2) reject("functions", functions, "must be at least 2");
  if (candidates < 1) reject("candidates", candidates, "must be at least 1");
  if (count > candidates) reject("count", count, "must be no more than there are candidates");
}

std::vector<SelectedRow> select_rows(const Regressor& regressor, const Inputs& pool,
                                     const SelectionOptions& options, const Examples* labelled,
                                     std::optional<double> noise_std) {
  options.validate();
  const std::vector<FunctionDraw> functions =
      labelled != nullptr
          ? regressor.sample_functions(options.functions, options.seed, *labelled, noise_std)
          : regressor.sample_functions(options.functions, options.seed);
  const std::size_t targets = functions.front().targets();
  const Inputs all = pool.of_columns(functions.front().columns());
  const std::size_t rows = all.rows();
  if (options.count > rows)
    reject("count", options.count, "must be no more than the pool has rows");
  const std::vector<std::size_t> candidates = candidates_of(rows, options);
  const std::vector<double> selected = numbers_of(all, candidates);
  PoolValues told{candidates.size(), targets, {}, regressor.predict(selected).noise_variance};
  if (labelled != nullptr && noise_std)
    std::ranges::fill(told.noise_variance, *noise_std * *noise_std);
  for (const FunctionDraw& function : functions) {
    const std::vector<double> values = function.values(selected);
    told.values.insert(told.values.end(), values.begin(), values.end());
  }
  std::vector<SelectedRow> out = select_rows(told, options.count);
  for (SelectedRow& each : out) each.row = candidates[each.row];
  return out;
}

}  // namespace postrider
