"""Arrow batches that are looked at in full before they are used: Arrow trusts what a file says of its own buffers."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator
from typing import Any

_KINDS_OF_FILES = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")


def checked_batches(data: Any) -> Any:
    """What pyarrow made, or a reader of it, that raises ValueError where a buffer does not hold what is said of it; other data as they are."""
    if type(data).__module__.partition(".")[0] != "pyarrow":
        return data
    import pyarrow as pa

    if isinstance(data, pa.RecordBatchReader):
        return _reader(data.schema, data)
    if hasattr(data, "validate"):
        data.validate(full=True)
    return data


def batches_of_file(path: str) -> Any:
    """The batches of a Parquet or Arrow file, if pyarrow is there to read it; None for other files."""
    try:
        with open(path, "rb") as file:
            first = file.read(6)
    except OSError:
        return None  # whoever opens it says why
    if not first.startswith(_KINDS_OF_FILES) or importlib.util.find_spec("pyarrow") is None:
        return None
    import pyarrow as pa

    if first.startswith(b"PAR1"):
        import pyarrow.parquet

        parquet = pa.parquet.ParquetFile(path)
        return _reader(parquet.schema_arrow, parquet.iter_batches())
    # No memory map: one of a file that another program cuts short ends the process.
    source = pa.OSFile(path)
    if first != b"ARROW1":
        stream = pa.ipc.open_stream(source)
        return _reader(stream.schema, stream)
    ipc = pa.ipc.open_file(source)
    return _reader(ipc.schema, (ipc.get_batch(place) for place in range(ipc.num_record_batches)))


def _reader(schema: Any, batches: Iterable[Any]) -> Any:
    import pyarrow as pa

    return pa.RecordBatchReader.from_batches(schema, _checked(batches))


def _checked(batches: Iterable[Any]) -> Iterator[Any]:
    for batch in batches:
        batch.validate(full=True)
        yield batch
