#include "postrider/skill/game_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "complaint.h"
#include "files.h"
#include "postrider/error.h"

namespace postrider::skill {
namespace {

class GameFiles : public testing::Test {
 protected:
  GameFile::Source source(const std::string& text) {
    const std::string path = folder_.file("games.csv");
    std::ofstream(path) << text;
    return game_source(path);
  }

  TemporaryFolder folder_;
};

TEST_F(GameFiles, UsualNamesOfColumnsAreFound) {
  const GameFile file =
      read_games(source("date,home_team,away_team,home_score,away_score\n2026-01-02,Ann,Bob,2,1\n"
                        "2026-01-03,Bob,Cleo,0,0\n"));
  ASSERT_EQ(file.matches.size(), 2u);
  EXPECT_EQ(file.columns.first, "home_team");
  EXPECT_TRUE(file.has_dates);
  EXPECT_EQ(file.matches[1].match.time - file.matches[0].match.time, 1);
  EXPECT_TRUE(file.matches[0].match.teams[0].at_home);
  EXPECT_EQ(file.matches[0].match.teams[0].score, 2);
  EXPECT_EQ(file.matches[1].names, (std::vector<std::vector<std::string>>{{"Bob"}, {"Cleo"}}));
  SkillHistory history;
  add_games(file, "games.csv", history);
  EXPECT_EQ(history.game_count(), 2u);
  EXPECT_EQ(history.player_count(), 3u);
}

TEST_F(GameFiles, OneRowForEachPlayer) {
  const GameFile file =
      read_games(source("game,player,team,rank\n1,Ann,a,1\n1,Bob,a,1\n1,Cleo,b,2\n"));
  ASSERT_EQ(file.matches.size(), 1u);
  EXPECT_EQ(file.matches[0].names,
            (std::vector<std::vector<std::string>>{{"Ann", "Bob"}, {"Cleo"}}));
  EXPECT_EQ(file.matches[0].match.teams[1].rank, 2);
}

TEST_F(GameFiles, MessagesNameColumnsAsTheUserWroteThem) {
  GameFile::Source games = source("home_team,away_team,home_score,away_score\nAnn,Bob,2,1\n");
  EXPECT_EQ(complaint([&] { read_games(games, {.first_score = "goals"}); }),
            "first_score = \"goals\": is not a column of the file");
  games.spelling = OptionInfo::Spelling::command_line;
  EXPECT_EQ(complaint([&] { read_games(games, {.first_score = "goals"}); }),
            "--first-score = \"goals\": is not a column of the file");
  EXPECT_NE(complaint([&] { read_games(source("a,b\n1,2\n")); }).find("(first, second)"),
            std::string::npos);
}

TEST_F(GameFiles, RowsThatMakeNoSenseAreNamedByTheirLine) {
  const GameFile::Source games = source("player_a,player_b,result\nAnn,Bob,1-0\nBob,Ann,perhaps\n");
  try {
    read_games(games);
    FAIL();
  } catch (const CorruptFile& error) {
    EXPECT_NE(std::string(error.what()).find("line 3: result is not a result"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace postrider::skill
