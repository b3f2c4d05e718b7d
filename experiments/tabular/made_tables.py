"""Tables that are made to be clean, and faults that are put into them, for `spoiled.py`.

Each table is a dictionary of columns, lists of texts and numbers, of which `y` is the target. Tables and faults come in two sets:
by one the thresholds of the library were found, the other is looked at by the experiment alone.
"""
import datetime

import numpy as np

TARGET = "y"
REGIONS = ("north", "south", "east", "west")


def numbers(draw, rows):
    """Gaussian inputs, some of which matter."""
    x = draw.normal(size=(rows, 6))
    out = {f"x{k + 1}": np.round(10 + 3 * x[:, k], 3) for k in range(6)}
    return out | {TARGET: np.round(x[:, 0] * 2 + np.sin(2 * x[:, 1]) + x[:, 2] * x[:, 3] + draw.normal(size=rows), 3)}


def shop(draw, rows):
    """Categories, a skewed amount and counts."""
    region, plan = draw.choice(REGIONS, rows, p=[0.4, 0.3, 0.2, 0.1]), draw.choice(["basic", "plus", "premium"], rows)
    spent, visits = np.exp(draw.normal(3, 0.9, rows)), draw.poisson(4, rows)
    target = 5 * (plan == "premium") + 3 * (region == "west") + np.log(spent) * 2 + 0.3 * visits + draw.normal(size=rows)
    return {"region": region, "plan": plan, "spent": np.round(spent, 2), "visits": visits, TARGET: np.round(target, 2)}


def churn(draw, rows):
    """Two classes, of which one has about a quarter of the rows."""
    tenure, calls = draw.exponential(20, rows), draw.poisson(2, rows)
    price, kind = np.round(draw.normal(50, 12, rows), 2), draw.choice(["monthly", "yearly"], rows, p=[0.6, 0.4])
    score = -1.6 - 0.04 * tenure + 0.4 * calls + 0.03 * (price - 50) + 0.8 * (kind == "monthly")
    left = draw.uniform(size=rows) < 1 / (1 + np.exp(-score))
    return {"tenure": np.round(tenure, 1), "calls": calls, "price": price, "contract": kind, TARGET: np.where(left, "left", "stayed")}


def days(draw, rows):
    """Dates in the order of the rows, a season, and what is missing at random."""
    start = datetime.date(2021, 3, 1)
    number = np.sort(draw.integers(0, 900, rows))
    date = [(start + datetime.timedelta(days=int(k))).isoformat() for k in number]
    warm = 12 + 9 * np.sin(2 * np.pi * (number - 50) / 365) + draw.normal(0, 3, rows)
    wind = [f"{v:.1f}" if draw.uniform() > 0.06 else "" for v in draw.gamma(2, 3, rows)]
    target = 30 + 1.5 * warm + draw.normal(0, 6, rows)
    return {"day": date, "warm": np.round(warm, 1), "wind": wind, TARGET: np.round(target, 1)}


def heavy(draw, rows):
    """Inputs and noise with heavy tails."""
    x = draw.standard_t(2.5, size=(rows, 4))
    target = 3 * np.tanh(x[:, 0]) + x[:, 1] * 0.5 + 0.7 * draw.standard_t(4, rows)
    return {f"v{k}": x[:, k].round(4) for k in range(4)} | {TARGET: np.round(target, 4)}


def counts(draw, rows):
    """A count as the target, whole numbers as inputs."""
    age, rooms, floor = draw.integers(18, 90, rows), draw.integers(1, 8, rows), draw.integers(0, 12, rows)
    rate = np.exp(0.3 + 0.012 * (age - 50) + 0.15 * rooms)
    return {"age": age, "rooms": rooms, "floor": floor, "size": np.round(draw.normal(80, 20, rows), 1), TARGET: draw.poisson(rate)}


def patients(draw, rows):
    """Three classes; laboratory values with skew, a score on a lattice, missing cells."""
    kind = draw.choice(["a", "b", "c"], rows, p=[0.5, 0.3, 0.2])
    shift = np.select([kind == "a", kind == "b"], [0, 1], 2)
    marker = np.exp(draw.normal(1 + 0.5 * shift, 0.6, rows))
    pain = np.clip(np.round(draw.normal(4 + shift, 2, rows)), 0, 10).astype(int)
    age = [str(v) if draw.uniform() > 0.1 else "" for v in np.round(draw.normal(58, 14, rows)).astype(int)]
    return {"marker": np.round(marker, 2), "pain": pain, "age": age, "sex": draw.choice(["f", "m"], rows), TARGET: kind}


def houses(draw, rows):
    """Skewed prices in whole numbers, areas that come again, codes of districts."""
    area, rooms = np.round(np.exp(draw.normal(4.5, 0.35, rows))).astype(int), draw.integers(1, 7, rows)
    year, code = draw.integers(1890, 2024, rows), draw.choice([f"{k:05d}" for k in range(1067, 1067 + 25)], rows)
    price = np.exp(6.5 + 0.9 * np.log(area) + 0.05 * rooms + 0.002 * (year - 1950) + draw.normal(0, 0.2, rows))
    return {"area": area, "rooms": rooms, "year": year, "district": code, TARGET: np.round(price).astype(int)}


def machines(draw, rows):
    """Sensors that go together, a mode, a number of the row that says nothing, and a load with a floor at zero."""
    load = np.maximum(0, draw.normal(20, 18, rows))
    heat = 30 + 0.8 * load + draw.normal(0, 3, rows)
    mode, number = draw.choice(["idle", "run", "boost"], rows, p=[0.3, 0.5, 0.2]), draw.permutation(rows) + 5000
    target = 100 + 2 * heat + 15 * (mode == "boost") + draw.normal(0, 8, rows)
    return {"unit": number, "load": np.round(load, 1), "heat": np.round(heat, 2), "mode": mode, TARGET: np.round(target, 1)}


def survey(draw, rows):
    """Answers from 1 to 5, ages, and a target of zero to ten that is a rating."""
    answers = {f"q{k}": draw.integers(1, 6, rows) for k in range(1, 6)}
    age = draw.integers(16, 95, rows)
    rating = np.clip(np.round(answers["q1"] + 0.8 * answers["q2"] + draw.normal(0, 1.4, rows)), 0, 10).astype(int)
    return answers | {"age": age, "town": draw.choice(["Köln", "Bonn", "Essen", "Trier"], rows), TARGET: rating}


def claims(draw, rows):
    """Money of many sizes, a flag, a category of many levels, and heavy noise."""
    amount = np.round(np.exp(draw.normal(7, 1.6, rows)), 2)
    garage, flag = draw.choice([f"shop {k}" for k in range(30)], rows), draw.choice(["yes", "no"], rows, p=[0.15, 0.85])
    target = 0.4 * np.log(amount) + 0.9 * (flag == "yes") + 0.3 * draw.standard_t(5, rows)
    return {"amount": amount, "garage": garage, "injured": flag, "age": draw.integers(18, 85, rows), TARGET: np.round(target, 3)}


def wide(draw, rows):
    """Forty columns, of which four matter."""
    x = draw.normal(size=(rows, 40))
    target = x[:, 0] - x[:, 1] + 0.5 * x[:, 2] * x[:, 3] + draw.normal(size=rows)
    return {f"f{k}": np.round(x[:, k], 4) for k in range(40)} | {TARGET: np.round(target, 4)}


# The first set is that of development.
KINDS = {
    True: (numbers, shop, churn, days, counts, heavy),
    False: (patients, houses, machines, survey, claims, wide, numbers, churn),
}


def is_classes(table):
    return not is_numeric(table[TARGET])


def as_texts(table):
    return {name: [str(v) for v in cells] for name, cells in table.items()}


def rows_of(table):
    return len(table[TARGET])


def picked(table, rows):
    return {name: [cells[k] for k in rows] for name, cells in table.items()}


# --- Faults: each changes a table of texts and says which column a warning must name; empty: none. --------------------


def put(table, name, cells):
    """A column before the target."""
    target = table.pop(TARGET)
    table[name], table[TARGET] = [str(v) for v in cells], target


def leak(draw, table, develop):
    rows = rows_of(table)
    if is_classes(table):
        names = sorted(set(table[TARGET]))
        if draw.uniform() < 0.5:
            cells = [("A", "B", "C")[names.index(v)] if draw.uniform() > 0.005 else "A" for v in table[TARGET]]
        elif develop:
            cells = [names.index(v) for v in table[TARGET]]
        else:  # a cell that is there only for one class
            cells = [f"{draw.normal(5, 1):.2f}" if v == names[0] else "" for v in table[TARGET]]
        put(table, "status", cells)
        return "status"
    y = np.array(table[TARGET], float)
    std = np.std(y)
    how = draw.integers(3)
    if develop:
        cells = (1.19 * y, -y + 0.01 * std * draw.normal(size=rows), y + 0.02 * std * draw.normal(size=rows))[how]
    else:
        cells = (np.cbrt(y - y.min() + 1), 0.5 * y + 0.015 * std * draw.normal(size=rows), y / 12 + 100)[how]
    put(table, "booked", [f"{v:.6g}" for v in cells])
    return "booked"


def identifier(draw, table, develop):
    """Rows numbered in the order of the target, more or less; or persons with several rows each."""
    rows = rows_of(table)
    if draw.uniform() < 0.5:
        values = np.array([sorted(set(table[TARGET])).index(v) for v in table[TARGET]] if is_classes(table) else table[TARGET], float)
        order = np.argsort(values + np.std(values) * (0.5 if develop else 0.7) * draw.normal(size=rows))
        number = np.empty(rows, int)
        number[order] = np.arange(rows) + (1 if develop else 40_000)
        put(table, "id", number)
        return "id"
    each = 4 if develop else 5
    person = draw.permutation(np.arange(rows) // each)
    effect = draw.normal(size=person.max() + 1)
    if is_classes(table):
        names = sorted(set(table[TARGET]))
        own = draw.choice(names, person.max() + 1, p=[table[TARGET].count(n) / rows for n in names])
        table[TARGET] = [own[p] if draw.uniform() < 0.9 else v for p, v in zip(person, table[TARGET], strict=True)]
    else:
        y = np.array(table[TARGET], float)
        table[TARGET] = [f"{v:.5g}" for v in y + 2 * np.std(y) * effect[person]]
    put(table, "person", person + 100)
    return "person"


def copies(draw, table, develop):
    """Rows that stand there twice; or again with another target."""
    rows = rows_of(table)
    again = draw.choice(rows, int(rows * (0.1 if develop else 0.06)), replace=False)
    is_exact = is_classes(table) or draw.uniform() < 0.5
    for k in again:
        for name, cells in table.items():
            cells.append(cells[k])
            if name == TARGET and not is_exact:
                cells[-1] = cells[int(draw.integers(rows))]
    return ""


def sentinel(draw, table, develop):
    numeric = [name for name, cells in table.items() if name != TARGET and is_numeric(cells) and len(set(cells)) > 20]
    positive = [name for name in numeric if min(float(v) for v in table[name] if v) >= 0]
    value = str(draw.choice(["-999", "9999", "-1"] if develop else ["-99", "99999", "-1", "999999", "-9999"]))
    if value in ("-1", "-99"):
        numeric = [name for name in positive if "." in "".join(table[name])] or positive or numeric
    if value in ("-1", "-99") and not positive:
        value = "-9999"
    if value == "9999":
        numeric = [name for name in numeric if max(float(v) for v in table[name] if v) < 3000] or numeric
    if value in ("99999", "999999"):
        numeric = [name for name in numeric if max(float(v) for v in table[name] if v) < 20_000] or numeric
    name = str(draw.choice(numeric))
    share = draw.choice([0.02, 0.05])
    table[name] = [value if draw.uniform() < share else v for v in table[name]]
    table[name][3] = table[name][7] = table[name][11] = value
    return name


def rarest(table):
    """The class of the fewest rows."""
    return min(sorted(set(table[TARGET])), key=table[TARGET].count)


def is_numeric(cells):
    try:
        [float(v) for v in cells if v]
    except ValueError:
        return False
    return True


def dates(draw, table, develop):
    start = datetime.date(2022, 1, 1)
    form = draw.choice(["%b %d, %Y", "%d %B %Y"] if develop else ["%d-%b-%y", "%B %Y", "%Y%m%d", "%d/%m/%y", "%a %d %b %Y"])
    days_since = draw.integers(0, 700, rows_of(table))
    put(table, "joined", [(start + datetime.timedelta(days=int(k))).strftime(form) for k in days_since])
    return "joined"


def spelling(draw, table, develop):
    rows = rows_of(table)
    words = ["gold", "silver", "bronze"] if develop else ["New York", "Los Angeles", "Chicago"]
    cells = list(draw.choice(words, rows))
    how = [str.upper, str.capitalize] if develop else [str.lower, lambda v: f'"{v} "', lambda v: v.replace(" ", "  ").upper()]
    change = how[draw.integers(len(how))]
    for k in draw.choice(rows, max(4, rows // 25), replace=False):
        cells[k] = change(cells[k])
    for k in (2, 5, 9):  # also where few rows are left
        cells[k] = change(words[k % 2])
        cells[k + 1] = words[k % 2]
    put(table, "group", cells)
    return "group"


def target(draw, table, develop):
    y = np.array(table[TARGET], float)
    how = draw.integers(3)
    if how == 0:  # one number again and again
        y = np.where(draw.uniform(size=len(y)) < (0.4 if develop else 0.25), np.min(y) if develop else np.median(y), y + 0.001)
        table[TARGET] = [f"{v:.4f}" for v in y]
    elif how == 1:  # few numbers
        cuts = np.quantile(y, [0.25, 0.6]) if develop else np.quantile(y, [0.2, 0.4, 0.8])
        values = [1, 2, 3] if develop else [10, 25, 50, 100]
        table[TARGET] = [str(values[k]) for k in np.searchsorted(cuts, y)]
    else:  # multiples
        step = np.std(y) / 4
        steps = np.round((y - np.min(y)) / step)
        table[TARGET] = [f"{v:g}" for v in steps * (5 if develop else 250)]
    return TARGET


def imbalance(draw, table, develop):
    rare = rarest(table)
    own = [k for k, v in enumerate(table[TARGET]) if v == rare]
    keep = set(own[: max(3, int(rows_of(table) * (0.02 if develop else 0.012)))])
    rows = [k for k, v in enumerate(table[TARGET]) if v != rare or k in keep]
    table.update(picked(table, rows))
    return TARGET


def few_rows(draw, table, develop):
    table.update(picked(table, range(int(draw.integers(25, 40) if develop else draw.integers(22, 48)))))
    return ""


# Those that are seen once a model has predicted rows change what it is trained or evaluated with, too.


def coverage(draw, table, develop):
    """A group whose targets spread far more than others, which a model of one noise for all does not know."""
    rows = rows_of(table)
    site = draw.choice(["s1", "s2", "s3"], rows, p=[0.45, 0.4, 0.15])
    y = np.array(table[TARGET], float)
    spread = np.where(site == "s3", (4 if develop else 3.5) * np.std(y), 0.0)
    table[TARGET] = [f"{v:.5g}" for v in y + spread * draw.normal(size=rows)]
    put(table, "site", site)
    return "site"


def learned_rows(draw, table, develop):
    return ""


def disagreement(draw, table, develop):
    return ""


FAULTS = (leak, identifier, copies, sentinel, dates, spelling, target, imbalance, few_rows, coverage, learned_rows, disagreement)
OF_CLASSES = (imbalance,)
OF_NUMBERS = (target, few_rows, coverage)
# Faults that hide each other, or make no sense of so few rows.
APART = (
    {few_rows, identifier}, {few_rows, coverage}, {few_rows, disagreement}, {few_rows, target}, {target, coverage},
    {target, leak}, {target, identifier}, {learned_rows, disagreement}, {copies, few_rows}, {few_rows, learned_rows},
    {coverage, disagreement}, {identifier, leak}, {identifier, coverage}, {leak, coverage}, {identifier, imbalance},
    {leak, disagreement}, {identifier, disagreement}, {target, disagreement},
)
