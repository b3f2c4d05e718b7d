#include "estimator/unknown_inputs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "estimator/standard_normal.h"

namespace postrider::internal {
// With a = floor, alpha = (a - m)/s and M_k = E[G^k; G > a]:
//   M_0 = 1 - Phi(alpha),  M_1 = m M_0 + s phi(alpha),
//   M_k = m M_{k-1} + (k - 1) s^2 M_{k-2} + s a^{k-1} phi(alpha),
// by parts. Then E[Y] = M_2 - a^2 M_0 and E[Y^2] = M_4 - 2 a^2 M_2 + a^4 M_0.
RootMoments root_moments(double mean, double deviation, double floor) {
  if (deviation <= 0) {
    const double y = mean <= floor ? 0 : (mean - floor) * (mean + floor);
    return {y, y * y};
  }
  const double alpha = (floor - mean) / deviation;
  const double edge = deviation * standard_density(alpha);
  std::array<double, 5> m{standard_below(-alpha)};
  m[1] = mean * m[0] + edge;
  double power = floor;  // a^{k-1}
  for (std::size_t k = 2; k < m.size(); ++k) {
    m[k] = mean * m[k - 1] + static_cast<double>(k - 1) * deviation * deviation * m[k - 2] +
           edge * power;
    power *= floor;
  }
  const double squared = floor * floor;
  // Far below the floor next to nothing is left, and rounding may be more.
  return {std::max(0.0, m[2] - squared * m[0]),
          std::max(0.0, m[4] - 2 * squared * m[2] + squared * squared * m[0])};
}

namespace {

// The most inputs of a row that are moved: each takes two passes.
constexpr std::size_t kMostMoved = 32;

// The rows that have an input which is not known, and where these inputs lie among their numbers.
struct VagueRows {
  std::vector<std::size_t> numbers;  // in the whole
  SparseInputs rows;
  std::vector<std::vector<std::size_t>> places;  // of each row, in rows.values

  explicit VagueRows(const SparseInputs& all) {
    rows.columns = all.columns;
    for (std::size_t row = 0; row < all.rows(); ++row) add(all, row);
  }
  std::size_t most_moved() const {
    std::size_t out = 0;
    for (const std::vector<std::size_t>& own : places) out = std::max(out, own.size());
    return std::min(out, kMostMoved);
  }

 private:
  void add(const SparseInputs& all, std::size_t row) {
    const std::size_t first = all.begins[row], end = all.begins[row + 1];
    std::vector<std::size_t> own;
    for (std::size_t at = first; at < end; ++at)
      if (all.variances[at] > 0) own.push_back(rows.values.size() + at - first);
    if (own.empty()) return;
    const auto append = [&](auto& to, const auto& from) {
      to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first),
                from.begin() + static_cast<std::ptrdiff_t>(end));
    };
    append(rows.places, all.places);
    append(rows.values, all.values);
    append(rows.variances, all.variances);
    rows.begins.push_back(rows.values.size());
    numbers.push_back(row);
    places.push_back(std::move(own));
  }
};

std::vector<network::Network::OutputMoments> predicted(const EnsemblePrediction& ensemble,
                                                       const SparseInputs& rows,
                                                       std::span<const double> values,
                                                       Workers& workers) {
  return ensemble.predict({rows.columns, rows.begins, rows.places, values}, workers);
}

// With each row's input of this number moved by so many standard deviations.
std::vector<double> moved(const VagueRows& vague, std::size_t which, double by) {
  std::vector<double> out = vague.rows.values;
  for (const std::vector<std::size_t>& own : vague.places)
    if (which < own.size()) out[own[which]] += by * std::sqrt(vague.rows.variances[own[which]]);
  return out;
}

double square_of(double x) { return x * x; }

}  // namespace

InputUncertainty unknown_inputs(const EnsemblePrediction& ensemble, const SparseInputs& rows,
                                std::span<const network::Network::OutputMoments> of_members,
                                Workers& workers) {
  InputUncertainty out;
  if (rows.variances.empty()) return out;
  const VagueRows vague(rows);
  if (vague.numbers.empty()) return out;
  const std::size_t members = of_members.size();
  const std::size_t outputs = of_members.front().mean.size() / rows.rows();
  const std::size_t size = vague.numbers.size() * outputs;
  std::vector<std::vector<double>> swings(members, std::vector<double>(size));
  for (std::size_t which = 0; which < vague.most_moved(); ++which) {
    const std::vector<network::Network::OutputMoments> up = predicted(ensemble, vague.rows,
                                                                      moved(vague, which, 1),
                                                                      workers),
                                                       down = predicted(ensemble, vague.rows,
                                                                        moved(vague, which, -1),
                                                                        workers);
    for (std::size_t m = 0; m < members; ++m)
      for (std::size_t i = 0; i < size; ++i)
        swings[m][i] += square_of(0.5 * (up[m].mean[i] - down[m].mean[i]));
  }
  const std::vector<network::Network::OutputMoments> known =
      predicted(ensemble, vague.rows, vague.rows.values, workers);
  for (std::size_t m = 0; m < members; ++m) {
    out.due_to_beliefs.push_back(of_members[m].variance);
    out.due_to_inputs.emplace_back(of_members[m].variance.size());
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t at = vague.numbers[i / outputs] * outputs + i % outputs;
      const double by_moments = of_members[m].variance[at] - known[m].variance[i];
      out.due_to_beliefs[m][at] = std::min(of_members[m].variance[at], known[m].variance[i]);
      out.due_to_inputs[m][at] = std::max({0.0, by_moments, swings[m][i]});
    }
  }
  return out;
}

}  // namespace postrider::internal
