"""Models of tables in one call: tests name parameters, and how a table is read, side by side."""

from postrider import TableModel
from postrider._options import TableModelOptions


def _model(how):
    names = ("hidden_layer_sizes", *TableModelOptions.__annotations__)
    return TableModel(**{name: how.pop(name) for name in list(how) if name in names})


def fitted(data, target="", **how):
    """A model that has learned all rows, epoch after epoch."""
    return _model(how).fit(data, target, **how)


def streamed(data, target="", **how):
    """A model that has learned each row once."""
    return _model(how).update(data, target, **how)
