"""Where the functions and types of a C++ source begin and end, so that a mutant can name one instead of quoting lines.

The text is expected as clang-format lays it out: a brace that opens a body stands after a space, one that initialises a member does not.
"""

import re
from dataclasses import dataclass

# Kept in place, with their length: every position of the blanked text is that of the source.
NO_CODE = re.compile(r'R"(?P<mark>[^()\\ ]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/|^[ \t]*#(?:\\\n|[^\n])*',
                     re.DOTALL | re.MULTILINE)
TYPE = re.compile(r"\b(?:class|struct|union|enum)\b(?:\s+(?:class|struct))?(?:\s+alignas\([^)]*\))?(?:\s+[A-Z_]{4,})?\s+(?P<name>\w[\w:]*)(?:<[^{}]*>)?\s*(?:final\s*)?(?::(?!:)[^()]*)?$")
NAMESPACE = re.compile(r"\bnamespace\b(?P<name>[\s\w:]*)$")
# What may stand before the parenthesis of a function's parameters.
NAME = re.compile(r"(?P<name>(?:[A-Za-z_]\w*(?:<[^<>()]*>)?::)*(?:~?[A-Za-z_]\w*|operator\s*(?:\(\)|[^\s(]+|[\w:]+)))\s*(?=\()")
NOT_A_FUNCTION = {"if", "for", "while", "switch", "catch", "return", "requires", "noexcept", "decltype", "alignas", "sizeof", "explicit", "defined"}


@dataclass(frozen=True)
class Definition:
    name: str   # with the names of the types around it: Trainer::run_epoch
    begin: int  # of its head
    end: int    # after its last brace

    def is_called(self, name):
        """By its own name, or by as many of the names around it as are given."""
        return self.name == name or self.name.endswith("::" + name)


def blanked(text):
    """Comments, strings and directives as spaces."""
    return NO_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def without_templates(head):
    """`template <...>` and what is required of its arguments, as spaces."""
    out, place = head, head.find("template")
    while place >= 0:
        open_ones, at = 0, out.find("<", place)
        if at < 0:
            return out
        while at < len(out):
            open_ones += {"<": 1, ">": -1}.get(out[at], 0)
            at += 1
            if open_ones == 0:
                break
        out = out[:place] + " " * (at - place) + out[at:]
        place = out.find("template")
    return out


def function_name(head):
    """The name of the function whose head this is, or None."""
    head = without_templates(head)
    first = head.find("(")
    equals = re.search(r"(?<![=!<>+*/&|^%-])=(?!=)", head)
    if first < 0 or (equals and equals.start() < first and "operator" not in head[:first + 1]):
        return None
    for match in NAME.finditer(head):
        if match["name"] not in NOT_A_FUNCTION and not re.fullmatch(r"[A-Z_]+", match["name"]):
            return re.sub(r"<[^<>]*>|\s", "", match["name"])
    return None


def definitions(text):
    """All of a text, the outer ones before those inside them."""
    code = blanked(text)
    out, around, head, depth, at = [], [], 0, 0, 0
    while at < len(code):
        char = code[at]
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        elif char == ";" and depth == 0:
            head = at + 1
        elif char == "{":
            kind, name = ("block", None) if depth or (at and not code[at - 1].isspace()) else kind_of(code[head:at], around)
            around.append((kind, name, head + len(code[head:at]) - len(code[head:at].lstrip()), depth, len(out)))
            if kind in ("type", "function"):
                out.append(Definition(qualified(around), around[-1][2], 0))
            if kind != "block" or depth == 0 and code[at - 1].isspace():
                head = at + 1
            depth = 0
        elif char == "}" and around:
            kind, name, begin, depth, place = around.pop()
            if kind in ("type", "function"):
                out[place] = Definition(out[place].name, begin, at + 1)
            if kind != "block" or depth == 0 and not is_initialiser(code, at):
                head = at + 1
        at += 1
    return [one for one in out if one.end]


def is_initialiser(code, close):
    """Braces of a member's value, after which the head of a constructor goes on."""
    rest = code[close + 1:close + 3]
    return rest[:1] == "," or rest == " {"


def kind_of(head, around):
    inside_function = any(kind == "function" for kind, *_ in around)
    if not inside_function and (found := NAMESPACE.search(head.rstrip())):
        return "namespace", found["name"].strip()
    if found := TYPE.search(without_templates(head).rstrip()):
        return "type", found["name"]
    name = None if inside_function else function_name(head)
    return ("function", name) if name else ("block", None)


def qualified(around):
    return "::".join(name for kind, name, *_ in around if kind in ("type", "function") and name)
