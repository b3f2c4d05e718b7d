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
            self.assertEqual([[row["first"]], [row["second"]]], one["sides"])
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

    def rated(self, text, *options):
        """The leaderboard of a file, by name."""
        (self.folder / "some.csv").write_text(text)
        found = json.loads(self.program.expect(0, "rate", "some.csv", "--json", *options))
        return {one["player"]: (one["mean"], one["std"]) for one in found["leaderboard"]}, found

    def test_columns_of_one_value_count(self):
        settings = [word for name in ("performance-std", "draw-margin") for word in (f"--{name}", "4")]
        settings += ["--dynamics-std", "0", "--home-advantage", "0", "--home-std", "0", "--newcomer-trend", "0"]
        games = "date,player1,player2,score1,score2\n" + "2024-03-01,Ann,Bob,{},0\n" * 3
        board, found = self.rated(games.format(2, 2, 2), *settings)
        self.assertGreater(board["Ann"][0], 25.5)
        self.assertGreater(found["log_loss"], 0.1)
        # A tie of all, and a share that is the same for all.
        board, found = self.rated("game,player,rank\n1,Ann,1\n1,Bob,1\n", *settings)
        self.assertLess(board["Ann"][1], 8.3)
        rows = "game,player,rank,share\n1,Ann,1,{0}\n1,Bob,2,{0}\n"
        whole, half, percent = (self.rated(rows.format(share), *settings)[0]["Ann"] for share in ("1", "0.5", "50%"))
        self.assertNotAlmostEqual(whole[0], half[0], places=2)
        self.assertEqual(half, percent)

    def test_dates_as_numbers_are_days(self):
        rows = "player1,player2,result,date\nAnn,Bob,win,{}\nAnn,Bob,loss,{}\n"
        settings = ["--dynamics-std", "1", "--performance-std", "4", "--draw-margin", "1", "--newcomer-trend", "0"]
        self.assertEqual(self.rated(rows.format("20240301", "20240401"), *settings)[0],
                         self.rated(rows.format("2024-03-01", "2024-04-01"), *settings)[0])

    def test_clocks_are_not_mixed(self):
        (self.folder / "dated.csv").write_text("player1,player2,result,date\nAnn,Bob,win,2024-03-01\nAnn,Bob,loss,2024-04-01\n")
        self.program.expect(0, "rate", "dated.csv", "-o", "dated", "-q")
        for text, words in (("player1,player2,result\nAnn,Bob,win\n", "needs a column of times"),
                            ("player1,player2,result,time\nAnn,Bob,win,7\n", "times that are no dates")):
            (self.folder / "next-games.csv").write_text(text)
            self.assertIn(words, self.program.expect(2, "rate", "next-games.csv", "--resume", "dated"))
        (self.folder / "next-games.csv").write_text("player1,player2,result,date\nAnn,Bob,win,2024-05-01\n")
        self.assertIn("3 games", self.program.expect(0, "rate", "next-games.csv", "--resume", "dated"))

    def test_fixtures_of_many_sides(self):
        (self.folder / "race.csv").write_text("game,player,rank\n" + "".join(
            f"{game},{name},{rank}\n" for game in range(5) for rank, name in enumerate("ABC", start=1)))
        (self.folder / "grid.csv").write_text("game,player\n1,C\n1,A\n1,B\n")
        printed = self.program.expect(0, "rate", "race.csv", "--fixtures", "grid.csv", "-q")
        rows = {row["first"]: row for row in csv.DictReader(io.StringIO(printed))}
        self.assertEqual(rows["C"]["second"], "A | B")
        self.assertAlmostEqual(sum(float(row["win"]) for row in rows.values()), 1, places=3)
        self.assertGreater(float(rows["A"]["win"]), float(rows["C"]["win"]))
        found = json.loads(self.program.expect(0, "rate", "race.csv", "--fixtures", "grid.csv", "--json"))["fixtures"][0]
        self.assertEqual(found["sides"], [["C"], ["A"], ["B"]])
        self.assertAlmostEqual(found["rank_probabilities"][1][0], float(rows["A"]["win"]), places=3)

    def test_no_file_is_lost(self):
        before = (self.folder / "games.csv").read_bytes()
        (self.folder / "notes.txt").write_text("mine")
        for taken in ("games.csv", "next.csv"):
            self.program.expect(2, "rate", "games.csv", "--fixtures", "next.csv", "--predictions", taken, "--force")
        self.program.expect(2, "rate", "games.csv", "--fixtures", "next.csv", "--predictions", "notes.txt")
        self.program.expect(2, "rate", "games.csv", "--page", "same", "-o", "same", "--force")
        self.assertEqual((self.folder / "games.csv").read_bytes(), before)
        for _ in range(2):  # predictions replace predictions
            self.program.expect(0, "rate", "games.csv", "--fixtures", "next.csv", "--predictions", "predicted.csv", "-q")

    def test_what_makes_no_sense_is_refused(self):
        for text, words in (
                ("game,player,team,score\n1,A,x,3\n1,B,x,9\n1,C,y,5\n", "score = 9: must be the team's, which is 3"),
                ("game,player,rank,time\n1,A,1,5\n1,B,2,6\n", "another one than that of the game's first row"),
                ("game,player,rank,share\n1,A,1,2\n1,B,2,1\n", "share = 2: must be from 0 to 1"),
                ("player1,player2,result,date\nA,B,win,2024-02-30\n", "neither a number nor a date such as"),
                ("player1,player2,result\nA,A,win\n", 'player = "A": must be in a match only once')):
            (self.folder / "bad.csv").write_text(text)
            self.assertIn(words, self.program.expect(3, "rate", "bad.csv"))
        (self.folder / "pairs.csv").write_text("player1,player2,result\nAnn & Bob,Cleo &Dan,½-½\nAnn&Cleo,Bob & Dan,1–0\n")
        self.assertIn("2 games of 4 players", self.program.expect(0, "rate", "pairs.csv", "--separator", "&"))
        for options, words in ((["--active-days", "-3"], "--active-days = -3"), (["--predictions", "p"], "--fixtures"),
                               (["-o", "-"], '--output = "-"')):
            self.assertIn(words, self.program.expect(2, "rate", "games.csv", *options))
        # Games without times, and games to come with them: there is no clock, and it does not matter.
        (self.folder / "w.csv").write_text("Winner,Loser\nAnn,Bob\n")
        (self.folder / "to-come.csv").write_text("Winner,Loser,date\nAnn,Bob,2027-01-01\n")
        self.assertIn("Ann,Bob,", self.program.expect(0, "rate", "w.csv", "--fixtures", "to-come.csv"))

    def test_games_without_a_result_do_not_count(self):
        settings = ["--performance-std", "4", "--draw-margin", "1"]
        rows = "player1,player2,score1,score2\nAnn,Bob,1,0\n"
        self.assertAlmostEqual(self.rated(rows, *settings)[1]["log_loss"],
                               self.rated(rows + "Cleo,Dan,,\n", *settings)[1]["log_loss"], places=9)

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
