#include "postrider/skill_rating.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "factor/gaussian_likelihood-inl.h"
#include "factor/greater_than-inl.h"
#include "factor/interval-inl.h"
#include "factor/linear-inl.h"
#include "factor/scalar.h"
#include "postrider/error.h"

namespace postrider {
namespace {

// The lanes' formulas are called without the virtual interface: a game between two players is some
// ten messages, and has to take less than a microsecond.
namespace lanes = HWY_NAMESPACE;
using Message = lanes::Message<double>;
using lanes::GaussianLikelihood;
using lanes::GreaterThan;
using lanes::Linear;

Message point_mass(double value) { return {value, std::numeric_limits<double>::infinity()}; }

// N(y; x, variance) is symmetric, so that one direction serves both.
Message blurred(const Message& message, double variance) {
  const Message in[2] = {lanes::uniform_message<double>(), message};
  return GaussianLikelihood{variance}.send(GaussianLikelihood::y, Rule::exact, in).message;
}

// A half line of the difference, as the factor greater_than against a known zero.
struct HalfLine {
  bool above;  // difference > margin; else difference < -margin
  double margin;

  lanes::Sent<double> send(const Message& difference) const {
    const Message zero = point_mass(0);
    const GreaterThan constraint{margin};
    if (above) {
      const Message in[2] = {difference, zero};
      return constraint.send(GreaterThan::x, Rule::conditioned, in);
    }
    const Message in[2] = {zero, difference};
    return constraint.send(GreaterThan::y, Rule::conditioned, in);
  }

  // The mass that the difference has there: the evidence of this constraint.
  double probability(const Message& difference) const {
    const lanes::Sent<double> sent = send(difference);
    return std::exp(sent.log_scale + lanes::log_overlap(difference, sent.message));
  }
};

// Flattened, so that the compiler sees that nobody reads the scale and leaves out its logarithms.
HWY_FLATTEN Message half_line_message(const HalfLine& half_line, const Message& difference) {
  return half_line.send(difference).message;
}

Message outcome_message(Outcome outcome, const Message& difference, double margin) {
  if (outcome == Outcome::draw) return lanes::interval_message(-margin, margin, difference);
  return half_line_message({outcome == Outcome::win, margin}, difference);
}

// The part of the graph that one game adds: difference = sum of the first team's performances
// - sum of the second's + advantage.
struct Game {
  Linear sum;
  std::vector<Message> in;  // the difference, the performances, the advantage

  Game(std::size_t count_a, std::size_t count_b, double advantage) {
    sum.weights.assign(count_a + count_b + 1, 1);
    std::fill_n(sum.weights.begin() + static_cast<std::ptrdiff_t>(count_a), count_b, -1);
    in.assign(count_a + count_b + 2, lanes::uniform_message<double>());
    in.back() = point_mass(advantage);
  }

  Message& performance(std::size_t i) { return in[Linear::first_input + i]; }

  Message difference() const { return sum.send(Linear::z, Rule::exact, in.data()).message; }

  Message to_performance(std::size_t i) const {
    return sum.send(Linear::first_input + i, Rule::exact, in.data()).message;
  }
};

void expect_finite(std::string_view field, double value) {
  if (!std::isfinite(value)) reject(field, value, "must be finite");
}

void expect_positive(std::string_view field, double value) {
  if (!(std::isfinite(value) && value > 0)) reject(field, value, "must be finite and above 0");
}

void expect_not_negative(std::string_view field, double value) {
  if (!(std::isfinite(value) && value >= 0)) reject(field, value, "must be finite and at least 0");
}

double square(double x) { return x * x; }

}  // namespace

void SkillOptions::validate() const {
  expect_finite("mean", mean);
  expect_positive("std", std);
  expect_positive("performance_std", performance_std);
  expect_not_negative("dynamics_std", dynamics_std);
  expect_not_negative("draw_margin", draw_margin);
}

SkillRating::SkillRating(const SkillOptions& options) : options_(options) { options_.validate(); }

Player SkillRating::add_player(std::string name) {
  return add_player(std::move(name), Gaussian::from_moments(options_.mean, square(options_.std)));
}

Player SkillRating::add_player(std::string name, const Gaussian& rating, double last_game) {
  if (!rating.is_proper()) reject("rating", to_string(rating), "must be proper");
  if (std::isinf(last_game)) reject("last_game", last_game, "must be finite, or NaN for none");
  players_.push_back({rating, last_game});
  names_.push_back(std::move(name));
  return {static_cast<std::uint32_t>(players_.size() - 1)};
}

const SkillRating::State& SkillRating::state(Player player) const {
  if (player.index >= players_.size())
    reject("player", player.index,
           "must be below the number of players, " + std::to_string(players_.size()));
  return players_[player.index];
}

void SkillRating::check_time(Player player, double time) const {
  expect_finite("time", time);
  const double last = state(player).last_game;
  if (time < last)
    reject("time", time,
           "must not be before the last game of player " + std::to_string(player.index) + ", at " +
               std::to_string(last));
}

void SkillRating::check(std::span<const Player> team_a, std::span<const Player> team_b, double time,
                        double advantage) const {
  if (team_a.empty()) reject("team_a", "", "needs at least one player");
  if (team_b.empty()) reject("team_b", "", "needs at least one player");
  expect_finite("advantage", advantage);
  const std::size_t count = team_a.size() + team_b.size();
  const auto at = [&](std::size_t i) {
    return i < team_a.size() ? team_a[i] : team_b[i - team_a.size()];
  };
  for (std::size_t i = 0; i < count; ++i) {
    check_time(at(i), time);
    for (std::size_t j = 0; j < i; ++j)
      if (at(i) == at(j)) reject("player", at(i).index, "must be in the game only once");
  }
}

Gaussian SkillRating::skill_at(Player player, double time) const {
  const State& now = players_[player.index];
  const double elapsed = std::isnan(now.last_game) ? 0 : time - now.last_game;
  if (elapsed == 0 || options_.dynamics_std == 0) return now.skill;
  return gaussian_of(blurred(natural(now.skill), square(options_.dynamics_std) * elapsed));
}

Prediction SkillRating::predict(std::span<const Player> team_a, std::span<const Player> team_b,
                                double time, double advantage) const {
  check(team_a, team_b, time, advantage);
  Game game(team_a.size(), team_b.size(), advantage);
  std::size_t next = 0;
  for (const auto& team : {team_a, team_b})
    for (const Player player : team)
      game.performance(next++) =
          blurred(natural(skill_at(player, time)), square(options_.performance_std));
  const Message difference = game.difference();
  const double margin = options_.draw_margin;
  const double win = HalfLine{true, margin}.probability(difference);
  const double loss = HalfLine{false, margin}.probability(difference);
  // The difference of two tails, on the side where they are small: no digits are lost to 1 - ...
  const bool a_leads = difference.tau > 0;
  const double draw_or_upset = HalfLine{!a_leads, -margin}.probability(difference);
  return {win, std::max(0.0, draw_or_upset - (a_leads ? loss : win)), loss};
}

void SkillRating::update(std::span<const Player> team_a, std::span<const Player> team_b,
                         Outcome outcome, double time, double advantage) {
  check(team_a, team_b, time, advantage);
  if (outcome == Outcome::draw && options_.draw_margin == 0)
    reject("draw_margin", options_.draw_margin, "must be above 0 for a game that ends in a draw");
  Game game(team_a.size(), team_b.size(), advantage);
  const double noise = square(options_.performance_std);
  std::size_t next = 0;
  for (const auto& team : {team_a, team_b})
    for (const Player player : team) {
      State& now = players_[player.index];
      now.skill = skill_at(player, time);
      now.last_game = time;
      game.performance(next++) = blurred(natural(now.skill), noise);
    }
  game.in[Linear::z] = outcome_message(outcome, game.difference(), options_.draw_margin);
  next = 0;
  for (const auto& team : {team_a, team_b})
    for (const Player player : team)
      players_[player.index].skill *= gaussian_of(blurred(game.to_performance(next++), noise));
}

Gaussian SkillRating::rating(Player player) const { return state(player).skill; }

Gaussian SkillRating::rating(Player player, double time) const {
  check_time(player, time);
  return skill_at(player, time);
}

double SkillRating::last_game(Player player) const { return state(player).last_game; }

const std::string& SkillRating::name(Player player) const {
  state(player);
  return names_[player.index];
}

std::vector<Standing> SkillRating::leaderboard() const {
  std::vector<Standing> out;
  out.reserve(players_.size());
  for (std::uint32_t i = 0; i < players_.size(); ++i)
    out.push_back({{i}, names_[i], players_[i].skill});
  const auto surely = [](const Standing& standing) {
    return standing.rating.mean() - 3 * standing.rating.std();
  };
  // Stable: players of equal standing stay in the order in which they came.
  std::stable_sort(out.begin(), out.end(),
                   [&](const Standing& a, const Standing& b) { return surely(a) > surely(b); });
  return out;
}

}  // namespace postrider
