"""Skills through time from Python: names, frames, files. What the numbers mean is tested in C++."""

import datetime
import math

import numpy as np
import pytest

from postrider import SkillHistory, SkillRating, rate_games


def league():
    history = SkillHistory(draw_margin=1.0, dynamics_std=0.2)
    for game in range(20):
        history.add(["Ann", "Bob"] if game % 3 else ["Bob", "Ann"], time=game)
        history.add([["Bob", "Dan"], {"Cleo": 0.5, "Eve": 1.0}], ranks=[1, 1], time=game)
    return history


def test_filters_as_skill_rating_does():
    rating, history = SkillRating(), SkillHistory()
    for time, (winner, loser) in enumerate([("Ann", "Bob"), ("Cleo", "Bob"), ("Ann", "Cleo")]):
        rating.update(winner, loser, time=time)
        history.add([winner, loser], time=time)
    for name in ("Ann", "Bob", "Cleo"):
        assert history.rating(name).mean == pytest.approx(rating.rating(name).mean, rel=1e-12)
    assert history.predict(["Ann", "Bob"]) == pytest.approx(rating.predict("Ann", "Bob"), rel=1e-9)


def test_removing_is_as_if_never_seen():
    one, other = league(), league()
    game = one.add(["Eve", "Ann"], time=10.5)
    assert one.smooth(tolerance=1e-9, max_sweeps=5000)
    one.remove(game)
    assert one.refresh(tolerance=1e-10, max_sweeps=5000) > 0
    assert other.smooth(tolerance=1e-9, max_sweeps=5000)
    for name in ("Ann", "Bob", "Cleo", "Dan", "Eve"):
        assert one.rating(name).mean == pytest.approx(other.rating(name).mean, abs=1e-6)
    assert len(one) == len(other) == 40


def test_answers():
    history = league()
    history.smooth()
    ranks = np.array(history.rank_probabilities(["Ann", "Bob", "Cleo"]))
    assert ranks.shape == (3, 3)
    assert ranks.sum(axis=0) == pytest.approx(np.ones(3), abs=1e-9)
    assert ranks.sum(axis=1) == pytest.approx(np.ones(3), abs=1e-9)
    assert 0 < history.quality(["Ann", "Bob"]) < 1
    teams = history.fair_teams(["Ann", "Bob", "Cleo", "Dan"])
    assert sorted(sum(teams, [])) == ["Ann", "Bob", "Cleo", "Dan"]
    times, means, stds = history.curve("Ann")
    assert times == list(range(20)) and len(means) == len(stds) == 20
    board = [one.name for one in history.leaderboard()]
    assert board.index("Ann") < board.index("Bob")
    assert history.upsets(3)[0][1] < 0.5
    assert "Ann" in history and "Zoe" not in history
    with pytest.raises(KeyError, match="no player 'Zoe'"):
        history.rating("Zoe")
    with pytest.raises(ValueError, match="scores"):
        history.add(["Ann", "Bob"], scores=[1])
    with pytest.raises(ValueError, match="draw_margin"):
        SkillHistory(draw_margin=-1)


def test_files_keep_everything(tmp_path):
    history = league()
    history.smooth()
    history.save(tmp_path / "h")
    back = SkillHistory.load(tmp_path / "h")
    assert back.rating("Dan") == history.rating("Dan")
    assert back.settings == history.settings
    with pytest.raises(ValueError, match="safetensors"):
        (tmp_path / "x").write_bytes(b"x" * 100)
        SkillHistory.load(tmp_path / "x")


def test_a_frame_in_one_call():
    random = np.random.default_rng(1)
    strength = dict(zip("ABCDEF", range(6)))
    rows = []
    for game in range(300):
        home, away = random.choice(list(strength), 2, replace=False)
        gap = round(0.8 * (strength[home] - strength[away]) + 0.7 + random.normal(0, 1.2))
        rows.append((datetime.date(2020, 1, 1) + datetime.timedelta(game), home, away, max(gap, 0), max(-gap, 0)))
    frame = dict(zip(("date", "home_team", "away_team", "home_score", "away_score"), map(list, zip(*rows))))
    history = rate_games(frame)
    assert [one.name for one in history.leaderboard()][0] in "EF"
    assert history.settings["home_advantage"] > 0
    assert history.settings["score_unit"] > 0
    assert math.isfinite(history.log_evidence())
    again = rate_games(frame, draw_margin=2.0)
    assert again.settings["draw_margin"] == 2.0


def test_plots(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    history = league()
    history.smooth()
    assert history.plot().get_lines()


def test_cells_of_frames_as_they_come() -> None:
    columns = {"home_team": ["A", "B", "A"], "away_team": ["B", "A", "B"], "home_score": [2, 1, None],
               "away_score": [0, 1, None], "date": ["2024-01-01", "2024-01-02", "2024-01-03"]}
    def ratings(neutral: list[object]) -> list[float]:
        history = rate_games({**columns, "neutral": neutral}, neutral="neutral", learn=False, home_advantage=5.0)
        return [history.rating(name).mean for name in "AB"]

    at_home = ratings([False, False, False])
    assert ratings(["FALSE", "no", math.nan]) == at_home
    assert ratings([0, None, "f"]) == at_home
    assert ratings(["TRUE", True, 1]) != at_home
    with pytest.raises(ValueError, match="neutral = 'perhaps'"):
        ratings(["perhaps", True, True])
    with pytest.raises(ValueError, match="home_team = None"):
        rate_games({**columns, "home_team": ["A", None, "A"]})
    with pytest.raises(ValueError, match="away_team has 2 cells and home_team has 3"):
        rate_games({**columns, "away_team": ["B", "A"]})
    with pytest.raises(ValueError, match="date = nan"):
        rate_games({**columns, "date": [1.0, math.nan, 2.0]})


def test_a_file_of_games_is_rated_as_a_frame(tmp_path):
    columns = {"home_team": ["A", "B", "A"], "away_team": ["B", "A", "C"], "home_score": [1, 2, 0], "away_score": [0, 1, 0], "day": [1, 2, 5]}
    path = tmp_path / "games.csv"
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n")
    for options in ({}, {"at_home": False}):
        here = rate_games(columns, time="day", learn=False, **options)
        there = rate_games(path, learn=False, **options)
        assert [there.rating(name).mean for name in "ABC"] == [here.rating(name).mean for name in "ABC"]
    with pytest.raises(ValueError, match='first = "nobody": is not a column'):
        rate_games(path, first="nobody")


def test_a_match_that_is_refused_leaves_nothing_behind() -> None:
    history = SkillHistory()
    for teams, options in ((["A", "A"], {}), ([["A", "B"], ["C", "A"]], {}), (["A", "B"], {"home": 2}), (["A", "B"], {"home": -1}),
                           ([{"A": 2.0}, "B"], {}), (["A"], {}), ([], {})):
        with pytest.raises(ValueError, match="must be"):
            history.add(teams, **options)
    with pytest.raises(TypeError, match="must be text"):
        history.add(["A", ""])
    assert repr(history) == "<SkillHistory of 0 games and 0 players>"
    history.add(["A", "B"])
    with pytest.raises(ValueError, match="only once"):
        history.fair_teams(["A", "A"])
