#include "monitor/chance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace postrider::internal {
namespace {

constexpr double kNegligible = -700;  // a logarithm; its exponential is still a number
constexpr double kFewRows = 5;        // below which chi-square is not to be trusted

constexpr double kRounding = 1e-16;

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

double upper_tail(double deviations) { return 0.5 * std::erfc(deviations / std::sqrt(2.0)); }

double total_of(const std::vector<std::size_t>& counts) {
  return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
}

}  // namespace

double chance_beyond(std::size_t beyond, std::size_t rows, std::size_t learned) {
  double logarithm = 0;
  for (std::size_t k = 0; k < beyond && logarithm > kNegligible; ++k)
    logarithm += std::log(static_cast<double>(rows - k) / static_cast<double>(rows + learned - k));
  return std::exp(logarithm);
}

// With all K rows of the kind dealt to both samples at random, k of them to the new one: C(n, k) C(m, K - k) / C(n + m, K).
double chance_of_shares(std::size_t found, std::size_t rows, std::size_t learned_found,
                        std::size_t learned_rows) {
  double k = static_cast<double>(found), n = static_cast<double>(rows);
  double other = static_cast<double>(learned_found), m = static_cast<double>(learned_rows);
  if (n == 0 || m == 0) return 1;
  if (k * m < other * n) {  // the other tail
    std::swap(k, other);
    std::swap(n, m);
  }
  const double all = k + other;
  double term = std::exp(log_choose(n, k) + log_choose(m, other) - log_choose(n + m, all));
  double tail = 0;
  for (; term > kRounding * tail && term > 0; ++k) {
    tail += term;
    term *= (all - k) * (n - k) / ((k + 1) * (m - all + k + 1));
  }
  return std::min(1.0, 2 * tail);
}

double chance_of_counts(const std::vector<std::size_t>& found,
                        const std::vector<std::size_t>& learned) {
  const double n = total_of(found), m = total_of(learned);
  if (n == 0 || m == 0) return 1;
  double sum = 0, freedom = -1;
  for (std::size_t bin = 0; bin < found.size(); ++bin) {
    const auto here = static_cast<double>(found[bin]), there = static_cast<double>(learned[bin]);
    if (here + there == 0) continue;
    const double difference = here / n - there / m;
    const double pooled = std::max((here + there) / (n + m), kFewRows / std::min(n, m));
    sum += difference * difference / (pooled * (1 / n + 1 / m));
    ++freedom;
  }
  if (freedom < 1) return 1;
  const double spread = 2 / (9 * freedom);
  return upper_tail((std::cbrt(sum / freedom) - (1 - spread)) / std::sqrt(spread));
}

double moved_share(const std::vector<std::size_t>& found, const std::vector<std::size_t>& learned) {
  const double n = total_of(found), m = total_of(learned);
  if (n == 0 || m == 0) return 0;
  double out = 0;
  for (std::size_t bin = 0; bin < found.size(); ++bin)
    out +=
        0.5 * std::abs(static_cast<double>(found[bin]) / n - static_cast<double>(learned[bin]) / m);
  return out;
}

}  // namespace postrider::internal
