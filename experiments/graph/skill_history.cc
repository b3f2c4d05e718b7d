#include "skill_history.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace postrider::experiments {
namespace {

constexpr std::size_t kLeaders = 12, kFollowed = 5;
constexpr double kLatelyDays = 365;
constexpr double kUnlikelyDeviations = 3;  // as SkillRating::leaderboard does

double sure_skill(double mean, double deviation) { return mean - kUnlikelyDeviations * deviation; }

// One team at the end of each year since its first game.
struct Course {
  std::vector<double> year, mean, deviation;
  double peak = -std::numeric_limits<double>::infinity(), peak_year = 0;

  void add(double at_year, double at_mean, double at_deviation) {
    year.push_back(at_year);
    mean.push_back(at_mean);
    deviation.push_back(at_deviation);
    if (sure_skill(at_mean, at_deviation) <= peak) return;
    peak = sure_skill(at_mean, at_deviation);
    peak_year = at_year;
  }
};

std::chrono::sys_days day_of(const Game& game) {
  return std::chrono::sys_days(std::chrono::days(static_cast<int>(std::floor(game.days))));
}

int year_of(const Game& game) {
  return static_cast<int>(std::chrono::year_month_day(day_of(game)).year());
}

double last_day_of(int year) {
  const std::chrono::sys_days day = std::chrono::year(year) / std::chrono::December / 31;
  return static_cast<double>(day.time_since_epoch().count());
}

// All games, one after the other, with the state at the end of each year on record.
class Replay {
 public:
  Replay(const Games& games, const skill::SkillOptions& options, double advantage)
      : ratings_(options), played_(games.players), last_(games.players), courses_(games.players) {
    for (const std::string& name : games.names) ratings_.add_player(name);
    int year = year_of(games.games.front());
    for (const Game& game : games.games) {
      for (; year < year_of(game); ++year) record(year, last_day_of(year));
      const skill::Player a{game.a}, b{game.b};
      ratings_.update({&a, 1}, {&b, 1}, game.outcome, game.days, game.at_home ? advantage : 0);
      for (const std::uint32_t team : {game.a, game.b}) {
        ++played_[team];
        last_[team] = game.days;
      }
    }
    end_ = games.games.back().days;
    record(year, end_);  // the last year may not be over
  }

  Object leaderboard() const {
    Object out;
    for (const skill::Standing& standing : ratings_.leaderboard()) {
      const std::uint32_t team = standing.player.index;
      if (out.size() == kLeaders) break;
      if (!plays_lately(team)) continue;
      const double mean = standing.rating.mean(), deviation = standing.rating.std();
      out.push_back({standing.name,
                     {Object{{"mean", {mean}},
                             {"deviation", {deviation}},
                             {"mean_minus_3_deviations", {sure_skill(mean, deviation)}},
                             {"games", {static_cast<std::int64_t>(played_[team])}}}}});
    }
    return out;
  }

  Object history() const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t team = 0; team < courses_.size(); ++team)
      if (plays_lately(team)) order.push_back(team);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return courses_[a].peak > courses_[b].peak;
    });
    order.resize(std::min(order.size(), kFollowed));
    Object out;
    for (const std::uint32_t team : order) {
      const Course& course = courses_[team];
      out.push_back({ratings_.name({team}),
                     {Object{{"peak", {course.peak}},
                             {"peak_year", {course.peak_year}},
                             {"year", {course.year}},
                             {"mean", {course.mean}},
                             {"deviation", {course.deviation}}}}});
    }
    return out;
  }

 private:
  bool plays_lately(std::uint32_t team) const { return last_[team] > end_ - kLatelyDays; }

  // The rating is as of the last game; until the day in question the skill has drifted on.
  void record(int year, double day) {
    for (std::uint32_t team = 0; team < courses_.size(); ++team) {
      if (played_[team] == 0) continue;
      const Gaussian rating = ratings_.rating({team});
      const double drift = ratings_.options().dynamics_std;
      const double variance = rating.variance() + drift * drift * (day - last_[team]);
      courses_[team].add(year, rating.mean(), std::sqrt(variance));
    }
  }

  skill::SkillRating ratings_;
  std::vector<std::size_t> played_;
  std::vector<double> last_;
  std::vector<Course> courses_;
  double end_ = 0;
};

}  // namespace

Object rating_history(const Games& games, const skill::SkillOptions& options, double advantage) {
  const Replay replay(games, options, advantage);
  const std::chrono::year_month_day end(day_of(games.games.back()));
  return {{"last_year", {static_cast<std::int64_t>(static_cast<int>(end.year()))}},
          {"last_month", {static_cast<std::int64_t>(static_cast<unsigned>(end.month()))}},
          {"last_day", {static_cast<std::int64_t>(static_cast<unsigned>(end.day()))}},
          {"active_days", {kLatelyDays}},
          {"leaderboard", {replay.leaderboard()}},
          {"history", {replay.history()}}};
}

}  // namespace postrider::experiments
