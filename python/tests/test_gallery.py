"""Every script of the gallery runs as it is, and writes a figure and its numbers."""

import json
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
SCRIPTS = ["active_learning", "classification_calibration", "first_prediction", "regression_bands", "thompson_bandit"]


@pytest.mark.parametrize("script", SCRIPTS)
def test_script(script, tmp_path):
    command = [sys.executable, "-W", "error::RuntimeWarning", FOLDER / f"{script}.py", "--quick", "--out", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"{script}.png").stat().st_size > 5000
    assert json.loads((tmp_path / f"{script}.json").read_text())


def test_notebook():
    """Cell by cell, as a person runs it."""
    cells = json.loads((FOLDER / "decisions.ipynb").read_text())["cells"]
    source = "import matplotlib\nmatplotlib.use('Agg')\n" + "\n".join(
        "".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"
    )
    source += "\nassert found.fun < 0.5 and len(set(chosen)) == 50 and sum(lost[20:]) < sum(lost[:20])\n"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
