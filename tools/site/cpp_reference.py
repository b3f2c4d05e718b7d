"""The C++ reference, from the headers themselves: what stands above a declaration is its text, the declaration its code.

A header is read in blocks that blank lines separate at the level of the namespace. Private parts, forward declarations and
namespace internal are left out. No compiler is needed; the headers of this project are written so that this is enough.
"""

import html
import re

TYPE = re.compile(r"^(?:template <[^\n]*>\n)?(?:class|struct|enum(?: class)?) (\w+)", re.MULTILINE)
FORWARD = re.compile(r"^(?:class|struct) \w+;\s*$")
RULE = re.compile(r"^// -{2,} ?(.*?) ?-{2,}$")
NAMESPACE = re.compile(r"^namespace (postrider(?:::(?!internal\b)\w+)?) \{\n(.*)^\}  // namespace \1$", re.MULTILINE | re.DOTALL)
INSIDE = re.compile(r"^namespace internal \{\n.*?^\}  // namespace internal\n", re.MULTILINE | re.DOTALL)
PRIVATE = re.compile(r"^( *) private:\n.*?(?=^\1\};)", re.MULTILINE | re.DOTALL)  # of nested classes, too
SPECIAL = re.compile(r"([\\*_\[\]])")


def body(text):
    """What is inside the namespace, or in a C header after the last of its opening lines."""
    text = text.replace("POSTRIDER_EXPORT ", "")
    if match := NAMESPACE.search(text):
        return INSIDE.sub("", match.group(2))
    match = re.search(r'^extern "C" \{\n#endif\n(.*?)^#ifdef __cplusplus', text, re.MULTILINE | re.DOTALL)
    return match.group(1) if match else ""


def is_umbrella(text):
    """Whether a header only includes others."""
    return not re.sub(r"^//.*$|^#.*$", "", text, flags=re.MULTILINE).strip()


def summary(text):
    """The comment that the header begins with."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line.removeprefix("//").strip())
    return " ".join(lines)


def blocks(text):
    """Parts that blank lines separate outside of braces."""
    part, depth = [], 0
    for line in [*text.splitlines(), ""]:
        if not line.strip() and depth == 0:
            if part:
                yield part
            part = []
            continue
        part.append(line)
        code = line.split("//")[0]
        depth += code.count("{") - code.count("}")


def prose(lines):
    return SPECIAL.sub(r"\\\1", html.escape(" ".join(line.removeprefix("//").strip() for line in lines), quote=False))


def entry(part, level):
    """The Markdown of one block."""
    comment = []
    while part and part[0].startswith("//"):
        comment.append(part.pop(0))
    if len(comment) == 1 and RULE.match(comment[0]):
        return [f"**{prose([RULE.match(comment[0]).group(1)])}**", ""] + (entry(part, level) if part else [])
    code = [line for line in part if not FORWARD.match(line)]
    if not code:
        return []
    text = PRIVATE.sub("", "\n".join(code) + "\n")
    names = TYPE.findall(text)
    lines = [f"{'#' * level} {', '.join(f'`{name}`' for name in names)}", ""] if names else []
    return [*lines, *([prose(comment), ""] if comment else []), "```cpp", text.rstrip(), "```", ""]


def reference(text, level=4):
    """The Markdown of a header: its summary and its declarations."""
    lines = [prose([summary(text)]), ""]
    for part in blocks(body(text)):
        lines += entry(part, level)
    return "\n".join(lines)
