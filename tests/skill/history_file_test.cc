#include <gtest/gtest.h>

#include <cmath>

#include "files.h"
#include "postrider/error.h"
#include "postrider/skill/history.h"

namespace postrider::skill {
namespace {

SkillHistory example() {
  SkillHistory out({.dynamics_std = 0.3,
                    .draw_margin = 1,
                    .home_advantage = 0.5,
                    .home_std = 0.2,
                    .score_unit = 1,
                    .margin_grows = true});
  for (const char* name : {"Ann", "Bob", "", "Zoë\n"}) out.add_player(name);
  for (std::uint32_t game = 0; game < 12; ++game) {
    SkillHistory::Match match{std::vector<SkillHistory::Team>(2), game * 0.5};
    match.teams[0].players = {{{game % 4}, 0.7}};
    match.teams[1].players = {{{(game + 1) % 4}}};
    match.teams[0].score = game % 5;
    match.teams[1].score = game % 3;
    match.teams[1].at_home = game % 2 == 0;
    out.add(match);
  }
  out.smooth();
  out.remove({4});
  out.refresh();
  return out;
}

TEST(HistoryFile, ComesBackToTheBit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("history.safetensors");
  SkillHistory history = example();
  history.save(path);
  SkillHistory back = SkillHistory::load(path);
  EXPECT_EQ(back.options().margin_grows, true);
  EXPECT_EQ(back.options().score_unit, 1);
  EXPECT_EQ(back.game_count(), 11U);
  EXPECT_FALSE(back.has({4}));
  EXPECT_EQ(back.find("Zoë\n"), Player{3});
  for (std::uint32_t player = 0; player < 4; ++player) {
    EXPECT_EQ(back.rating({player}), history.rating({player}));
    EXPECT_EQ(back.games_of({player}), history.games_of({player}));
  }
  for (std::uint32_t game = 0; game < 12; ++game)
    if (game != 4) {
      EXPECT_EQ(back.log_probability({game}), history.log_probability({game}));
    }
  EXPECT_EQ(back.log_evidence(), history.log_evidence());
  // It goes on as if it had never been away.
  const SkillHistory::Match next = history.match({11});
  history.add(next);
  back.add(next);
  history.smooth();
  back.smooth();
  EXPECT_EQ(back.rating({0}), history.rating({0}));
}

TEST(HistoryFile, RefusesOtherFiles) {
  const TemporaryFolder folder;
  const std::string path = folder.file("other");
  EXPECT_THROW(SkillHistory::load(path), FileError);
  write_bytes(path, "not a history");
  EXPECT_THROW(SkillHistory::load(path), CorruptFile);
}

TEST(HistoryFile, ADamagedByteIsNoticed) {
  const TemporaryFolder folder;
  const std::string path = folder.file("history.safetensors");
  example().save(path);
  const std::string bytes = bytes_of(path);
  for (std::size_t at = 0; at < bytes.size(); at += 37) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write_bytes(path, damaged);
    EXPECT_THROW(SkillHistory::load(path), Error) << at;
  }
}

}  // namespace
}  // namespace postrider::skill
