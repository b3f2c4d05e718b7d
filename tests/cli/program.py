"""What the tests of the program share: calling it, and small tables that they write themselves."""

import csv
import io
import pathlib
import random
import subprocess


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = pathlib.Path(path).resolve(), pathlib.Path(folder)

    def call(self, *arguments, text=None):
        """Exit code, standard output and standard error."""
        done = subprocess.run([self.path, *map(str, arguments)], cwd=self.folder, input=text,
                              capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def expect(self, code, *arguments):
        """What was printed, of a call that must end with this exit code."""
        got, out, error = self.call(*arguments)
        if got != code:
            raise AssertionError(f"{' '.join(map(str, arguments))}: exit code {got} instead of {code}\n"
                                 f"{out}{error}")
        return out if code == 0 else out + error


def rows_of(text):
    """The rows of a table of CSV, by the names of its columns."""
    return list(csv.DictReader(io.StringIO(text)))


def write_houses(path, rows, seed, missing=0.0, gap=False):
    """Numbers, a category and a target that both decide: price = 3 area + 20 if north + noise."""
    generator = random.Random(seed)
    lines = ["area,side,garden,price"]
    for _ in range(rows):
        area, side = generator.uniform(20, 120), generator.choice(["north", "south", "west"])
        price = 3 * area + (20 if side == "north" else 0) + generator.gauss(0, 5)
        garden = "" if generator.random() < missing else f"{generator.uniform(0, 50):.1f}"
        shown = "" if gap and generator.random() < 0.1 else f"{price:.2f}"
        lines.append(f"{area:.2f},{side},{garden},{shown}")
    path.write_text("\n".join(lines) + "\n")


def write_classes(path, rows, seed):
    """Inside or outside of a ring."""
    generator = random.Random(seed)
    lines = ["x,y,where"]
    for _ in range(rows):
        x, y = generator.gauss(0, 1), generator.gauss(0, 1)
        lines.append(f"{x:.4f},{y:.4f},{'outside' if x * x + y * y > 1.4 else 'inside'}")
    path.write_text("\n".join(lines) + "\n")
