#!/usr/bin/env python3
"""Calls `postrider rate` as a user does, on games whose players' skills are known.

Usage: rate.py PROGRAM
"""

import csv
import io
import json
import pathlib
import random
import re
import sys
import tempfile
import unittest

from program import Program

PLAYERS = [f"player {letter}" for letter in "ABCDEFGH"]


def write_games(path, count, seed):
    """Scores of games at home and on neutral ground; a player is the better the later in the list, and home is worth something."""
    draw = random.Random(seed)
    with open(path, "w", encoding="utf-8") as file:
        file.write("date,home_team,away_team,home_score,away_score,neutral\n")
        for game in range(count):
            home, away = draw.sample(range(len(PLAYERS)), 2)
            neutral = game % 4 == 0
            difference = 0.7 * (home - away) + (0 if neutral else 1) + draw.gauss(0, 1.5)
            goals = max(0, round(difference)), max(0, -round(difference))
            file.write(f"{2000 + game // 300}-{1 + game // 25 % 12:02d}-{1 + game % 25:02d},{PLAYERS[home]},{PLAYERS[away]},"
                       f"{goals[0]},{goals[1]},{'TRUE' if neutral else 'FALSE'}\n")


class Rate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = Program(PATH, cls.folder)
        write_games(cls.folder / "games.csv", 600, 1)
        (cls.folder / "next.csv").write_text("date,home_team,away_team,neutral\n"
                                             f"2003-01-01,{PLAYERS[7]},{PLAYERS[0]},FALSE\n"
                                             f"2003-01-01,{PLAYERS[0]},{PLAYERS[7]},FALSE\n"
                                             f"2003-01-01,somebody,{PLAYERS[7]},TRUE\n")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_board_settings_and_fixtures(self):
        printed = self.program.expect(0, "rate", "games.csv", "--fixtures", "next.csv", "--page", "p.html", "-o", "h",
                                      "--title", "<Best>")
        self.assertIn("600 games of 8 players", printed)
        board = re.findall(r"^ +\d+  (player \w)", printed, re.MULTILINE)
        self.assertEqual(len(board), 8)
        # Neighbours may change places, those two apart may not.
        for better, worse in zip(board, board[3:]):
            self.assertGreater(better, worse)
        for name in ("performance_std", "draw_margin", "home_advantage", "score_unit"):
            self.assertRegex(printed, rf"\n +{name} +\d")
        rows = list(csv.DictReader(io.StringIO(printed[printed.index("first,second"):])))
        self.assertEqual(len(rows), 3)
        for row in rows:
            self.assertAlmostEqual(sum(float(row[key]) for key in ("win", "draw", "loss")), 1, places=3)
        self.assertGreater(float(rows[0]["win"]), 0.9)
        # The worst is better at home than the best's chances away suggest.
        self.assertGreater(float(rows[1]["win"]), float(rows[0]["loss"]))
        page = (self.folder / "p.html").read_text()
        self.assertIn("&lt;Best&gt;", page)
        for part in ("Leaderboard", "Through time", "Upsets", "What was learned", "<svg"):
            self.assertIn(part, page)
        self.assertEqual(page.count("<script"), 0)

    def test_json_says_what_the_table_says(self):
        found = json.loads(self.program.expect(0, "rate", "games.csv", "--fixtures", "next.csv", "--top", "3", "--json"))
        self.assertEqual((found["games"], found["players"]), (600, 8))
        self.assertEqual(len(found["leaderboard"]), 3)
        self.assertGreater(found["learned"]["home_advantage"]["value"], 0)
        printed = self.program.expect(0, "rate", "games.csv", "--fixtures", "next.csv", "--top", "3")
        for one in found["leaderboard"]:
            self.assertRegex(printed, rf"{one['player']} .* {one['mean']:.2f} +{one['std']:.2f} +{one['games']}\n")
        for one, row in zip(found["fixtures"], csv.DictReader(io.StringIO(printed[printed.index("first,second"):])), strict=True):
            self.assertEqual(row["first"], one["first"][0])
            for key in ("win", "draw", "loss", "quality"):
                self.assertAlmostEqual(float(row[key]), one[key], delta=6e-5)

    def test_resuming_is_as_if_all_had_been_there(self):
        lines = (self.folder / "games.csv").read_text().splitlines(keepends=True)
        (self.folder / "early.csv").write_text("".join(lines[:400]))
        (self.folder / "late.csv").write_text(lines[0] + "".join(lines[400:]))
        fixed = ["--performance-std", "4", "--draw-margin", "1", "--dynamics-std", "0.05", "--home-advantage", "3",
                 "--home-std", "0", "--home-dynamics-std", "0", "--newcomer-trend", "0", "--score-unit", "2",
                 "--score-power", "1"]
        self.program.expect(0, "rate", "early.csv", "-o", "part", "--quiet", *fixed)
        resumed = self.program.expect(0, "rate", "late.csv", "--resume", "part", *fixed)
        whole = self.program.expect(0, "rate", "games.csv", *fixed)
        self.assertEqual(resumed, whole)

    def test_rows_of_players(self):
        draw = random.Random(5)
        lines = ["game,player,team,rank,share,time"]
        for game in range(80):
            players = draw.sample(range(8), 6)
            teams = [players[:2], players[2:4], players[4:]]
            order = sorted(teams, key=lambda team: -sum(team) - draw.gauss(0, 2))
            for rank, team in enumerate(order, start=1):
                lines += [f"{game},{PLAYERS[one]},{rank},{rank},{draw.choice([0.5, 1])},{game}" for one in team]
        (self.folder / "long.csv").write_text("\n".join(lines) + "\n")
        printed = self.program.expect(0, "rate", "long.csv", "--top", "3")
        self.assertIn("80 games of 8 players", printed)
        self.assertEqual(len(re.findall(r"^ +\d+  player", printed, re.MULTILINE)), 3)
        self.assertRegex(printed, r" 1  player [FGH]")

    def test_winners_and_losers(self):
        (self.folder / "w.csv").write_text("Winner,Loser\nAnn,Bob\nAnn,Cleo\nBob,Cleo\nAnn,Bob\n")
        printed = self.program.expect(0, "rate", "w.csv")
        self.assertEqual(re.findall(r"^ +\d  (\w+)", printed, re.MULTILINE), ["Ann", "Bob", "Cleo"])

    def test_mistakes_are_named(self):
        (self.folder / "no.csv").write_text("a,b\n1,2\n")
        self.assertIn("needs two columns of sides", self.program.expect(2, "rate", "no.csv"))
        self.assertIn("--first = \"x\"", self.program.expect(2, "rate", "games.csv", "--first", "x"))
        (self.folder / "odd.csv").write_text("player1,player2,result\nAnn,Bob,win\nAnn,Bob,perhaps\n")
        said = self.program.expect(3, "rate", "odd.csv")
        self.assertIn("odd.csv, line 3", said)
        self.assertIn("perhaps", said)
        (self.folder / "self.csv").write_text("player1,player2,result\nAnn,Ann,win\n")
        self.assertIn("only once", self.program.expect(3, "rate", "self.csv"))
        self.assertIn("--draw-margin = -1", self.program.expect(2, "rate", "games.csv", "--draw-margin", "-1"))
        self.assertIn("is not a skill history", self.program.expect(2, "rate", "games.csv", "-o", "no.csv"))


if __name__ == "__main__":
    PATH = sys.argv.pop(1)
    unittest.main()
