"""Models as ONNX: means and standard deviations, or probabilities of classes, for services that have no Postrider.

    pip install postrider[onnx]

Experimental: the part becomes stable once runtimes other than ONNX Runtime have been tried, and files that it wrote serve predictions somewhere.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from postrider.classifier import BayesianMLPClassifier
from postrider.experimental._model_file import ColumnEncoding, Layer, ModelFile
from postrider.experimental._onnx_graph import Graph, Value, normal_below, normal_density, normal_quantile
from postrider.regressor import BayesianMLPRegressor
from postrider.tables import TableModel

__all__ = ["export_onnx"]

# As the library has them: bounds of the logarithm of noise, and the places of the normal distribution that it is averaged over.
_FAR_LOG_NOISE, _FAR_LOG_NOISE_VARIANCE, _MOST_LOG_NOISE = 8.0, 1.0, 100.0
_PLACES = 0.5 * (np.arange(29) - 14)
_WEIGHTS = np.exp(-0.5 * _PLACES**2) / np.exp(-0.5 * _PLACES**2).sum()
# With more classes, the integral over which score is the largest would take more memory than it is worth.
_MOST_CLASSES = 30
# The trapezoid rule of that integral: places in standard deviations of the score in question. The error is far below 1e-6 if scores are about as
# certain as each other.
_STEPS = np.linspace(-8, 8, 129)


def export_onnx(
    model: BayesianMLPRegressor | BayesianMLPClassifier | TableModel, path: str | os.PathLike[str], *, leave_out_shape: bool = False
) -> None:
    """Write the predictions of a model as one ONNX file.

    The input ``X`` has rows of numbers in double precision, in the order of the columns learned. For a numeric target the outputs are ``mean``,
    ``std`` and ``noise_std``, one number for each row; for classes ``probabilities``, a column for each class, whose names are in
    the file's property ``classes``. Rows with missing cells (NaN) have outputs that are NaN. Prediction intervals, and all that looks at the rows
    learned, are not exported.

    Parameters
    ----------
    model : BayesianMLPRegressor, BayesianMLPClassifier or TableModel
        With columns of numbers.
    path : str or path-like
    leave_out_shape : bool, default=False
        Export a model whose ``learned_shape`` was found to help, without it: means and standard deviations are those of its networks, and
        differ from the model's own. Else such a model is refused.

    Raises
    ------
    ValueError
        If the model has a part that the file could not say: the message names it.
    """
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder) / "model"
        model.save(saved)
        file = ModelFile(saved)
    names = _column_names(file, model)
    _expect_exportable(file, leave_out_shape)
    graph = Graph()
    encoded = _encoded(file, Value(graph, "X"), graph)
    outputs = _output_moments(file.layers, encoded)
    properties = {"columns": json.dumps(names)}
    if file.metadata["kind"] == "classifier":
        classes = [str(each) for each in (model.classes if isinstance(model, TableModel) else model.classes_)]
        properties["classes"] = json.dumps(classes)
        found = {"probabilities": (_probabilities(file, *outputs), ["rows", len(classes)])}
    else:
        found = {name: (value, ["rows"]) for name, value in _moments(file, *outputs, graph).items()}
    out = graph.model(len(names), found, properties)
    onnx.checker.check_model(out, full_check=True)
    onnx.save(out, os.fspath(path))


def _column_names(file: ModelFile, model: Any) -> list[str]:
    """The columns of X. Tables and frames have names and kinds, which must be numbers."""
    table = file.metadata.get("notes.table")
    if table is None:
        count = int(file.metadata["inputs"]) if not file.has("encoding.kinds") else len(file.encodings)
        given = getattr(model, "feature_names_in_", None)
        return [f"x{place}" for place in range(count)] if given is None else [str(each) for each in given]
    notes = json.loads(table)
    used = [each for each in notes["columns"] if not each["target"] and each["kind"] != "ignored"]
    for column in used:
        if column["kind"] != "numeric":
            raise ValueError(f"column {column['name']!r} is {column['kind']}: only columns of numbers can be exported")
    if len(used) != len(file.encodings):
        raise ValueError("the model has indicators of missing cells, which cannot be exported: train it with indicators=False")
    return [each["name"] for each in used]


def _expect_exportable(file: ModelFile, leave_out_shape: bool) -> None:
    refused = {
        "a model that has learned a stream, whose networks drift": file.has("stream.rates"),
        "a model that has learned a stream, whose intervals are the stream's": file.has("stream.reach.0"),
        "a network with beliefs in activations": any(key.endswith("activation_prior_variance") for key in file.metadata),
        "a model of several targets": file.has("targets.mean") and len(file.array("targets.mean")) > 1,
        f"a model of more than {_MOST_CLASSES} classes": file.metadata["kind"] == "classifier" and file.layers[-1].mean.shape[2] > _MOST_CLASSES,
    }
    for what, is_so in refused.items():
        if is_so:
            raise ValueError(f"{what} cannot be exported")
    has_shape = any(key.startswith(("shape.", "neighbours.")) for key in file.metadata)
    if has_shape and not leave_out_shape:
        raise ValueError(
            "the model has learned a shape from what its networks leave over, which cannot be exported: train it with learned_shape=False, or "
            "pass leave_out_shape=True for the predictions of its networks alone, which differ from the model's"
        )


# --- inputs ------------------------------------------------------------------------------------------------------------------------------


def _encoded(file: ModelFile, X: Value, graph: Graph) -> Value:
    """The inputs of the networks."""
    encodings = file.encodings
    if all(each.kind in ("standard", "relevance") for each in encodings):
        mean, unit = (np.array([getattr(each, name) for each in encodings]) for name in ("mean", "unit"))
        return (X - mean) / unit * file.encoding_unit
    parts = [_encoded_column(each, X.part(1, c, c + 1)) for c, each in enumerate(encodings)]
    return graph.apply("Concat", *parts, axis=1) * file.encoding_unit


def _encoded_column(encoding: ColumnEncoding, x: Value) -> Value:
    if encoding.kind == "quantile":
        return _normal_rank(encoding, x)
    if encoding.kind == "piecewise":
        return _piecewise(encoding.knots, x)
    if encoding.kind == "bins":
        return x.graph.apply("Concat", _bins(encoding.knots, x), _normal_rank(encoding, x), axis=1)
    return (x - encoding.mean) / encoding.unit


def _piecewise(knots: Any, x: Value) -> Value:
    """One input for each knot, with straight lines between; the outermost lines go on."""
    begins, ends = knots[:-1].copy(), knots[1:].copy()
    begins[0], ends[-1] = -np.inf, np.inf
    here = x.graph.constant(begins).less_or_equal(x).number() * x.less(x.graph.constant(ends)).number()
    share = (x - knots[:-1]) / (knots[1:] - knots[:-1])
    intervals = np.eye(len(knots))
    out: Value = (here * (1 - share)) @ intervals[:-1] + (here * share) @ intervals[1:]
    return out


def _bins(knots: Any, x: Value) -> Value:
    """One input for each bin, which a number on a knot ends."""
    begins, ends = np.append(-np.inf, knots), np.append(knots, np.inf)
    return x.graph.constant(begins).less(x).number() * x.less_or_equal(x.graph.constant(ends)).number()


def _normal_rank(encoding: ColumnEncoding, x: Value) -> Value:
    """The standard normal number of the rank; beyond all ranks it goes on in the column's unit."""
    ranks, last = encoding.ranks, len(encoding.ranks) - 1
    nearest = x.clipped(ranks[0], ranks[-1])
    less = x.graph.constant(ranks).less(nearest).number().sum(1, keep=True)
    not_more = x.graph.constant(ranks).less_or_equal(nearest).number().sum(1, keep=True)
    before = _gathered(ranks, (less - 1).clipped(0, last))
    after = _gathered(ranks, less.clipped(0, last))
    between = less - 1 + (nearest - before) / (after - before)
    is_between = less._("Equal", not_more)
    rank = is_between.chosen(between, (less + not_more - 1) * 0.5) * (1 / last)
    margin = 0.5 / len(ranks)
    return normal_quantile(rank * (1 - 2 * margin) + margin) + (x - nearest) / encoding.unit


def _gathered(values: Any, place: Value) -> Value:
    index = place._("Cast", to=onnx.TensorProto.INT64)
    return place.graph.apply("Gather", values, index, axis=0)


# --- networks ----------------------------------------------------------------------------------------------------------------------------


def _output_moments(layers: list[Layer], inputs: Value) -> tuple[Value, Value]:
    """Means and variances of the outputs, of the shape (members, rows, outputs)."""
    first = layers[0]
    mean = inputs @ first.mean + first.bias_mean
    variance = (inputs * inputs) @ first.variance + first.bias_variance
    for before, layer in zip(layers, layers[1:], strict=False):
        mean, variance = _activated(before, mean, variance)
        squares = (mean * mean) @ layer.variance + variance @ (layer.mean**2 + layer.variance)
        mean, variance = mean @ layer.mean + layer.bias_mean, squares + layer.bias_variance
    return mean, variance


def _activated(layer: Layer, mean: Value, variance: Value) -> tuple[Value, Value]:
    """Moments of y = max(x, 0) + slope min(x, 0)."""
    if layer.activation == "identity":
        return mean, variance
    slope = layer.slope if layer.activation == "leaky_relu" else 0.0
    spread = variance.at_least(1e-300).sqrt()
    u = mean / spread
    below, density = normal_below(u), normal_density(u)
    rectified = u * below + density  # its mean, in standard deviations
    share = ((u * u + 1) * below + u * density - rectified * rectified).at_least(0.0)  # its variance, likewise
    factor = share * (1 - slope) ** 2 + below * (2 * slope * (1 - slope)) + slope**2
    return mean * slope + spread * rectified * (1 - slope), variance * factor


# --- numeric targets ---------------------------------------------------------------------------------------------------------------------


def _moments(file: ModelFile, mean: Value, variance: Value, graph: Graph) -> dict[str, Value]:
    """Moments of a new observation, in the unit of the target; members lie along the first axis."""
    scale = file.noise_variance[:, None, :1]
    places: Any = np.zeros(1)
    weights: Any = np.ones(1)
    log_noise = log_spread = graph.constant(0.0)
    expected = graph.constant(scale)
    if file.metadata["kind"] != "regressor":  # the second output is the noise's logarithm
        log_noise = mean.part(2, 1, 2).clipped(-_FAR_LOG_NOISE, _FAR_LOG_NOISE)
        log_variance = variance.part(2, 1, 2)._("Min", _FAR_LOG_NOISE_VARIANCE)
        mean, variance = mean.part(2, 0, 1), variance.part(2, 0, 1)
        expected = (log_noise + log_variance * 0.5).clipped(-_MOST_LOG_NOISE, _MOST_LOG_NOISE).exp() * scale
        log_spread, places, weights = log_variance.at_least(0.0).sqrt(), _PLACES, _WEIGHTS
    factor = float(file.metadata.get("epistemic_scale", "1"))
    centre = mean.mean(0)
    mean, variance = centre + (mean - centre) * factor, variance * factor**2
    if file.has("targets.root.mean") and file.array("targets.root.offset")[0] > 0:
        noise = (log_noise + log_spread * places).clipped(-_MOST_LOG_NOISE, _MOST_LOG_NOISE).exp() * scale
        return _root_moments(file, mean, variance, noise, weights)
    location, unit = (float(file.array(f"targets.{name}")[0]) for name in ("mean", "deviation"))
    squares = (variance + mean * mean).mean(0)
    spread = (squares - centre * centre).at_least(0.0)
    noise = expected.mean(0)
    found = {"mean": centre * unit + location, "std": (spread + noise).sqrt() * unit, "noise_std": noise.sqrt() * unit}
    # Shapes are (1, rows, 1); noise that is the same for all rows has one row.
    zeros = centre * 0.0
    return {name: (value + zeros)._("Reshape", graph.constant([-1], np.int64)) for name, value in found.items()}


def _root_moments(file: ModelFile, mean: Value, variance: Value, noise: Value, weights: Any) -> dict[str, Value]:
    """Moments of a target that was learned as its root: those of max(g, a)^2 - a^2 for normal g; parts of the noise lie along the last axis."""
    location, unit, offset = (float(file.array(f"targets.root.{name}")[0]) for name in ("mean", "deviation", "offset"))
    floor = np.sqrt(offset)

    def squares(variances: Value) -> tuple[Value, Value]:
        """The mean and the mean square, averaged over members and parts of the noise."""
        m, s = mean * unit + location, variances.at_least(1e-300).sqrt() * unit
        alpha = (floor - m) / s
        edge = s * normal_density(alpha)
        k0 = normal_below(-alpha)
        k1 = m * k0 + edge
        k2 = m * k1 + s * s * k0 + edge * floor
        k3 = m * k2 + s * s * k1 * 2 + edge * floor**2
        k4 = m * k3 + s * s * k2 * 3 + edge * floor**3
        first = (k2 - k0 * floor**2).at_least(0.0)
        second = (k4 - k2 * (2 * floor**2) + k0 * floor**4).at_least(0.0)
        shares = weights if variances is not variance else np.ones(1)
        return (first * shares).sum(2, keep=True).mean(0), (second * shares).sum(2, keep=True).mean(0)

    (whole, whole_square), (quiet, quiet_square) = squares(variance + noise), squares(variance)
    total = (whole_square - whole * whole).at_least(0.0)
    spread = total._("Min", (quiet_square - quiet * quiet).at_least(0.0))
    found = {"mean": whole, "std": total.sqrt(), "noise_std": (total - spread).sqrt()}
    return {name: value._("Reshape", value.graph.constant([-1], np.int64)) for name, value in found.items()}


# --- classes -----------------------------------------------------------------------------------------------------------------------------


def _probabilities(file: ModelFile, mean: Value, variance: Value) -> Value:
    """Which of the noisy scores is the largest; of one score, whether it is above zero."""
    temperature = float(file.metadata.get("temperature", "1"))
    spread = ((variance + file.noise_variance[:, None, :1]) * temperature).sqrt()
    count = file.layers[-1].mean.shape[2]
    if count == 1:
        u = mean / spread
        own = mean.graph.apply("Concat", normal_below(-u), normal_below(u), axis=2)
    else:
        own = mean.graph.apply("Concat", *[_largest(mean, spread, each, count) for each in range(count)], axis=2)
        own = own / own.sum(2, keep=True)
    return own.mean(0)._("Reshape", mean.graph.constant([-1, max(count, 2)], np.int64))


def _largest(mean: Value, spread: Value, own: int, count: int) -> Value:
    """The probability that this score is the largest, by the trapezoid rule over its places."""
    places = mean.part(2, own, own + 1) + spread.part(2, own, own + 1) * _STEPS
    out = mean.graph.constant(np.exp(-0.5 * _STEPS**2) * (_STEPS[1] - _STEPS[0]) / np.sqrt(2 * np.pi))
    for other in range(count):
        if other != own:
            out = normal_below((places - mean.part(2, other, other + 1)) / spread.part(2, other, other + 1)) * out
    return out.sum(2, keep=True)
