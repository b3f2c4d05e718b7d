"""Tables and figures of the program bench/quality."""
import math

from figures import BLACK, BLUE, ORANGE, panels, save

NETWORKS = {"w83_fresh": "83 weights", "w83_same": "83 weights, same means",
            "w83_mismatch": "83 weights, mismatch", "w1932_fresh": "1932 weights"}
RULE_COLOURS = {"direct": ORANGE, "conditioned": BLUE}


def reached(holds):
    return "yes" if holds else "**no**"


def power(value):
    """1.2e-13, as it stands in a table."""
    return f"{value:.1e}"


def rows_of(data):
    """The networks of a result file, rule by rule."""
    for name, rules in data["networks"].items():
        for rule, row in rules.items():
            yield name, rule, row


def equivalence(data):
    lines = ["| network | rule | sweep engine against | after a batch | epoch 1 | epoch 2 | epoch 3 "
             f"| within {data['goal']:.0e} | within {data['times_nudged']:.0f} times a nudge |",
             "|---|---|---|---|---|---|---|---|---|"]
    for name, rule, row in rows_of(data):
        for prefix, against in (("", "graph engine"), ("nudged_", "itself, nudged")):
            differences = [row[f"{prefix}after_batch"], *row[f"{prefix}after_epoch"]]
            verdicts = (" - | - |" if prefix else
                        f" {reached(row['within_goal'])} | {reached(row['as_good_as_nudged'])} |")
            lines.append(f"| {NETWORKS[name]} | {rule} | {against} | " + " | ".join(map(power, differences)) + " |" + verdicts)
    return lines


def float_growth(data):
    epoch = data["goal_epoch"]
    lines = [f"| network | rule | largest, epoch 1 | epoch {epoch} | epoch 10 | median, epoch {epoch} | nudged in double: largest, "
             f"epoch {epoch} | every belief within {data['goal']:.0e} |", "|---|---|---|---|---|---|---|---|"]
    for name, rule, row in rows_of(data):
        values = [row["largest"][i - 1] for i in (1, epoch, 10)]
        values += [row["median"][epoch - 1], row["nudged_largest"][epoch - 1]]
        lines.append(f"| {NETWORKS[name]} | {rule} | " + " | ".join(map(power, values)) + f" | {reached(row['within_goal'])} |")
    return lines


def draw_float_growth(data, folder):
    figure, axes = panels(len(data["networks"]))
    for axis, (name, rules) in zip(axes[0], data["networks"].items()):
        for rule, row in rules.items():
            epochs = range(1, len(row["largest"]) + 1)
            colour = RULE_COLOURS[rule]
            axis.semilogy(epochs, row["largest"], color=colour, marker="o", ms=3, label=f"{rule}, largest")
            axis.semilogy(epochs, row["median"], color=colour, marker="o", ms=3, mfc="white", ls="--", label=f"{rule}, median")
            axis.semilogy(epochs, row["nudged_largest"], color=colour, lw=1, ls=":", label=f"{rule}, nudged, largest")
        axis.hlines(data["goal"], 1, data["goal_epoch"], color=BLACK, lw=1.5)
        axis.set_title(NETWORKS[name])
        axis.set_xlabel("epoch")
    low = min(axis.get_ylim()[0] for axis in axes[0])
    high = max(axis.get_ylim()[1] for axis in axes[0])
    for axis in axes[0]:
        axis.set_ylim(low, high)
    axes[0][0].text(1, 1.4 * data["goal"], "goal", color=BLACK, fontsize=8)
    axes[0][0].set_ylabel("relative difference, float to double")
    axes[0][0].legend(loc="upper left", fontsize=8)  # where the first network has no curves
    save(figure, folder / "float_growth.png")


def stability(data):
    lines = ["| network | rule | runs without trouble | improper beliefs | largest drift | of the median seed | linearised | silent | bounded | reached |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for name, rule, row in rows_of(data):
        lines.append(f"| {NETWORKS[name]} | {rule} | {row['completed_runs']} of {data['seeds']} | {row['improper_beliefs']} | "
                     f"{power(row['largest_drift'])} | {power(row['median_drift'])} | {row['linearised']:,} | {row['silent']:,} | {row['bounded']:,} | "
                     f"{reached(row['reached'])} |")
    return lines + ["", f"{data['epochs']} epochs each; goal: every belief a proper Gaussian after every epoch, drift at most "
                        f"{data['drift_goal']:.0e}. Counters are sums over epochs and seeds."]


def milliseconds(seconds):
    if seconds is None:
        return "never"
    value = 1e3 * seconds
    return f"{value:,.{max(0, 2 - int(math.log10(max(value, 1))))}f} ms"


CONTENDERS = {"conditioned": "Postrider", "direct": "Postrider, the paper's messages", "hand_adam": "Adam by hand",
              "libtorch_adam": "libtorch's Adam"}


def time_to_quality(data):
    """One row per network and training NLL: for each method, time, epochs and the setting."""
    lines = ["| network | training NLL | " + " | ".join(CONTENDERS.values()) + " |", "|---|---|" + "---|" * len(CONTENDERS)]
    for race in data["networks"].values():
        for goal, found in race["goals"].items():
            cells = [quality_cell(found.get(key), data["seeds"]) for key in CONTENDERS]
            lines.append(f"| {race['network']} | {goal} | " + " | ".join(cells) + " |")
    rates = ", ".join(f"{rate:g}" for rate in data["learning_rates"])
    batches = "; ".join(f"{', '.join(f'{batch:g}' for batch in race['batches'])} ({race['network']})"
                        for race in data["networks"].values())
    return lines + ["", f"Medians of {data['seeds']} seeds, one thread, all methods in turns, at most {data['epoch_limit']} epochs. Adam: for "
                        f"each level the best of learning rates {rates} and batches of {batches}; in brackets epochs, learning rate and batch."]


def quality_cell(row, seeds):
    if row is None:
        return ""
    if row["seconds"] is None:
        return f"never ({row['seeds_that_reached']} of {seeds} seeds)"
    setting = f"; {row['learning_rate']:g}, {row['batch']}" if "learning_rate" in row else ""
    missed = "" if row["seeds_that_reached"] == seeds else f"; {row['seeds_that_reached']} of {seeds} seeds"
    return f"{milliseconds(row['seconds'])} ({row['epochs']:.0f}{setting}{missed})"


def blocks(data):
    lines = ["| block | test accuracy | of single seeds | time | to one by one |", "|---|---|---|---|---|"]
    alone = data["blocks"]["1"]["seconds"]
    for block, row in data["blocks"].items():
        seeds = ", ".join(f"{value:.2f}" for value in row["accuracy_by_seed"])
        lines.append(f"| {block} | {row['accuracy']:.2f} % | {seeds} | {row['seconds']:.1f} s | {row['seconds'] / alone:.2f} |")
    lost, goal = data["lost_points"], data["goal"]
    return lines + ["", f"The largest block {'loses' if lost > 0 else 'gains'} {abs(lost):.2f} points, goal at most {goal} lost: "
                        f"{reached(lost <= goal)}. {data['network']}, {data['training_images']:,} images learned once each, "
                        f"{data['test_images']:,} to test."]


TABLES = {"equivalence": equivalence, "float_growth": float_growth, "stability": stability,
          "time_to_quality": time_to_quality, "blocks": blocks}
