#include "skill/acceleration.h"

#include <algorithm>
#include <cmath>

namespace postrider::internal::games {
namespace {

// The growth of a step's squared length above which the modes of before no longer hold.
constexpr double kGrowth = 4;
// A share of the largest squared difference: directions that are this close to those before say nothing new.
constexpr double kIndependent = 1e-8;

template <class A, class B>
double dot(const std::vector<A>& a, const std::vector<B>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

// Solves a symmetric system of a few unknowns by Gaussian elimination in place; a pivot that vanishes leaves its unknown at 0.
std::vector<double> solve(std::vector<double> matrix, std::vector<double> right) {
  const std::size_t n = right.size();
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, matrix[i * n + i]);
  std::vector<bool> is_used(n, false);
  for (std::size_t i = 0; i < n; ++i) {
    const double pivot = matrix[i * n + i];
    if (!(pivot > kIndependent * largest)) continue;
    is_used[i] = true;
    for (std::size_t j = i + 1; j < n; ++j) {
      const double factor = matrix[j * n + i] / pivot;
      for (std::size_t k = i; k < n; ++k) matrix[j * n + k] -= factor * matrix[i * n + k];
      right[j] -= factor * right[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    if (!is_used[i]) {
      right[i] = 0;
      continue;
    }
    for (std::size_t k = i + 1; k < n; ++k) right[i] -= matrix[i * n + k] * right[k];
    right[i] /= matrix[i * n + i];
  }
  return right;
}

}  // namespace

Accelerator::Accelerator(std::size_t size, std::size_t depth)
    : depth_(depth),
      last_step_(size),
      last_outcome_(size),
      differences_(depth),
      products_(depth * depth) {
  for (Difference& one : differences_) {
    one.step.resize(size);
    one.outcome.resize(size);
  }
}

void Accelerator::forget() { used_ = next_ = 0; }

void Accelerator::remember(std::span<const double> before, std::span<const double> after) {
  Difference& one = differences_[next_];
  for (std::size_t i = 0; i < after.size(); ++i) {
    one.step[i] = static_cast<float>(after[i] - before[i] - last_step_[i]);
    one.outcome[i] = static_cast<float>(after[i] - last_outcome_[i]);
  }
  used_ = std::min(used_ + 1, depth_);
  for (std::size_t a = 0; a < used_; ++a)
    products_[a * depth_ + next_] = products_[next_ * depth_ + a] =
        dot(differences_[a].step, one.step);
  next_ = (next_ + 1) % depth_;
}

void Accelerator::extrapolate(std::span<const double> before, std::span<double> after) {
  double length = 0;
  for (std::size_t i = 0; i < after.size(); ++i)
    length += (after[i] - before[i]) * (after[i] - before[i]);
  const bool is_first = last_length_ == 0;
  if (!is_first && length > kGrowth * last_length_)
    forget();
  else if (!is_first)
    remember(before, after);
  for (std::size_t i = 0; i < after.size(); ++i) {
    last_step_[i] = after[i] - before[i];
    last_outcome_[i] = after[i];
  }
  last_length_ = length;
  if (used_ == 0) return;

  std::vector<double> matrix(used_ * used_), right(used_);
  for (std::size_t a = 0; a < used_; ++a) {
    right[a] = dot(differences_[a].step, last_step_);
    for (std::size_t b = 0; b < used_; ++b) matrix[a * used_ + b] = products_[a * depth_ + b];
  }
  const std::vector<double> by = solve(std::move(matrix), std::move(right));
  for (std::size_t a = 0; a < used_; ++a)
    for (std::size_t i = 0; i < after.size(); ++i)
      after[i] -= by[a] * static_cast<double>(differences_[a].outcome[i]);
}

}  // namespace postrider::internal::games
