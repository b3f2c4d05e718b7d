#include "skill/smoothing.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace postrider::internal::games {
namespace {

// The growth of a step's squared length above which the modes of before no longer hold.
constexpr double kGrowth = 4;
// A share of the largest squared difference: directions that are this close to those before say nothing new.
constexpr double kIndependent = 1e-8;

template <class A, class B>
double dot(const std::vector<A>& a, const std::vector<B>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

// Solves a symmetric system of a few unknowns by Gaussian elimination in place; a pivot that vanishes leaves its unknown at 0.
std::vector<double> solve(std::vector<double> matrix, std::vector<double> right) {
  const std::size_t n = right.size();
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, matrix[i * n + i]);
  std::vector<bool> is_used(n, false);
  for (std::size_t i = 0; i < n; ++i) {
    const double pivot = matrix[i * n + i];
    if (!(pivot > kIndependent * largest)) continue;
    is_used[i] = true;
    for (std::size_t j = i + 1; j < n; ++j) {
      const double factor = matrix[j * n + i] / pivot;
      for (std::size_t k = i; k < n; ++k) matrix[j * n + k] -= factor * matrix[i * n + k];
      right[j] -= factor * right[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    if (!is_used[i]) {
      right[i] = 0;
      continue;
    }
    for (std::size_t k = i + 1; k < n; ++k) right[i] -= matrix[i * n + k] * right[k];
    right[i] /= matrix[i * n + i];
  }
  return right;
}

}  // namespace

Accelerator::Accelerator(std::size_t size, std::size_t depth)
    : depth_(depth),
      last_step_(size),
      last_outcome_(size),
      differences_(depth),
      products_(depth * depth) {
  for (Difference& one : differences_) {
    one.step.resize(size);
    one.outcome.resize(size);
  }
}

void Accelerator::forget() { used_ = next_ = 0; }

void Accelerator::remember(std::span<const double> before, std::span<const double> after) {
  Difference& one = differences_[next_];
  for (std::size_t i = 0; i < after.size(); ++i) {
    one.step[i] = static_cast<float>(after[i] - before[i] - last_step_[i]);
    one.outcome[i] = static_cast<float>(after[i] - last_outcome_[i]);
  }
  used_ = std::min(used_ + 1, depth_);
  for (std::size_t a = 0; a < used_; ++a)
    products_[a * depth_ + next_] = products_[next_ * depth_ + a] =
        dot(differences_[a].step, one.step);
  next_ = (next_ + 1) % depth_;
}

void Accelerator::extrapolate(std::span<const double> before, std::span<double> after) {
  double length = 0;
  for (std::size_t i = 0; i < after.size(); ++i)
    length += (after[i] - before[i]) * (after[i] - before[i]);
  const bool is_first = last_length_ == 0;
  if (!is_first && length > kGrowth * last_length_)
    forget();
  else if (!is_first)
    remember(before, after);
  for (std::size_t i = 0; i < after.size(); ++i) {
    last_step_[i] = after[i] - before[i];
    last_outcome_[i] = after[i];
  }
  last_length_ = length;
  if (used_ == 0) return;

  std::vector<double> matrix(used_ * used_), right(used_);
  for (std::size_t a = 0; a < used_; ++a) {
    right[a] = dot(differences_[a].step, last_step_);
    for (std::size_t b = 0; b < used_; ++b) matrix[a * used_ + b] = products_[a * depth_ + b];
  }
  const std::vector<double> by = solve(std::move(matrix), std::move(right));
  for (std::size_t a = 0; a < used_; ++a)
    for (std::size_t i = 0; i < after.size(); ++i)
      after[i] -= by[a] * static_cast<double>(differences_[a].outcome[i]);
}

namespace lanes = HWY_NAMESPACE;

void set_gaps(std::span<const SideRecord> sides, const Rules& rules, bool with_scores,
              std::vector<Gap>& to) {
  to.clear();
  for (std::size_t k = 0; k + 1 < sides.size() && !std::isnan(sides[k + 1].rank); ++k)
    to.push_back(with_scores ? rules.score(sides[k], sides[k + 1])
                             : rules.result(sides[k], sides[k + 1]));
}

void set_sides(const Games& games, std::uint32_t game, std::vector<Side>& to) {
  const std::uint32_t first = games.first_appearance(game);
  to.clear();
  for (std::uint32_t k = games.games[game].first_side; k < games.games[game + 1].first_side; ++k) {
    const SideRecord& side = games.sides[k];
    to.push_back({side.first - first, games.sides[k + 1].first - side.first, side.handicap, {}});
  }
}

Message Sweeps::from_before(const Appearance& one) const {
  const double time = games_.games[one.game].time;
  if (one.previous == kNone) return rules_.prior(one.chain, time - games_.start());
  const Appearance& other = games_.appearances[one.previous];
  return rules_.drifted(one.chain, lanes::product(other.forward, other.likelihood),
                        time - games_.games[other.game].time);
}

Message Sweeps::from_behind(const Appearance& one) const {
  if (one.next == kNone) return lanes::uniform_message<double>();
  const Appearance& other = games_.appearances[one.next];
  return rules_.drifted(one.chain, lanes::product(other.backward, other.likelihood),
                        games_.games[other.game].time - games_.games[one.game].time);
}

void Sweeps::hear(std::uint32_t game, Hears hears) {
  const std::uint32_t end = games_.end_appearance(game);
  for (std::uint32_t i = games_.first_appearance(game); i < end; ++i) {
    Appearance& one = games_.appearances[i];
    if (hears == Hears::before || hears == Hears::both) one.forward = from_before(one);
    if (hears == Hears::behind || hears == Hears::both) one.backward = from_behind(one);
  }
}

void Sweeps::enter(std::uint32_t game) {
  const std::uint32_t first = games_.first_appearance(game), end = games_.end_appearance(game);
  scratch_.entrants.resize(end - first);
  for (std::uint32_t i = first; i < end; ++i) {
    const Appearance& one = games_.appearances[i];
    scratch_.entrants[i - first] = {lanes::product(one.forward, one.backward), one.share,
                                    rules_.noise(one.chain)};
  }
  set_sides(games_, game, scratch_.sides);
  perform(scratch_.entrants, scratch_.sides);
}

void Sweeps::set_up(std::uint32_t game) {
  enter(game);
  set_gaps(games_.sides_of(game), rules_, true, scratch_.gaps);
}

double Sweeps::log_result(std::uint32_t game) {
  set_gaps(games_.sides_of(game), rules_, false, scratch_.gaps);
  return games::log_evidence(scratch_.sides, scratch_.gaps, scratch_);
}

void Sweeps::judge_anew(std::uint32_t game, Hears hears) {
  hear(game, hears);
  set_up(game);
  judge(scratch_.entrants, scratch_.sides, scratch_.gaps, scratch_);
}

void Sweeps::keep(std::uint32_t game) {
  const std::uint32_t first = games_.first_appearance(game);
  for (std::size_t i = 0; i < scratch_.entrants.size(); ++i)
    games_.appearances[first + i].likelihood = scratch_.entrants[i].likelihood;
}

void Sweeps::pass_on_back(std::uint32_t game, const Moments& said) {
  hear(game, Hears::behind);
  enter(game);
  pass_on(said, scratch_.entrants, scratch_.sides, scratch_);
}

double Sweeps::visit(std::uint32_t game, Hears hears, Moments* said) {
  hear(game, hears);
  set_up(game);
  if (said != nullptr && scratch_.gaps.size() == 1 && scratch_.sides.size() == 2) {
    *said = said_of_difference(scratch_.sides, scratch_.gaps[0]);
    pass_on(*said, scratch_.entrants, scratch_.sides, scratch_);
  } else {
    judge(scratch_.entrants, scratch_.sides, scratch_.gaps, scratch_);
  }
  const std::uint32_t first = games_.first_appearance(game);
  double largest = 0;
  for (std::size_t i = 0; i < scratch_.entrants.size(); ++i) {
    const Entrant& entrant = scratch_.entrants[i];
    largest = std::max(largest, change(games_.appearances[first + i].likelihood, entrant.likelihood,
                                       entrant.cavity));
  }
  keep(game);
  return largest;
}

void Sweeps::begin(std::uint32_t game) {
  visit(game, Hears::both);
  games_.games[game].log_probability = log_result(game);
  games_.mark(game);
}

void Sweeps::filter() {
  for (Appearance& one : games_.appearances) one.backward = lanes::uniform_message<double>();
  for (const std::uint32_t game : games_.order()) {
    visit(game, Hears::before);
    games_.games[game].log_probability = log_result(game);
    games_.mark(game);
  }
}

// A sweep back and forth begins with the forward messages; what it makes of their means is accelerated, and their precisions, which
// settle quickly, are left.
void Sweeps::gather_means(std::vector<double>& to) const {
  to.resize(games_.appearances.size());
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = lanes::moments_of(games_.appearances[i].forward).mean;
}

void Sweeps::scatter_means(std::span<const double> from) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    Message& forward = games_.appearances[i].forward;
    if (!lanes::is_point_mass(forward)) forward.tau = from[i] * forward.rho;
  }
}

skill::SkillHistory::SmoothReport Sweeps::smooth(
    const skill::SkillHistory::SmoothOptions& options) {
  // Steps that are remembered take 8 bytes each per appearance.
  constexpr std::size_t kDepth = 16, kMostRemembered = 200'000'000;
  skill::SkillHistory::SmoothReport out;
  const std::vector<std::uint32_t>& order = games_.order();
  games_.clear_pending();
  const std::size_t size = games_.appearances.size();
  Accelerator accelerator(size, std::clamp<std::size_t>(kMostRemembered / (size + 1), 4, kDepth));
  std::vector<double> before, after;
  gather_means(before);
  // What the results of two sides say of their differences: forwards it is found anew, and backwards, which would take as long
  // again, it is kept. Where it is settled this makes no difference. Its variance is 0 until it is known.
  std::vector<Moments> said(order.size(), Moments{0, 0});
  while (out.sweeps < options.max_sweeps && !out.converged) {
    out.change = 0;
    for (std::size_t i = order.size(); i-- > 0;) {
      if (said[i].variance > 0)
        pass_on_back(order[i], said[i]);
      else
        judge_anew(order[i], Hears::behind);
      keep(order[i]);
    }
    for (std::size_t i = 0; i < order.size(); ++i)
      out.change = std::max(out.change, visit(order[i], Hears::before, &said[i]));
    ++out.sweeps;
    out.games += 2 * order.size();
    out.converged = out.change <= options.tolerance;
    if (out.converged) break;
    gather_means(after);
    accelerator.extrapolate(before, after);
    scatter_means(after);
    std::swap(before, after);
  }
  return out;
}

skill::SkillHistory::SmoothReport Sweeps::refresh(
    const skill::SkillHistory::SmoothOptions& options) {
  games_.order();  // so that the times of the first and last game are right
  skill::SkillHistory::SmoothReport out;
  std::set<std::pair<double, std::uint32_t>> waiting;
  const auto wait = [&](std::uint32_t game) { waiting.emplace(games_.games[game].time, game); };
  for (const std::uint32_t game : games_.pending)
    if (!games_.games[game].removed) wait(game);
  games_.clear_pending();

  const auto look = [&](std::uint32_t game) {
    out.change = std::max(out.change, visit(game, Hears::both));
    ++out.games;
    const std::uint32_t end = games_.end_appearance(game);
    for (std::uint32_t i = games_.first_appearance(game); i < end; ++i) {
      const Appearance& one = games_.appearances[i];
      // A neighbour is told if what it would hear differs from what it heard.
      if (one.next != kNone) {
        const Appearance& other = games_.appearances[one.next];
        const Message rest = lanes::product(other.backward, other.likelihood);
        if (change(other.forward, from_before(other), rest) > options.tolerance) wait(other.game);
      }
      if (one.previous != kNone) {
        const Appearance& other = games_.appearances[one.previous];
        const Message rest = lanes::product(other.forward, other.likelihood);
        if (change(other.backward, from_behind(other), rest) > options.tolerance) wait(other.game);
      }
    }
  };
  while (!waiting.empty() && out.sweeps < options.max_sweeps) {
    out.change = 0;
    for (auto at = waiting.begin(); at != waiting.end();) {
      const std::pair<double, std::uint32_t> now = *at;
      waiting.erase(at);
      look(now.second);
      at = waiting.upper_bound(now);
    }
    for (auto at = waiting.end(); at != waiting.begin();) {
      const std::pair<double, std::uint32_t> now = *std::prev(at);
      waiting.erase(std::prev(at));
      look(now.second);
      at = waiting.lower_bound(now);
    }
    ++out.sweeps;
  }
  out.converged = waiting.empty();
  for (const std::pair<double, std::uint32_t>& one : waiting) games_.mark(one.second);
  return out;
}

// Sums the factors' evidence at their cavities, and for each appearance what its neighbours count twice: with F, B and L the
// messages from before, behind and the game, log int F B - log int B (F L), all as densities.
double Sweeps::log_evidence() {
  double sum = leave_one_out();
  for (const std::uint32_t game : games_.order())
    for (std::uint32_t i = games_.first_appearance(game); i < games_.end_appearance(game); ++i) {
      const Appearance& one = games_.appearances[i];
      if (lanes::is_uniform(one.backward) || lanes::is_point_mass(one.forward)) continue;
      sum += lanes::log_overlap(one.forward, one.backward) -
             lanes::log_overlap(one.backward, lanes::product(one.forward, one.likelihood));
    }
  return sum;
}

double Sweeps::leave_one_out() {
  double sum = 0;
  for (const std::uint32_t game : games_.order()) {
    set_up(game);
    sum += games::log_evidence(scratch_.sides, scratch_.gaps, scratch_);
  }
  return sum;
}

}  // namespace postrider::internal::games
