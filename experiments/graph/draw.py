#!/usr/bin/env python3
"""Draws the graph engine's figures and writes its measured numbers into docs/graph and experiments/README.md.

Needs numpy and matplotlib. Usage: experiments/graph/draw.py [--results DIR] [--docs DIR] [--readme FILE]
"""
import calendar
import json
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from figures import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, panels, save  # noqa: E402
from network_tables import networks_agree, networks_table  # noqa: E402
from pages import parser_of, write_page  # noqa: E402

FIRST_YEAR_DRAWN = 1920  # before it, games were few and deviations wide
HIGHEST_CHANGE_DRAWN = 1e4


def measured(trees, chain):
    size = f"{trees['largest_size']:,.0f}"
    return [
        "| what | result |",
        "|---|---|",
        f"| {trees['graphs']} random Gaussian trees of up to {size} variables, against sparse Cholesky: "
        f"largest relative error of means, variances and log-evidence | {trees['max_relative_error']:.1e} |",
        f"| random walk of {chain['steps']:,} steps, smoothed, against the Kalman and RTS smoother: "
        f"largest relative error | {chain['max_error']:.1e} |",
        f"| time per step and direction, one core | {chain['ns_per_step_and_direction']:.0f} ns |",
        f"| time per message | {chain['ns_per_message']:.0f} ns |",
        f"| memory per variable, with its edges | {chain['bytes_per_variable']:.0f} bytes |",
    ]


def comparison(skill):
    football, halo2 = skill["football"], skill["halo2"]
    rows = [("base rate of the training part", "base_rate_"), ("Elo, tuned", "elo_"),
            ("`SkillRating` without dynamics", "static_"), ("`SkillRating`", "")]
    best = {(id(games), key): better(games[prefix + key] for _, prefix in rows)
            for games in (football, halo2) for key, better in (("log_loss", min), ("accuracy", max))}

    def cell(games, prefix, key):
        value = games[prefix + key]
        text = f"{value:.4f}" if key == "log_loss" else f"{100 * value:.1f} %"
        return f"**{text}**" if value == best[id(games), key] else text

    lines = ["| method | football: log-loss | accuracy | Halo 2: log-loss | accuracy |", "|---|---|---|---|---|"]
    for name, prefix in rows:
        cells = [cell(games, prefix, key) for games in (football, halo2) for key in ("log_loss", "accuracy")]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    excess, error = zip(*((games["elo_log_loss"] - games["log_loss"], games["elo_excess_standard_error"])
                          for games in (football, halo2)))
    lines += [
        "",
        f"Football: {football['test_games']} test games after {football['games'] - football['test_games']} earlier "
        f"ones, {football['players']} teams. Halo 2: {halo2['test_games']} of {halo2['games']} games, "
        f"{halo2['players']} players. Better than Elo by {excess[0]:.4f} (standard error of the paired difference "
        f"{error[0]:.4f}) and {excess[1]:.4f} ({error[1]:.4f}). An update of two players takes "
        f"{skill['ns_per_update'] / 1000:.2f} microseconds of processor time, games and draws as in the Halo data.",
    ]
    return lines


def leaderboard(ratings):
    date = f"{ratings['last_day']} {calendar.month_name[ratings['last_month']]} {ratings['last_year']}"
    lines = [
        f"After the games up to {date}, teams that played in the {ratings['active_days']:.0f} days before:",
        "",
        "| | team | mean - 3 standard deviations | mean | standard deviation | games |",
        "|---|---|---|---|---|---|",
    ]
    for place, (name, team) in enumerate(ratings["leaderboard"].items(), start=1):
        lines.append(f"| {place} | {name} | {team['mean_minus_3_deviations']:.1f} | {team['mean']:.1f} | "
                     f"{team['deviation']:.2f} | {team['games']:,} |")
    return lines


def skill_history(ratings):
    """One panel per team, with the other teams in grey behind it: five bands in one panel hide each other."""
    history = ratings["history"]
    figure, axes = panels(1, rows=len(history), height=1.5)
    figure.get_layout_engine().set(hspace=0, h_pad=0.02)
    for (axis,), colour, (name, course) in zip(axes, (GREEN, BLUE, ORANGE, PURPLE, BLACK), history.items()):
        for other, behind in history.items():
            if other != name:
                axis.plot(behind["year"], behind["mean"], color=GREY, lw=0.7, alpha=0.5)
        year, mean, deviation = (np.array(course[key]) for key in ("year", "mean", "deviation"))
        axis.fill_between(year, mean - deviation, mean + deviation, color=colour, alpha=0.22, lw=0)
        axis.plot(year, mean, color=colour, lw=1.8)
        peak = np.flatnonzero(year == course["peak_year"])[0]
        axis.plot(year[peak], mean[peak], "o", color=colour, ms=5, clip_on=False)
        axis.annotate(f"{course['peak_year']:.0f}", (year[peak], mean[peak]), (-3, 5),
                      textcoords="offset points", color=colour, fontsize=9, ha="right")
        axis.annotate(f"{name}\n{mean[-1]:.1f} ± {deviation[-1]:.1f}", (1, mean[-1]), (8, 0),
                      xycoords=("axes fraction", "data"), textcoords="offset points", color=colour,
                      va="center", weight="bold", annotation_clip=False)
        axis.set(xlim=(FIRST_YEAR_DRAWN, ratings["last_year"]), ylim=(15, 37), yticks=(20, 25, 30, 35))
        axis.tick_params(labelbottom=axis is axes[-1][0])
    axes[len(history) // 2][0].set_ylabel("skill: mean and one standard deviation; a new team has 25")
    return figure


def convergence(data):
    figure, axes = panels(2, height=3.6)
    side = data["side"]
    titles = {"grid": f"{side} x {side} grid, neighbours alike",
              "sums": f"{data['unknowns']} unknowns, {data['unknowns']} noisy sums of all"}
    labels = {"sweeps": ("sweeps", ORANGE), "damped_sweeps": (f"sweeps, damping {data['damping']:g}", BLUE),
              "residual": ("residual", GREEN)}
    for axis, (graph, title) in zip(axes[0], titles.items()):
        for key, (label, colour) in labels.items():
            curve = data[graph][key]
            axis.semilogy(curve["messages_per_edge"], curve["change"], color=colour, label=label)
        axis.axhline(data["tolerance"], color=GREY, lw=1, ls="--")
        axis.set(xlabel="messages per edge", title=title, xlim=0,
                 ylim=(data["tolerance"] / 10, HIGHEST_CHANGE_DRAWN))
    left, right = axes[0]
    left.text(2, data["tolerance"], "tolerance", color=GREY, fontsize=8, va="bottom")
    left.set_ylabel("largest change")
    left.legend()
    plain = data["sums"]["sweeps"]
    leaves = next(at for at, change in zip(plain["messages_per_edge"], plain["change"])
                  if change > HIGHEST_CHANGE_DRAWN)
    right.annotate(f"grows on, to {max(plain['change']):.0e}", (leaves, HIGHEST_CHANGE_DRAWN), (8, -12),
                   textcoords="offset points", color=ORANGE, fontsize=9)
    return figure


def main():
    parser = parser_of(HERE, __doc__)
    parser.add_argument("--readme", type=pathlib.Path, default=HERE.parent / "README.md")
    options = parser.parse_args()

    def read(name):
        return json.loads((options.results / f"{name}.json").read_text())

    skill = read("skill")
    ratings = skill["football_ratings"]
    save(skill_history(ratings), options.docs / "figures" / "skill_history.png")
    save(convergence(read("convergence")), options.docs / "figures" / "convergence.png")
    pages = options.docs / "graph"
    write_page(pages / "schedules.md", {"measured": measured(read("trees"), read("chain"))})
    write_page(pages / "skill-rating.md", {"measured": comparison(skill), "leaderboard": leaderboard(ratings)})
    networks = read("networks")
    write_page(options.readme, {"networks": networks_table(networks), "agreement": networks_agree(networks)})


main()
