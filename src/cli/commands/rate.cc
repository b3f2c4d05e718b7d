#include "cli/commands/rate.h"

#include <fmt/format.h>

#include <cmath>
#include <iostream>

#include "cli/csv_cell.h"
#include "cli/output.h"
#include "cli/rate/page.h"
#include "cli/text_table.h"
#include "postrider/error.h"

namespace postrider::cli {
namespace {

SkillHistory begin(const RateRequest& request) {
  if (request.resume.empty()) return SkillHistory(request.settings);
  SkillHistory out = SkillHistory::load(request.resume);
  SkillOptions settings = out.options();
  for (const std::string& name : request.fixed)
    set_skill_option(settings, name, get_skill_option(request.settings, name),
                     Spelling::command_line);
  if (!request.fixed.empty()) out.set_options(settings);
  return out;
}

void add_games(const GameFile& file, const std::string& path, SkillHistory& to) {
  for (const NamedMatch& named : file.matches) {
    try {
      to.add(numbered(named, to));
    } catch (const InvalidArgument& error) {
      throw CorruptFile(fmt::format("{}, line {}: {}", path, named.line, error.what()));
    }
  }
  if (to.game_count() == 0) throw CorruptFile(path + ": there are no games");
}

std::string settings_text(const LearnReport& learned) {
  TextTable table({Align::left, Align::right, Align::left});
  table.add({"learned", "value", "uncertainty"});
  for (const LearnedSetting& one : learned.settings)
    table.add({one.name, short_number(one.value),
               one.relative ? fmt::format("{:.0f} %", 100 * one.uncertainty)
                            : short_number(one.uncertainty)});
  return table.text();
}

std::string board_text(const SkillHistory& history, const std::vector<Standing>& board) {
  TextTable table(
      {Align::right, Align::left, Align::right, Align::right, Align::right, Align::right});
  table.add({"", "player", "mean - 3 std", "mean", "std", "games"});
  std::size_t place = 0;
  for (const Standing& one : board)
    table.add({std::to_string(++place), one.name,
               fmt::format("{:.2f}", one.rating.mean() - 3 * one.rating.std()),
               fmt::format("{:.2f}", one.rating.mean()), fmt::format("{:.2f}", one.rating.std()),
               std::to_string(history.games_of(one.player))});
  return table.text();
}

// Of new players the history knows nothing; it is passed by value so that they are not kept.
void write_predictions(const RateRequest& request, const GameFile& played, SkillHistory history) {
  DataRequest data = request.data;
  data.path = request.fixtures;
  const GameFile fixtures = read_fixtures(data, played);
  Output output(request.predictions);
  std::ostream& out = output.stream();
  out << "first,second,win,draw,loss,quality\n";
  const auto side = [](const std::vector<std::string>& names) { return listed(names, "; "); };
  for (const NamedMatch& named : fixtures.matches) {
    Match match = numbered(named, history);
    for (const MatchTeam& team : match.teams)
      for (const Participant& one : team.players)
        match.time = std::max(match.time, std::isnan(history.last_game(one.player))
                                              ? match.time
                                              : history.last_game(one.player));
    const MatchPrediction found = history.predict(match);
    out << csv_cell(side(named.names[0])) << "," << csv_cell(side(named.names[1])) << ","
        << fmt::format("{:.4f},{:.4f},{:.4f},{:.4f}\n", found.outcome.win, found.outcome.draw,
                       found.outcome.loss, found.quality);
  }
  output.finish();
}

}  // namespace

ExitCode rate(const RateRequest& request) {
  const std::vector<std::string> inputs{request.data.path, request.fixtures};
  if (!request.output.empty())
    expect_writable({"--output", request.output, inputs, request.force}, skill_history_kind());
  if (!request.page.empty())
    expect_writable({"--page", request.page, inputs, request.force},
                    text_kind("a page", {"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"}));
  SkillHistory history = begin(request);
  const GameFile file = read_games(request.data, request.columns);
  add_games(file, request.data.path, history);
  const LearnReport learned =
      history.learn({.fixed = request.fixed, .resume = !request.resume.empty()});
  history.smooth();
  double latest = -std::numeric_limits<double>::infinity();
  for (const NamedMatch& one : file.matches) latest = std::max(latest, one.match.time);
  const double since = request.active_days > 0 ? latest - request.active_days
                                               : -std::numeric_limits<double>::infinity();
  std::vector<Standing> board = history.leaderboard(3, since);
  if (board.size() > request.top) board.resize(request.top);

  if (!request.quiet)
    std::cout << fmt::format("{} of {}; log-loss of each game before it was seen: {:.4f}\n\n",
                             counted(history.game_count(), "game"),
                             counted(history.player_count(), "player"), learned.log_loss)
              << settings_text(learned) << "\n"
              << board_text(history, board);
  if (!request.output.empty()) history.save(request.output);
  if (!request.page.empty()) {
    const std::string title = request.title.empty() ? "Skill ratings" : request.title;
    Output page(request.page);
    page.stream() << render_rate_page({title, history, board, learned, file.has_dates});
    page.finish();
  }
  if (!request.fixtures.empty()) {
    if (!request.quiet && is_standard_output(request.predictions)) std::cout << "\n";
    write_predictions(request, file, history);
  }
  return ExitCode::ok;
}

}  // namespace postrider::cli
