#include "sparse/shared_sums.h"

#include <bit>

#include "message/whole_units.h"
#include "postrider/gaussian.h"

namespace postrider::internal::hashed {
namespace {

// Eight numbers, one of each lane, in each row; then those that lanes have in common.
enum Row : std::size_t { kScore, kBiasTau, kBiasRho, kNoiseTau, kNoiseRho, kRows };
enum Single : std::size_t { kCount = kRows * kMostLanes, kWeight, kLoss, kInputs, kLanes, kSize };

// Scores and sample weights are kept in units of 2^-20: a sum of 10^12 nats still fits.
constexpr double kPart = 0x1p-20;
std::int64_t parts_of(double value) {
  return static_cast<std::int64_t>(WholeUnits::rounded(value / kPart));
}

// A belief that all weights share is its prior times the message that the sums stand for.
struct Prior {
  double mean, variance;

  Gaussian belief() const { return Gaussian::from_moments(mean, variance); }
  WholeUnits units() const { return WholeUnits::of_prior(1 / variance); }
};
constexpr Prior kBiasPrior{0, Linear::kBiasVariance}, kNoisePrior{kLogNoise, kLogNoiseVariance};

std::size_t at(Row row, std::size_t lane) { return row * kMostLanes + lane; }

void set_belief(const sparse::SparseSums& sums, Row tau, std::size_t number, const Prior& prior,
                LaneMoments& to, std::size_t lane) {
  const WholeUnits units = prior.units();
  const auto rho = static_cast<Row>(tau + 1);
  const Gaussian belief =
      prior.belief() *
      Gaussian::from_natural(static_cast<double>(sums[at(tau, number)]) * units.tau,
                             static_cast<double>(sums[at(rho, number)]) * units.rho);
  to.mean[lane] = belief.mean();
  to.variance[lane] = belief.variance();
}

void add_message(const LaneMoments& before, const LaneMoments& after, std::size_t lane,
                 const Prior& prior, Row tau, std::size_t number, sparse::SparseSums& to) {
  const Gaussian message = Gaussian::from_moments(after.mean[lane], after.variance[lane]) /
                           Gaussian::from_moments(before.mean[lane], before.variance[lane]);
  const WholeUnits units = prior.units();
  to[at(tau, number)] = static_cast<std::int64_t>(WholeUnits::rounded(message.tau() / units.tau));
  to[at(static_cast<Row>(tau + 1), number)] =
      static_cast<std::int64_t>(WholeUnits::rounded(message.rho() / units.rho));
}

}  // namespace

sparse::SparseSums no_sums(const sparse::SparseModel::State& fresh) {
  sparse::SparseSums out(kSize);
  out[kLanes] = (std::int64_t{1} << fresh.bank.lanes) - 1;
  return out;
}

std::vector<std::size_t> lanes_in(std::uint64_t bits) {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < kMostLanes; ++k)
    if ((bits >> k & 1) != 0) out.push_back(k);
  return out;
}

double inputs_of(const sparse::SparseSums& sums) { return static_cast<double>(sums[kInputs]); }
std::uint64_t bits_of(const sparse::SparseSums& sums) {
  return static_cast<std::uint64_t>(sums[kLanes]);
}

bool are_sums(const sparse::SparseSums& sums, std::size_t lanes) {
  return sums.size() == kSize && sums[kCount] >= 0 && bits_of(sums) > 0 &&
         bits_of(sums) >> lanes == 0 && std::has_single_bit(lanes_in(bits_of(sums)).size());
}

void restore(const sparse::SparseSums& sums, sparse::SparseModel::State& to) {
  const std::vector<std::size_t> lanes = lanes_in(bits_of(sums));
  to.keep(lanes);
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    to.bank.log_score[k] = static_cast<double>(sums[at(kScore, lanes[k])]) * kPart;
    set_belief(sums, kBiasTau, lanes[k], kBiasPrior, to.linear.bias, k);
    set_belief(sums, kNoiseTau, lanes[k], kNoisePrior, to.noise, k);
  }
  to.rows = static_cast<std::size_t>(sums[kCount]);
  to.weight = static_cast<double>(sums[kWeight]) * kPart;
  to.log_loss = static_cast<double>(sums[kLoss]) * kPart;
}

sparse::SparseSums learned_since(const sparse::SparseSums& sums,
                                 const sparse::SparseModel::State& before,
                                 const sparse::SparseModel::State& after) {
  sparse::SparseSums out(kSize);
  const std::vector<std::size_t> lanes = lanes_in(bits_of(sums));
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    out[at(kScore, lanes[k])] = parts_of(after.bank.log_score[k] - before.bank.log_score[k]);
    add_message(before.linear.bias, after.linear.bias, k, kBiasPrior, kBiasTau, lanes[k], out);
    add_message(before.noise, after.noise, k, kNoisePrior, kNoiseTau, lanes[k], out);
  }
  out[kCount] = static_cast<std::int64_t>(after.rows - before.rows);
  out[kWeight] = parts_of(after.weight - before.weight);
  out[kLoss] = parts_of(after.log_loss - before.log_loss);
  out[kInputs] = static_cast<std::int64_t>(after.linear.inputs - before.linear.inputs);
  return out;
}

bool add(const sparse::SparseSums& changes, sparse::SparseSums& to) {
  sparse::SparseSums sums = to;
  for (std::size_t i = 0; i < kLanes; ++i)
    if (__builtin_add_overflow(sums[i], changes[i], &sums[i])) return false;
  to = std::move(sums);
  return true;
}

void keep_lanes(std::uint64_t bits, sparse::SparseSums& sums) {
  for (std::size_t k = 0; k < kMostLanes; ++k)
    for (std::size_t row = 0; row < kRows; ++row)
      if ((bits >> k & 1) == 0) sums[at(static_cast<Row>(row), k)] = 0;
  sums[kLanes] = static_cast<std::int64_t>(bits);
}

}  // namespace postrider::internal::hashed
