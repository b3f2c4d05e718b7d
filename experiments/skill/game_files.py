"""The files of games, as the comparison with other packages reads them."""
import csv
import datetime
import pathlib
import subprocess

SKILL = "skill"


def read_football(data):
    """(days since 1970, home, away, home score, away score), in the order of time."""
    path = pathlib.Path(data) / SKILL / "international-football" / "results.csv"
    text = path.read_text(encoding="utf-8") if path.is_file() else subprocess.run(
        ["zstd", "-dc", f"{path}.zst"], check=True, capture_output=True).stdout.decode()
    first = datetime.date(1970, 1, 1)
    return [((datetime.date.fromisoformat(row["date"]) - first).days, row["home_team"], row["away_team"],
             int(row["home_score"]), int(row["away_score"])) for row in csv.DictReader(text.splitlines())]


def read_large_teams(data):
    """((players of each team), (score of each team)), in the order of time."""
    path = pathlib.Path(data) / SKILL / "halo2-beta" / "large_team.csv"
    out = []
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            teams, scores = [], []
            for team in row["teams"].split(";"):
                members = [one.split(":") for one in team.split("=")[1].split()]
                teams.append([player for player, _ in members])
                scores.append(sum(int(score) for _, score in members))
            out.append((teams, scores))
    return out
