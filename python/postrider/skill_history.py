"""Skills of players through time, from matches of any kind."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from postrider import _core
from postrider._core import Gaussian
from postrider._files import expect_replaceable
from postrider.skill_rating import OutcomeProbabilities, Standing, Time, _days

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LearnedSetting", "SkillHistory"]

Team: TypeAlias = str | Sequence[str] | Mapping[str, float]


class LearnedSetting(NamedTuple):
    """A setting that was found from the games.

    Attributes
    ----------
    name : str
        As `SkillHistory` calls it.
    value : float
        The value that is used from now on.
    uncertainty : float
        A standard deviation; a share of the value if `relative`.
    relative : bool
        Whether the setting is positive by nature.
    """

    name: str
    value: float
    uncertainty: float
    relative: bool


class SkillHistory:
    """Skills through time, from matches of two or more teams.

    Players are known by name, and new names are new players. A team is a name, a sequence of names,
    or a mapping from names to the shares of the match that they took part in.

    Parameters
    ----------
    margin_grows : bool
        Whether the margin of a draw grows with the square root of the number of players.
    **settings : float
        Such as ``std`` or ``draw_margin``; `settings` lists all. `learn` finds those that are not
        given from the games.

    Examples
    --------
    >>> from postrider import SkillHistory
    >>> history = SkillHistory()
    >>> game = history.add(["Ann", "Bob"], time=0)  # Ann won
    >>> game = history.add(["Bob", "Cleo", "Ann"], ranks=[1, 1, 2], time=3)
    >>> history.smooth()
    True
    >>> ranks = history.rank_probabilities(["Ann", "Bob", "Cleo"])
    >>> round(ranks[0][0], 2)  # that Ann would be first
    0.29
    """

    def __init__(self, *, margin_grows: bool = False, **settings: float) -> None:
        self._given = [*settings]
        self.log_loss_ = math.nan  # of each game before it was seen, as of the last `learn`
        self._games = _core.SkillHistory({name: float(value) for name, value in settings.items()}, margin_grows)

    # --- games -----------------------------------------------------------------------------------

    def add(
        self,
        teams: Sequence[Team],
        *,
        ranks: Sequence[float] | None = None,
        scores: Sequence[float] | None = None,
        time: Time = 0.0,
        handicaps: Sequence[float] | None = None,
        home: int | None = None,
    ) -> int:
        """Takes in a match.

        Parameters
        ----------
        teams : sequence
            At least two.
        ranks : sequence of float, optional
            The lower the better, ties where equal, NaN where not known. By default from the scores, or
            else the order of the teams.
        scores : sequence of float, optional
            Whole numbers, the higher the better.
        time : float or date
            Any, also before other games; dates count in days.
        handicaps : sequence of float, optional
            Added to the teams' performances.
        home : int, optional
            Which team is at home, from 0.

        Returns
        -------
        int
            The number of the game, for `remove`.
        """
        if ranks is None and scores is None:
            ranks = range(1, len(teams) + 1)
        return self._games.add(_days(time), self._sides(teams, ranks, scores, handicaps, home, add=True))

    def remove(self, game: int) -> None:
        """Takes out a game, as if it had never been seen. Others hear of it by `refresh` or `smooth`."""
        self._games.remove(game)

    def smooth(self, *, tolerance: float = 1e-5, max_sweeps: int = 200) -> bool:
        """Sweeps back and forth until no belief moves by more than `tolerance` standard deviations.

        Returns
        -------
        bool
            Whether that was reached.
        """
        return bool(self._games.smooth(tolerance, max_sweeps)[3])

    def refresh(self, *, tolerance: float = 1e-5, max_sweeps: int = 200) -> int:
        """The same from what was added or removed since, as far as it moves others.

        Returns
        -------
        int
            How many games were computed anew.
        """
        return int(self._games.refresh(tolerance, max_sweeps)[1])

    def learn(self, *, fixed: Iterable[str] | None = None, score_from: Time = -math.inf) -> list[LearnedSetting]:
        """Finds the settings under which each game, predicted from those before it, is likeliest.

        Skills are filtered anew; `smooth` them then.

        Parameters
        ----------
        fixed : iterable of str, optional
            Settings that stay; by default those that were given.
        score_from : float or date
            Games before are learned from, but do not count.

        Returns
        -------
        list of LearnedSetting
        """
        names = list(self._given if fixed is None else fixed)
        since = score_from if isinstance(score_from, float) else _days(score_from)
        settings, self.log_loss_, _, _ = self._games.learn(names, since, False)
        return [LearnedSetting(*one) for one in settings]

    @property
    def settings(self) -> dict[str, float]:
        """All settings as they are now."""
        return dict(self._games.settings())

    # --- answers ---------------------------------------------------------------------------------

    def predict(
        self,
        teams: Sequence[Team],
        *,
        time: Time | None = None,
        handicaps: Sequence[float] | None = None,
        home: int | None = None,
    ) -> OutcomeProbabilities:
        """Probabilities of win, draw and loss of the first team against the second.

        Parameters
        ----------
        teams : sequence
            Of players who are known.
        time : float or date, optional
            By default that of the last game of any of them.
        handicaps : sequence of float, optional
            Added to the teams' performances.
        home : int, optional
            Which team is at home, from 0.

        Returns
        -------
        OutcomeProbabilities
        """
        return OutcomeProbabilities(*self._predict(teams, time, handicaps, home)[:3])

    def rank_probabilities(self, teams: Sequence[Team], *, time: Time | None = None) -> list[list[float]]:
        """For each team the probability of each rank, the best first.

        Parameters
        ----------
        teams : sequence
            Of players who are known.
        time : float or date, optional
            By default that of the last game of any of them.

        Returns
        -------
        list of list of float
        """
        flat = self._predict(teams, time, None, None)[3]
        return [list(flat[k : k + len(teams)]) for k in range(0, len(flat), len(teams))]

    def quality(self, teams: Sequence[Team], *, time: Time | None = None) -> float:
        """How even a match would be, between 0 and 1."""
        return float(self._predict(teams, time, None, None)[4])

    def fair_teams(self, players: Sequence[str], teams: int = 2, *, time: Time | None = None) -> list[list[str]]:
        """Splits players into teams such that the match is most even.

        Parameters
        ----------
        players : sequence of str
            Who are known.
        teams : int
            How many.
        time : float or date, optional
            By default that of the last game of any of them.

        Returns
        -------
        list of list of str
        """
        numbers = [self._known(name) for name in players]
        split = self._games.fair_teams(numbers, teams, self._time(time, numbers))
        return [[self._games.name(number) for number in team] for team in split]

    def rating(self, name: str) -> Gaussian:
        """The belief in a player's skill as of the last game."""
        return self._games.rating(self._known(name))

    def curve(self, name: str) -> tuple[list[float], list[float], list[float]]:
        """Times, means and standard deviations of a player's skill at each game."""
        return self._games.curve(self._known(name))

    def home_advantage(self, name: str) -> Gaussian:
        """What playing at home is worth to a player, or to a team that is one."""
        return self._games.home_advantage(self._known(name))

    def leaderboard(self, *, deviations: float = 3.0, active_since: Time = -math.inf) -> list[Standing]:
        """Who has played, the surely good ones first.

        Parameters
        ----------
        deviations : float
            The order is that of mean - `deviations` std.
        active_since : float or date
            Leaves out who has not played since.

        Returns
        -------
        list of Standing
        """
        since = active_since if isinstance(active_since, float) else _days(active_since)
        board = []
        for rank, number in enumerate(self._games.leaderboard(deviations, since), start=1):
            belief = self._games.rating(number)
            mean, std = belief.mean, belief.std
            last = self._games.last_game(number)
            board.append(Standing(rank, self._games.name(number), mean, std, mean - deviations * std, last))
        return board

    def upsets(self, most: int = 10) -> list[tuple[int, float]]:
        """The games that were least probable before they were seen, with that probability."""
        return [(game, probability) for game, probability in self._games.upsets(most)]

    def log_evidence(self) -> float:
        """Log of the probability of all results together, by the present messages."""
        return float(self._games.log_evidence())

    def plot(self, names: Iterable[str] | None = None, *, ax: Axes | None = None) -> Axes:
        """Skills over time; needs matplotlib.

        Parameters
        ----------
        names : iterable of str, optional
            By default the six who lead.
        ax : matplotlib.axes.Axes, optional
            By default new ones.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from postrider.plots import plot_rating_over_time

        shown = list(names) if names is not None else [one.name for one in self.leaderboard()[:6]]
        return plot_rating_over_time({name: self.curve(name) for name in shown}, ax=ax)

    def __len__(self) -> int:
        return int(self._games.game_count())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._games.find(name) is not None

    def __repr__(self) -> str:
        return f"<SkillHistory of {len(self)} games and {self._games.player_count()} players>"

    # --- keeping ---------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes everything to a safetensors file; `load` gives the same numbers to the bit."""
        expect_replaceable(path)
        self._games.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SkillHistory:
        """Reads what `save`, or ``postrider rate --output``, wrote."""
        out = cls()
        out._games = _core.SkillHistory.load(os.fspath(path))
        return out

    # --- names and numbers -----------------------------------------------------------------------

    def _known(self, name: str) -> int:
        number = self._games.find(name)
        if number is None:
            raise KeyError(f"no player {name!r}; there are {self._games.player_count()} players")
        return int(number)

    def _time(self, time: Time | None, numbers: Iterable[int]) -> float:
        if time is not None:
            return _days(time)
        last = [self._games.last_game(number) for number in numbers]
        return max((when for when in last if not math.isnan(when)), default=0.0)

    def _sides(
        self,
        teams: Sequence[Team],
        ranks: Sequence[float] | None,
        scores: Sequence[float] | None,
        handicaps: Sequence[float] | None,
        home: int | None,
        *,
        add: bool,
    ) -> list[Any]:
        if home is not None and not 0 <= home < len(teams):
            raise ValueError(f"home = {home!r}: must be the place of a team, from 0 to {len(teams) - 1}, or None")
        for field, values in (("ranks", ranks), ("scores", scores), ("handicaps", handicaps)):
            if values is not None and len(values) != len(teams):
                raise ValueError(f"{field} = {values!r}: must have one value for each of the {len(teams)} teams")
        all_shares = _shares_of(teams)
        sides = []
        for place, shares in enumerate(all_shares):
            numbers = [self._number(name) if add else self._known(name) for name in shares]
            sides.append((numbers, [float(share) for share in shares.values()],
                          math.nan if ranks is None else float(ranks[place]),
                          math.nan if scores is None else float(scores[place]),
                          0.0 if handicaps is None else float(handicaps[place]), home == place))
        return sides

    def _number(self, name: str) -> int:
        number = self._games.find(name)
        return int(self._games.add_player(name) if number is None else number)

    def _predict(self, teams: Sequence[Team], time: Time | None, handicaps: Sequence[float] | None, home: int | None) -> Any:
        sides = self._sides(teams, None, None, handicaps, home, add=False)
        numbers = [number for side in sides for number in side[0]]
        return self._games.predict(self._time(time, numbers), sides)


def _shares_of(teams: Sequence[Team]) -> list[dict[str, float]]:
    """Names and shares of each team, looked at before any of the names is a new player."""
    if len(teams) < 2:
        raise ValueError(f"teams = {teams!r}: must be at least two")
    out: list[dict[str, float]] = []
    seen: set[str] = set()
    for team in teams:
        shares = dict(team) if isinstance(team, Mapping) else dict.fromkeys([team] if isinstance(team, str) else team, 1.0)
        for name, share in shares.items():
            if not isinstance(name, str) or not name:
                raise TypeError(f"name = {name!r}: must be text that is not empty")
            if not 0 <= share <= 1:
                raise ValueError(f"share = {share!r} of {name!r}: must be from 0 to 1")
        if (not isinstance(team, (str, Mapping)) and len(shares) != len(team)) or seen & shares.keys():
            raise ValueError(f"teams = {teams!r}: a player must be in the match only once")
        seen |= shares.keys()
        out.append(shares)
    return out
