#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <ostream>

#include "cli/commands/commands.h"
#include "cli/json.h"
#include "io/open_table.h"
#include "io/output.h"
#include "postrider/error.h"
#include "postrider/report.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

// A game to come is not before its players' last games, whatever its file says.
double time_of(const skill::SkillHistory::Match& match, const skill::SkillHistory& history) {
  double out = match.time;
  for (const skill::SkillHistory::Team& team : match.teams)
    for (const skill::SkillHistory::Participant& one : team.players) {
      const double last = history.last_game(one.player);
      if (!std::isnan(last)) out = std::max(out, last);
    }
  return out;
}

// How the CSV begins.
constexpr const char* kFixtureColumns = "first,second,win,draw,loss,quality";

// The history is a copy: it gets the players that are new in these games.
// Throws CorruptFile, naming file and line, for a game that cannot be.
std::vector<PredictedFixture> predict_fixtures(const skill::GameFile& fixtures,
                                               const std::string& path,
                                               skill::SkillHistory history) {
  std::vector<PredictedFixture> out;
  for (const skill::GameFile::NamedMatch& named : fixtures.matches) {
    try {
      skill::SkillHistory::Match match = skill::numbered(named, history);
      match.time = time_of(match, history);
      out.push_back({named.names, history.predict(match)});
    } catch (const InvalidArgument& error) {
      throw CorruptFile(fmt::format("{}, line {}: {}", path, named.line, error.what()));
    }
  }
  return out;
}

// A line for each game of two sides. Of more sides, a line for each of them against the others: to win is to be first.
void write_csv(const std::vector<PredictedFixture>& fixtures, std::ostream& out) {
  out << kFixtureColumns << "\n";
  const auto side = [](const std::vector<std::string>& names) { return listed(names, "; "); };
  for (const PredictedFixture& one : fixtures) {
    const skill::SkillHistory::Forecast& found = one.prediction;
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

skill::SkillHistory begin(const RateRequest& request) {
  if (request.resume.empty()) return skill::SkillHistory(request.settings);
  skill::SkillHistory out = skill::SkillHistory::load(request.resume);
  skill::SkillOptions settings = out.options();
  for (const std::string& name : request.fixed)
    skill::set_skill_option(settings, name, skill::get_skill_option(request.settings, name),
                            OptionInfo::Spelling::command_line);
  if (!request.fixed.empty()) out.set_options(settings);
  return out;
}

constexpr double kDaysOf1970 = 366;

// Games that were played before, and these, must be told by the same clock.
void expect_same_clock(const skill::GameFile& file, const skill::SkillHistory& history,
                       const std::string& path) {
  double last = -std::numeric_limits<double>::infinity();
  for (std::uint32_t k = 0; k < history.player_count(); ++k)
    if (const double at = history.last_game({k}); !std::isnan(at)) last = std::max(last, at);
  if (std::isinf(last)) return;
  if (file.columns.time.empty() && last != 0)
    reject("DATA", path,
           "needs a column of times (--time), since the games of --resume have times");
  if (!file.columns.time.empty() && file.has_dates != (last > kDaysOf1970))
    reject("DATA", path,
           file.has_dates ? "has dates, and the times of the games of --resume are other numbers"
                          : "has times that are no dates, and the games of --resume have dates");
}

void expect_possible(const RateRequest& request) {
  if (!(request.active_days >= 0))
    reject("--active-days", request.active_days, "must be at least 0");
  if (!request.predictions.empty() && request.fixtures.empty())
    reject("--predictions", request.predictions, "needs games to predict: --fixtures");
  const std::vector<std::string> inputs{request.data.path, request.fixtures};
  if (request.output == "-") reject("--output", request.output, "must be a file");
  if (!request.output.empty())
    expect_writable({"--output", request.output, inputs, request.force}, skill_history_kind());
  std::vector<std::string> others = inputs;
  others.push_back(request.resume);
  others.push_back(request.output);
  if (!request.page.empty())
    expect_writable({"--page", request.page, others, request.force},
                    text_kind("a page", {"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"}));
  others.push_back(request.page);
  if (!request.predictions.empty())
    expect_writable({"--predictions", request.predictions, others, request.force},
                    text_kind("predictions of games", {kFixtureColumns}));
}

// Parquet and Arrow files, too.
skill::GameFile::Source source_of(const DataRequest& data) {
  if (data.path == "-")
    reject("DATA", data.path, "must be a file: its columns are looked at first");
  return {data.path,
          [path = data.path](const TableOptions& options, const Schema* schema) {
            return schema == nullptr ? open_table(path, options)
                                     : open_table(path, *schema, options);
          },
          data.options(), OptionInfo::Spelling::command_line};
}

std::string settings_text(const skill::SkillHistory::LearnReport& learned) {
  TextTable table({Align::left, Align::right, Align::left});
  table.add({"learned", "value", "uncertainty"});
  for (const skill::SkillHistory::LearnedSetting& one : learned.settings)
    table.add({one.name, short_number(one.value),
               one.relative ? fmt::format("{:.0f} %", 100 * one.uncertainty)
                            : short_number(one.uncertainty)});
  return table.text();
}

std::string board_text(const skill::SkillHistory& history,
                       const std::vector<skill::Standing>& board) {
  TextTable table(
      {Align::right, Align::left, Align::right, Align::right, Align::right, Align::right});
  table.add({"", "player", "mean - 3 std", "mean", "std", "games"});
  std::size_t place = 0;
  for (const skill::Standing& one : board)
    table.add({std::to_string(++place), one.name,
               fmt::format("{:.2f}", one.rating.mean() - 3 * one.rating.std()),
               fmt::format("{:.2f}", one.rating.mean()), fmt::format("{:.2f}", one.rating.std()),
               std::to_string(history.games_of(one.player))});
  return table.text();
}

std::vector<PredictedFixture> fixtures_of(const RateRequest& request, const skill::GameFile& played,
                                          const skill::SkillHistory& history) {
  if (request.fixtures.empty()) return {};
  DataRequest data = request.data;
  data.path = request.fixtures;
  return predict_fixtures(skill::read_fixtures(source_of(data), played), request.fixtures, history);
}

}  // namespace

ExitCode rate(const RateRequest& request) {
  expect_possible(request);
  skill::SkillHistory history = begin(request);
  const skill::GameFile file = skill::read_games(source_of(request.data), request.columns);
  expect_same_clock(file, history, request.data.path);
  skill::add_games(file, request.data.path, history);
  if (history.game_count() == 0) throw CorruptFile(request.data.path + ": there are no games");
  const skill::SkillHistory::LearnReport learned =
      history.learn({.fixed = request.fixed, .resume = !request.resume.empty()});
  history.smooth();
  double latest = -std::numeric_limits<double>::infinity();
  for (const skill::GameFile::NamedMatch& one : file.matches)
    latest = std::max(latest, one.match.time);
  const double since = request.active_days > 0 ? latest - request.active_days
                                               : -std::numeric_limits<double>::infinity();
  std::vector<skill::Standing> board = history.leaderboard(3, since);
  if (board.size() > request.top) board.resize(request.top);

  const std::vector<PredictedFixture> fixtures = fixtures_of(request, file, history);
  if (request.json)
    std::cout << rating_json({history, learned, board, fixtures});
  else if (!request.quiet)
    std::cout << fmt::format("{} of {}; log-loss of each game before it was seen: {:.4f}\n\n",
                             counted(history.game_count(), "game"),
                             counted(history.player_count(), "player"), learned.log_loss)
              << settings_text(learned) << "\n"
              << board_text(history, board);
  if (!request.output.empty()) history.save(request.output);
  if (!request.page.empty()) {
    const std::string title = request.title.empty() ? "Skill ratings" : request.title;
    Output page(request.page);
    page.stream() << skill_page(title, history, board, learned, file.has_dates);
    page.finish();
  }
  const bool is_printed = is_standard_output(request.predictions);
  if (!request.fixtures.empty() && !(request.json && is_printed)) {
    if (!request.quiet && is_printed) std::cout << "\n";
    Output output(request.predictions);
    write_csv(fixtures, output.stream());
    output.finish();
  }
  return ExitCode::ok;
}

}  // namespace postrider::cli
