#include "cli/fixtures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "postrider/error.h"
#include "text/csv_cell.h"
#include "text/text_table.h"

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

std::vector<PredictedFixture> predict_fixtures(const GameFile& fixtures, const std::string& path,
                                               SkillHistory history) {
  std::vector<PredictedFixture> out;
  for (const NamedMatch& named : fixtures.matches) {
    try {
      Match match = numbered(named, history);
      match.time = time_of(match, history);
      out.push_back({named.names, history.predict(match)});
    } catch (const InvalidArgument& error) {
      throw CorruptFile(fmt::format("{}, line {}: {}", path, named.line, error.what()));
    }
  }
  return out;
}

void write_csv(const std::vector<PredictedFixture>& fixtures, std::ostream& out) {
  out << kFixtureColumns << "\n";
  const auto side = [](const std::vector<std::string>& names) { return listed(names, "; "); };
  for (const PredictedFixture& one : fixtures) {
    const MatchPrediction& found = one.prediction;
    const std::size_t sides = one.sides.size();
    if (sides == 2) {
      out << csv_cell(side(one.sides[0])) << "," << csv_cell(side(one.sides[1])) << ","
          << fmt::format("{:.4f},{:.4f},{:.4f},{:.4f}\n", found.outcome.win, found.outcome.draw,
                         found.outcome.loss, found.quality);
      continue;
    }
    for (std::size_t k = 0; k < sides; ++k) {
      std::vector<std::string> others;
      for (std::size_t j = 0; j < sides; ++j)
        if (j != k) others.push_back(side(one.sides[j]));
      const double win = found.rank[k * sides];
      out << csv_cell(side(one.sides[k])) << "," << csv_cell(listed(others, " | ")) << ","
          << fmt::format("{:.4f},,{:.4f},{:.4f}\n", win, 1 - win, found.quality);
    }
  }
}

}  // namespace postrider::cli
