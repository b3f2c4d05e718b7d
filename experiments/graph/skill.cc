// Skills from real games: each game predicted from all earlier ones, against the base rate and Elo.
// Every method has its settings tuned by the same search, on the training part only.
#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <functional>
#include <limits>
#include <numeric>

#include "common/games.h"
#include "parts.h"
#include "skill_history.h"

namespace postrider::experiments {
namespace {

constexpr double kNanosecondsPerUpdate = 1000;
constexpr int kTimings = 21;
constexpr double kDaysPerYear = 365.25;

// Log-loss in nats per game and the share of games whose likeliest outcome came about.
struct Score {
  double log_loss = 0, accuracy = 0;
  std::vector<double> losses = {};  // one per game
};

class Scorer {
 public:
  void add(const skill::Prediction& p, skill::SkillRating::Outcome outcome) {
    const std::array<double, 3> probability{p.win, p.draw, p.loss};
    const auto happened = static_cast<std::size_t>(outcome);
    losses_.push_back(-std::log(probability[happened]));
    if (*std::max_element(probability.begin(), probability.end()) == probability[happened]) ++hits_;
  }
  Score score() const {
    const auto count = static_cast<double>(losses_.size());
    return {std::accumulate(losses_.begin(), losses_.end(), 0.0) / count,
            static_cast<double>(hits_) / count, losses_};
  }

 private:
  std::vector<double> losses_;
  std::size_t hits_ = 0;
};

// The standard error of the mean difference between two methods' losses on the same games.
double standard_error(const Score& a, const Score& b) {
  const double mean = a.log_loss - b.log_loss;
  double sum = 0;
  for (std::size_t i = 0; i < a.losses.size(); ++i) {
    const double off = a.losses[i] - b.losses[i] - mean;
    sum += off * off;
  }
  return std::sqrt(sum) / static_cast<double>(a.losses.size());
}

// Which games to score. All games before `to` are predicted and learnt from.
struct Range {
  std::size_t from, to;
};

// Settings are tuned on the later half of the training part: at its beginning everyone is unknown.
Range tuning_range(const Games& games) { return {games.first_test / 2, games.first_test}; }
Range test_range(const Games& games) { return {games.first_test, games.games.size()}; }

// The methods' settings, all positive; one of 0 is switched off and stays so.
using Values = std::vector<double>;
using Method = std::function<Score(const Games&, const Values&, Range)>;

// Settings: performance deviation, draw margin, advantage at home, drift per year; in units of the
// deviation of a new player. Predictions do not depend on the unit.
skill::SkillOptions options_of(const Values& values, double mean, double unit) {
  return {.mean = mean,
          .std = unit,
          .performance_std = unit * values[0],
          .dynamics_std = unit * values[3] / std::sqrt(kDaysPerYear),
          .draw_margin = unit * values[1]};
}

Score skill_rating(const Games& games, const Values& values, Range range) {
  skill::SkillRating ratings(options_of(values, 0, 1));
  for (std::size_t i = 0; i < games.players; ++i) ratings.add_player();
  Scorer scorer;
  for (std::size_t i = 0; i < range.to; ++i) {
    const Game& game = games.games[i];
    const skill::Player a{game.a}, b{game.b};
    const double advantage = game.at_home ? values[2] : 0;
    if (i >= range.from)
      scorer.add(ratings.predict({&a, 1}, {&b, 1}, game.days, advantage), game.outcome);
    ratings.update({&a, 1}, {&b, 1}, game.outcome, game.days, advantage);
  }
  return scorer.score();
}

// Settings: K, weight of a draw (Davidson's model), advantage at home, and how much steeper or
// flatter the prediction is than the update. In units in which the odds are exp(difference).
Score elo(const Games& games, const Values& values, Range range) {
  std::vector<double> rating(games.players, 0.0);
  Scorer scorer;
  for (std::size_t i = 0; i < range.to; ++i) {
    const Game& game = games.games[i];
    const double difference = rating[game.a] - rating[game.b] + (game.at_home ? values[2] : 0);
    if (i >= range.from) {
      const double half = values[3] * difference / 2;
      const double win = std::exp(half), loss = std::exp(-half), sum = win + loss + values[1];
      scorer.add({win / sum, values[1] / sum, loss / sum}, game.outcome);
    }
    const double expected = 1 / (1 + std::exp(-difference));
    const double step =
        values[0] * (1 - 0.5 * static_cast<double>(game.outcome) - expected);  // 1, 1/2 or 0
    rating[game.a] += step;
    rating[game.b] -= step;
  }
  return scorer.score();
}

Score base_rate(const Games& games) {
  std::array<double, 3> count{};
  for (std::size_t i = 0; i < games.first_test; ++i)
    ++count[static_cast<std::size_t>(games.games[i].outcome)];
  const double all = static_cast<double>(games.first_test);
  Scorer scorer;
  for (std::size_t i = games.first_test; i < games.games.size(); ++i)
    scorer.add({count[0] / all, count[1] / all, count[2] / all}, games.games[i].outcome);
  return scorer.score();
}

// One setting after the other, up or down by a factor that shrinks when none of them helps.
std::pair<double, Values> descend(const std::function<double(const Values&)>& loss, Values values) {
  double best = loss(values);
  for (double factor = 2; factor > 1.03;) {
    bool better = false;
    for (double& value : values)
      for (const double by : {factor, 1 / factor})
        while (value > 0) {
          const double before = value;
          value *= by;
          const double found = loss(values);
          if (!(found < best - 1e-7)) {
            value = before;
            break;
          }
          best = found;
          better = true;
        }
    if (!better) factor = std::sqrt(factor);
  }
  return {best, values};
}

// The best of several starts, because the settings depend on each other.
Values tune(const Method& method, const Games& games, const Values& start) {
  const auto loss = [&](const Values& at) {
    const double found = method(games, at, tuning_range(games)).log_loss;
    return std::isfinite(found) ? found : std::numeric_limits<double>::max();
  };
  std::pair<double, Values> best{std::numeric_limits<double>::infinity(), start};
  for (const double scale : {1.0, 1.0 / 3, 3.0}) {
    Values from = start;
    for (double& value : from) value *= scale;
    best = std::min(best, descend(loss, from));
  }
  return best.second;
}

// Processor time: waiting for a core that others use is not the update's.
double nanoseconds_per_update(const Games& games) {
  std::vector<double> found;
  for (int repeat = 0; repeat < kTimings; ++repeat) {
    skill::SkillRating ratings;
    for (std::size_t i = 0; i < games.players; ++i) ratings.add_player();
    const std::clock_t start = std::clock();
    for (const Game& game : games.games) {
      const skill::Player a{game.a}, b{game.b};
      ratings.update({&a, 1}, {&b, 1}, game.outcome, game.days);
    }
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    found.push_back(1e9 * seconds / static_cast<double>(games.games.size()));
  }
  std::nth_element(found.begin(), found.begin() + kTimings / 2, found.end());
  return found[kTimings / 2];
}

struct Comparison {
  Object result;
  Claim claim;
  Values tuned;
};

Comparison compare(const std::string& name, const Games& games, bool at_home) {
  const Values start{1, 0.3, at_home ? 0.3 : 0, 0.1};
  const Values tuned = tune(skill_rating, games, start);
  const Values still = tune(skill_rating, games, {1, 0.3, at_home ? 0.3 : 0, 0});
  const Values tuned_elo = tune(elo, games, {0.2, 0.5, at_home ? 0.5 : 0, 1});
  const Range test = test_range(games);
  const Score found = skill_rating(games, tuned, test), fixed = skill_rating(games, still, test),
              found_elo = elo(games, tuned_elo, test), base = base_rate(games);
  return {{{"games", {static_cast<std::int64_t>(games.games.size())}},
           {"test_games", {static_cast<std::int64_t>(test.to - test.from)}},
           {"players", {static_cast<std::int64_t>(games.players)}},
           {"log_loss", {found.log_loss}},
           {"accuracy", {found.accuracy}},
           {"elo_log_loss", {found_elo.log_loss}},
           {"elo_excess_standard_error", {standard_error(found_elo, found)}},
           {"elo_accuracy", {found_elo.accuracy}},
           {"static_log_loss", {fixed.log_loss}},
           {"static_accuracy", {fixed.accuracy}},
           {"base_rate_log_loss", {base.log_loss}},
           {"base_rate_accuracy", {base.accuracy}},
           {"settings_performance_margin_home_drift_per_year", {tuned}},
           {"elo_settings_k_draw_home_slope", {tuned_elo}}},
          {name + ": log-loss " + std::to_string(found.log_loss) + ", below tuned Elo's " +
               std::to_string(found_elo.log_loss) + " (base rate " + std::to_string(base.log_loss) +
               ")",
           found.log_loss < found_elo.log_loss},
          tuned};
}

}  // namespace

Part skill(const Settings& settings) {
  const Games halo2_games = read_halo2(settings.data);
  const Comparison halo2 = compare("halo2", halo2_games, false);
  const Games football_games = read_football(settings.data);
  const Comparison football = compare("football", football_games, true);
  // For people, on the scale on which the library's ratings begin.
  const skill::SkillOptions usual;
  const Object history =
      rating_history(football_games, options_of(football.tuned, usual.mean, usual.std),
                     usual.std * football.tuned[2]);
  const double time = nanoseconds_per_update(halo2_games);
  return {"skill",
          {{"halo2", {halo2.result}},
           {"football", {football.result}},
           {"football_ratings", {history}},
           {"ns_per_update", {time}}},
          {halo2.claim,
           football.claim,
           {std::to_string(time) + " ns per update of two players, below 1000",
            settings.quick || time < kNanosecondsPerUpdate}}};
}

}  // namespace postrider::experiments
