#include "skill/learning.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "postrider/error.h"
#include "skill/smoothing.h"

namespace postrider::internal::games {
namespace {

// Steps of the differences that stand for derivatives, as searched.
constexpr double kStep = 0.02;
// The search ends when the next step promises less, in nats over all games.
constexpr double kPromise = 0.02;
constexpr double kLongestStep = 1;  // of a setting at once, as searched
constexpr double kStiffest = 1e6;

// What games can tell of the settings.
struct Census {
  double ties = 0, pairs = 0;     // neighbours in results
  double points = 0, scored = 0;  // sum of margins, and how many
  double span = 0, moving = 0;    // time between first and last games of players
  bool at_home = false;
};

void count_game(const Games& games, std::uint32_t game, Census& to) {
  const std::span<const SideRecord> sides = games.sides_of(game);
  for (std::size_t k = 0; k + 1 < sides.size() && !std::isnan(sides[k + 1].rank); ++k) {
    to.pairs += 1;
    to.ties += sides[k].rank == sides[k + 1].rank ? 1 : 0;
    const double points = sides[k].score - sides[k + 1].score;
    if (points >= 1) {
      to.points += points;
      to.scored += 1;
    }
  }
  for (std::uint32_t i = games.first_appearance(game); i < games.end_appearance(game); ++i)
    to.at_home = to.at_home || is_ground(games.appearances[i].chain);
}

Census census_of(const Games& games, std::span<const std::uint32_t> order) {
  Census out;
  for (const std::uint32_t game : order) count_game(games, game, out);
  for (ChainId chain = 1; chain < games.chains.size(); chain += 2) {
    const Chain& one = games.chains[chain];
    if (one.count < 2) continue;
    out.span += games.games[games.appearances[one.last].game].time -
                games.games[games.appearances[one.first].game].time;
    out.moving += 1;
  }
  return out;
}

// The per-game scores of one point, and their sum with what is believed beforehand.
struct Scored {
  std::vector<double> games;
  double total = 0;
};

class Search {
 public:
  Search(const Games& games, std::span<const std::uint32_t> order, SearchPlan plan,
         const skill::SkillHistory::LearnOptions& learn)
      : games_(games), order_(order), plan_(std::move(plan)), learn_(learn) {
    for (const Searched& one : plan_.searched) at_.push_back(one.begin);
    counted_ = static_cast<std::size_t>(std::count_if(
        order.begin(), order.end(), [&](std::uint32_t game) { return counts(game); }));
    now_ = score(at_);
  }

  skill::SkillHistory::LearnReport run() {
    skill::SkillHistory::LearnReport out;
    double stiffness = 1e-3;
    for (std::size_t step = 0; step < learn_.max_steps && !out.converged; ++step) {
      differentiate();
      out.converged = true;
      while (stiffness < kStiffest) {
        const std::vector<double> by = step_of(stiffness);
        if (promise(by) < kPromise) break;
        std::vector<double> next = at_;
        for (std::size_t j = 0; j < by.size(); ++j) next[j] += by[j];
        Scored there = score(next);
        if (there.total > now_.total) {
          out.converged = false;
          at_ = std::move(next);
          now_ = std::move(there);
          stiffness = std::max(stiffness / 10, 1e-6);
          break;
        }
        stiffness *= 10;
      }
    }
    conclude(out);
    return out;
  }

  skill::SkillOptions options_at(std::span<const double> at) const {
    skill::SkillOptions out = plan_.start;
    for (std::size_t j = 0; j < at.size(); ++j)
      skill::set_skill_option(out, plan_.searched[j].name, plan_.searched[j].value(at[j]));
    return out;
  }
  skill::SkillOptions options() const { return options_at(at_); }

 private:
  // A game without a result has nothing that could be predicted.
  bool counts(std::uint32_t game) const {
    const std::span<const SideRecord> sides = games_.sides_of(game);
    return games_.games[game].time >= learn_.score_from && !std::isnan(sides[1].rank);
  }

  Scored score(std::span<const double> at) {
    Scored out{std::vector<double>(order_.size()), 0};
    replay(games_, order_, options_at(at), learn_.score_margins, out.games);
    ++runs_;
    for (std::size_t i = 0; i < order_.size(); ++i)
      if (counts(order_[i])) out.total += out.games[i];
    for (std::size_t j = 0; j < at.size(); ++j) {
      const double off = (at[j] - plan_.searched[j].start) / plan_.searched[j].prior;
      out.total -= 0.5 * off * off;
    }
    // A setting so extreme that the numbers give out is no place to go.
    if (!std::isfinite(out.total)) out.total = -std::numeric_limits<double>::infinity();
    return out;
  }

  // Each game's score is a surprise that those before it could not foresee, so that the sum of the outer products of its
  // derivatives is the curvature of the whole.
  void differentiate() {
    const std::size_t n = at_.size(), rows = order_.size();
    std::vector<double> slope(n * rows);
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<double> moved = at_;
      moved[j] = at_[j] + kStep;
      const Scored above = score(moved);
      moved[j] = at_[j] - kStep;
      const Scored below = score(moved);
      for (std::size_t i = 0; i < rows; ++i)
        slope[j * rows + i] =
            counts(order_[i]) ? (above.games[i] - below.games[i]) / (2 * kStep) : 0;
    }
    gradient_.assign(n, 0);
    curvature_.assign(n * n, 0);
    for (std::size_t j = 0; j < n; ++j) {
      const double prior = plan_.searched[j].prior;
      const double* const row = &slope[j * rows];
      gradient_[j] = std::accumulate(row, row + rows, 0.0) -
                     (at_[j] - plan_.searched[j].start) / (prior * prior);
      for (std::size_t k = 0; k <= j; ++k)
        curvature_[j * n + k] = curvature_[k * n + j] =
            std::inner_product(row, row + rows, &slope[k * rows], 0.0);
      curvature_[j * n + j] += 1 / (prior * prior);
    }
  }

  // (curvature + stiffness of its diagonal)^-1 times a vector, by Cholesky's decomposition.
  std::vector<double> solved(double stiffness, std::vector<double> x) const {
    const std::size_t n = x.size();
    std::vector<double> root = curvature_;
    for (std::size_t j = 0; j < n; ++j) root[j * n + j] *= 1 + stiffness;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = j; i < n; ++i) {
        double sum = root[i * n + j];
        for (std::size_t k = 0; k < j; ++k) sum -= root[i * n + k] * root[j * n + k];
        root[i * n + j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / root[j * n + j];
      }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= root[i * n + k] * x[k];
      x[i] /= root[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) x[i] -= root[k * n + i] * x[k];
      x[i] /= root[i * n + i];
    }
    return x;
  }

  std::vector<double> step_of(double stiffness) const {
    std::vector<double> by = solved(stiffness, gradient_);
    double longest = 0;
    for (const double one : by) longest = std::max(longest, std::abs(one));
    for (double& one : by) one *= std::min(1.0, kLongestStep / std::max(longest, 1e-300));
    return by;
  }
  double promise(std::span<const double> by) const {
    return 0.5 * std::inner_product(by.begin(), by.end(), gradient_.begin(), 0.0);
  }

  void conclude(skill::SkillHistory::LearnReport& out) const {
    out.runs = runs_;
    out.games = counted_;
    double sum = 0;
    for (std::size_t i = 0; i < order_.size(); ++i)
      if (counts(order_[i])) sum -= now_.games[i];
    out.log_loss = counted_ == 0 ? 0 : sum / static_cast<double>(counted_);
    for (std::size_t j = 0; j < at_.size(); ++j) {
      std::vector<double> unit(at_.size(), 0);
      unit[j] = 1;
      const Searched& one = plan_.searched[j];
      const double variance = gradient_.empty() ? one.prior * one.prior : solved(0, unit)[j];
      out.settings.push_back({std::string(one.name), one.value(at_[j]),
                              std::sqrt(variance) * (one.is_log ? 1 : one.scale), one.is_log});
    }
  }

  const Games& games_;
  std::span<const std::uint32_t> order_;
  SearchPlan plan_;
  const skill::SkillHistory::LearnOptions& learn_;
  std::vector<double> at_, gradient_, curvature_;
  Scored now_;
  std::size_t counted_ = 0, runs_ = 0;
};

}  // namespace

double Searched::value(double at) const { return is_log ? std::exp(at) : at * scale; }
double Searched::at(double value) const { return is_log ? std::log(value) : value / scale; }

SearchPlan plan_search(const Games& games, std::span<const std::uint32_t> order,
                       const skill::SkillOptions& options,
                       const skill::SkillHistory::LearnOptions& learn) {
  const Census census = census_of(games, order);
  SearchPlan out{options, {}};
  const auto is_fixed = [&](std::string_view name) {
    return std::find(learn.fixed.begin(), learn.fixed.end(), name) != learn.fixed.end();
  };
  // A setting that the games tell nothing of has the value `without`; one that is fixed stays.
  const auto search = [&](std::string_view name, bool is_told, double start, double without,
                          Searched how) {
    if (is_fixed(name)) return;
    skill::set_skill_option(out.start, name, is_told ? start : without);
    if (!is_told) return;
    how.name = name;
    how.start = how.begin = how.at(start);
    const double present = skill::get_skill_option(options, name);
    if (learn.resume && (!how.is_log || present > 0)) how.begin = how.at(present);
    out.searched.push_back(how);
  };
  const double unit = options.std, margin_per_share = 1.25;  // sqrt(pi/2): the inverse of a density
  const Searched positive{"", true, 1, 0, 1}, wide{"", true, 1, 0, 1.5};
  const double performance = is_fixed("performance_std") ? options.performance_std : 0.6 * unit;
  search("performance_std", census.pairs > 0, performance, options.performance_std, positive);
  const double years = census.moving > 0 ? census.span / census.moving : 0;
  const bool moves = years > 0;
  search("dynamics_std", moves, 0.5 * unit / std::sqrt(years), options.dynamics_std, wide);
  const double spread = std::sqrt(2 * (performance * performance + 0.3 * unit * unit));
  // Where no tie was seen, half a one: the next may be.
  const double tied = std::max(census.ties, 0.5) / (census.pairs + 1);
  const double margin = tied * margin_per_share * spread;
  search("draw_margin", census.ties > 0, margin, margin, positive);
  search("newcomer_trend", moves, 0, 0, {"", false, unit / std::max(years, 1e-300), 0, 1});
  search("home_advantage", census.at_home, 0, 0, {"", false, unit, 0, 1});
  search("home_std", census.at_home, 0.1 * unit, 0, positive);
  search("home_dynamics_std", census.at_home && moves, 0.1 * unit / std::sqrt(years), 0, wide);
  const bool scored = census.scored > 0 && census.points > census.scored;
  search("score_unit", scored, performance * census.scored / std::max(census.points, 1.0), 0,
         positive);
  search("score_power", scored, 0.8, 1, {"", true, 1, 0, 0.5});
  return out;
}

skill::SkillHistory::LearnReport learn_settings(Games& games, skill::SkillOptions& options,
                                                const skill::SkillHistory::LearnOptions& learn) {
  for (const std::string& name : learn.fixed)
    skill::get_skill_option(options, name);  // refuses others
  const std::vector<std::uint32_t>& all = games.order();
  const std::span<const std::uint32_t> order =
      std::span(all).first(std::min(all.size(), learn.most_games));
  if (order.empty()) reject("games", 0, "must be at least one to learn from");
  Search search(games, order, plan_search(games, order, options, learn), learn);
  skill::SkillHistory::LearnReport out = search.run();
  options = search.options();
  return out;
}

}  // namespace postrider::internal::games

namespace postrider::skill {
void SkillHistory::LearnOptions::validate() const {
  if (max_steps == 0) reject("max_steps", max_steps, "must be at least 1");
  if (most_games == 0) reject("most_games", most_games, "must be at least 1");
  if (std::isnan(score_from)) reject("score_from", score_from, "must be a time");
}

}  // namespace postrider::skill

namespace postrider::internal::games {
namespace {

namespace lanes = HWY_NAMESPACE;

struct Carried {
  Message skill{0, 0};
  double time = std::numeric_limits<double>::quiet_NaN();  // of the last game; NaN before the first
};

class Replay {
 public:
  Replay(const Games& games, const skill::SkillOptions& options, double start)
      : games_(games), rules_(options), start_(start), carried_(games.chains.size()) {}

  double next(std::uint32_t game, bool margins) {
    set_up(game);
    const std::span<const SideRecord> sides = games_.sides_of(game);
    set_gaps(sides, rules_, margins, scratch_.gaps);
    const double found = log_evidence(scratch_.sides, scratch_.gaps, scratch_);
    set_gaps(sides, rules_, true, scratch_.gaps);
    judge(scratch_.entrants, scratch_.sides, scratch_.gaps, scratch_);
    take_in(game);
    return found;
  }

 private:
  Message now(ChainId chain, double time) const {
    const Carried& one = carried_[chain];
    if (std::isnan(one.time)) return rules_.prior(chain, time - start_);
    return rules_.drifted(chain, one.skill, time - one.time);
  }

  void set_up(std::uint32_t game) {
    const std::uint32_t first = games_.first_appearance(game), end = games_.end_appearance(game);
    const double time = games_.games[game].time;
    scratch_.entrants.resize(end - first);
    for (std::uint32_t i = first; i < end; ++i) {
      const Appearance& one = games_.appearances[i];
      scratch_.entrants[i - first] = {now(one.chain, time), one.share, rules_.noise(one.chain)};
    }
    set_sides(games_, game, scratch_.sides);
    perform(scratch_.entrants, scratch_.sides);
  }

  void take_in(std::uint32_t game) {
    const std::uint32_t first = games_.first_appearance(game);
    for (std::size_t i = 0; i < scratch_.entrants.size(); ++i) {
      const Entrant& entrant = scratch_.entrants[i];
      carried_[games_.appearances[first + i].chain] = {
          lanes::product(entrant.cavity, entrant.likelihood), games_.games[game].time};
    }
  }

  const Games& games_;
  Rules rules_;
  double start_;
  std::vector<Carried> carried_;
  ContestScratch scratch_;
};

}  // namespace

void replay(const Games& games, std::span<const std::uint32_t> order,
            const skill::SkillOptions& options, bool margins, std::span<double> log_probability) {
  Replay replay(games, options, games.start());
  for (std::size_t i = 0; i < order.size(); ++i)
    log_probability[i] = replay.next(order[i], margins);
}

}  // namespace postrider::internal::games
