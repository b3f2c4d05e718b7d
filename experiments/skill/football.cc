// International football: each game since 2018 predicted from all earlier ones. The settings are learned before each year from the
// games before it, so that no game has a say in how it is predicted.
#include <chrono>
#include <cmath>

#include "common/games.h"
#include "common/processor_time.h"
#include "parts.h"
#include "scoring.h"

namespace postrider::experiments {
namespace {

constexpr double kGoal = 0.855, kCalibration = 0.02, kSmoothSeconds = 2;
constexpr std::size_t kQuickGames = 3000;
constexpr std::size_t kDrawn = 5;
constexpr double kLately = 365;  // days

int year_of(double days) {
  const std::chrono::sys_days day(std::chrono::days(static_cast<int>(std::floor(days))));
  return static_cast<int>(std::chrono::year_month_day(day).year());
}

struct Forecast {
  OutcomeScore score;
  skill::SkillHistory::LearnReport first, last;
  double seconds = 0;  // of learning
};

// `fixed` settings are left at what they are without the effect that they stand for. Settings are learned before 2018, and if
// `every_year` again before each year.
Forecast forecast(const Games& games, const std::vector<std::string>& fixed, bool every_year) {
  Forecast out;
  skill::SkillOptions plain;
  plain.newcomer_trend = plain.home_std = plain.home_dynamics_std = plain.score_unit = 0;
  skill::SkillHistory history(plain);
  for (const std::string& name : games.names) history.add_player(name);
  for (std::size_t i = 0; i < games.first_test; ++i) history.add(match_of(games.games[i]));
  // Teams are unknown at first: the later half of the games before 2018 counts, as it did for the figures to beat.
  skill::SkillHistory::LearnOptions learn{.fixed = fixed,
                                          .score_from = games.games[games.first_test / 2].days};
  int year = 0;
  for (std::size_t i = games.first_test; i < games.games.size(); ++i) {
    if (year == 0 || (every_year && year_of(games.games[i].days) != year)) {
      year = year_of(games.games[i].days);
      const double begin = processor_seconds();
      out.last = history.learn(learn);
      out.seconds += processor_seconds() - begin;
      if (!learn.resume) out.first = out.last;
      learn.resume = true;
    }
    const skill::SkillHistory::Match match = match_of(games.games[i]);
    out.score.add(history.predict(match).outcome, outcome_of(match));
    history.add(match);
  }
  return out;
}

Object score_object(const Forecast& found) {
  return {{"log_loss", {found.score.log_loss()}},
          {"accuracy", {found.score.accuracy()}},
          {"calibration_error", {found.score.calibration_error()}},
          {"learning_seconds", {found.seconds}}};
}

// All games smoothed with the settings that were learned last.
struct Smoothed {
  Object result;
  double seconds;
};

Object curve_of(const skill::SkillHistory& history, skill::Player player) {
  std::vector<double> year, mean, std;
  for (const skill::SkillHistory::Point& point : history.curve(player)) {
    year.push_back(1970 + point.time / 365.25);
    mean.push_back(point.skill.mean());
    std.push_back(point.skill.std());
  }
  return {{"year", {year}}, {"mean", {mean}}, {"std", {std}}};
}

Smoothed smooth_all(const Games& games, const skill::SkillHistory::LearnReport& settings) {
  skill::SkillOptions options;
  for (const skill::SkillHistory::LearnedSetting& one : settings.settings)
    skill::set_skill_option(options, one.name, one.value);
  skill::SkillHistory history(options);
  for (const std::string& name : games.names) history.add_player(name);
  for (const Game& game : games.games) history.add(match_of(game));
  const double begin = processor_seconds();
  const skill::SkillHistory::SmoothReport report = history.smooth();
  const double seconds = processor_seconds() - begin;
  // A game that comes late: how much is computed anew.
  const skill::SkillHistory::GameId last{static_cast<std::uint32_t>(games.games.size() - 1)};
  history.remove(last);
  const skill::SkillHistory::SmoothReport refreshed = history.refresh({.tolerance = 1e-3});
  history.add(match_of(games.games.back()));
  history.refresh({.tolerance = 1e-3});

  Object board, curves;
  const double since = games.games.back().days - kLately;
  for (const skill::Standing& one : history.leaderboard(3, since)) {
    if (board.size() == 12) break;
    board.push_back({one.name,
                     {Object{{"mean", {one.rating.mean()}},
                             {"std", {one.rating.std()}},
                             {"games", {static_cast<std::int64_t>(history.games_of(one.player))}},
                             {"home_advantage", {history.home_advantage(one.player).mean()}}}}});
    if (curves.size() < kDrawn) curves.push_back({one.name, {curve_of(history, one.player)}});
  }
  std::vector<Object> upsets;
  for (const skill::SkillHistory::Upset& one : history.upsets(5)) {
    const Game& game = games.games[one.game.index];
    upsets.push_back(
        {{"home", {games.names[game.a]}},
         {"away", {games.names[game.b]}},
         {"score", {std::to_string(game.score_a) + "-" + std::to_string(game.score_b)}},
         {"year", {static_cast<std::int64_t>(year_of(game.days))}},
         {"probability", {one.probability}}});
  }
  return {{{"games", {static_cast<std::int64_t>(games.games.size())}},
           {"sweeps", {static_cast<std::int64_t>(report.sweeps)}},
           {"converged", {report.converged}},
           {"processor_seconds", {seconds}},
           {"log_evidence", {history.log_evidence()}},
           {"refreshed_games", {static_cast<std::int64_t>(refreshed.games)}},
           {"leaderboard", {board}},
           {"curves", {curves}},
           {"upsets", {upsets}}},
          seconds};
}

}  // namespace

Part football(const Settings& settings) {
  Games games = read_football(settings.data);
  if (settings.quick) {
    games.games.erase(games.games.begin(), games.games.end() - kQuickGames);
    games.first_test = games.games.size() - 500;
  }
  const Forecast all = forecast(games, {}, true), once = forecast(games, {}, false);
  // What parts of the model are worth: without them, and everything else learned anew, once.
  const Forecast no_scores = forecast(games, {"score_unit", "score_power"}, false);
  const Forecast one_ground = forecast(games, {"home_std", "home_dynamics_std"}, false);
  std::vector<skill::SkillHistory::Match> matches;
  for (const Game& game : games.games) matches.push_back(match_of(game));
  const skill::Prediction rate = base_rate(matches, games.first_test);
  OutcomeScore base;
  for (std::size_t i = games.first_test; i < matches.size(); ++i)
    base.add(rate, outcome_of(matches[i]));
  const Smoothed smoothed = smooth_all(games, all.last);
  return {"football",
          {{"games", {static_cast<std::int64_t>(games.games.size())}},
           {"test_games", {static_cast<std::int64_t>(all.score.games())}},
           {"players", {static_cast<std::int64_t>(games.players)}},
           {"learned", {score_object(all)}},
           {"learned_once", {score_object(once)}},
           {"without_scores", {score_object(no_scores)}},
           {"one_home_advantage", {score_object(one_ground)}},
           {"base_rate_log_loss", {base.log_loss()}},
           {"calibration", {all.score.calibration()}},
           {"settings_before_2018", {settings_of(all.first)}},
           {"settings", {settings_of(all.last)}},
           {"smoothed", {smoothed.result}}},
          {{"football: log-loss " + std::to_string(all.score.log_loss()) + ", at most 0.855",
            settings.quick || all.score.log_loss() <= kGoal},
           {"football: calibration error " + std::to_string(all.score.calibration_error()) +
                ", within 0.02",
            settings.quick || all.score.calibration_error() <= kCalibration},
           {"football: all games smoothed in " + std::to_string(smoothed.seconds) +
                " s of one core, less than 2",
            settings.quick || smoothed.seconds < kSmoothSeconds}}};
}

}  // namespace postrider::experiments
