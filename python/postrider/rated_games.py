"""Skills from a file or a data frame of games in one call."""

from __future__ import annotations

import math
import os
from typing import Any

from postrider.skill_history import SkillHistory
from postrider.skill_rating import Time

__all__ = ["rate_games"]

_USUAL = {"first": "home_team", "second": "away_team", "first_score": "home_score", "second_score": "away_score", "time": "date"}


def rate_games(
    games: Any,
    *,
    first: str = "home_team",
    second: str = "away_team",
    first_score: str | None = "home_score",
    second_score: str | None = "away_score",
    time: str | None = "date",
    neutral: str | None = None,
    at_home: bool = True,
    learn: bool = True,
    **settings: float,
) -> SkillHistory:
    """Skills from games between two sides, learned and smoothed.

    Parameters
    ----------
    games : mapping, data frame or path
        Columns by name; without scores, the first side won. Or a text file as ``postrider rate`` reads it: columns whose
        names below are None or left as they are may also have other usual names, and dates be written as tables may have them.
    first, second : str
        Columns of the sides' names.
    first_score, second_score : str, optional
        Columns of their scores.
    time : str, optional
        Column of dates or numbers.
    neutral : str, optional
        Column that says whether nobody is at home.
    at_home : bool
        Whether the first side plays at home.
    learn : bool
        Whether settings that are not given are learned.
    **settings : float
        Of `SkillHistory`.

    Returns
    -------
    SkillHistory
    """
    history = SkillHistory(margin_grows=False, **settings)
    if isinstance(games, (str, os.PathLike)):
        asked = {"first": first, "second": second, "first_score": first_score, "second_score": second_score, "time": time, "neutral": neutral}
        named = {role: name for role, name in asked.items() if name is not None and name != _USUAL.get(role)}
        history._games.add_file(os.fspath(games), named, at_home)
        return _rated(history, learn)
    names = [name for name in (first, second, first_score, second_score, time, neutral) if name is not None]
    columns = {name: list(games[name]) for name in names}
    rows = len(columns[first])
    for name, cells in columns.items():
        if len(cells) != rows:
            raise ValueError(f"{name} has {len(cells)} cells and {first} has {rows}: must have one for each game")
    for row in range(rows):
        is_neutral = neutral is not None and _truth(columns[neutral][row], neutral)
        scores = None
        if first_score is not None and second_score is not None:
            scores = [_number(columns[first_score][row]), _number(columns[second_score][row])]
        history.add(
            [_name(columns[first][row], first), _name(columns[second][row], second)],
            scores=scores,
            time=0.0 if time is None else _moment(columns[time][row], time),
            home=0 if at_home and not is_neutral else None,
        )
    return _rated(history, learn)


def _rated(history: SkillHistory, learn: bool) -> SkillHistory:
    if learn:
        history.learn()
    history.smooth()
    return history


def _is_missing(value: Any) -> bool:
    """None, NaN, and what pandas and numpy have for dates and numbers that are not there: nothing of it equals itself."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return bool(value != value)


def _name(value: Any, column: str) -> str:
    if _is_missing(value):
        raise ValueError(f"{column} = {value!r}: must name a side in each game")
    return str(value)


def _number(value: Any) -> float:
    return math.nan if _is_missing(value) else float(value)


_TRUE, _FALSE = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0", "")


def _truth(value: Any, column: str) -> bool:
    """As `postrider rate` reads it: missing is false."""
    if _is_missing(value):
        return False
    if isinstance(value, str):
        word = value.strip().lower()
        if word in _TRUE or word in _FALSE:
            return word in _TRUE
        raise ValueError(f"{column} = {value!r}: must be true or false")
    return bool(value)


def _moment(value: Any, column: str) -> Time:
    """A cell of a time column; text must be a date as ISO 8601 writes it."""
    import numpy as np

    if _is_missing(value):
        raise ValueError(f"{column} = {value!r}: must be a time in each game")
    return np.datetime64(value) if isinstance(value, str) else value
