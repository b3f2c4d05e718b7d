// A page about skills: who leads, how the leaders came there, and which games surprised.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "postrider/report.h"
#include "postrider/table.h"
#include "report/page/page.h"
#include "report/page/svg.h"
#include "report/page/text.h"

namespace postrider {
using namespace internal;

namespace internal {
namespace {

constexpr double kSecondsPerDay = 86'400;

struct SkillPage {
  const skill::SkillHistory& history;
  const std::vector<skill::Standing>& board;
  const skill::SkillHistory::LearnReport& learned;
  bool has_dates;
};

constexpr std::size_t kCurves = 6, kUpsets = 10;
constexpr double kDaysPerYear = 365.25;

std::string time_text(double time, bool has_dates) {
  return has_dates ? date_text(time * kSecondsPerDay) : number_text(time, 6);
}

std::string board_part(const SkillPage& page) {
  std::string rows;
  std::size_t place = 0;
  for (const skill::Standing& one : page.board)
    rows += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", ++place,
        escaped(one.name), measured_text(one.rating.mean() - 3 * one.rating.std(), 4),
        measured_text(one.rating.mean(), 4), measured_text(one.rating.std()),
        count_text(page.history.games_of(one.player)));
  return fmt::format(
      "<p class=\"lead\">In the order of mean &minus; 3 standard deviations: who is surely good, "
      "rather than perhaps.</p>\n"
      "<div class=\"card\"><table><thead><tr><th></th><th>player</th><th>surely "
      "above</th><th>mean</th><th>std</th>"
      "<th>games</th></tr></thead><tbody>\n{}</tbody></table></div>\n",
      rows);
}

// Dates as years.
double shown_time(const SkillPage& page, double time) {
  return page.has_dates ? 1970 + time / kDaysPerYear : time;
}

std::string curve_card(const SkillPage& page, const skill::Standing& one, Range skills,
                       Range times) {
  std::vector<double> x, mean, low, high;
  for (const skill::SkillHistory::Point& point : page.history.curve(one.player)) {
    x.push_back(shown_time(page, point.time));
    mean.push_back(point.skill.mean());
    low.push_back(point.skill.mean() - point.skill.std());
    high.push_back(point.skill.mean() + point.skill.std());
  }
  const Axis time = page.has_dates ? Axis{times.low, times.high, "year", TickStyle::year}
                                   : Axis{times.low, times.high, "time"};
  Plot plot(time, {skills.low, skills.high, "skill"}, 220);
  plot.band(x, low, high, "area");
  plot.line(x, mean, "one", one.name);
  return card(escaped(one.name),
              fmt::format("{} games; at the end {}.", count_text(x.size()),
                          with_error_text(one.rating.mean(), one.rating.std())),
              plot.finish("Skill over time with a band of one standard deviation"));
}

std::string curve_part(const SkillPage& page) {
  const std::size_t count = std::min(kCurves, page.board.size());
  std::vector<double> skills, times;
  for (std::size_t k = 0; k < count; ++k)
    for (const skill::SkillHistory::Point& point : page.history.curve(page.board[k].player)) {
      times.push_back(shown_time(page, point.time));
      skills.push_back(point.skill.mean() - point.skill.std());
      skills.push_back(point.skill.mean() + point.skill.std());
    }
  if (times.empty()) return "";
  std::string cards;
  for (std::size_t k = 0; k < count; ++k)
    cards += curve_card(page, page.board[k], range_of(skills), range_of(times, 0));
  return fmt::format(
      "<p class=\"lead\">Smoothed: each point knows all games, before and after it. The band is "
      "one standard "
      "deviation.</p>\n<div class=\"grid\">\n{}</div>\n",
      cards);
}

std::string side_text(const skill::SkillHistory& history, const skill::SkillHistory::Team& team) {
  std::string out;
  for (const skill::SkillHistory::Participant& one : team.players)
    out += (out.empty() ? "" : ", ") + history.name(one.player);
  if (!std::isnan(team.score)) out += " " + number_text(team.score, 6);
  return out;
}

std::string upset_part(const SkillPage& page) {
  std::string rows;
  for (const skill::SkillHistory::Upset& one : page.history.upsets(kUpsets)) {
    const skill::SkillHistory::Match match = page.history.match(one.game);
    std::string sides;
    for (const skill::SkillHistory::Team& team : match.teams)
      sides += (sides.empty() ? "" : " – ") + side_text(page.history, team);
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                        escaped(time_text(match.time, page.has_dates)), escaped(sides),
                        percent_text(one.probability));
  }
  return fmt::format(
      "<p class=\"lead\">The results that were least probable before the game, from the games "
      "before it.</p>\n"
      "<div "
      "class=\"card\"><table><thead><tr><th>time</th><th>game</th><th>probability</th></tr></"
      "thead><tbody>\n{}"
      "</tbody></table></div>\n",
      rows);
}

std::string setting_part(const SkillPage& page) {
  if (page.learned.settings.empty()) return "";
  std::string rows;
  for (const skill::SkillHistory::LearnedSetting& one : page.learned.settings)
    rows +=
        fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escaped(one.name),
                    with_error_text(one.value, one.relative ? std::abs(one.value) * one.uncertainty
                                                            : one.uncertainty));
  return fmt::format(
      "<p class=\"lead\">Found from the games themselves, each predicted from those before it: "
      "log-loss {} nats per game "
      "over {} games.</p>\n<div class=\"card\"><table><tbody>\n{}</tbody></table></div>\n",
      measured_text(page.learned.log_loss, 4), count_text(page.learned.games), rows);
}

}  // namespace

}  // namespace internal

std::string skill_page(const std::string& title, const skill::SkillHistory& history,
                       const std::vector<skill::Standing>& board,
                       const skill::SkillHistory::LearnReport& learned, bool has_dates) {
  const SkillPage page{history, board, learned, has_dates};
  return render_page(
      title,
      fmt::format("Skills of {} players from {} games.", count_text(history.player_count()),
                  count_text(history.game_count())),
      {{"board", "Leaderboard", board_part(page)},
       {"curves", "Through time", curve_part(page)},
       {"upsets", "Upsets", upset_part(page)},
       {"settings", "What was learned", setting_part(page)}});
}

}  // namespace postrider
