"""Arrow files and batches whose buffers do not hold what is said of them: an error, and no byte from elsewhere."""

import io
import struct

import numpy as np
import pytest

import postrider
from trained import fitted

pa = pytest.importorskip("pyarrow")
feather = pytest.importorskip("pyarrow.feather")

SIDES = ["east", "south", "west", "north", "east", "south", "west", "north"]
OFFSETS = tuple(sum(map(len, SIDES[:count])) for count in range(len(SIDES) + 1))
BEYOND = {
    "a little": tuple(64 + 40 * place for place in range(9)),
    "far": (0, *(1 << 30 | place for place in range(8))),
    "falling": (9, 4, *OFFSETS[2:]),
}


def packed(offsets: tuple[int, ...]) -> bytes:
    return struct.pack("<9i", *offsets)


def table(rows: int = 8):
    random = np.random.default_rng(1)
    sides = (SIDES * rows)[:rows]
    size = random.uniform(1, 2, rows)
    return pa.table({"side": sides, "size": size, "price": size * 3 + random.normal(0, 0.1, rows)})


@pytest.fixture(scope="module")
def model():
    return fitted(table(64), "price", hidden_layer_sizes=[4], max_epochs=2, encoding="standard", ensemble_size=1)


def stream_bytes() -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table().schema) as stream:
        stream.write_table(table())
    return sink.getvalue()


def patched(data: bytes, offsets: tuple[int, ...]) -> bytes:
    assert data.count(packed(OFFSETS)) == 1
    return data.replace(packed(OFFSETS), packed(offsets))


def write(path, kind: str, offsets: tuple[int, ...]):
    if kind == "feather":
        feather.write_feather(table(), path, compression="uncompressed")
        path.write_bytes(patched(path.read_bytes(), offsets))
    else:
        path.write_bytes(patched(stream_bytes(), offsets))
    return path


@pytest.mark.parametrize("offsets", BEYOND.values(), ids=BEYOND)
@pytest.mark.parametrize("kind", ["feather", "stream"])
def test_files_whose_offsets_lie_beyond_their_buffer_are_refused(tmp_path, model, kind, offsets):
    path = write(tmp_path / "rows", kind, offsets)
    with pytest.raises((ValueError, RuntimeError), match="cannot read the Arrow stream: .*offset"):
        model.predict(path)


@pytest.mark.parametrize("offsets", BEYOND.values(), ids=BEYOND)
def test_batches_in_memory_are_refused_as_files_are(model, offsets):
    def reader():
        return pa.ipc.open_stream(patched(stream_bytes(), offsets))

    for data in (reader().read_all(), reader().read_next_batch()):
        with pytest.raises(ValueError, match="offset"):
            model.predict(data)
        with pytest.raises(ValueError, match="offset"):
            list(postrider.as_row_batches(data, "side", features=["size"]))
    with pytest.raises((ValueError, RuntimeError), match="offset"):
        model.predict(reader())
    with pytest.raises((ValueError, RuntimeError), match="offset"):
        list(postrider.as_row_batches(reader(), "side", features=["size"]))


def test_honest_files_are_read_as_tables_are(tmp_path, model):
    expected = model.predict(table())
    feather.write_feather(table(), tmp_path / "rows.feather", chunksize=3)
    (tmp_path / "rows.arrows").write_bytes(stream_bytes())
    for name in ("rows.feather", "rows.arrows"):
        np.testing.assert_array_equal(model.predict(tmp_path / name)["mean"], expected["mean"])
    np.testing.assert_array_equal(model.predict(pa.ipc.open_stream(stream_bytes()))["mean"], expected["mean"])


def test_a_file_that_is_cut_while_it_is_read_does_not_end_the_process(tmp_path, model):
    from postrider._arrow_batches import batches_of_file

    path = tmp_path / "rows.feather"
    feather.write_feather(table(100_000), path, compression="uncompressed", chunksize=10_000)
    reader = batches_of_file(str(path))
    reader.read_next_batch()
    with open(path, "r+b") as file:
        file.truncate(4096)
    with pytest.raises((ValueError, OSError)):
        list(reader)
