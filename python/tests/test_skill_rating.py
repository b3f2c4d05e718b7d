"""Skill ratings, against TrueSkill's closed form."""

import datetime
import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from postrider import Gaussian, SkillRating

WIN = 1e-10  # the ratio of density and tail is scipy's here, the library's own there
DRAW = 1e-7  # a draw loses digits as the difference of two half lines

gaps = st.floats(-15, 15)
margins = st.floats(0.1, 5)
spreads = st.floats(1, 10)


def after_win(winner, loser, beta, margin, advantage=0.0):
    """Herbrich, Minka, Graepel (2006): means and variances of two players after a game."""
    c = math.sqrt(winner[1] + loser[1] + 2 * beta**2)
    t = (winner[0] - loser[0] + advantage - margin) / c
    v = math.exp(norm.logpdf(t) - norm.logcdf(t))
    w = v * (v + t)
    return (
        (winner[0] + winner[1] / c * v, winner[1] * (1 - winner[1] / c**2 * w)),
        (loser[0] - loser[1] / c * v, loser[1] * (1 - loser[1] / c**2 * w)),
    )


def after_draw(a, b, beta, margin):
    c = math.sqrt(a[1] + b[1] + 2 * beta**2)
    t, e = (a[0] - b[0]) / c, margin / c
    mass = norm.cdf(e - t) - norm.cdf(-e - t)
    v = (norm.pdf(-e - t) - norm.pdf(e - t)) / mass
    w = v**2 + ((e - t) * norm.pdf(e - t) + (e + t) * norm.pdf(e + t)) / mass
    return (
        (a[0] + a[1] / c * v, a[1] * (1 - a[1] / c**2 * w)),
        (b[0] - b[1] / c * v, b[1] * (1 - b[1] / c**2 * w)),
    )


def two_players(gap, spread_a, spread_b, margin):
    ratings = SkillRating(draw_margin=margin)
    moments = (25 + gap, spread_a**2), (25.0, spread_b**2)
    for name, pair in zip("ab", moments, strict=True):
        ratings.add_player(name, Gaussian(*pair))
    return ratings, moments


def assert_moments(belief, expected, tolerance):
    assert belief.mean == pytest.approx(expected[0], rel=tolerance)
    assert belief.variance == pytest.approx(expected[1], rel=tolerance)


@given(gaps, spreads, spreads, margins, st.floats(-3, 3))
def test_win_is_the_closed_form(gap, spread_a, spread_b, margin, advantage):
    ratings, (a, b) = two_players(gap, spread_a, spread_b, margin)
    ratings.update("a", "b", advantage=advantage)
    expected = after_win(a, b, 25 / 6, margin, advantage)
    assert_moments(ratings.rating("a"), expected[0], WIN)
    assert_moments(ratings.rating("b"), expected[1], WIN)


@given(gaps, spreads, spreads, margins)
def test_draw_is_the_closed_form(gap, spread_a, spread_b, margin):
    ratings, (a, b) = two_players(gap, spread_a, spread_b, margin)
    ratings.update("a", "b", draw=True)
    expected = after_draw(a, b, 25 / 6, margin)
    assert_moments(ratings.rating("a"), expected[0], DRAW)
    assert_moments(ratings.rating("b"), expected[1], DRAW)


@given(gaps, spreads, spreads, margins, st.floats(-3, 3))
def test_predictions_are_the_closed_form(gap, spread_a, spread_b, margin, advantage):
    ratings, (a, b) = two_players(gap, spread_a, spread_b, margin)
    chances = ratings.predict("a", "b", advantage=advantage)
    c = math.sqrt(a[1] + b[1] + 2 * (25 / 6) ** 2)
    difference = a[0] - b[0] + advantage
    assert chances.win == pytest.approx(norm.sf((margin - difference) / c), rel=WIN, abs=1e-14)
    assert chances.loss == pytest.approx(norm.cdf((-margin - difference) / c), rel=WIN, abs=1e-14)
    assert sum(chances) == pytest.approx(1, abs=1e-12)


def test_teams_add_up():
    ratings = SkillRating(draw_margin=1.0)
    ratings.add_player("a", Gaussian(20.0, 9.0))
    ratings.add_player("b", Gaussian(27.0, 40.0))
    ratings.add_player("c", Gaussian(44.0, 16.0))
    c = math.sqrt(9 + 40 + 16 + 3 * (25 / 6) ** 2)
    assert ratings.predict(["a", "b"], "c").win == pytest.approx(norm.cdf((3 - 1) / c), rel=WIN)
    t = (3 - 1) / c
    v = norm.pdf(t) / norm.cdf(t)
    ratings.update(["a", "b"], ["c"])
    assert ratings.rating("a").mean == pytest.approx(20 + 9 / c * v, rel=WIN)
    assert ratings.rating("b").mean == pytest.approx(27 + 40 / c * v, rel=WIN)
    assert ratings.rating("c").mean == pytest.approx(44 - 16 / c * v, rel=WIN)


def test_skills_drift_with_time():
    ratings = SkillRating(dynamics_std=0.5)
    ratings.update("a", "b", time=3)
    then = ratings.rating("a")
    later = ratings.rating("a", time=103)
    assert later.variance == pytest.approx(then.variance + 0.25 * 100, rel=1e-12)
    assert ratings.rating("a", time=3) == then
    assert ratings.last_game("a") == 3
    assert ratings.predict("a", "b").win > ratings.predict("a", "b", time=1000).win
    with pytest.raises(ValueError, match="time = 2.*before the last game of 'a', at 3"):
        ratings.update("c", "a", time=2)
    assert "c" not in ratings, "a refused game adds nobody"
    assert ratings.rating("a") == then
    with pytest.raises(ValueError, match="before the last game of 'b'"):
        ratings.rating("b", time=1)


def test_without_times_nothing_drifts():
    ratings = SkillRating(dynamics_std=5.0)
    ratings.update("a", "b", time=100)
    a = ratings.rating("a")
    c = ratings.rating("b")
    ratings.update("a", "b")
    expected = after_win((a.mean, a.variance), (c.mean, c.variance), 25 / 6, 0.74)
    assert_moments(ratings.rating("a"), expected[0], WIN)
    assert ratings.last_game("a") == 100


@pytest.mark.parametrize(
    "time",
    [
        datetime.date(1970, 1, 11),
        datetime.datetime(1970, 1, 11),
        datetime.datetime(1970, 1, 11, tzinfo=datetime.timezone.utc),
        np.datetime64("1970-01-11"),
        np.datetime64("1970-01-11T00:00", "s"),
        np.int64(10),
    ],
)
def test_dates_are_days(time):
    ratings = SkillRating()
    ratings.update("a", "b", time=time)
    assert ratings.last_game("a") == 10


def test_pandas_timestamps_are_dates():
    pandas = pytest.importorskip("pandas")
    ratings = SkillRating()
    ratings.update("a", "b", time=pandas.Timestamp("1970-01-02 12:00"))
    assert ratings.last_game("b") == 1.5
    table = pandas.DataFrame(ratings.leaderboard())
    assert list(table.columns) == ["rank", "name", "mean", "std", "sure_skill", "last_game"]
    assert list(table["name"]) == ["a", "b"]


def test_other_time_zones_are_refused():
    zone = datetime.timezone(datetime.timedelta(hours=2))
    with pytest.raises(ValueError, match="must be in UTC"):
        SkillRating().update("a", "b", time=datetime.datetime(2020, 1, 1, tzinfo=zone))


def test_leaderboard_puts_the_surely_good_first():
    ratings = SkillRating()
    ratings.add_player("perhaps good", Gaussian(40.0, 100.0))
    ratings.add_player("surely good", Gaussian(35.0, 1.0))
    first, second = ratings.leaderboard()
    assert (first.rank, first.name, second.rank, second.name) == (
        1,
        "surely good",
        2,
        "perhaps good",
    )
    assert first.sure_skill == pytest.approx(32)
    assert second.sure_skill == pytest.approx(10)
    assert math.isnan(first.last_game)


def test_prediction_of_a_stranger_is_that_of_any_new_player():
    ratings = SkillRating()
    ratings.update("a", "b", time=5)
    chances = ratings.predict("a", "stranger", time=9)
    assert len(ratings) == 2
    ratings.add_player("stranger")
    assert ratings.predict("a", "stranger", time=9) == chances
    even = SkillRating().predict("x", "y")
    assert even.win == pytest.approx(even.loss)
    assert even.draw == pytest.approx(2 * norm.cdf(0.74 / math.hypot(25 / 3, 25 / 6) / 2**0.5) - 1)


def play_season(ratings, games, start=0):
    for time, (a, b, draw) in enumerate(games, start=start):
        if a != b:
            ratings.update(f"player {a}", f"player {b}", draw=draw, time=time)


season = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.booleans()), max_size=40)


@settings(deadline=None, max_examples=25)
@given(season, season)
def test_what_is_kept_goes_on_to_the_bit(tmp_path_factory, before, after):
    original = SkillRating(mean=1.0, std=0.3, draw_margin=0.1)
    play_season(original, before)
    path = tmp_path_factory.mktemp("ratings") / "ratings.json"
    original.save(path)
    copies = [pickle.loads(pickle.dumps(original)), SkillRating.load(path)]
    for ratings in (original, *copies):
        play_season(ratings, after, start=len(before))
    for ratings in copies:
        assert ratings.options == original.options
        assert repr(ratings.leaderboard()) == repr(original.leaderboard())
        assert ratings.predict("player 0", "player 1") == original.predict("player 0", "player 1")


def test_files_of_version_0_1_are_read(tmp_path):
    path = tmp_path / "old.json"
    options = {
        "mean": 1.0,
        "deviation": 0.3,
        "performance_deviation": 0.2,
        "dynamics_deviation": 0.01,
        "draw_margin": 0.1,
    }
    players = [["Ann", 2.0, 4.0, None]]
    content = {"format": "postrider skill rating 1", "options": options, "players": players}
    path.write_text(json.dumps(content), encoding="utf-8")
    ratings = SkillRating.load(path)
    assert list(ratings.options.values()) == list(options.values())
    assert ratings.leaderboard()[0].std == 0.5  # of a precision of 4


def test_a_file_is_whole_or_the_one_before(tmp_path):
    path = tmp_path / "ratings.json"
    ratings = SkillRating()
    ratings.save(path)
    path.chmod(0o600)
    ratings.add_player("someone")
    ratings.save(path)
    assert "someone" in SkillRating.load(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path], "nothing is left beside it"
    with pytest.raises(FileNotFoundError, match="its folder does not exist"):
        ratings.save(tmp_path / "none" / "ratings.json")
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(OSError, match="symbolic link"):
        ratings.save(tmp_path / "link")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100000,
        "{",
        '{"format": "postrider skill rating 1"}',
        '{"format": "postrider skill rating 1", "options": [], "players": []}',
        '{"format": "postrider skill rating 1", "options": {}, "players": [["a", 0, -1, null]]}',
    ],
)
def test_damaged_files_are_refused(tmp_path, text):
    path = tmp_path / "damaged.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="is not a file that SkillRating.save wrote"):
        SkillRating.load(path)


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "other.json"
    path.write_text('{"players": []}', encoding="utf-8")
    with pytest.raises(ValueError, match="is not a file that SkillRating.save wrote"):
        SkillRating.load(path)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda r: r.rating("nobody"), KeyError, "no player 'nobody'; there are 2 players"),
        (lambda r: r.update("a", "a"), ValueError, "player 'a': must be in the game only once"),
        (lambda r: r.update(["a", "b"], ["b"]), ValueError, "player 'b'"),
        (lambda r: r.update([], "b"), ValueError, "winner = .*: needs at least one player"),
        (lambda r: r.predict("a", []), ValueError, "opponent = .*: needs at least one player"),
        (lambda r: r.update("a", 7), TypeError, "7"),
        (lambda r: r.update("a", [7]), TypeError, "name = 7: must be text"),
        (lambda r: r.update("a", ""), TypeError, "name = '': must be text"),
        (lambda r: r.update("a", "b", time=math.nan), ValueError, "time = nan: must be finite"),
        (lambda r: r.update("a", "b", advantage=math.inf), ValueError, "advantage = inf"),
        (lambda r: r.add_player("a"), ValueError, "there is a player of this name"),
        (lambda r: r.add_player("c", Gaussian.uniform()), ValueError, "must be proper"),
        (lambda r: SkillRating(std=-2), ValueError, "std = -2: must be a number above 0"),
        (lambda r: SkillRating(draw_margin=0).update("a", "b", draw=True), ValueError, "draw_mar"),
    ],
)
def test_mistakes_are_named(call, error, words):
    ratings = SkillRating()
    ratings.update("a", "b")
    with pytest.raises(error, match=words):
        call(ratings)
    assert len(ratings) == 2
