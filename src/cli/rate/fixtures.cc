#include "cli/rate/fixtures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "cli/csv_cell.h"
#include "cli/text_table.h"

namespace postrider::cli {
namespace {

// A game to come is not before its players' last games, whatever its file says.
double time_of(const Match& match, const SkillHistory& history) {
  double out = match.time;
  for (const MatchTeam& team : match.teams)
    for (const Participant& one : team.players) {
      const double last = history.last_game(one.player);
      if (!std::isnan(last)) out = std::max(out, last);
    }
  return out;
}

}  // namespace

std::vector<PredictedFixture> predict_fixtures(const GameFile& fixtures, SkillHistory history) {
  std::vector<PredictedFixture> out;
  for (const NamedMatch& named : fixtures.matches) {
    Match match = numbered(named, history);
    match.time = time_of(match, history);
    out.push_back({named.names[0], named.names[1], history.predict(match)});
  }
  return out;
}

void write_csv(const std::vector<PredictedFixture>& fixtures, std::ostream& out) {
  out << "first,second,win,draw,loss,quality\n";
  for (const PredictedFixture& one : fixtures) {
    const MatchPrediction& found = one.prediction;
    out << csv_cell(listed(one.first, "; ")) << "," << csv_cell(listed(one.second, "; ")) << ","
        << fmt::format("{:.4f},{:.4f},{:.4f},{:.4f}\n", found.outcome.win, found.outcome.draw,
                       found.outcome.loss, found.quality);
  }
}

}  // namespace postrider::cli
