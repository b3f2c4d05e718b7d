"""The examples of graphs and ratings run as they are, and draw their pictures."""

import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
HEADER = "date,home_team,away_team,home_score,away_score,tournament,city,country,neutral\n"


def run(script, *arguments):
    command = [sys.executable, FOLDER / script, "--quick", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_factor_graph(tmp_path):
    printed = run("factor_graph.py", "--out", tmp_path)
    errors = [float(line.split()[-1]) for line in printed.splitlines() if "error" in line]
    assert errors[1] < errors[0], "knowing of nonsense helps"
    assert (tmp_path / "factor_graph.png").stat().st_size > 5000


def test_football(tmp_path):
    folder = tmp_path / "skill" / "international-football"
    folder.mkdir(parents=True)
    # The team of the lower letter always wins, at home and away.
    rows = [
        f"20{year}-0{1 + i}-01,{home},{away},{int(home < away)},{int(home > away)},Cup,X,Y,FALSE\n"
        for year in range(12, 22)
        for i, (home, away) in enumerate([("A", "B"), ("C", "A"), ("B", "C"), ("D", "B")])
    ]
    (folder / "results.csv").write_text(HEADER + "".join(rows), encoding="utf-8")
    printed = run("skill_rating_football.py", "--data", tmp_path, "--out", tmp_path / "out")
    assert "16 games since 2018-01-01" in printed
    assert [line.split()[1] for line in printed.splitlines() if line.startswith("  ")][0] == "A"
    for name in ("football_ratings", "football_calibration"):
        assert (tmp_path / "out" / f"{name}.png").stat().st_size > 5000
