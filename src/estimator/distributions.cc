#include "estimator/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "estimator/shaped_moments.h"
#include "estimator/target_score.h"
#include "estimator/unknown_inputs.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;

namespace internal {

namespace {

// Quantiles are not asked for closer to 0 and 1.
constexpr double kLeastTail = 1e-12;

// The mixture of a place, bent by what was learned of its shape.
class ShapedMixture {
 public:
  ShapedMixture(const DistributionsState& state, std::size_t place)
      : mixture_(state.at(place)), shape_(state.shape(place)) {}

  double below(double value) const {
    const double plain = mixture_.below(value);
    return shape_ ? shape_->below(plain) : plain;
  }
  double quantile(double probability) const {
    if (!shape_) return mixture_.quantile(probability);
    return mixture_.quantile(std::clamp(shape_->inverse(probability), kLeastTail, 1 - kLeastTail));
  }

 private:
  Mixture mixture_;
  const UnitShape* shape_;
};

// One number for each target that is a number.
template <class Value>
std::vector<double> at_targets(const DistributionsState* state, std::span<const double> targets,
                               Value&& value) {
  const std::size_t places = state == nullptr ? 0 : state->places();
  if (targets.size() != places)
    reject("targets", targets.size(), "must be one for each prediction");
  std::vector<double> out(places, std::numeric_limits<double>::quiet_NaN());
  if (places == 0) return out;
  state->workers->run(places, [&](std::size_t place) {
    if (!std::isnan(targets[place]))
      out[place] = value(place, state->column(place).learned(targets[place]));
  });
  return out;
}

// In the unit of the targets a number may be too large, or the square of a unit.
void expect_finite_prediction(const std::vector<double>& values) {
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
    throw Error("a prediction is not a finite number in the unit of the targets");
}

Moments plain_moments(const TargetColumn& column, std::span<const Outlook> outlooks) {
  // The variance of a mixture is the mean of the squares less the square of the mean.
  double mean = 0, squares = 0, noise = 0;
  for (const Outlook& outlook : outlooks) {
    mean += outlook.share * outlook.mean;
    squares += outlook.share * (outlook.variance + outlook.mean * outlook.mean);
    noise += outlook.share * outlook.noise();
  }
  const double members = sum_of_shares(outlooks);
  mean /= members;
  const double unit = column.deviation();
  return {column.in_units(mean), unit * unit * std::max(0.0, squares / members - mean * mean),
          unit * unit * noise / members};
}

// What the beliefs leave open is the variance of the target without noise; the rest is noise.
Moments moments_of_roots(const TargetColumn& column, std::span<const Outlook> outlooks) {
  const double floor = std::sqrt(column.offset()), unit = column.deviation();
  const auto of_part = [&](double mean, double deviation) {
    return root_moments(column.mean() + unit * mean, unit * deviation, floor);
  };
  const auto variance = [](const RootMoments& m) {
    return std::max(0.0, m.square - m.mean * m.mean);
  };
  const RootMoments whole = Mixture(outlooks).moments_of(of_part);
  RootMoments quiet;
  const double all_shares = sum_of_shares(outlooks);
  for (const Outlook& outlook : outlooks) {
    const RootMoments one = of_part(outlook.mean, std::sqrt(outlook.variance));
    quiet.mean += one.mean * outlook.share / all_shares;
    quiet.square += one.square * outlook.share / all_shares;
  }
  const double all = variance(whole), spread = std::min(all, variance(quiet));
  return {whole.mean, spread, all - spread};
}

}  // namespace

Moments moments_of_member(const TargetColumn& column, const Outlook& member) {
  return column.is_root() ? moments_of_roots(column, {&member, 1})
                          : plain_moments(column, {&member, 1});
}

// Intervals are never narrower than those that the beliefs have at a level lower by this: what stands beside them, such as
// quantiles, comes from the beliefs.
constexpr double kLevelsApart = 0.1;

double DistributionsState::tail_of_level(std::size_t place, double level) const {
  if (reach.empty() && left_out.empty()) return 0.5 * (1 - level);
  const std::size_t column = place % targets.columns();
  const double found = reach.empty() ? left_out[column].reach(level) : reach[column].reach(level);
  return std::min(tail_of(found), 0.5 * (1 - std::max(0.0, level - kLevelsApart)));
}

double DistributionsState::level_of(std::size_t place, double below) const {
  const double of_beliefs = std::abs(2 * below - 1);
  if (reach.empty() && left_out.empty()) return of_beliefs;
  const std::size_t column = place % targets.columns();
  const double score = score_of(below);
  const double found =
      reach.empty() ? left_out[column].level_of(score) : reach[column].level_of(score);
  return std::min(found, of_beliefs + kLevelsApart);
}

}  // namespace internal

Distributions::Distributions(std::shared_ptr<const DistributionsState> state)
    : state_(std::move(state)) {}

std::size_t Distributions::size() const { return state_ ? state_->places() : 0; }

Forecast Distributions::moments() const {
  Forecast out;
  if (size() == 0) return out;
  std::vector<Moments> found(size());
  state_->workers->run(size(), [&](std::size_t place) {
    const TargetColumn& column = state_->column(place);
    found[place] = column.is_root() ? moments_of_roots(column, state_->at(place))
                                    : plain_moments(column, state_->at(place));
    if (const UnitShape* shape = state_->shape(place))
      found[place] = shaped_moments(column, state_->at(place), *shape, found[place]);
  });
  for (const Moments& each : found) {
    out.mean.push_back(each.mean);
    out.variance.push_back(each.spread + each.noise);
    out.noise_variance.push_back(each.noise);
  }
  expect_finite_prediction(out.mean);
  expect_finite_prediction(out.variance);
  return out;
}

std::vector<double> Distributions::quantiles(std::span<const double> probabilities) const {
  expect_probabilities(probabilities);
  const std::size_t count = probabilities.size();
  std::vector<double> out(size() * count);
  if (out.empty()) return out;
  state_->workers->run(size(), [&](std::size_t place) {
    const ShapedMixture mixture(*state_, place);
    for (std::size_t k = 0; k < count; ++k)
      out[place * count + k] = state_->in_units(place, mixture.quantile(probabilities[k]));
  });
  expect_finite_prediction(out);
  return out;
}

std::vector<double> Distributions::intervals(double level) const {
  if (!(level > 0 && level < 1)) reject("level", level, "must be above 0 and below 1");
  std::vector<double> out(2 * size());
  if (out.empty()) return out;
  state_->workers->run(size(), [&](std::size_t place) {
    const ShapedMixture mixture(*state_, place);
    const double tail = state_->tail_of_level(place, level);
    out[2 * place] = state_->in_units(place, mixture.quantile(tail));
    out[2 * place + 1] = state_->in_units(place, mixture.quantile(1 - tail));
  });
  expect_finite_prediction(out);
  return out;
}

std::vector<double> Distributions::levels(std::span<const double> targets) const {
  return at_targets(state_.get(), targets, [&](std::size_t place, double target) {
    return state_->level_of(place, ShapedMixture(*state_, place).below(target));
  });
}

std::vector<double> Distributions::samples(std::size_t count, std::uint64_t seed,
                                           std::size_t first_row) const {
  std::vector<double> out(size() * count);
  if (out.empty()) return out;
  const std::size_t first_place = first_row * state_->targets.columns();
  state_->workers->run(size(), [&](std::size_t place) {
    RandomStream random(seed, first_place + place);
    if (!state_->shape(place)) {
      for (std::size_t k = 0; k < count; ++k)
        out[place * count + k] = state_->in_units(place, drawn(state_->at(place), random));
      return;
    }
    const ShapedMixture mixture(*state_, place);
    for (std::size_t k = 0; k < count; ++k)
      out[place * count + k] = state_->in_units(
          place, mixture.quantile(std::clamp(random.uniform(), kLeastTail, 1 - kLeastTail)));
  });
  expect_finite_prediction(out);
  return out;
}

std::vector<double> Distributions::below(std::span<const double> targets) const {
  return at_targets(state_.get(), targets, [&](std::size_t place, double target) {
    return ShapedMixture(*state_, place).below(target);
  });
}

std::vector<double> Distributions::log_densities(std::span<const double> targets) const {
  return at_targets(state_.get(), targets, [&](std::size_t place, double target) {
    const TargetColumn& column = state_->column(place);
    const double plain = log_score(column, state_->at(place), targets[place]);
    const UnitShape* shape = state_->shape(place);
    if (!shape) return plain;
    const Mixture mixture(state_->at(place));
    return plain + std::log(density_ratio(*shape, cell_of(column, mixture, targets[place]),
                                          mixture.below(target)));
  });
}

}  // namespace postrider
