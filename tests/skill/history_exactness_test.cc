// Histories of a few games against sums over a grid, without any approximation.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "postrider/skill/history.h"
#include "skill/matches.h"

namespace postrider::skill {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// What expectation propagation may be off on the history of one player against strangers, where its graph is a tree.
constexpr double kPropagation = 0.02;
constexpr SkillHistory::SmoothOptions kThorough{1e-10, 5000};

// One skill on a grid, moving from game to game: forward and backward sums without any approximation.
class GridChain {
 public:
  using Likelihood = std::function<double(double)>;
  static constexpr int kPoints = 501;
  static constexpr double kHalf = 12;

  GridChain(const SkillOptions& options, std::vector<double> times, std::vector<Likelihood> games)
      : times_(std::move(times)) {
    for (const Likelihood& game : games) {
      std::vector<double> row;
      for (int i = 0; i < kPoints; ++i) row.push_back(game(at(i)));
      likelihood_.push_back(row);
    }
    drift_ = options.dynamics_std * options.dynamics_std;
    std::vector<double> row;
    for (int i = 0; i < kPoints; ++i)
      row.push_back(density(at(i), options.mean, options.std * options.std));
    prior_ = row;
  }

  double log_evidence() const { return std::log(sum(forward(times_.size() - 1), ones(), nullptr)); }

  struct Moments {
    double mean, variance;
  };
  Moments at_game(std::size_t game) const {
    const std::vector<double> before = forward(game), behind = backward(game);
    double mean = 0, square = 0;
    const double mass = sum(before, behind, nullptr);
    mean = sum(before, behind, &mean) / mass;
    for (int i = 0; i < kPoints; ++i)
      square += before[static_cast<std::size_t>(i)] * behind[static_cast<std::size_t>(i)] *
                (at(i) - mean) * (at(i) - mean) * kStep;
    return {mean, square / mass};
  }

 private:
  static constexpr double kStep = 2 * kHalf / (kPoints - 1);
  static double at(int i) { return -kHalf + i * kStep; }
  static std::vector<double> ones() { return std::vector<double>(kPoints, 1); }
  static double sum(const std::vector<double>& a, const std::vector<double>& b,
                    const double* weighted) {
    double out = 0;
    for (int i = 0; i < kPoints; ++i) {
      const auto k = static_cast<std::size_t>(i);
      out += a[k] * b[k] * (weighted == nullptr ? 1 : at(i)) * kStep;
    }
    return out;
  }
  std::vector<double> moved(const std::vector<double>& from, double elapsed) const {
    if (elapsed == 0 || drift_ == 0) return from;
    std::vector<double> out(kPoints, 0);
    for (int i = 0; i < kPoints; ++i)
      for (int j = 0; j < kPoints; ++j)
        out[static_cast<std::size_t>(i)] +=
            density(at(i), at(j), drift_ * elapsed) * from[static_cast<std::size_t>(j)] * kStep;
    return out;
  }
  // With the game's own likelihood.
  std::vector<double> forward(std::size_t game) const {
    std::vector<double> out = prior_;
    for (std::size_t g = 0; g <= game; ++g) {
      if (g > 0) out = moved(out, times_[g] - times_[g - 1]);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] *= likelihood_[g][i];
    }
    return out;
  }
  // Without it.
  std::vector<double> backward(std::size_t game) const {
    std::vector<double> out = ones();
    for (std::size_t g = times_.size() - 1; g > game; --g) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] *= likelihood_[g][i];
      out = moved(out, times_[g] - times_[g - 1]);
    }
    return out;
  }

  std::vector<double> times_, prior_;
  std::vector<std::vector<double>> likelihood_;
  double drift_ = 0;
};

// Eight games of all kinds of one player against strangers, each of whom plays once.
struct Career {
  SkillOptions options{.mean = 0,
                       .std = 2,
                       .performance_std = 1,
                       .dynamics_std = 0.7,
                       .draw_margin = 0.5,
                       .home_advantage = 0.6,
                       .home_std = 0.3,
                       .score_unit = 0.8,
                       .score_power = 0.7};
  SkillHistory history{options};
  Player hero = history.add_player("hero");
  std::vector<double> times;
  std::vector<GridChain::Likelihood> exact;

  // The variance of a stranger: skill and performance.
  static constexpr double kStranger = 4 + 1;

  Career() {
    const Player a = stranger();
    play(duel(hero, a, 1, 2, 0),
         [](double x) { return between(0.5, kInfinity, x, 1 + kStranger); });
    const Player b = stranger();
    play(duel(hero, b, 1, 1, 1), [](double x) { return between(-0.5, 0.5, x, 1 + kStranger); });
    // By three points: b(3) to b(4).
    const Player c = stranger();
    SkillHistory::Match scored = duel(hero, c, kNan, kNan, 1.5);
    scored.teams[0].score = 4;
    scored.teams[1].score = 1;
    const double low = 0.5 + 0.8 * std::pow(2, 0.7), high = 0.5 + 0.8 * std::pow(3, 0.7);
    play(scored, [=](double x) { return between(low, high, x, 1 + kStranger); });
    // Lost away from home: the stranger has the ground.
    const Player d = stranger();
    SkillHistory::Match away = duel(hero, d, 2, 1, 1.5);
    away.teams[1].at_home = true;
    play(away, [](double x) { return between(0.5, kInfinity, 0.6 - x, 1 + kStranger + 0.09); });
    // Half of a game, with a mate and a handicap, against two.
    const Player e = stranger(), f = stranger(), g = stranger();
    SkillHistory::Match teams{{team({hero, e}, 2), team({f, g}, 1)}, 3};
    teams.teams[0].players[0].share = 0.5;
    teams.teams[0].handicap = 0.4;
    play(teams,
         [](double x) { return between(0.5, kInfinity, -0.5 * x - 0.4, 0.25 + 3 * kStranger); });
    // Second of three.
    const Player h = stranger(), i = stranger();
    play({{team({h}, 1), team({hero}, 2), team({i}, 3)}, 4}, [](double x) {
      double sum = 0;
      for (double p = x - 8; p < x + 8; p += 0.02)
        sum += 0.02 * density(p, x, 1) * between(p + 0.5, kInfinity, 0, kStranger) *
               between(-kInfinity, p - 0.5, 0, kStranger);
      return sum;
    });
    // Abandoned: nobody is ranked.
    play(duel(hero, stranger(), kNan, kNan, 5), [](double) { return 1.0; });
    const Player j = stranger();
    play(duel(hero, j, 2, 1, 7),
         [](double x) { return between(0.5, kInfinity, -x, 1 + kStranger); });
  }

  Player stranger() { return history.add_player(); }
  void play(const SkillHistory::Match& match, GridChain::Likelihood likelihood) {
    history.add(match);
    times.push_back(match.time);
    exact.push_back(std::move(likelihood));
  }
};

TEST(SkillHistory, SmoothingACareerOfAllKindsOfMatchIsNearlyExact) {
  Career career;
  ASSERT_EQ(career.times.size(), 8U);
  const SkillHistory::SmoothReport report = career.history.smooth(kThorough);
  EXPECT_TRUE(report.converged);
  const GridChain grid(career.options, career.times, career.exact);
  const std::vector<SkillHistory::Point> curve = career.history.curve(career.hero);
  ASSERT_EQ(curve.size(), 8U);
  for (std::size_t game = 0; game < 8; ++game) {
    const GridChain::Moments exact = grid.at_game(game);
    const double deviation = std::sqrt(exact.variance);
    EXPECT_NEAR(curve[game].skill.mean(), exact.mean, kPropagation * deviation) << game;
    EXPECT_NEAR(curve[game].skill.std(), deviation, kPropagation * deviation) << game;
  }
  EXPECT_NEAR(career.history.log_evidence(), grid.log_evidence(), kPropagation);
}

}  // namespace
}  // namespace postrider::skill
