"""Small pieces of HTML for notebooks: they bring no style but what tables need, and escape what they are told."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_LEFT, _RIGHT = ' style="text-align:left"', ' style="text-align:right"'


def table_of_html(caption: str, heading: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table whose first column is text and whose others are numbers."""

    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}{_RIGHT if place else _LEFT}>{escape(cell)}</{tag}>" for place, cell in enumerate(cells)) + "</tr>"

    body = "".join(row(line, "td") for line in lines)
    return f"<table><caption{_LEFT}>{escape(caption)}</caption><thead>{row(heading, 'th')}</thead><tbody>{body}</tbody></table>"


def facts_of_html(title: str, facts: Sequence[tuple[str, str]], notes: Sequence[str] = ()) -> str:
    """What is known of something, and notes below it."""
    body = "".join(f"<tr><th{_LEFT}>{escape(name)}</th><td{_LEFT}>{escape(value)}</td></tr>" for name, value in facts)
    told = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f"<div><strong>{escape(title)}</strong><table><tbody>{body}</tbody></table>{f'<ul>{told}</ul>' if told else ''}</div>"
