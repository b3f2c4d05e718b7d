#!/usr/bin/env python3
"""Skill ratings beside three packages of the Python index, in one run: trueskill, trueskillthroughtime and openskill.

Writes experiments/skill/results/packages.json. Needs the environment of experiments/peers-env and the program skill_rates.
Usage: build/peers/venv/bin/python experiments/skill/packages.py [--build DIR] [--data DIR] [--quick] [--results DIR]
"""
import argparse
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import time

import trueskill
import trueskillthroughtime as through_time
from openskill.models import PlackettLuce

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from game_files import read_football, read_large_teams  # noqa: E402

PLAYERS = 40
DRAW = 0.1


def rate(program, options, players, matches, end):
    """What skill_rates says of some matches: (time, [(rank, [(player, share), ...]), ...])."""
    lines = [f"option {name} {value!r}" for name, value in options.items()] + [f"players {players}"]
    for when, teams in matches:
        words = ["match", repr(float(when)), str(len(teams))]
        for rank, members in teams:
            words += [repr(float(rank)), "nan", "0", str(len(members))]
            for player, share in members:
                words += [str(player), repr(float(share))]
        lines.append(" ".join(words))
    lines.append("end " + end)
    done = subprocess.run([program], input="\n".join(lines) + "\n", text=True, capture_output=True, check=True)
    return json.loads(done.stdout)


def random_matches(count, seed, kinds):
    """Matches of all kinds that the packages know: teams, free for all, ties, partial play."""
    draw = random.Random(seed)
    out = []
    for number in range(count):
        kind = draw.choice(kinds)
        teams = {"duel": 2, "teams": 2, "partial": 2, "free for all": draw.randint(3, 6), "many teams": draw.randint(3, 4)}[kind]
        sizes = [1 if kind in ("duel", "free for all") else draw.randint(2, 4) for _ in range(teams)]
        players = draw.sample(range(PLAYERS), sum(sizes))
        sides = []
        for size in sizes:
            members = [(players.pop(), draw.choice([0.3, 0.5, 1.0]) if kind == "partial" else 1.0) for _ in range(size)]
            sides.append(members)
        ranks = [draw.randint(1, teams) for _ in range(teams)] if draw.random() < 0.2 else draw.sample(range(1, teams + 1), teams)
        out.append((number / 10, list(zip(ranks, sides))))
    return out


def options_of(environment, dynamics=0.0):
    """Settings of a TrueSkill environment, with the margin of a duel."""
    margin = trueskill.calc_draw_margin(DRAW, 2, environment)
    return {"mean": environment.mu, "std": environment.sigma, "performance_std": environment.beta, "dynamics_std": dynamics,
            "draw_margin": margin, "margin_grows": 1}


def against_trueskill(program, count):
    """One match after the other, without drift: the same ratings, up to what the package stops at."""
    out = {}
    for kind in ("duel", "teams", "partial", "free for all", "many teams"):
        environment = trueskill.TrueSkill(tau=0, draw_probability=DRAW)
        matches = random_matches(count // 5, 1, [kind])
        ratings = [environment.create_rating() for _ in range(PLAYERS)]
        begin = time.process_time()
        for _, teams in matches:
            groups = [tuple(ratings[player] for player, _ in members) for _, members in teams]
            weights = [tuple(share for _, share in members) for _, members in teams]
            after = environment.rate(groups, ranks=[rank for rank, _ in teams], weights=weights, min_delta=1e-9)
            for (_, members), group in zip(teams, after):
                for (player, _), rating in zip(members, group):
                    ratings[player] = rating
        seconds = time.process_time() - begin
        ours = rate(program, options_of(environment), PLAYERS, matches, "filter")
        out[kind] = {
            "matches": len(matches),
            "largest_difference_in_std": max(abs(a.mu - b) / a.sigma for a, b in zip(ratings, ours["mean"])),
            "largest_relative_difference_of_std": max(abs(a.sigma / b - 1) for a, b in zip(ratings, ours["std"])),
            "seconds": seconds, "our_seconds": ours["adding_seconds"]}
    return out


def history_of(matches, environment, dynamics, times=True):
    composition = [[[str(player) for player, _ in members] for _, members in teams] for _, teams in matches]
    results = [[-rank for rank, _ in teams] for _, teams in matches]
    return through_time.History(composition, results, [when for when, _ in matches] if times else [], mu=environment.mu,
                                sigma=environment.sigma, beta=environment.beta, gamma=dynamics, p_draw=DRAW)


def against_through_time(program, count):
    """A history of duels and teams, both sides until nothing moves by more than 1e-6."""
    environment = trueskill.TrueSkill(draw_probability=DRAW)
    dynamics = 0.5
    matches = random_matches(count, 2, ["duel", "teams"])
    history = history_of(matches, environment, dynamics)
    filtered = history.log_evidence()
    begin = time.process_time()
    step, iterations = history.convergence(epsilon=1e-6, iterations=2000, verbose=False)
    seconds = time.process_time() - begin
    ours = rate(program, options_of(environment, dynamics), PLAYERS, matches, "smooth 1e-9 5000")
    start = rate(program, options_of(environment, dynamics), PLAYERS, matches, "filter")
    last = {name: curve[-1][1] for name, curve in history.learning_curves().items()}
    pairs = [(last[str(player)], ours["mean"][player], ours["std"][player]) for player in range(PLAYERS) if str(player) in last]
    return {"matches": count, "iterations": iterations, "step": max(step), "seconds": seconds,
            "our_sweeps": ours["sweeps"], "our_seconds": ours["smoothing_seconds"],
            "log_evidence": history.log_evidence(), "our_log_evidence": ours["leave_one_out"],
            "relative_difference_of_evidence": abs(history.log_evidence() / ours["leave_one_out"] - 1),
            "filtered_log_evidence": filtered, "our_filtered_log_evidence": start["log_evidence"],
            "relative_difference_of_filtered_evidence": abs(filtered / start["log_evidence"] - 1),
            "largest_difference_in_std": max(abs(a.mu - mean) / std for a, mean, std in pairs),
            "largest_relative_difference_of_std": max(abs(a.sigma / std - 1) for a, _, std in pairs)}


def on_football(program, data, games, iterations):
    """The same model on the football history, wins and draws only: seconds per sweep back and forth, and until convergence."""
    environment = trueskill.TrueSkill(draw_probability=0.23)
    dynamics = 0.045
    matches = read_football(data)[-games:]
    names = {}
    numbered = []
    for when, home, away, score_home, score_away in matches:
        a, b = (names.setdefault(team, len(names)) for team in (home, away))
        ranks = (1 if score_home >= score_away else 2, 1 if score_away >= score_home else 2)
        numbered.append((when, [(ranks[0], [(a, 1.0)]), (ranks[1], [(b, 1.0)])]))
    begin = time.process_time()
    history = history_of(numbered, environment, dynamics)
    building = time.process_time() - begin
    begin = time.process_time()
    for _ in range(iterations):
        step = history.iteration()
    seconds = (time.process_time() - begin) / iterations
    options = options_of(environment, dynamics)
    ours = rate(program, options, len(names), numbered, "smooth 1e-5 1000")
    return {"games": len(numbered), "iterations": iterations, "step_after_them": max(step), "seconds_of_first_pass": building,
            "seconds_per_iteration": seconds, "our_sweeps": ours["sweeps"], "our_converged": ours["converged"],
            "our_seconds": ours["smoothing_seconds"], "our_seconds_of_first_pass": ours["adding_seconds"],
            "our_seconds_per_sweep": ours["smoothing_seconds"] / ours["sweeps"],
            "times_faster_per_sweep": seconds * ours["sweeps"] / ours["smoothing_seconds"]}


def openskill_on_large_teams(data):
    """Halo 2's large teams, each game predicted from those before; draws as often as in the first half."""
    games = read_large_teams(data)
    first_test = len(games) // 2
    draws = sum(a == b for _, (a, b) in games[:first_test]) / first_test
    model = PlackettLuce()
    ratings = {}
    loss = hits = 0
    for number, (teams, scores) in enumerate(games):
        groups = [[ratings.setdefault(player, model.rating()) for player in team] for team in teams]
        if number >= first_test:
            wins = model.predict_win(groups)
            chances = [wins[0] * (1 - draws), draws, wins[1] * (1 - draws)]
            happened = 0 if scores[0] > scores[1] else 1 if scores[0] == scores[1] else 2
            loss -= math.log(chances[happened])
            hits += chances[happened] == max(chances)
        for team, group in zip(teams, model.rate(groups, scores=list(map(float, scores)))):
            ratings.update(zip(team, group))
    tested = len(games) - first_test
    return {"test_games": tested, "log_loss": loss / tested, "accuracy": hits / tested}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--data", default=os.environ.get("POSTRIDER_DATA", ""))
    parser.add_argument("--results", default=str(HERE / "results"))
    parser.add_argument("--quick", action="store_true")
    call = parser.parse_args()
    program = str(pathlib.Path(call.build) / "experiments/skill/skill_rates")
    matches = 100 if call.quick else 1000
    result = {"trueskill": against_trueskill(program, matches), "through_time": against_through_time(program, matches)}
    if call.data:
        result["football"] = on_football(program, call.data, 500 if call.quick else 50_000, 1 if call.quick else 2)
        result["openskill_large_teams"] = openskill_on_large_teams(call.data)
    pathlib.Path(call.results).mkdir(parents=True, exist_ok=True)
    (pathlib.Path(call.results) / "packages.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
