#!/usr/bin/env python3
"""Draws the figures of skills through time and writes the measured parts of docs/results/skills.md.

Needs numpy and matplotlib. Usage: experiments/skill/draw.py [--results DIR] [--docs DIR]
"""
import json
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from figures import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, panels, save  # noqa: E402
from pages import parser_of, write_page  # noqa: E402

COLOURS = (BLUE, ORANGE, GREEN, PURPLE, BLACK)
FIRST_YEAR = 1950


def missed(value, goal, text):
    return f"{text}" if value <= goal else f"{text} (the goal of {goal:g} is missed)"


def football_table(football, before):
    rows = [
        ("base rate", football["base_rate_log_loss"], None, None),
        ("Elo, tuned", before["elo_log_loss"], before["elo_accuracy"], None),
        ("`SkillRating`, tuned", before["log_loss"], before["accuracy"], None),
    ]
    for name, key in (("`SkillHistory`, results only", "without_scores"), ("one home advantage for all", "one_home_advantage"),
                      ("everything, learned once before 2018", "learned_once"), ("everything, learned again before each year", "learned")):
        part = football[key]
        rows.append((name, part["log_loss"], part["accuracy"], part["calibration_error"]))
    best = min(row[1] for row in rows)
    lines = ["| method | log-loss | accuracy | calibration error |", "|---|---|---|---|"]
    for name, loss, accuracy, calibration in rows:
        shown = f"**{loss:.4f}**" if loss == best else f"{loss:.4f}"
        lines.append(f"| {name} | {shown} | {'' if accuracy is None else f'{100 * accuracy:.1f} %'} | "
                     f"{'' if calibration is None else f'{calibration:.3f}'} |")
    smoothed = football["smoothed"]
    lines += ["", f"{football['test_games']:,} games since 2018, {football['players']} teams. Learning all settings, nine times, took "
              f"{football['learned']['learning_seconds']:.0f} s of one core. Smoothing all {smoothed['games']:,} games took "
              f"{smoothed['sweeps']} sweeps and " + missed(smoothed["processor_seconds"], 2, f"{smoothed['processor_seconds']:.2f} s")
              + f" on a machine that others used, too. Taking out the last game computed {smoothed['refreshed_games']:,} games anew."]
    return lines


def settings_table(football):
    lines = ["| setting | value | uncertainty |", "|---|---|---|"]
    for name, one in football["settings"].items():
        spread = f"{100 * one['uncertainty']:.0f} %" if one["relative"] else f"{one['uncertainty']:.2g}"
        lines.append(f"| `{name}` | {one['value']:.3g} | {spread} |")
    return lines


def board_table(football):
    lines = ["| | team | mean - 3 std | mean | std | worth of home | games |", "|---|---|---|---|---|---|---|"]
    for place, (name, team) in enumerate(football["smoothed"]["leaderboard"].items(), start=1):
        lines.append(f"| {place} | {name} | {team['mean'] - 3 * team['std']:.1f} | {team['mean']:.1f} | {team['std']:.2f} | "
                     f"{team['home_advantage']:.1f} | {team['games']:,} |")
    lines += ["", "The games that surprised most, by the games before them:", "", "| year | game | probability |", "|---|---|---|"]
    for one in football["smoothed"]["upsets"]:
        lines.append(f"| {one['year']} | {one['home']} – {one['away']} {one['score']} | {100 * one['probability']:.2f} % |")
    return lines


def halo_table(halo2, packages):
    lines = ["| method | duels: log-loss | accuracy | large teams: log-loss | accuracy |", "|---|---|---|---|---|"]
    duels, teams = halo2["head_to_head"], halo2["large_teams"]
    lines.append(f"| base rate | {duels['base_rate_log_loss']:.4f} | {100 * duels['base_rate_accuracy']:.1f} % | "
                 f"{teams['base_rate_log_loss']:.4f} | {100 * teams['base_rate_accuracy']:.1f} % |")
    if packages and "openskill_large_teams" in packages:
        other = packages["openskill_large_teams"]
        lines.append(f"| openskill | | | {other['log_loss']:.4f} | {100 * other['accuracy']:.1f} % |")
    lines.append(f"| `SkillHistory`, learned | {duels['log_loss']:.4f} | {100 * duels['accuracy']:.1f} % | "
                 f"{teams['log_loss']:.4f} | {100 * teams['accuracy']:.1f} % |")
    lines += ["", f"{duels['test_games']:,} of {duels['games']:,} duels and {teams['test_games']} of {teams['games']} games of large teams; "
              "settings learned from the first half. Calibration error "
              f"{duels['calibration_error']:.3f} and {teams['calibration_error']:.3f}."]
    return lines


def packages_table(packages):
    lines = ["| matches | largest difference of means, in standard deviations | of standard deviations | seconds, package | seconds, ours |",
             "|---|---|---|---|---|"]
    for kind, one in packages["trueskill"].items():
        lines.append(f"| `trueskill`, {one['matches']} x {kind} | {one['largest_difference_in_std']:.1e} | "
                     f"{one['largest_relative_difference_of_std']:.1e} | {one['seconds']:.2f} | {one['our_seconds']:.4f} |")
    one = packages["through_time"]
    lines.append(f"| `trueskillthroughtime`, {one['matches']} duels and teams, smoothed | {one['largest_difference_in_std']:.1e} | "
                 f"{one['largest_relative_difference_of_std']:.1e} | {one['seconds']:.1f} | {one['our_seconds']:.4f} |")
    lines += ["", f"Evidence of that history: relative difference {one['relative_difference_of_filtered_evidence']:.1e} filtered, "
              f"{one['relative_difference_of_evidence']:.1e} smoothed."]
    if "football" in packages:
        games = packages["football"]
        lines[-1] += (f" On {games['games']:,} football games one iteration of the package takes {games['seconds_per_iteration']:.1f} s, a sweep "
                      f"of ours {games['our_seconds_per_sweep']:.3f} s: {games['times_faster_per_sweep']:.0f} times faster. Ours converged after "
                      f"{games['our_sweeps']} sweeps in {games['our_seconds']:.1f} s; the package has no acceleration and was not run to the end.")
    return lines


def scale_table(scale):
    lines = ["| players | games | updates a second | memory | sweeps | smoothing | per game and sweep |", "|---|---|---|---|---|---|---|"]
    for one in scale["sizes"]:
        lines.append(f"| {one['players']:,} | {one['games']:,} | {one['updates_per_second']:,.0f} | {one['gigabytes']:.2f} GB | "
                     f"{one['sweeps']} | {one['smoothing_seconds']:.1f} s | {one['ns_per_game_and_sweep']:.0f} ns |")
    return lines


def curves_figure(football):
    figure, axes = panels(1, height=4.2)
    axis = axes[0][0]
    low, high = np.inf, -np.inf
    for colour, (name, curve) in zip(COLOURS, football["smoothed"]["curves"].items()):
        year, mean, std = (np.array(curve[key]) for key in ("year", "mean", "std"))
        axis.fill_between(year, mean - std, mean + std, color=colour, alpha=0.15, lw=0)
        axis.plot(year, mean, color=colour, lw=1.4, label=f"{name} {mean[-1]:.1f} ± {std[-1]:.1f}")
        shown = year >= FIRST_YEAR
        low, high = min(low, (mean - std)[shown].min()), max(high, (mean + std)[shown].max())
    axis.set(xlim=(FIRST_YEAR, year[-1]), ylim=(low - 0.5, high + 0.5), ylabel="skill: mean and one standard deviation", title="National teams, smoothed over all their games")
    axis.legend(loc="upper right")
    return figure


def calibration_figure(football):
    figure, axes = panels(1, height=3.6)
    axis = axes[0][0]
    one = football["calibration"]
    axis.plot((0, 1), (0, 1), color=GREY, lw=1, ls="--", label="perfect")
    axis.plot(one["probability"], one["share"], "o-", color=BLUE, label="win, draw and loss together")
    axis.set(xlabel="probability that was said", ylabel="share that came about", xlim=(0, 1), ylim=(0, 1), aspect="equal",
             title=f"{football['test_games']:,} football games since 2018")
    axis.legend(loc="lower right", fontsize=8)
    return figure


def main():
    call = parser_of(HERE, __doc__).parse_args()
    read = {name: json.loads(path.read_text()) if (path := call.results / f"{name}.json").is_file() else None
            for name in ("football", "halo2", "packages", "scale")}
    before = json.loads((HERE.parent / "graph" / "results" / "skill.json").read_text())["football"]
    blocks = {}
    football = read["football"]
    if football:
        blocks |= {"football": football_table(football, before), "settings": settings_table(football), "board": board_table(football)}
        save(curves_figure(football), call.docs / "figures" / "skill_curves.png")
        save(calibration_figure(football), call.docs / "figures" / "skill_calibration.png")
    if read["halo2"]:
        blocks["halo2"] = halo_table(read["halo2"], read["packages"])
    if read["packages"]:
        blocks["packages"] = packages_table(read["packages"])
    if read["scale"]:
        blocks["scale"] = scale_table(read["scale"])
    write_page(call.docs / "results" / "skills.md", blocks)


if __name__ == "__main__":
    main()
