"""Writes blocks of a page between two comments, so that its numbers come from result files."""


def write_block(text, name, lines):
    begin, end = f"<!-- {name}: written by draw.py -->", f"<!-- {name}: end -->"
    head, rest = text.split(begin)
    return head + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end)[1]
