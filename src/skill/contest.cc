#include "skill/contest.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "factor/greater_than-inl.h"
#include "factor/interval-inl.h"
#include "factor/linearised-inl.h"

namespace postrider::internal::games {
namespace {

namespace lanes = HWY_NAMESPACE;
using lanes::GreaterThan;
using Sent = lanes::Sent<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Where messages inside a match of many sides settle: relative change of a precision, and of a mean in standard deviations.
constexpr double kSettled = 1e-10;
constexpr int kMostRounds = 200;

HWY_INLINE Sent bounded(const Gap& gap, const Message& difference) {
  const Message zero{0, kInfinity};
  if (gap.upper == kInfinity) {
    if (gap.lower == -kInfinity) return lanes::sent_uniform<double>();
    const Message in[2] = {difference, zero};
    return GreaterThan{gap.lower}.send(GreaterThan::x, Rule::conditioned, in);
  }
  if (gap.lower == -kInfinity) {
    const Message in[2] = {zero, difference};
    return GreaterThan{-gap.upper}.send(GreaterThan::y, Rule::conditioned, in);
  }
  return lanes::interval_sent(gap.lower, gap.upper, difference);
}

// Flattened, so that the compiler sees that nobody reads the scale and leaves out its logarithms.
HWY_FLATTEN Message bounded_message(const Gap& gap, const Message& difference) {
  return bounded(gap, difference).message;
}
HWY_FLATTEN Sent bounded_with_scale(const Gap& gap, const Message& difference) {
  return bounded(gap, difference);
}

// The difference a - b, or with b turned round the sum.
Moments minus(const Moments& a, const Moments& b) {
  return {a.mean - b.mean, a.variance + b.variance};
}
Moments plus(const Moments& a, const Moments& b) {
  return {a.mean + b.mean, a.variance + b.variance};
}

// What is said of a side's performance, passed on to one of its entrants; `rest` is the sum over all others.
void tell_one(const Moments& said, const Moments& rest, Entrant& entrant) {
  const double noise = entrant.share * entrant.share * entrant.noise;
  entrant.likelihood =
      lanes::linearised(entrant.share, said.mean - rest.mean, said.variance + rest.variance + noise)
          .message;
}

// `behind` gets the sums over the entrants behind each.
void tell(const Moments& said, const Side& side, std::span<Entrant> entrants,
          std::vector<Moments>& behind) {
  const std::span<Entrant> own = entrants.subspan(side.first, side.count);
  Moments before{side.handicap, 0};
  if (side.count == 1) return tell_one(said, before, own[0]);
  behind.resize(side.count + 1);
  behind[side.count] = {0, 0};
  for (std::size_t i = side.count; i-- > 0;) behind[i] = plus(behind[i + 1], own[i].part);
  for (std::size_t i = 0; i < side.count; ++i) {
    tell_one(said, plus(before, behind[i + 1]), own[i]);
    before = plus(before, own[i].part);
  }
}

// The ranked sides of a match of more than two, as a chain of differences.
class Ladder {
 public:
  Ladder(std::span<const Side> sides, std::span<const Gap> gaps, ContestScratch& scratch)
      : sides_(sides), gaps_(gaps), scratch_(scratch) {
    scratch.from_better.assign(sides.size(), lanes::uniform_message<double>());
    scratch.from_worse = scratch.from_better;
  }

  void settle() {
    for (int round = 0; round < kMostRounds; ++round) {
      largest_ = 0;
      for (std::size_t k = 0; k < gaps_.size(); ++k) compare(k);
      for (std::size_t k = gaps_.size(); k-- > 0;) compare(k);
      if (largest_ < kSettled) return;
    }
  }

  // The sum of the pairs' evidence, less what the sides in the middle count twice.
  double log_evidence() const {
    double sum = 0;
    for (std::size_t k = 0; k < gaps_.size(); ++k)
      sum += log_probability(gaps_[k], minus(upper(k), lower(k)));
    for (std::size_t k = 1; k + 1 < sides_.size(); ++k) {
      const Message prior = lanes::message_of(sides_[k].performance);
      const Message& better = scratch_.from_better[k];
      sum += lanes::log_overlap(prior, better) -
             lanes::log_overlap(better, lanes::product(prior, scratch_.from_worse[k]));
    }
    return sum;
  }

  Moments said_of(std::size_t k) const {
    return lanes::moments_of(lanes::product(scratch_.from_better[k], scratch_.from_worse[k]));
  }

 private:
  // What the other comparisons leave of the two sides of one.
  Moments upper(std::size_t k) const { return with(k, scratch_.from_better[k]); }
  Moments lower(std::size_t k) const { return with(k + 1, scratch_.from_worse[k + 1]); }
  Moments with(std::size_t k, const Message& other) const {
    return lanes::moments_of(lanes::product(lanes::message_of(sides_[k].performance), other));
  }

  void compare(std::size_t k) {
    const Moments a = upper(k), b = lower(k);
    const Message difference = lanes::message_of(minus(a, b));
    const Moments said = lanes::moments_of(bounded_message(gaps_[k], difference));
    put(scratch_.from_worse[k], lanes::message_of(plus(b, said)), lanes::message_of(a));
    put(scratch_.from_better[k + 1], lanes::message_of(minus(a, said)), lanes::message_of(b));
  }
  void put(Message& place, const Message& message, const Message& other) {
    largest_ = std::max(largest_, change(place, message, other));
    place = message;
  }

  std::span<const Side> sides_;
  std::span<const Gap> gaps_;
  ContestScratch& scratch_;
  double largest_ = 0;
};

}  // namespace

double change(const Message& before, const Message& after, const Message& other) {
  const double rho = after.rho + other.rho;
  if (!(rho > 0) || lanes::is_point_mass(other)) return 0;
  if (lanes::is_point_mass(after) || lanes::is_point_mass(before))
    return before.tau == after.tau && before.rho == after.rho ? 0 : 1;
  const double mean = (after.tau + other.tau) / rho;
  const double precision = std::abs(after.rho - before.rho) / rho;
  const double shift = std::abs(after.tau - before.tau - mean * (after.rho - before.rho));
  return std::max(precision, shift / std::sqrt(rho));
}

void perform(std::span<Entrant> entrants, std::span<Side> sides) {
  for (Side& side : sides) {
    side.performance = {side.handicap, 0};
    for (Entrant& entrant : entrants.subspan(side.first, side.count)) {
      const Moments skill = lanes::moments_of(entrant.cavity);
      const double square = entrant.share * entrant.share;
      entrant.part = {entrant.share * skill.mean, square * (skill.variance + entrant.noise)};
      side.performance = plus(side.performance, entrant.part);
    }
  }
}

double log_probability(const Gap& gap, const Moments& difference) {
  const Message message = lanes::message_of(difference);
  const Sent sent = bounded_with_scale(gap, message);
  return sent.log_scale + lanes::log_overlap(message, sent.message);
}

Moments said_of_difference(std::span<const Side> sides, const Gap& gap) {
  const Message difference = lanes::message_of(minus(sides[0].performance, sides[1].performance));
  return lanes::moments_of(bounded_message(gap, difference));
}

void pass_on(const Moments& said, std::span<Entrant> entrants, std::span<const Side> sides,
             ContestScratch& scratch) {
  tell(plus(sides[1].performance, said), sides[0], entrants, scratch.behind);
  tell(minus(sides[0].performance, said), sides[1], entrants, scratch.behind);
}

void judge(std::span<Entrant> entrants, std::span<const Side> sides, std::span<const Gap> gaps,
           ContestScratch& scratch) {
  const std::size_t ranked = gaps.empty() ? 0 : gaps.size() + 1;
  for (const Side& side : sides.subspan(ranked))
    for (Entrant& entrant : entrants.subspan(side.first, side.count))
      entrant.likelihood = lanes::uniform_message<double>();
  if (ranked == 0) return;
  if (ranked == 2) return pass_on(said_of_difference(sides, gaps[0]), entrants, sides, scratch);
  Ladder ladder(sides.first(ranked), gaps, scratch);
  ladder.settle();
  for (std::size_t k = 0; k < ranked; ++k)
    tell(ladder.said_of(k), sides[k], entrants, scratch.behind);
}

double log_evidence(std::span<const Side> sides, std::span<const Gap> gaps,
                    ContestScratch& scratch) {
  if (gaps.empty()) return 0;
  if (gaps.size() == 1)
    return log_probability(gaps[0], minus(sides[0].performance, sides[1].performance));
  Ladder ladder(sides.first(gaps.size() + 1), gaps, scratch);
  ladder.settle();
  return ladder.log_evidence();
}

}  // namespace postrider::internal::games
