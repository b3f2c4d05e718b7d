#include "skill/prediction.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace postrider::internal::games {
namespace {

namespace lanes = HWY_NAMESPACE;

// Nodes of the trapezoidal rule, which for Gaussians is exact to rounding once they are dense enough: no performance is known
// better than a tenth of another's, unless settings are extreme.
constexpr int kNodes = 401;
constexpr double kReach = 8;  // standard deviations

// Up to so many splits are all tried.
constexpr std::size_t kMostSplits = 20'000;

double log_density_of_equality(std::span<const Expected> sides, bool known) {
  const auto message = [&](const Expected& side) {
    return lanes::message_of(known ? Moments{0, side.noise} : side.performance);
  };
  Message together = message(sides[0]);
  double sum = 0;
  for (const Expected& side : sides.subspan(1)) {
    sum += lanes::log_overlap(together, message(side));
    together = lanes::product(together, message(side));
  }
  return sum;
}

// How many of several independent events come about, one more at a time.
void add_event(double probability, std::vector<double>& counts) {
  counts.push_back(0);
  for (std::size_t n = counts.size(); n-- > 0;)
    counts[n] = counts[n] * (1 - probability) + (n > 0 ? counts[n - 1] * probability : 0);
}

// Tries splits of players, who come in an order, into teams of given sizes.
class Splitter {
 public:
  Splitter(std::span<const Expected> players, std::size_t teams)
      : players_(players), team_(players.size()), room_(teams) {
    for (std::size_t t = 0; t < teams; ++t)
      room_[t] = players.size() / teams + (t < players.size() % teams ? 1 : 0);
    size_ = room_;
  }

  std::vector<std::uint32_t> best() {
    place(0);
    if (tried_ <= kMostSplits) return best_;
    draft();
    while (exchange()) {
    }
    return best_;
  }

 private:
  double quality(std::span<const std::uint32_t> team) const {
    std::vector<Expected> sides(size_.size(), Expected{{0, 0}, 0});
    for (std::size_t i = 0; i < players_.size(); ++i) {
      Expected& side = sides[team[i]];
      side.performance.mean += players_[i].performance.mean;
      side.performance.variance += players_[i].performance.variance;
      side.noise += players_[i].noise;
    }
    return match_quality(sides);
  }

  void place(std::size_t player) {
    if (tried_ > kMostSplits) return;
    if (player == players_.size()) {
      ++tried_;
      const double found = quality(team_);
      if (found > best_quality_) {
        best_quality_ = found;
        best_ = team_;
      }
      return;
    }
    for (std::uint32_t t = 0; t < room_.size(); ++t) {
      // Where empty teams have one size, the first stands for all.
      const bool is_copy =
          t > 0 && room_[t] == size_[t] && room_[t - 1] == size_[t] && size_[t - 1] == size_[t];
      if (room_[t] == 0 || is_copy) continue;
      --room_[t];
      team_[player] = t;
      place(player + 1);
      ++room_[t];
    }
  }

  // The best player to the first team, and so on, and back again.
  void draft() {
    std::vector<std::size_t> order(players_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return players_[a].performance.mean > players_[b].performance.mean;
    });
    const std::size_t teams = size_.size();
    std::vector<std::size_t> room = size_;
    std::size_t turn = 0;
    for (const std::size_t player : order) {
      std::size_t t = 0;
      do {
        t = turn / teams % 2 == 0 ? turn % teams : teams - 1 - turn % teams;
        ++turn;
      } while (room[t] == 0);
      --room[t];
      best_[player] = static_cast<std::uint32_t>(t);
    }
    best_quality_ = quality(best_);
  }

  bool exchange() {
    bool is_better = false;
    for (std::size_t i = 0; i < best_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        if (best_[i] == best_[j]) continue;
        std::swap(best_[i], best_[j]);
        const double found = quality(best_);
        if (found > best_quality_) {
          best_quality_ = found;
          is_better = true;
        } else {
          std::swap(best_[i], best_[j]);
        }
      }
    return is_better;
  }

  std::span<const Expected> players_;
  std::vector<std::uint32_t> team_, best_;
  std::vector<std::size_t> room_, size_;
  std::size_t tried_ = 0;
  double best_quality_ = -1;
};

}  // namespace

std::vector<double> rank_probabilities(std::span<const Expected> sides) {
  const std::size_t n = sides.size();
  std::vector<double> out(n * n, 0), counts;
  const double step = 2 * kReach / (kNodes - 1);
  for (std::size_t k = 0; k < n; ++k)
    for (int node = 0; node < kNodes; ++node) {
      const double z = -kReach + step * node;
      const double x = sides[k].performance.mean + z * std::sqrt(sides[k].performance.variance);
      counts.assign(1, 1);
      for (std::size_t j = 0; j < n; ++j)
        if (j != k)
          add_event(lanes::normal_cdf(lanes::standardised(sides[j].performance.mean - x,
                                                          sides[j].performance.variance)),
                    counts);
      const double weight = step * lanes::normal_density(z);
      for (std::size_t rank = 0; rank < n; ++rank) out[k * n + rank] += weight * counts[rank];
    }
  return out;
}

double match_quality(std::span<const Expected> sides) {
  return std::exp(log_density_of_equality(sides, false) - log_density_of_equality(sides, true));
}

std::vector<std::uint32_t> fair_split(std::span<const Expected> players, std::size_t teams) {
  return Splitter(players, teams).best();
}

}  // namespace postrider::internal::games
