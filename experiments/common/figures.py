"""How figures look and how they are kept."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

GREY, BLUE, ORANGE, BLACK = "#9aa0a6", "#1f5fa8", "#c8511b", "#202124"
GREEN, PURPLE = "#2f8f5b", "#8a4f9e"
WIDTH = 9.0

plt.rcParams.update({
    "figure.dpi": 120, "savefig.dpi": 120, "font.size": 10, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25, "legend.frameon": False,
    "axes.titlesize": 10, "figure.constrained_layout.use": True,
})


def panels(columns, rows=1, height=3.4):
    return plt.subplots(rows, columns, figsize=(WIDTH, height * rows), squeeze=False)


def save(figure, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    # Without the program's version, so that the same numbers give the same file.
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)
    print(path)
