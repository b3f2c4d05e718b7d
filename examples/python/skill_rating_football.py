#!/usr/bin/env python3
"""National football teams, rated from all their games since 1872.

Every game is predicted from those before it and then learned. Prints how good the predictions were
and who leads, and draws ratings over time and whether the probabilities hold.

    examples/python/skill_rating_football.py --data DIR [--out DIR] [--quick]

The data, `skill/international-football/results.csv` (or `.csv.zst`), is the public collection
of results of men's full internationals by Mart Jürisoo (CC0).
"""

from __future__ import annotations

import argparse
import csv
import datetime
import io
import math
import os
import pathlib
import subprocess
from collections.abc import Iterator
from typing import Any, NamedTuple

import matplotlib

matplotlib.use("Agg")
import numpy as np  # noqa: E402

from postrider import SkillRating  # noqa: E402
from postrider.plots import plot_calibration, plot_rating_over_time  # noqa: E402

# Found by the experiment `graph skill` on games before 2018, in units of a new team's standard deviation.
DEVIATION = 25 / 3
PERFORMANCE, MARGIN, HOME, DRIFT_PER_YEAR = 0.5, 0.2873, 0.2751, 0.0958
DAYS_PER_YEAR = 365.25
FIRST_SCORED = datetime.date(2018, 1, 1)
FIRST_YEAR_DRAWN = 1920
FOLLOWED = 6


class Game(NamedTuple):
    date: datetime.date
    home: str
    away: str
    goals: int  # of the home team, less those of the other
    at_home: bool


def read_text(folder: pathlib.Path) -> str:
    plain = folder / "skill" / "international-football" / "results.csv"
    packed = plain.with_name(plain.name + ".zst")
    if plain.exists():
        return plain.read_text(encoding="utf-8")
    if packed.exists():
        done = subprocess.run(["zstd", "-dc", packed], capture_output=True, check=True)
        return done.stdout.decode("utf-8")
    raise SystemExit(f"--data {folder}: must be a folder with {plain.relative_to(folder)}[.zst]")


def read_games(folder: pathlib.Path) -> Iterator[Game]:
    for row in csv.DictReader(io.StringIO(read_text(folder))):
        yield Game(
            datetime.date.fromisoformat(row["date"]),
            row["home_team"],
            row["away_team"],
            int(row["home_score"]) - int(row["away_score"]),
            row["neutral"] == "FALSE",
        )


class Replay:
    """All games one after the other: each predicted, then learned."""

    def __init__(self) -> None:
        self.ratings = SkillRating(
            std=DEVIATION,
            performance_std=PERFORMANCE * DEVIATION,
            draw_margin=MARGIN * DEVIATION,
            dynamics_std=DRIFT_PER_YEAR * DEVIATION / math.sqrt(DAYS_PER_YEAR),
        )
        self.told: list[tuple[float, float, float]] = []  # win, draw and loss of scored games
        self.came: list[int] = []
        self.year_ends: dict[str, list[tuple[datetime.date, float, float]]] = {}

    def play(self, game: Game) -> None:
        advantage = HOME * DEVIATION if game.at_home else 0.0
        if game.date >= FIRST_SCORED:
            self.told.append(
                self.ratings.predict(game.home, game.away, time=game.date, advantage=advantage)
            )
            self.came.append(0 if game.goals > 0 else 1 if game.goals == 0 else 2)
        if game.goals >= 0:
            self.ratings.update(
                game.home, game.away, draw=game.goals == 0, time=game.date, advantage=advantage
            )
        else:
            self.ratings.update(game.away, game.home, time=game.date, advantage=-advantage)

    def end_year(self, day: datetime.date) -> None:
        for standing in self.ratings.leaderboard():
            belief = self.ratings.rating(standing.name, time=day)
            course = self.year_ends.setdefault(standing.name, [])
            course.append((day, belief.mean, belief.std))


def replay(games: list[Game]) -> Replay:
    out = Replay()
    year = games[0].date.year
    for game in games:
        for passed in range(year, game.date.year):
            out.end_year(datetime.date(passed, 12, 31))
        year = game.date.year
        out.play(game)
    out.end_year(games[-1].date)
    return out


def print_results(done: Replay, last_day: datetime.date) -> None:
    if done.told:
        chances = np.array(done.told)[np.arange(len(done.came)), done.came]
        right = (np.argmax(done.told, axis=1) == done.came).mean()
        print(
            f"{len(done.came)} games since {FIRST_SCORED}: log-loss {-np.log(chances).mean():.4f}, "
            f"{right:.1%} called right"
        )
    lately = (last_day - datetime.date(1970, 1, 1)).days - 365
    active = [standing for standing in done.ratings.leaderboard() if standing.last_game > lately]
    print(f"\nafter {last_day}          sure skill   mean        std")
    for place, standing in enumerate(active[:12], start=1):
        print(
            f"{place:3} {standing.name:20} {standing.sure_skill:10.1f} {standing.mean:6.1f} "
            f"{standing.std:10.2f}"
        )


def draw(done: Replay, last_day: datetime.date, folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lately = (last_day - datetime.date(1970, 1, 1)).days - 365
    leaders = [s.name for s in done.ratings.leaderboard() if s.last_game > lately][:FOLLOWED]
    history = {}
    for name in leaders:
        drawn = [at for at in done.year_ends[name] if at[0].year >= FIRST_YEAR_DRAWN]
        days, means, deviations = zip(*drawn, strict=True)
        history[name] = (np.array(days, dtype="datetime64[D]"), means, deviations)
    axes = plot_rating_over_time(history, highlight=leaders)
    axes.set_title("The six teams that lead now: rating at the end of each year", loc="left")
    save(axes, folder / "football_ratings.png")
    if done.told:
        axes = plot_calibration(np.array(done.told), done.came)
        axes.set_title("What was told and what came true", loc="left")
        save(axes, folder / "football_calibration.png")


def save(axes: Any, path: pathlib.Path) -> None:
    axes.figure.savefig(path, dpi=120, metadata={"Software": None})
    print(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--data", type=pathlib.Path, default=os.environ.get("POSTRIDER_DATA"), metavar="DIR"
    )
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out"), metavar="DIR")
    parser.add_argument("--quick", action="store_true", help="only games since 2010")
    given = parser.parse_args()
    if given.data is None:
        parser.error("--data DIR, or the variable POSTRIDER_DATA, must name the folder of the data")
    games = list(read_games(given.data))
    if given.quick:
        games = [game for game in games if game.date.year >= 2010]
    done = replay(games)
    print_results(done, games[-1].date)
    draw(done, games[-1].date, given.out)


if __name__ == "__main__":
    main()
