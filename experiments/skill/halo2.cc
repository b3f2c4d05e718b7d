// Halo 2: duels and large teams. The settings are learned from the first half of the games, the second half is predicted, each game
// from all earlier ones.
#include "common/games.h"
#include "parts.h"
#include "scoring.h"

namespace postrider::experiments {
namespace {

constexpr double kDuels = 0.7066;  // tuned settings, win and loss only

struct Found {
  OutcomeScore score, base;
  skill::SkillHistory::LearnReport learned;
  std::size_t players;
};

Found predict_second_half(const std::vector<skill::SkillHistory::Match>& matches,
                          std::size_t players, std::size_t first_test) {
  Found out{{}, {}, {}, players};
  skill::SkillHistory history;
  for (std::size_t i = 0; i < players; ++i) history.add_player();
  for (std::size_t i = 0; i < first_test; ++i) history.add(matches[i]);
  out.learned = history.learn();
  const skill::Prediction rate = base_rate(matches, first_test);
  for (std::size_t i = first_test; i < matches.size(); ++i) {
    out.score.add(history.predict(matches[i]).outcome, outcome_of(matches[i]));
    out.base.add(rate, outcome_of(matches[i]));
    history.add(matches[i]);
  }
  return out;
}

Object object_of(const Found& found, std::size_t games) {
  return {{"games", {static_cast<std::int64_t>(games)}},
          {"test_games", {static_cast<std::int64_t>(found.score.games())}},
          {"players", {static_cast<std::int64_t>(found.players)}},
          {"log_loss", {found.score.log_loss()}},
          {"accuracy", {found.score.accuracy()}},
          {"calibration_error", {found.score.calibration_error()}},
          {"calibration", {found.score.calibration()}},
          {"base_rate_log_loss", {found.base.log_loss()}},
          {"base_rate_accuracy", {found.base.accuracy()}},
          {"settings", {settings_of(found.learned)}}};
}

}  // namespace

Part halo2(const Settings& settings) {
  const Games games = read_halo2(settings.data);
  std::vector<skill::SkillHistory::Match> duels;
  for (const Game& game : games.games) duels.push_back(match_of(game));
  const TeamGames large = read_large_teams(settings.data);
  const Found head_to_head = predict_second_half(duels, games.players, games.first_test);
  const Found teams = predict_second_half(large.games, large.players, large.first_test);
  return {
      "halo2",
      {{"head_to_head", {object_of(head_to_head, duels.size())}},
       {"large_teams", {object_of(teams, large.games.size())}}},
      {{"halo2 duels: log-loss " + std::to_string(head_to_head.score.log_loss()) + ", below 0.7066",
        head_to_head.score.log_loss() < kDuels},
       {"halo2 large teams: log-loss " + std::to_string(teams.score.log_loss()) +
            ", below the base rate's " + std::to_string(teams.base.log_loss()),
        teams.score.log_loss() < teams.base.log_loss()}}};
}

}  // namespace postrider::experiments
