"""What the scripts of the gallery share: their options, a look for figures, and where these go."""

import argparse
import json
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

BLUE, ORANGE, GREY = "#1b7f8c", "#d9702b", "#777777"
plt.rcParams.update({
    "figure.figsize": (6.4, 3.6), "figure.dpi": 110, "figure.constrained_layout.use": True,
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False, "font.size": 9,
})


def options(description):
    """--quick for a run of seconds whose figures say nothing, --out DIR for the figure and the numbers."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("gallery"))
    found = parser.parse_args()
    found.out.mkdir(parents=True, exist_ok=True)
    return found


def finish(figure, out, name, numbers):
    """Writes the figure and the numbers that its page quotes."""
    figure.savefig(out / f"{name}.png")
    (out / f"{name}.json").write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(numbers))
