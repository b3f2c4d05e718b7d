"""Limits of memory, as people write them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from postrider import _core


def store_budget(limit: int | str | None, asked: int | None, data_bytes: int) -> int | None:
    """Bytes for stored messages: as asked for, or what a limit of all memory leaves."""
    text = limit_text(limit, asked)
    if not text:
        return asked
    advice = "partial_fit learns it in constant memory"
    return int(_core.store_bytes("memory_limit", text, data_bytes, advice))


def limit_text(limit: int | str | None, asked: int | None) -> str:
    """A limit of memory as the library reads it; empty if there is none."""
    if limit is None:
        return ""
    if asked is not None:
        raise ValueError(f"memory_limit = {limit!r}: does not go with store_budget")
    if isinstance(limit, bool) or not isinstance(limit, (int, str, np.integer)):
        raise ValueError(f"memory_limit = {limit!r}: must be a number of bytes, or a text such as '2G'")
    return str(limit)


def bytes_of_rows(X: Any) -> int:
    """Bytes that checked rows take."""
    return int(X.data.nbytes + X.indices.nbytes) if sparse.issparse(X) else int(X.nbytes)
