"""How a source is known again, by the names under which models keep sources; as the program does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_BEFORE_ID = " id "

Known = Mapping[str, Mapping[str, str]]  # by the name of a source, for each partition the last event; the latest source first


def source_name(address: str, identity: str) -> str:
    """The address, as the user wrote it first, and what tells the source from others whatever address it has later."""
    return address + _BEFORE_ID + identity if identity else address


def address_of(name: str) -> str:
    return name.rpartition(_BEFORE_ID)[0] or name


def identity_of(name: str) -> str:
    return name.rpartition(_BEFORE_ID)[2] if _BEFORE_ID in name else ""


def known_by_identity(known: Known, address: str, identities: Sequence[str]) -> str | None:
    """The source of one of these, or of this address where either is not known."""
    for identity in identities or [""]:
        for name in known:
            its = identity_of(name)
            if its == identity if its and identity else address_of(name) == address:
                return name
    return None


def known_by_address(known: Known, address: str) -> str | None:
    return next((name for name in known if address_of(name) == address), None)
