// Generated games of many players: updates per second, memory, and the time of smoothing, at three sizes.
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "base/random.h"
#include "common/processor_time.h"
#include "parts.h"
#include "postrider/skill/history.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr std::size_t kGamesPerPlayer = 10;
constexpr skill::SkillHistory::SmoothOptions kSmooth{1e-2, 30};

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

Object measure(std::size_t players, std::uint64_t seed) {
  const std::size_t games = players * kGamesPerPlayer;
  RandomStream random(seed, 0);
  std::vector<float> skill(players);
  for (float& one : skill) one = static_cast<float>(random.normal() * 25 / 3);
  const double before = resident_bytes();
  skill::SkillHistory history;
  history.reserve(players, games, 2);
  for (std::size_t i = 0; i < players; ++i) history.add_player();
  skill::SkillHistory::Match match{std::vector<skill::SkillHistory::Team>(2), 0};
  for (skill::SkillHistory::Team& team : match.teams) team.players.resize(1);
  double begin = processor_seconds();
  for (std::size_t game = 0; game < games; ++game) {
    const auto a = static_cast<std::uint32_t>(random.uniform(0, static_cast<double>(players)));
    // Matchmaking: opponents are near in the numbering, so that ties between players reach far only step by step.
    const auto b = static_cast<std::uint32_t>(
        (a + 1 + static_cast<std::size_t>(random.uniform(0, 1000))) % players);
    const double difference = skill[a] - skill[b] + 25.0 / 6 * std::sqrt(2.0) * random.normal();
    match.time = static_cast<double>(game) * 10 / static_cast<double>(games);
    match.teams[0].players[0].player = {a};
    match.teams[1].players[0].player = {b};
    match.teams[0].rank = difference > -0.74 ? 1 : 2;
    match.teams[1].rank = difference < 0.74 ? 1 : 2;
    history.add(match);
  }
  const double adding = processor_seconds() - begin;
  const double bytes = resident_bytes() - before;
  begin = processor_seconds();
  const skill::SkillHistory::SmoothReport report = history.smooth(kSmooth);
  const double smoothing = processor_seconds() - begin;
  double error = 0;
  for (std::uint32_t i = 0; i < players; ++i) {
    const Gaussian found = history.rating({i});
    const double off = (found.mean() - 25 - skill[i]) / found.std();
    error += off * off / static_cast<double>(players);
  }
  return {{"players", {static_cast<std::int64_t>(players)}},
          {"games", {static_cast<std::int64_t>(games)}},
          {"updates_per_second", {static_cast<double>(games) / adding}},
          {"bytes_per_game", {bytes / static_cast<double>(games)}},
          {"gigabytes", {bytes / 1e9}},
          {"sweeps", {static_cast<std::int64_t>(report.sweeps)}},
          {"converged", {report.converged}},
          {"smoothing_seconds", {smoothing}},
          {"ns_per_game_and_sweep", {1e9 * smoothing / static_cast<double>(games * report.sweeps)}},
          {"squared_error_in_variances", {error}}};
}

}  // namespace

Part scale(const Settings& settings) {
  std::vector<Object> sizes;
  for (const std::size_t players : {10'000U, 100'000U, 1'000'000U}) {
    if (settings.quick && players > 10'000) break;
    sizes.push_back(measure(players, settings.seed));
  }
  const auto number = [&](std::size_t size, const char* name) {
    for (const auto& [key, node] : sizes[size])
      if (key == name) return std::get<double>(node.value);
    return 0.0;
  };
  const double growth =
      number(sizes.size() - 1, "ns_per_game_and_sweep") / number(0, "ns_per_game_and_sweep");
  const double memory = number(sizes.size() - 1, "bytes_per_game") / number(0, "bytes_per_game");
  return {"scale",
          {{"sizes", {sizes}}},
          {{"memory per game of the largest over the smallest: " + std::to_string(memory) +
                ", below 1.5",
            memory < 1.5},
           {"time per game and sweep of the largest over the smallest: " + std::to_string(growth) +
                ", below 4 (caches)",
            settings.quick || growth < 4}}};
}

}  // namespace postrider::experiments
