#include <cmath>
#include <limits>
#include <utility>

#include "base/random.h"
#include "factor/varying_noise.h"
#include "postrider/error.h"
#include "postrider/gaussian.h"
#include "postrider/sparse/model.h"
#include "sparse/learning.h"
#include "sparse/state.h"

namespace postrider::internal {

using hashed::LaneMoments;
using hashed::PerLane;
using hashed::RowView;

namespace {

using hashed::kLogNoise;
using hashed::kLogNoiseVariance;

// What a model with latent vectors has: a prior variance of 0.3.
constexpr std::size_t kLaneOfLatent = 3;

hashed::Bank bank_of(const sparse::SparseOptions& options) {
  if (options.drift && options.latent > 0)
    reject("drift", "yes", "must be off where latent vectors are learned");
  hashed::Bank out = options.drift ? hashed::Bank::drifting() : hashed::Bank::usual();
  if (options.latent > 0) out.keep(std::array{kLaneOfLatent});
  return out;
}

double square(double x) { return x * x; }

// Mean and variance of a mixture of the lanes.
struct Mixed {
  double mean = 0, variance = 0;
};
Mixed mixture_of(const LaneMoments& lanes, const PerLane& shares) {
  Mixed out;
  for (std::size_t k = 0; k < shares.size(); ++k) out.mean += shares[k] * lanes.mean[k];
  for (std::size_t k = 0; k < shares.size(); ++k)
    out.variance += shares[k] * (lanes.variance[k] + square(lanes.mean[k] - out.mean));
  return out;
}

double noise_of(const sparse::SparseModel::State& state, const PerLane& shares) {
  double out = 0;
  for (std::size_t k = 0; k < state.bank.lanes; ++k)
    out += shares[k] * expected_noise(state.noise.mean[k], state.noise.variance[k], 1);
  return out;
}

sparse::SparseModel::Prediction prediction_of(const sparse::SparseModel::State& state,
                                              const LaneMoments& score, const PerLane& shares) {
  const Mixed mixed = mixture_of(score, shares);
  const double std = std::sqrt(mixed.variance);
  if (state.likelihood.has_noise())
    return {state.location + state.unit * mixed.mean, state.unit * std,
            state.unit * std::sqrt(noise_of(state, shares)),
            std::numeric_limits<double>::quiet_NaN()};
  const hashed::Answers answers = state.likelihood.answers(state.bank.lanes, 1, score, state.noise);
  return {mixed.mean, std, 0, std::exp(state.bank.mixed(shares, answers.log_z))};
}

}  // namespace

namespace hashed {

RowView row_of(const sparse::FeatureRows& rows, std::size_t row) {
  const std::size_t begin = rows.begin_of(row), size = rows.ends[row] - begin;
  return {std::span(rows.keys).subspan(begin, size), std::span(rows.values).subspan(begin, size)};
}

std::span<const std::uint32_t> fields_of(const sparse::FeatureRows& rows, std::size_t row) {
  if (rows.fields.empty()) return {};
  const std::size_t begin = rows.begin_of(row);
  return std::span(rows.fields).subspan(begin, rows.ends[row] - begin);
}

void expect_targets(const sparse::FeatureRows& rows, sparse::SparseOptions::Target target) {
  rows.validate(/*needs_targets=*/true);
  if (target == sparse::SparseOptions::Target::number) return;
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (std::abs(rows.targets[row]) != 1 && rows.targets[row] != 0)
      reject("target of " + rows.place(row), rows.targets[row],
             "must be 1 for one class, and 0 or -1 for the other");
}

void add_to(LaneMoments& score, const ScoreMoments& part) {
  score.mean[0] += part.mean;
  score.variance[0] += part.variance;
}

sparse::SparseModel::Summary summary_of(const sparse::SparseModel::State& state) {
  sparse::SparseModel::Summary out;
  out.rows = state.rows;
  out.weights = state.linear.weights.size();
  out.bytes = state.linear.weights.bytes() + (state.latent ? state.latent->weights.bytes() : 0);
  out.most_bytes =
      state.linear.most_bytes() + (state.latent ? state.latent->weights.peak_bytes() : 0);
  out.log_loss = state.weight > 0 ? state.log_loss / state.weight : 0;
  const PerLane shares = state.bank.shares();
  for (std::size_t k = 0; k < state.bank.lanes; ++k) {
    out.prior_variances.push_back(state.bank.prior[k]);
    out.shares.push_back(shares[k]);
    out.drift_rates.push_back(state.bank.drift[k]);
  }
  return out;
}

std::vector<sparse::SparseModel::Prediction> predicted(const sparse::SparseModel::State& state,
                                                       const sparse::FeatureRows& rows) {
  const PerLane shares = state.bank.shares();
  std::vector<sparse::SparseModel::Prediction> out;
  out.reserve(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    out.push_back(prediction_of(state, state.score(rows, row), shares));
    const sparse::SparseModel::Prediction& last = out.back();
    const bool has_answer = state.likelihood.has_noise() || std::isfinite(last.probability);
    if (!(std::isfinite(last.mean) && std::isfinite(last.std) && std::isfinite(last.noise) &&
          has_answer))
      throw Error("the prediction of " + rows.place(row) + " is not a finite number");
  }
  return out;
}

}  // namespace hashed

}  // namespace postrider::internal

namespace postrider::sparse {
using namespace internal;

double SparseModel::Prediction::total_std() const { return std::hypot(std, noise); }

SparseModel::State::State(const SparseOptions& with)
    : options(with), likelihood(with.target), bank(bank_of(with)), linear(bank.lanes) {
  if (options.latent > 0) latent.emplace(options.latent, options.seed);
  for (std::size_t k = 0; k < bank.lanes; ++k) {
    linear.bias.variance[k] = hashed::Linear::kBiasVariance;
    noise.mean[k] = kLogNoise;
    noise.variance[k] = kLogNoiseVariance;
  }
  linear.set_prior(bank);
}

void SparseModel::State::keep(std::span<const std::size_t> kept) {
  linear.keep(kept);
  noise = {hashed::kept_of(noise.mean, kept), hashed::kept_of(noise.variance, kept)};
  bank.keep(kept);
}

LaneMoments SparseModel::State::score(const FeatureRows& of, std::size_t row) const {
  LaneMoments out = linear.score(hashed::row_of(of, row));
  if (latent)
    hashed::add_to(out, latent->score(hashed::row_of(of, row), hashed::fields_of(of, row)));
  return out;
}

SparseModel::SparseModel(const SparseOptions& options) {
  options.validate();
  state_ = std::make_unique<State>(options);
}
SparseModel::SparseModel(std::unique_ptr<State> state) : state_(std::move(state)) {}
SparseModel::~SparseModel() = default;
SparseModel::SparseModel(SparseModel&&) noexcept = default;
SparseModel& SparseModel::operator=(SparseModel&&) noexcept = default;

const SparseOptions& SparseModel::options() const { return state_->options; }

SparseModel::Summary SparseModel::summary() const { return hashed::summary_of(*state_); }

SparseModel::Report SparseModel::update(const FeatureRows& rows) {
  hashed::expect_targets(rows, state_->options.target);
  return hashed::learn_rows(*state_, rows);
}

SparseModel::Report SparseModel::fit(const FeatureRows& rows) {
  hashed::expect_targets(rows, state_->options.target);
  return hashed::fit_rows(*state_, rows);
}

std::vector<SparseModel::Prediction> SparseModel::predict(const FeatureRows& rows) const {
  rows.validate(/*needs_targets=*/false);
  return hashed::predicted(*state_, rows);
}

std::vector<double> SparseModel::sample(const FeatureRows& rows, std::uint64_t seed) const {
  rows.validate(/*needs_targets=*/false);
  const PerLane shares = state_->bank.shares();
  std::vector<double> out;
  out.reserve(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const LaneMoments score = state_->score(rows, row);
    RandomStream random(seed, row);
    std::size_t lane = 0;
    for (double left = random.uniform() - shares[0]; left >= 0 && lane + 1 < state_->bank.lanes;)
      left -= shares[++lane];
    const double drawn = score.mean[lane] + std::sqrt(score.variance[lane]) * random.normal();
    out.push_back(state_->location + state_->unit * drawn);
  }
  return out;
}

SparseModel::Weight SparseModel::weight(std::uint64_t key) const {
  const std::size_t lanes = state_->bank.lanes;
  const float* const found = state_->linear.weights.find(key);
  LaneMoments beliefs;
  for (std::size_t k = 0; k < lanes; ++k) {
    beliefs.mean[k] = found == nullptr ? 0 : static_cast<double>(found[k]);
    beliefs.variance[k] =
        static_cast<double>(found == nullptr ? state_->linear.prior()[k] : found[lanes + k]);
  }
  const Mixed mixed = mixture_of(beliefs, state_->bank.shares());
  return {mixed.mean, mixed.variance, found != nullptr};
}

const SparseModel::Partitions& SparseModel::position(const std::string& source) const {
  static const Partitions nowhere;
  const auto found = state_->positions.find(source);
  return found == state_->positions.end() ? nowhere : found->second;
}

std::vector<std::string> SparseModel::sources() const {
  std::vector<std::string> out;
  for (const auto& [source, partitions] : state_->positions) out.push_back(source);
  return out;
}

void SparseModel::set_position(const std::string& source, const Partitions& after) {
  for (const auto& [partition, event] : after) state_->positions[source][partition] = event;
}

std::size_t SparseModel::drop_idle(double most_nats) {
  if (!(most_nats >= 0)) reject("most_nats", most_nats, "must be at least 0");
  const std::size_t lanes = state_->bank.lanes;
  const std::span<const float> prior = state_->linear.prior();
  return state_->linear.weights.keep_if([&](std::uint64_t, const float* beliefs) {
    for (std::size_t k = 0; k < lanes; ++k) {
      const auto belief = Gaussian::from_moments(static_cast<double>(beliefs[k]),
                                                 static_cast<double>(beliefs[lanes + k]));
      const auto before = Gaussian::from_moments(0, static_cast<double>(prior[k]));
      if (kl_divergence(belief, before) >= most_nats) return true;
    }
    return false;
  });
}

}  // namespace postrider::sparse
