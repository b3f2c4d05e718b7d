#include "skill/replay.h"

#include <cmath>
#include <limits>

#include "skill/smoothing.h"

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
