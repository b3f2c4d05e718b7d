#include "factor/dirichlet.h"

#include <cmath>
#include <cstddef>

namespace postrider::internal {
namespace {

constexpr double kSeriesFrom = 16;  // where four terms of Stirling's series have all digits

double sum_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

// The sum of numbers, and what it is without one of them: also where that one is nearly all of it.
class Rests {
 public:
  explicit Rests(std::span<const double> values) : values_(values) {
    for (std::size_t k = 1; k < values.size(); ++k)
      if (values[k] > values[largest_]) largest_ = k;
    for (std::size_t k = 0; k < values.size(); ++k) rest_ += k == largest_ ? 0 : values[k];
    sum_ = rest_ + (values.empty() ? 0 : values[largest_]);
  }

  double sum() const { return sum_; }
  double without(std::size_t k) const { return k == largest_ ? rest_ : sum_ - values_[k]; }

 private:
  std::span<const double> values_;
  std::size_t largest_ = 0;
  double rest_ = 0, sum_ = 0;
};

// log Gamma(x) less (x - 1/2) log x - x + log(2 pi)/2.
double stirling_rest(double x) {
  const double inverse = 1 / x, square = inverse * inverse;
  return inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680)));
}

}  // namespace

double log_rising(double a, double n) {
  if (n == 0) return 0;
  if (a < kSeriesFrom) return std::lgamma(a + n) - std::lgamma(a);
  return (a - 0.5) * std::log1p(n / a) + n * (std::log(a + n) - 1) + stirling_rest(a + n) -
         stirling_rest(a);
}

double log_sequence_mass(std::span<const double> a, std::span<const double> counts) {
  double out = -log_rising(sum_of(a), sum_of(counts));
  for (std::size_t k = 0; k < a.size(); ++k) out += log_rising(a[k], counts[k]);
  return out;
}

double symbol_chances(std::span<const double> a, std::span<const double> likelihoods,
                      std::span<double> chances) {
  double sum = 0, total = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    total += a[k];
    sum += chances[k] = a[k] * likelihoods[k];
  }
  for (double& chance : chances) chance = sum > 0 ? chance / sum : 0;
  return sum / total;
}

void project_symbol(std::span<const double> a, std::span<const double> chances,
                    std::span<double> belief) {
  const Rests of_a(a), of_chances(chances);
  const double s = of_a.sum(), next = s + 1;
  double pairs = 0;  // s^2 - sum_k a_k^2
  for (std::size_t k = 0; k < a.size(); ++k) pairs += a[k] * of_a.without(k);
  double variance = 0, spread = 0;  // V; 1 - sum_k m_k^2
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double r = chances[k], rest = of_chances.without(k);
    const double of_part = (pairs / next + 2 * of_a.without(k) / next) / next;  // 1 - Q_k
    variance += r * of_part / (s + 2) + (r / next) * (rest / next);
    spread += ((a[k] + r) / next) * ((of_a.without(k) + rest) / next);
  }
  const double found = variance > 0 ? spread / variance - 1 : next;
  // Where vectors are so close to one symbol that a variance has no digits left: as soft counts.
  const double total = found > 0 && std::isfinite(found) ? found : next;
  for (std::size_t k = 0; k < a.size(); ++k) belief[k] = (total / next) * (a[k] + chances[k]);
}

void dirichlet_moments(std::span<const double> a, std::span<double> means,
                       std::span<double> deviations) {
  const Rests of_a(a);
  const double s = of_a.sum();
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!means.empty()) means[k] = a[k] / s;
    if (!deviations.empty())
      deviations[k] = std::sqrt((a[k] / s) * (of_a.without(k) / s) / (s + 1));
  }
}

}  // namespace postrider::internal
