// What one match says about the skills of those who took part: messages and evidence. It has no formula of its own; it calls
// the library's factors on one double at a time, without the virtual interface, since a duel should take well below a
// microsecond.
//
// A side's performance is the sum of its entrants' skills with noise, each times its share, plus a handicap. The sides stand in the
// order of the result. Of neighbours, the difference of performances lies between two bounds: above the margin of a draw for a
// win, around zero for a tie, and in a narrower interval where the score is known.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "factor/gaussian_likelihood-inl.h"

namespace postrider::internal::games {

using Message = HWY_NAMESPACE::Message<double>;
using Moments = HWY_NAMESPACE::Moments<double>;

struct Entrant {
  Message cavity;        // what is known of the skill apart from this match
  double share = 1;      // of the match that the player took part in
  double noise = 0;      // variance of the performance around the skill
  Message likelihood{};  // what the match says of the skill
  Moments part{};        // of the side's performance; filled in by `perform`
};

struct Side {
  std::size_t first = 0, count = 0;  // its entrants
  double handicap = 0;
  Moments performance{};  // filled in by `perform`
};

// Bounds of the difference of the performances of one side and the next. Both may be infinite.
struct Gap {
  double lower, upper;
};

// Messages between the sides of a match of more than two, and sums over entrants; kept to be used again.
struct ContestScratch {
  std::vector<Message> from_better, from_worse;
  std::vector<Moments> behind;
  std::vector<Entrant> entrants;
  std::vector<Side> sides;
  std::vector<Gap> gaps;
};

// N(mean, variance) seen through noise. The factor is symmetric, so that one direction serves both.
inline Message blurred(const Message& message, double variance) {
  using HWY_NAMESPACE::GaussianLikelihood;
  const Message in[2] = {HWY_NAMESPACE::uniform_message<double>(), message};
  return GaussianLikelihood{variance}.send(GaussianLikelihood::y, Rule::exact, in).message;
}

// How far a message moved: the relative change of the precision of its product with `other`, or the change of that product's mean
// in standard deviations, whichever is larger. 0 between equal point masses.
double change(const Message& before, const Message& after, const Message& other);

// The sides' performances from their entrants' cavities.
void perform(std::span<Entrant> entrants, std::span<Side> sides);

// log of the probability that a difference of these moments lies in the gap.
double log_probability(const Gap& gap, const Moments& difference);

// Every entrant's likelihood. The sides must have performed. There is one gap less than ranked sides; sides behind them are unranked
// and learn nothing. A match of more than two ranked sides is iterated until no message changes.
void judge(std::span<Entrant> entrants, std::span<const Side> sides, std::span<const Gap> gaps,
           ContestScratch& scratch);

// The two halves of `judge` for a match of two ranked sides: what the result says of the difference of their performances, and that
// passed on to the entrants.
Moments said_of_difference(std::span<const Side> sides, const Gap& gap);
void pass_on(const Moments& said, std::span<Entrant> entrants, std::span<const Side> sides,
             ContestScratch& scratch);

// The log of the probability of the result; of more than two ranked sides, as expectation propagation has it.
double log_evidence(std::span<const Side> sides, std::span<const Gap> gaps,
                    ContestScratch& scratch);

}  // namespace postrider::internal::games
