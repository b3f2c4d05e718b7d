#include "common/games.h"

#include <charconv>
#include <chrono>
#include <map>
#include <sstream>

#include "common/text_table.h"
#include "postrider/error.h"

namespace postrider::experiments {
namespace {

// Scores may be negative: a Halo player loses a point by his own hand.
int number(const std::string& text, const std::string& line) {
  int out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size())
    reject("score or date", text, "must be a number in: " + line);
  return out;
}

double days_of(const std::string& date, const std::string& line) {
  const auto part = [&](std::size_t at, std::size_t length) {
    return number(date.size() >= at + length ? date.substr(at, length) : "", line);
  };
  const std::chrono::sys_days day = std::chrono::year(part(0, 4)) / part(5, 2) / part(8, 2);
  double days = static_cast<double>(day.time_since_epoch().count());
  if (date.size() > 10) days += (part(11, 2) + part(14, 2) / 60.0 + part(17, 2) / 3600.0) / 24;
  return days;
}

skill::SkillRating::Outcome outcome_of(int score_a, int score_b) {
  if (score_a == score_b) return skill::SkillRating::Outcome::draw;
  return score_a > score_b ? skill::SkillRating::Outcome::win : skill::SkillRating::Outcome::loss;
}

// Numbers players in the order in which they appear.
class Numbering {
 public:
  std::uint32_t operator()(const std::string& name) {
    return numbers_.try_emplace(name, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  std::size_t size() const { return numbers_.size(); }
  std::vector<std::string> names() const {
    std::vector<std::string> out(numbers_.size());
    for (const auto& [name, number] : numbers_) out[number] = name;
    return out;
  }

 private:
  std::map<std::string, std::uint32_t> numbers_;
};

}  // namespace

Games read_halo2(const std::string& data) {
  Games out;
  Numbering numbers;
  // The fields that we use come before any quoted one, or last.
  for (const std::string& line : read_lines(existing(data, "skill/halo2-beta/head_to_head.csv"))) {
    const std::vector<std::string> field = fields_of(line);
    const std::uint32_t a = numbers(field.at(3)), b = numbers(field.at(4));
    const int score_a = number(field.at(5), line), score_b = number(field.at(6), line);
    out.games.push_back(
        {a, b, outcome_of(score_a, score_b), days_of(field.at(1), line), false, score_a, score_b});
  }
  out.players = numbers.size();
  out.names = numbers.names();
  out.first_test = out.games.size() / 2;
  return out;
}

Games read_football(const std::string& data) {
  Games out;
  Numbering numbers;
  for (const std::string& line :
       read_lines(existing(data, "skill/international-football/results.csv"))) {
    const std::vector<std::string> field = fields_of(line);
    const std::uint32_t a = numbers(field.at(1)), b = numbers(field.at(2));
    const int score_a = number(field.at(3), line), score_b = number(field.at(4), line);
    out.games.push_back({a, b, outcome_of(score_a, score_b), days_of(field.at(0), line),
                         field.back() == "FALSE", score_a, score_b});
    if (field.at(0) < "2018") out.first_test = out.games.size();
  }
  out.players = numbers.size();
  out.names = numbers.names();
  return out;
}

skill::SkillHistory::Match match_of(const Game& game) {
  skill::SkillHistory::Match out{std::vector<skill::SkillHistory::Team>(2), game.days};
  out.teams[0].players = {{{game.a}}};
  out.teams[1].players = {{{game.b}}};
  out.teams[0].score = game.score_a;
  out.teams[1].score = game.score_b;
  out.teams[0].at_home = game.at_home;
  return out;
}

namespace {

// "teamid=player:score player:score ...": a team's score is the sum of its players'.
skill::SkillHistory::Team team_of(const std::string& text, Numbering& numbers,
                                  const std::string& line) {
  skill::SkillHistory::Team out;
  out.score = 0;
  const std::size_t begin = text.find('=') + 1;
  std::istringstream players(text.substr(begin));
  for (std::string one; players >> one;) {
    const std::size_t colon = one.find(':');
    out.players.push_back({{numbers(one.substr(0, colon))}});
    out.score += number(one.substr(colon + 1), line);
  }
  return out;
}

}  // namespace

TeamGames read_large_teams(const std::string& data) {
  TeamGames out;
  Numbering numbers;
  for (const std::string& line : read_lines(existing(data, "skill/halo2-beta/large_team.csv"))) {
    const std::vector<std::string> field = fields_of(line);
    skill::SkillHistory::Match match;
    match.time = days_of(field.at(1), line);
    const std::size_t between = field.at(4).find(';');
    match.teams.push_back(team_of(field[4].substr(0, between), numbers, line));
    match.teams.push_back(team_of(field[4].substr(between + 1), numbers, line));
    out.games.push_back(std::move(match));
  }
  out.players = numbers.size();
  out.first_test = out.games.size() / 2;
  return out;
}

}  // namespace postrider::experiments
