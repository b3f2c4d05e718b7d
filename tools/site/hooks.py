"""What the documentation site does beyond MkDocs, so that docs/ reads the same on a forge.

- A link that leaves docs/ gets a page of its own on the site: the linked file, with its code coloured.
- Formulas become MathML when the site is built: no script, no font and no server at view time.
- `<!-- api: postrider.Name -->` becomes the reference of that object, from its docstring.
- The playground's files that are built, by `tools/playground`, stand beside its page.
- `<!-- header: postrider/name.h -->` becomes the reference of that header, from its comments; every header must have one, but for those that only include others.
"""

import html
import logging
import posixpath
import re
import sys
from pathlib import Path

from latex2mathml.converter import convert
from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cpp_reference import is_umbrella, reference  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = "repository/"  # where files from outside docs/ appear on the site
LANGUAGES = {".h": "cpp", ".cc": "cpp", ".py": "python", ".json": "json", ".toml": "toml", ".yml": "yaml"}
LINK = re.compile(r"\]\(([^)\s#:]+)((?:#[^)\s]*)?)\)")
API = re.compile(r"^<!-- api: ([\w.]+) -->$", re.MULTILINE)
HEADER = re.compile(r"^<!-- header: (postrider/[\w/]+\.h) -->$", re.MULTILINE)
HEADERS_PAGE = "reference/cpp.md"
PLAYGROUND = ("postrider.js", "postrider.wasm", "postrider-playground.html")
LOG = logging.getLogger("mkdocs.hooks.postrider")
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def origin(uri):
    """The path in the repository of what the site has under this address."""
    if uri.startswith(OUTSIDE):
        path = uri.removeprefix(OUTSIDE)
        return path if (ROOT / path).is_file() else path.removesuffix(".md")
    return "docs/" + uri


def address(path):
    """The address on the site of a file of the repository."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return OUTSIDE + (path if path.endswith(".md") else path + ".md")


def targets(path, text):
    """The files of the repository that a page links to."""
    found = (posixpath.normpath(posixpath.join(posixpath.dirname(path), link)) for link, _ in LINK.findall(text))
    return {target for target in found if (ROOT / target).is_file()}


def content(path):
    """The Markdown of the page for a file from outside docs/."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".md"):
        return text
    language = LANGUAGES.get(Path(path).suffix, "text")
    return f"# {Path(path).name}\n\n`{path}`\n\n~~~~~~~~{language}\n{text}\n~~~~~~~~\n"


def add_playground(files, config):
    """What tools/playground has built; a site can do without, and its page then says so."""
    for name in PLAYGROUND:
        path = ROOT / "build" / "playground" / name
        if path.is_file():
            files.append(File.generated(config, f"playground/{name}", abs_src_path=str(path)))
        else:
            LOG.info("the playground's %s is not built; tools/playground does so", name)


def on_files(files, config):
    """Adds the files from outside docs/ that a page links to, and those that these link to."""
    add_playground(files, config)
    waiting = [(origin(file.src_uri), file.content_string) for file in files.documentation_pages()]
    while waiting:
        path, text = waiting.pop()
        for target in targets(path, text):
            if not target.startswith("docs/") and files.get_file_from_path(address(target)) is None:
                page = content(target)
                files.append(File.generated(config, address(target), content=page))
                if target.endswith(".md"):
                    waiting.append((target, page))
    return files


def with_headers(markdown, here):
    """The page with the reference of each header that it names."""
    if here == HEADERS_PAGE:
        named = set(HEADER.findall(markdown))
        for path in sorted((ROOT / "include" / "postrider").rglob("*.h")):
            name = path.relative_to(ROOT / "include").as_posix()
            if name not in named and not is_umbrella(path.read_text(encoding="utf-8")):
                LOG.warning("%s does not name %s", here, name)
    return HEADER.sub(lambda match: reference((ROOT / "include" / match.group(1)).read_text(encoding="utf-8")), markdown)


def on_page_markdown(markdown, page, config, files):
    here = page.file.src_uri

    def relink(match):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(origin(here)), match.group(1)))
        if not (ROOT / path).is_file():
            return match.group()  # MkDocs complains about it
        return f"]({posixpath.relpath(address(path), posixpath.dirname(here))}{match.group(2)})"

    return with_headers(API.sub(r"::: \1", LINK.sub(relink, markdown)), here)


def on_page_content(content, page, config, files):
    def formula(match):
        display = "inline" if match.group(1) == "span" else "block"
        return convert(html.unescape(match.group(3)).strip(), display=display)

    return FORMULA.sub(formula, content)
