#include "graph/posterior_chains.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/random.h"
#include "math/small_matrix.h"

namespace postrider::internal {
namespace {

constexpr std::size_t kFirstSteps = 32;
constexpr double kWorth = 4;  // draws that the second half of a chain must be worth
constexpr int kMostShrinks = 200;
constexpr double kHopeless = 0.9;  // of that, what the longest chains would be worth
// Streams of the chains, beside those of other draws with the same seed.
constexpr std::uint64_t kFirstStream = std::uint64_t{1} << 32;

// p/r varies by about two nats where p is the belief itself, in any number of dimensions.
double widening(std::size_t variables) {
  return std::sqrt(1 + 2.8 / std::sqrt(static_cast<double>(variables)));
}

struct Chain {
  RandomStream random;
  std::vector<double> at, along;  // x - m and y - m
  double height = kLowest, level = kLowest;
  double angle = 0, low = 0, high = 0;
};

// Sums of one chain since the last time that they were cleared.
struct Sums {
  std::vector<double> first, second;
};

class Chains {
 public:
  Chains(const BeliefToMove& belief, const ChainOptions& options)
      : belief_(belief), size_(belief.mean.size()), wide_(widening(size_)) {
    for (std::size_t c = 0; c < options.chains; ++c) {
      chains_.push_back({RandomStream(options.seed, kFirstStream + c), {}, {}});
      chains_.back().at = drawn(chains_.back().random);
    }
    std::vector<std::size_t> all(chains_.size());
    for (std::size_t c = 0; c < all.size(); ++c) all[c] = c;
    points_.clear();
    for (const Chain& chain : chains_) append(chain.at);
    const std::vector<double> heights = heights_of_points();
    for (std::size_t c = 0; c < all.size(); ++c) chains_[c].height = heights[c];
    clear_sums();
  }

  void step() {
    std::vector<std::size_t> open;
    for (std::size_t c = 0; c < chains_.size(); ++c) {
      Chain& chain = chains_[c];
      chain.along = drawn(chain.random);
      chain.level = chain.height + std::log(chain.random.uniform());
      chain.angle = 2 * std::numbers::pi * chain.random.uniform();
      chain.high = chain.angle, chain.low = chain.angle - 2 * std::numbers::pi;
      open.push_back(c);
    }
    for (int turn = 0; turn < kMostShrinks && !open.empty(); ++turn) {
      points_.clear();
      for (const std::size_t c : open) append(there(chains_[c]));
      const std::vector<double> heights = heights_of_points();
      std::vector<std::size_t> left;
      for (std::size_t k = 0; k < open.size(); ++k) {
        Chain& chain = chains_[open[k]];
        // Where the model has no density at all, any place is as good.
        if (heights[k] >= chain.level) {
          chain.at = there(chain);
          chain.height = heights[k];
          continue;
        }
        (chain.angle < 0 ? chain.low : chain.high) = chain.angle;
        chain.angle = chain.low + (chain.high - chain.low) * chain.random.uniform();
        left.push_back(open[k]);
      }
      open = std::move(left);
    }
    ++steps_;
    for (std::size_t c = 0; c < chains_.size(); ++c)
      for (std::size_t i = 0; i < size_; ++i) {
        const double squared = chains_[c].at[i] * chains_[c].at[i];
        sums_[c].first[i] += chains_[c].at[i];
        sums_[c].second[i] += squared;
        fourth_[i] += squared * squared;
      }
  }

  void clear_sums() {
    steps_ = 0;
    sums_.assign(chains_.size(), {std::vector<double>(size_), std::vector<double>(size_)});
    fourth_.assign(size_, 0.0);
  }

  // Adds variable i to the result; returns how many draws a chain is worth of it.
  double summarise(std::size_t i, graph::Model::Check& out) const {
    const auto chains = static_cast<double>(chains_.size()), steps = static_cast<double>(steps_);
    double mean = 0, square = 0;
    for (const Sums& of : sums_) mean += of.first[i], square += of.second[i];
    mean /= chains * steps, square /= chains * steps;
    const double variance = square - mean * mean;
    double of_mean = 0, of_square = 0, of_variance = 0;  // variances of chains' means
    for (const Sums& of : sums_) {
      const double gap = of.first[i] / steps - mean, beside = of.second[i] / steps - square;
      of_mean += gap * gap, of_square += beside * beside;
      of_variance += (beside - 2 * mean * gap) * (beside - 2 * mean * gap);
    }
    of_mean /= chains - 1, of_square /= chains - 1, of_variance /= chains - 1;
    out.means.push_back(belief_.mean[i] + mean);
    out.deviations.push_back(std::sqrt(variance));
    out.mean_errors.push_back(std::sqrt(of_mean / chains));
    out.deviation_errors.push_back(std::sqrt(of_variance / chains) / (2 * std::sqrt(variance)));
    const double spread_of_square = fourth_[i] / (chains * steps) - square * square;
    return std::min(variance / of_mean, spread_of_square / of_square);
  }

 private:
  std::vector<double> drawn(RandomStream& random) const {
    std::vector<double> out(size_);
    for (double& value : out) value = wide_ * random.normal();
    belief_.colour(out);
    return out;
  }

  std::vector<double> there(const Chain& chain) const {
    std::vector<double> out(size_);
    const double cosine = std::cos(chain.angle), sine = std::sin(chain.angle);
    for (std::size_t i = 0; i < size_; ++i) out[i] = cosine * chain.at[i] + sine * chain.along[i];
    return out;
  }

  void append(const std::vector<double>& away) {
    for (std::size_t i = 0; i < size_; ++i) points_.push_back(belief_.mean[i] + away[i]);
  }

  // log p - log r, up to a constant.
  std::vector<double> heights_of_points() const {
    std::vector<double> out(points_.size() / size_);
    belief_.log_model(points_, out);
    for (std::size_t k = 0; k < out.size(); ++k) {
      const auto point = std::span(points_).subspan(k * size_, size_);
      out[k] += 0.5 * belief_.squared_distance(point) / (wide_ * wide_);
      if (std::isnan(out[k])) out[k] = kLowest;
    }
    return out;
  }

  const BeliefToMove& belief_;
  std::size_t size_, steps_ = 0;
  double wide_;
  std::vector<Chain> chains_;
  std::vector<double> points_;
  std::vector<Sums> sums_;
  std::vector<double> fourth_;  // of all chains
};

}  // namespace

graph::Model::Check check_by_chains(const BeliefToMove& belief, const ChainOptions& options) {
  Chains chains(belief, options);
  const std::size_t variables = belief.mean.size();
  std::vector<bool> is_judged(variables, options.judged.empty());
  for (const std::uint32_t variable : options.judged) is_judged[variable] = true;
  graph::Model::Check out;
  std::size_t steps = 0;
  for (std::size_t until = kFirstSteps; until <= options.most_steps; until *= 2) {
    for (; steps < until; ++steps) {
      if (steps == until / 2) chains.clear_sums();
      chains.step();
    }
    out = {};
    double worth = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < variables; ++i) {
      const double of_this = chains.summarise(i, out);
      if (is_judged[i]) worth = std::min(worth, of_this);
    }
    out.chains = options.chains, out.steps = steps;
    out.effective_draws = worth * static_cast<double>(options.chains);
    out.can_tell = worth >= kWorth;
    if (out.can_tell && options.is_enough(out)) break;
    // What the first draw is worth is one; the rest grows as the chain does. Where that would not be enough nothing is waited for.
    const double longest = static_cast<double>(options.most_steps) / static_cast<double>(steps);
    if (steps > kFirstSteps && 1 + (worth - 1) * longest < kHopeless * kWorth) break;
  }
  return out;
}

}  // namespace postrider::internal
