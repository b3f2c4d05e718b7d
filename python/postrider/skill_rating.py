"""Skills of players from the outcomes of their games."""

from __future__ import annotations

import datetime
import json
import math
import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from postrider import _core
from postrider._core import Gaussian

__all__ = ["OutcomeProbabilities", "SkillRating", "Standing"]

Team: TypeAlias = str | Sequence[str]
Time: TypeAlias = float | datetime.date | np.datetime64

_FORMAT = "postrider skill rating 1"
# Names of options in files of earlier versions.
_NEW_NAMES = {
    "deviation": "std",
    "performance_deviation": "performance_std",
    "dynamics_deviation": "dynamics_std",
}


class Standing(NamedTuple):
    """A player's place on the leaderboard.

    A list of them is what ``pandas.DataFrame`` likes.

    Attributes
    ----------
    rank : int
        From 1.
    name : str
        The player's.
    mean, std : float
        Of the belief in the skill.
    sure_skill : float
        mean - 3 std, by which the board is ordered: who is surely good, rather than perhaps.
    last_game : float
        Its time; NaN before the first.
    """

    rank: int
    name: str
    mean: float
    std: float
    sure_skill: float
    last_game: float


class OutcomeProbabilities(NamedTuple):
    """Probabilities of the outcomes of a game, as the first team sees them."""

    win: float
    draw: float
    loss: float


def _days(time: Time) -> float:
    """A time as a number: dates as days since 1970."""
    if isinstance(time, datetime.datetime) and time.tzinfo is not None:
        if time.utcoffset() != datetime.timedelta(0):
            raise ValueError(f"time = {time}: must be in UTC, or without a time zone")
        time = time.replace(tzinfo=None)
    if isinstance(time, (datetime.date, np.datetime64)):
        moment = np.datetime64(time).astype("datetime64[us]")
        return float((moment - np.datetime64("1970-01-01", "us")) / np.timedelta64(1, "D"))
    return float(time)


class SkillRating:
    """Ratings of players, learned from one game after the other (TrueSkill).

    A player's skill is Gaussian and drifts with time. In a game every player performs as the skill
    says, with noise, and the team with the larger sum of performances wins; if they differ by less
    than a margin the game is drawn. Players are known by name, and new names are new players.

    Parameters
    ----------
    mean, std : float
        Of the skill of a player who has not played yet.
    performance_std : float
        Of the performance in one game around the skill.
    dynamics_std : float
        Of the drift of a skill in one unit of time: a day, if times are dates.
    draw_margin : float
        A game is drawn if the performances differ by less. The default makes one game in ten
        between two equal players a draw.

    Examples
    --------
    >>> from postrider import SkillRating
    >>> ratings = SkillRating()
    >>> ratings.update("Ann", "Bob")
    >>> ratings.update("Bob", "Cleo", draw=True)
    >>> ratings.update(["Ann", "Bob"], ["Cleo", "Dan"])
    >>> [standing.name for standing in ratings.leaderboard()]
    ['Ann', 'Bob', 'Cleo', 'Dan']
    >>> chances = ratings.predict("Ann", "Dan")
    >>> round(chances.win, 2)
    0.77
    """

    def __init__(
        self,
        *,
        mean: float = 25.0,
        std: float = 25.0 / 3,
        performance_std: float = 25.0 / 6,
        dynamics_std: float = 25.0 / 300,
        draw_margin: float = 0.74,
    ) -> None:
        self._options = {
            "mean": float(mean),
            "std": float(std),
            "performance_std": float(performance_std),
            "dynamics_std": float(dynamics_std),
            "draw_margin": float(draw_margin),
        }
        self._ratings = _core.SkillRating(**self._options)
        self._number: dict[str, int] = {}
        self._now = -math.inf  # the latest game

    @property
    def options(self) -> dict[str, float]:
        """The parameters that this rating was made with."""
        return dict(self._options)

    # --- games -----------------------------------------------------------------------------------

    def add_player(
        self, name: str, rating: Gaussian | None = None, *, last_game: Time | None = None
    ) -> None:
        """A player of whom more, or less, is known than the options say.

        Not needed for others: `update` adds who is new.

        Parameters
        ----------
        name : str
            Must be new.
        rating : Gaussian, optional
            By default that of a player who has not played yet.
        last_game : float or date, optional
            Since when the skill drifts, for a player who was rated elsewhere.
        """
        _check_name(name)
        if name in self._number:
            raise ValueError(f"name = {name!r}: there is a player of this name")
        if rating is None:
            rating = self._newcomer()
        time = math.nan if last_game is None else _days(last_game)
        self._number[name] = self._ratings.add_player(name, rating, time)

    def update(
        self,
        winner: Team,
        loser: Team,
        *,
        draw: bool = False,
        time: Time | None = None,
        advantage: float = 0.0,
    ) -> None:
        """Learn from a game.

        Parameters
        ----------
        winner, loser : str or sequence of str
            Name of a player, or of all players of a team. Who is new is added.
        draw : bool
            Nobody won, and the order of the teams says nothing.
        time : float, date, datetime or numpy.datetime64, optional
            When it was; dates count in days. Not before the last game of any of the players. By
            default the time of the latest game of all: skills do not drift.
        advantage : float
            Added to the performance of the team that is named first, such as that of playing at
            home; negative if the other one had it.
        """
        teams = _team("winner", winner), _team("loser", loser)
        _check_once(teams)
        when = self._time(time)
        known = len(self._number)
        try:
            first, second = ([self._number_of(name) for name in team] for team in teams)
            self._ratings.update(first, second, "draw" if draw else "win", when, advantage)
        except ValueError as error:
            self._drop_from(known)
            raise self._with_names(error, teams) from None
        self._now = max(self._now, when)

    def predict(
        self, team: Team, opponent: Team, *, time: Time | None = None, advantage: float = 0.0
    ) -> OutcomeProbabilities:
        """Probabilities of the outcomes of a game. Nothing is learned, and nobody added.

        Parameters
        ----------
        team, opponent : str or sequence of str
            Name of a player, or of all players of a team. A name that was not seen yet stands for
            any new player.
        time : float or date, optional
            When the game will be; by default at the time of the latest game of all.
        advantage : float
            Added to the performance of the first team.

        Returns
        -------
        OutcomeProbabilities
            Named tuple of win, draw and loss of the first team.
        """
        teams = _team("team", team), _team("opponent", opponent)
        _check_once(teams)
        ratings = self._ratings
        number = self._number
        if not all(name in number for name in (*teams[0], *teams[1])):
            ratings, number = self._with_newcomers(teams)
        first, second = ([number[name] for name in side] for side in teams)
        try:
            chances = ratings.predict(first, second, self._time(time), advantage)
            return OutcomeProbabilities(*chances)
        except ValueError as error:
            raise self._with_names(error, teams) from None

    # --- answers ---------------------------------------------------------------------------------

    def rating(self, name: str, *, time: Time | None = None) -> Gaussian:
        """The belief in a player's skill.

        Parameters
        ----------
        name : str
            Of a player who is known.
        time : float or date, optional
            Not before the player's last game: until then the skill has drifted. By default as of
            the last game.

        Returns
        -------
        Gaussian
        """
        number = self._known(name)
        if time is None:
            return self._ratings.rating(number)
        try:
            return self._ratings.rating(number, _days(time))
        except ValueError as error:
            raise self._with_names(error, ((name,),)) from None

    def last_game(self, name: str) -> float:
        """Time of a player's last game; NaN before the first."""
        return self._ratings.last_game(self._known(name))

    def leaderboard(self) -> list[Standing]:
        """All players, the surely good ones first.

        Returns
        -------
        list of Standing
            Ordered by mean - 3 std; ``pandas.DataFrame(ratings.leaderboard())`` is a table.
        """
        names = list(self._number)
        board = []
        for rank, number in enumerate(self._ratings.leaderboard(), start=1):
            belief = self._ratings.rating(number)
            mean, std = belief.mean, belief.std
            last = self._ratings.last_game(number)
            board.append(Standing(rank, names[number], mean, std, mean - 3 * std, last))
        return board

    def __len__(self) -> int:
        return len(self._number)

    def __contains__(self, name: object) -> bool:
        return name in self._number

    def __repr__(self) -> str:
        return f"<SkillRating of {len(self)} players>"

    # --- keeping ---------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes everything to a JSON file, such that `load` gives the same numbers to the bit.

        The file appears under its name once it is whole: a full disk leaves the one before.
        """
        state = {"format": _FORMAT, **self.__getstate__()}
        text = json.dumps(state, ensure_ascii=False, indent=1)
        _core.write_file(os.fspath(path), text.encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SkillRating:
        """Reads what `save` wrote."""
        wrong = f"{os.fspath(path)}: is not a file that SkillRating.save wrote"
        with open(path, encoding="utf-8") as file:
            try:
                state = json.load(file)
            except (ValueError, RecursionError) as error:
                raise ValueError(f"{wrong}: {error}") from None
        if not isinstance(state, dict) or state.get("format") != _FORMAT:
            raise ValueError(wrong)
        out = cls.__new__(cls)
        try:
            out.__setstate__(state)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{wrong}: {error}") from None
        return out

    def __getstate__(self) -> dict[str, Any]:
        return {
            "options": self._options,
            "players": [self._state_of(name) for name in self._number],
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        options = {_NEW_NAMES.get(name, name): value for name, value in state["options"].items()}
        SkillRating.__init__(self, **options)
        for name, tau, rho, last_game in state["players"]:
            self.add_player(name, Gaussian.from_natural(tau, rho), last_game=last_game)
            self._now = max(self._now, -math.inf if last_game is None else last_game)

    def _state_of(self, name: str) -> tuple[str, float, float, float | None]:
        belief, last = self.rating(name), self.last_game(name)
        return name, belief.tau, belief.rho, None if math.isnan(last) else last

    # --- names and numbers -----------------------------------------------------------------------

    def _newcomer(self) -> Gaussian:
        return Gaussian(self._options["mean"], self._options["std"] ** 2)

    def _time(self, time: Time | None) -> float:
        if time is not None:
            return _days(time)
        return self._now if math.isfinite(self._now) else 0.0

    def _known(self, name: str) -> int:
        if name not in self._number:
            raise KeyError(f"no player {name!r}; there are {len(self)} players")
        return self._number[name]

    def _number_of(self, name: str) -> int:
        if name not in self._number:
            self.add_player(name)
        return self._number[name]

    def _with_newcomers(
        self, teams: tuple[Sequence[str], Sequence[str]]
    ) -> tuple[_core.SkillRating, dict[str, int]]:
        """The players of one game among themselves, with those who are not known yet."""
        ratings = _core.SkillRating(**self._options)
        number = {}
        for name in (*teams[0], *teams[1]):
            is_known = name in self._number
            rating = self.rating(name) if is_known else self._newcomer()
            last = self.last_game(name) if is_known else math.nan
            number[name] = ratings.add_player(name, rating, last)
        return ratings, number

    def _drop_from(self, count: int) -> None:
        """Undoes what a refused game added."""
        if len(self._number) == count:
            return
        kept = dict(list(self._number.items())[:count])
        ratings = _core.SkillRating(**self._options)
        for name, number in kept.items():
            ratings.add_player(name, self._ratings.rating(number), self._ratings.last_game(number))
        self._ratings, self._number = ratings, kept

    def _with_names(self, error: ValueError, teams: Iterable[Iterable[str]]) -> ValueError:
        """The library's words, with the names of players in place of their numbers."""
        text = str(error)
        for team in teams:
            for name in team:
                text = text.replace(f"of player {self._number.get(name)},", f"of {name!r},")
        return ValueError(text)


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name:
        raise TypeError(f"name = {name!r}: must be text that is not empty")


def _team(field: str, team: Team) -> tuple[str, ...]:
    if not isinstance(team, Iterable):
        raise TypeError(f"{field} = {team!r}: must be a name, or a sequence of names")
    names = (team,) if isinstance(team, str) else tuple(team)
    if not names:
        raise ValueError(f"{field} = []: needs at least one player")
    for name in names:
        _check_name(name)
    return names


def _check_once(teams: tuple[Sequence[str], Sequence[str]]) -> None:
    seen: set[str] = set()
    for name in (*teams[0], *teams[1]):
        if name in seen:
            raise ValueError(f"player {name!r}: must be in the game only once")
        seen.add(name)
