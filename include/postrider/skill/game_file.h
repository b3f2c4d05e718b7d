// Games from a table: which column says what, and the matches that its rows are.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "postrider/export.h"
#include "postrider/options.h"
#include "postrider/skill/history.h"
#include "postrider/table.h"

namespace postrider::skill {

struct GameFile {
  // Names of columns; those that are empty are looked for by their usual names, and left empty if there is none.
  //
  // A file has one row for each match (first and second) or one row for each player in a match (game and player).
  struct Columns {
    std::string time = {};
    std::string first = {}, second = {};              // the two sides
    std::string first_score = {}, second_score = {};  // who won, if scores are known
    std::string result =
        {};  // else, of the first side: win, draw or loss; 1, 0.5 or 0; H, D or A; or the name of the winner
    std::string neutral = {};    // whether nobody is at home
    bool first_at_home = false;  // also where its column is not called home
    std::string separator = {};  // between the players of a side

    std::string game = {}, player = {};  // one row for each player
    std::string team = {}, rank = {}, score = {}, share = {};
  };

  // What is read, which is opened more than once: its name in messages, and how a reader of it is made, by a schema if it is not null.
  struct Source {
    std::string name;
    std::function<TableReader(const TableOptions& options, const Schema* schema)> open;
    TableOptions options = {};
    OptionInfo::Spelling spelling = OptionInfo::Spelling::cpp;  // of columns in messages
  };
  // A match with names instead of numbers; `line` is that of the file.
  struct NamedMatch {
    SkillHistory::Match match;                    // players are not filled in
    std::vector<std::vector<std::string>> names;  // of the teams' players
    std::size_t line = 0;
  };

  std::vector<NamedMatch> matches;
  Columns columns;         // as they were found
  bool has_dates = false;  // times are days since 1970
  ColumnSchema time = {};  // how times are written
};

// A file of text, which is not standard input.
POSTRIDER_EXPORT GameFile::Source game_source(const std::string& path,
                                              const TableOptions& options = {});

// Throws InvalidArgument if columns are missing, and CorruptFile with the line if a row makes no sense.
POSTRIDER_EXPORT GameFile read_games(const GameFile::Source& source,
                                     const GameFile::Columns& columns = {});
// Games to come: without results, and with times as they are written in the games that were played, since those of a few rows, all
// of one day perhaps, do not tell.
POSTRIDER_EXPORT GameFile read_fixtures(const GameFile::Source& source, const GameFile& played);

// The match with the numbers of its players; new names are added to the history.
POSTRIDER_EXPORT SkillHistory::Match numbered(const GameFile::NamedMatch& named,
                                              SkillHistory& history);
// All games of a file. Throws CorruptFile, with the line, for one that cannot be.
POSTRIDER_EXPORT void add_games(const GameFile& file, const std::string& name, SkillHistory& to);

}  // namespace postrider::skill
