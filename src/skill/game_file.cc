#include "postrider/skill/game_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "postrider/error.h"

namespace postrider::internal {
namespace {

constexpr double kSecondsPerDay = 86'400;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// Numbers between these that all are dates in a calendar are read as such.
constexpr double kFirstCompact = 1800'01'01, kLastCompact = 2199'12'31;
constexpr std::size_t kEveryRow = 100'000'000;

std::string number_text(double value) { return fmt::format("{}", value); }

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// One of the roles that a column may have, its field, and how files call it.
struct Role {
  std::string skill::GameFile::Columns::*field;
  const char* name;
  std::vector<const char*> usual;
};

const std::vector<Role>& roles() {
  static const std::vector<Role> all{
      {&skill::GameFile::Columns::game, "game", {"game", "game_id", "match", "match_id"}},
      {&skill::GameFile::Columns::player, "player", {"player", "player_name", "name"}},
      {&skill::GameFile::Columns::team, "team", {"team", "team_id", "side"}},
      {&skill::GameFile::Columns::rank, "rank", {"rank", "place", "position"}},
      {&skill::GameFile::Columns::score, "score", {"score", "points"}},
      {&skill::GameFile::Columns::share, "share", {"share", "weight", "played"}},
      {&skill::GameFile::Columns::time,
       "time",
       {"date", "time", "datetime", "timestamp", "day", "end_time"}},
      {&skill::GameFile::Columns::first,
       "first",
       {"home_team", "home", "team_a", "team1", "team_1", "player_a", "player1", "player_1",
        "white", "winner"}},
      {&skill::GameFile::Columns::second,
       "second",
       {"away_team", "away", "team_b", "team2", "team_2", "player_b", "player2", "player_2",
        "black", "loser"}},
      {&skill::GameFile::Columns::first_score,
       "first_score",
       {"home_score", "home_goals", "score_a", "score1", "score_1", "winner_score"}},
      {&skill::GameFile::Columns::second_score,
       "second_score",
       {"away_score", "away_goals", "score_b", "score2", "score_2", "loser_score"}},
      {&skill::GameFile::Columns::result, "result", {"result", "outcome"}},
      {&skill::GameFile::Columns::neutral, "neutral", {"neutral"}},
  };
  return all;
}

std::string spelled(std::string_view field, OptionInfo::Spelling spelling) {
  if (spelling != OptionInfo::Spelling::command_line) return std::string(field);
  std::string out = "--" + std::string(field);
  std::ranges::replace(out, '_', '-');
  return out;
}

// How a message calls the file itself.
const char* file_name(OptionInfo::Spelling spelling) {
  return spelling == OptionInfo::Spelling::command_line ? "DATA" : "games";
}

// With `strict`, a column that is named must be there.
skill::GameFile::Columns found_columns(skill::GameFile::Columns columns, const Schema& schema,
                                       bool strict, OptionInfo::Spelling spelling) {
  for (const Role& role : roles()) {
    std::string& name = columns.*role.field;
    if (schema.find(name) != Schema::kNone) continue;
    if (!name.empty() && strict)
      reject(spelled(role.name, spelling), name, "is not a column of the file");
    name.clear();
    for (const char* usual : role.usual)
      for (const ColumnSchema& column : schema.columns)
        if (name.empty() && lower(column.name) == usual) name = column.name;
  }
  return columns;
}

bool has_row_per_player(const skill::GameFile::Columns& columns) {
  return !columns.game.empty() && !columns.player.empty() && columns.first.empty();
}

// Days since 1970 of a date that is written as the number 20261116; NaN if it is none.
double days_of(double number) {
  if (!(number >= kFirstCompact && number <= kLastCompact) || number != std::floor(number))
    return kNan;
  const auto whole = static_cast<int>(number);
  const std::chrono::year_month_day date{
      std::chrono::year(whole / 10000),
      std::chrono::month(static_cast<unsigned>(whole / 100 % 100)),
      std::chrono::day(static_cast<unsigned>(whole % 100))};
  if (!date.ok()) return kNan;
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

class Rows {
 public:
  Rows(const Table& table, skill::GameFile::Columns columns, const std::string& path)
      : table_(table), columns_(std::move(columns)), path_(path) {
    if (!has(columns_.time)) return;
    const std::vector<double>& times = table_.column(place(columns_.time)).numbers;
    has_compact_dates_ = !times.empty() && std::all_of(times.begin(), times.end(), [](double time) {
      return std::isnan(time) || !std::isnan(days_of(time));
    });
  }

  [[noreturn]] void fail(std::size_t row, const std::string& what) const {
    throw CorruptFile(fmt::format("{}, line {}: {}", path_, table_.line(row), what));
  }
  bool has(const std::string& column) const { return !column.empty(); }
  bool is_missing(const std::string& column, std::size_t row) const {
    const Table::Column& cells = table_.column(place(column));
    if (!cells.codes.empty()) return cells.codes[row] == Table::Column::kMissing;
    return cells.numbers.empty() || std::isnan(cells.numbers[row]);
  }
  std::string text(const std::string& column, std::size_t row) const {
    if (is_missing(column, row)) fail(row, column + " is missing");
    const Table::Column& cells = table_.column(place(column));
    if (!cells.numbers.empty()) return number_text(cells.numbers[row]);
    const std::vector<std::string>& known = table_.schema().columns[place(column)].categories;
    const std::uint32_t code = cells.codes.empty() ? Table::Column::kUnknown : cells.codes[row];
    return code < known.size() ? known[code] : "unknown";
  }
  // NaN where the column or the cell is missing.
  double number(const std::string& column, std::size_t row) const {
    if (!has(column) || is_missing(column, row)) return kNan;
    const Table::Column& cells = table_.column(place(column));
    if (cells.numbers.empty())
      fail(row, fmt::format("{} is {}: {}", column,
                            column == columns_.time
                                ? "neither a number nor a date such as 2026-11-16 or 16/11/2026"
                                : "not a number",
                            text(column, row)));
    return cells.numbers[row];
  }
  bool flag(const std::string& column, std::size_t row) const {
    if (!has(column) || is_missing(column, row)) return false;
    const std::string value = lower(text(column, row));
    if (value == "true" || value == "1" || value == "yes" || value == "y" || value == "t")
      return true;
    if (value == "false" || value == "0" || value == "no" || value == "n" || value == "f")
      return false;
    fail(row, column + " is neither true nor false: " + value);
  }
  double time(std::size_t row) const {
    if (!has(columns_.time)) return 0;
    const double value = number(columns_.time, row);
    if (std::isnan(value)) fail(row, columns_.time + " is missing");
    if (has_compact_dates_) return days_of(value);
    return has_dates() ? value / kSecondsPerDay : value;
  }
  // A player's part of the game, as a number from 0 to 1.
  double share(std::size_t row) const {
    if (!has(columns_.share)) return 1;
    const bool is_percent = table_.schema().columns[place(columns_.share)].unit == "%";
    const double value = number(columns_.share, row) / (is_percent ? 100 : 1);
    if (value < 0 || value > 1)
      fail(row, fmt::format("{} = {}: must be from 0 to 1, or from 0 % to 100 %", columns_.share,
                            number_text(value)));
    return std::isnan(value) ? 1 : value;
  }
  bool has_dates() const {
    return has_compact_dates_ ||
           (has(columns_.time) &&
            table_.schema().columns[place(columns_.time)].kind == ColumnSchema::Kind::date);
  }

  skill::GameFile::NamedMatch duel(std::size_t row, bool fixtures) const;
  std::vector<skill::GameFile::NamedMatch> by_player() const;

 private:
  std::size_t place(const std::string& column) const { return table_.schema().find(column); }
  std::vector<std::string> players(const std::string& column, std::size_t row) const;
  void set_result(skill::GameFile::NamedMatch& to, std::size_t row) const;
  void expect_same(const std::string& column, double first, std::size_t row,
                   const char* whose) const;

  const Table& table_;
  skill::GameFile::Columns columns_;
  const std::string& path_;
  bool has_compact_dates_ = false;
};

std::vector<std::string> Rows::players(const std::string& column, std::size_t row) const {
  const std::string all = text(column, row);
  if (columns_.separator.empty()) return {all};
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find(columns_.separator, begin), all.size());
    std::string name = all.substr(begin, end - begin);
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    if (name.empty()) fail(row, fmt::format("{} names a player without a name: {}", column, all));
    out.push_back(std::move(name));
    begin = end + columns_.separator.size();
  }
  return out;
}

void Rows::set_result(skill::GameFile::NamedMatch& to, std::size_t row) const {
  skill::SkillHistory::Team &first = to.match.teams[0], &second = to.match.teams[1];
  first.score = number(columns_.first_score, row);
  second.score = number(columns_.second_score, row);
  const bool has_winner = lower(columns_.first) == "winner";
  std::optional<double> points;  // of the first: 1, 0.5 or 0
  if (has(columns_.result) && !is_missing(columns_.result, row)) {
    const std::string value = text(columns_.result, row), small = lower(value);
    static const std::map<std::string, double> kWords{
        {"win", 1},   {"won", 1},  {"w", 1},   {"h", 1},    {"1-0", 1},      {"1", 1},
        {"draw", .5}, {"tie", .5}, {"d", .5},  {"0.5", .5}, {"1/2-1/2", .5}, {"loss", 0},
        {"lost", 0},  {"l", 0},    {"a", 0},   {"0-1", 0},  {"0", 0},        {"½-½", .5},
        {"½–½", .5},  {"1/2", .5}, {"½", .5},  {"1–0", 1},  {"0–1", 0},      {"white", 1},
        {"black", 0}, {"home", 1}, {"away", 0}};
    if (value == to.names[0].front())
      points = 1;
    else if (value == to.names[1].front())
      points = 0;
    else if (const auto word = kWords.find(small); word != kWords.end())
      points = word->second;
    else
      fail(row, fmt::format("{} is not a result of the first side: {}; accepted are win, draw and "
                            "loss; 1, 0.5 and 0; 1-0, 1/2-1/2 and 0-1; "
                            "H, D and A; white and black; and the winner's name",
                            columns_.result, value));
  } else if (has_winner) {
    points = 1;
  }
  if (!points) return;  // the scores tell, if there are any
  first.rank = *points == 0 ? 2 : 1;
  second.rank = *points == 1 ? 2 : 1;
}

// What all rows of a team say must be the same.
void Rows::expect_same(const std::string& column, double first, std::size_t row,
                       const char* whose) const {
  if (!has(column)) return;
  const double value = number(column, row);
  if (value == first || (std::isnan(value) && std::isnan(first))) return;
  fail(row, fmt::format("{} = {}: must be {}, which is {} in its first row", column,
                        number_text(value), whose, number_text(first)));
}

skill::GameFile::NamedMatch Rows::duel(std::size_t row, bool fixtures) const {
  skill::GameFile::NamedMatch out;
  out.line = table_.line(row);
  out.match.time = time(row);
  out.match.teams.resize(2);
  out.names = {players(columns_.first, row), players(columns_.second, row)};
  const bool is_home = columns_.first_at_home || lower(columns_.first).starts_with("home");
  out.match.teams[0].at_home = is_home && !flag(columns_.neutral, row);
  if (!fixtures) set_result(out, row);
  return out;
}

std::vector<skill::GameFile::NamedMatch> Rows::by_player() const {
  std::vector<skill::GameFile::NamedMatch> out;
  std::map<std::string, std::size_t> place;
  std::vector<std::map<std::string, std::size_t>> teams;
  for (std::size_t row = 0; row < table_.rows(); ++row) {
    const std::string player = text(columns_.player, row);
    const auto [game, is_new] = place.try_emplace(text(columns_.game, row), out.size());
    if (is_new) {
      out.push_back({{{}, time(row)}, {}, table_.line(row)});
      teams.emplace_back();
    }
    skill::GameFile::NamedMatch& match = out[game->second];
    const std::string name = has(columns_.team) ? text(columns_.team, row) : player;
    const auto [team, is_new_team] =
        teams[game->second].try_emplace(name, match.match.teams.size());
    if (is_new_team) {
      match.match.teams.emplace_back();
      match.match.teams.back().rank = number(columns_.rank, row);
      match.match.teams.back().score = number(columns_.score, row);
      match.names.emplace_back();
    }
    skill::SkillHistory::Team& side = match.match.teams[team->second];
    expect_same(columns_.rank, side.rank, row, "the team's");
    expect_same(columns_.score, side.score, row, "the team's");
    if (has(columns_.time) && time(row) != match.match.time)
      fail(row, columns_.time + " is another one than that of the game's first row");
    side.players.push_back({{0}, share(row)});
    match.names[team->second].push_back(player);
  }
  return out;
}

// Which columns there are; refused if they name no sides.
skill::GameFile::Columns columns_of(const skill::GameFile::Source& source,
                                    const skill::GameFile::Columns& columns, bool strict) {
  TableOptions options = source.options;
  options.sample_rows = 1000;
  const TableReader reader = source.open(options, nullptr);
  skill::GameFile::Columns out = found_columns(columns, reader.schema(), strict, source.spelling);
  if (!has_row_per_player(out) && (out.first.empty() || out.second.empty()))
    reject(file_name(source.spelling), source.name,
           fmt::format("needs two columns of sides, such as home_team and away_team ({}, {}), or "
                       "one row for each player with the columns game and player ({}, {})",
                       spelled("first", source.spelling), spelled("second", source.spelling),
                       spelled("game", source.spelling), spelled("player", source.spelling)));
  return out;
}

// Every name is a category of its own.
TableOptions options_for(const TableOptions& options, const skill::GameFile::Columns& found) {
  TableOptions out = options;
  out.sample_rows = kEveryRow;
  out.most_categories = kEveryRow;
  out.keep_constants = true;  // all games of one day, all lost to nil
  for (const std::string& name : {found.first, found.second, found.result, found.neutral,
                                  found.game, found.player, found.team})
    if (!name.empty()) out.categorical.push_back(name);
  for (const std::string& name :
       {found.first_score, found.second_score, found.rank, found.score, found.share})
    if (!name.empty()) out.numeric.push_back(name);
  return out;
}

Table all_rows(TableReader& reader) {
  Table out;
  for (Table chunk; reader.next(chunk);) out.append(chunk);
  return out;
}

std::vector<skill::GameFile::NamedMatch> matches_of(const Rows& rows, std::size_t count,
                                                    const skill::GameFile::Columns& found,
                                                    bool fixtures) {
  if (has_row_per_player(found)) return rows.by_player();
  std::vector<skill::GameFile::NamedMatch> out;
  for (std::size_t row = 0; row < count; ++row) out.push_back(rows.duel(row, fixtures));
  return out;
}

}  // namespace
}  // namespace postrider::internal

namespace postrider::skill {

using namespace internal;

GameFile::Source game_source(const std::string& path, const TableOptions& options) {
  return {path,
          [path](const TableOptions& asked, const Schema* schema) {
            return schema == nullptr ? TableReader(path, asked) : TableReader(path, *schema, asked);
          },
          options};
}

GameFile read_games(const GameFile::Source& source, const GameFile::Columns& columns) {
  GameFile out;
  out.columns = columns_of(source, columns, true);
  const GameFile::Columns& found = out.columns;
  const bool tells = has_row_per_player(found) || !found.first_score.empty() ||
                     !found.result.empty() || lower(found.first) == "winner";
  if (!tells)
    reject(
        file_name(source.spelling), source.name,
        fmt::format("needs scores ({}, {}), a result ({}), or the columns winner and loser",
                    spelled("first_score", source.spelling),
                    spelled("second_score", source.spelling), spelled("result", source.spelling)));
  TableReader reader = source.open(options_for(source.options, found), nullptr);
  if (!found.time.empty()) out.time = reader.schema().columns[reader.schema().find(found.time)];
  const Table table = all_rows(reader);
  const Rows rows(table, found, source.name);
  out.matches = matches_of(rows, table.rows(), found, false);
  out.has_dates = rows.has_dates();
  return out;
}

GameFile read_fixtures(const GameFile::Source& source, const GameFile& played) {
  GameFile out;
  out.columns = columns_of(source, played.columns, false);
  if (played.columns.time.empty()) out.columns.time.clear();  // then there is no clock
  Schema schema = source.open(options_for(source.options, out.columns), nullptr).schema();
  if (!out.columns.time.empty()) schema.columns[schema.find(out.columns.time)] = played.time;
  TableReader reader = source.open(source.options, &schema);
  const Table table = all_rows(reader);
  const Rows rows(table, out.columns, source.name);
  out.matches = matches_of(rows, table.rows(), out.columns, true);
  return out;
}

}  // namespace postrider::skill
