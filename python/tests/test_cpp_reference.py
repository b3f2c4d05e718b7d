"""The C++ reference of the documentation site says what the headers say."""

import importlib.util
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "include" / "postrider"
EVERY = sorted(set(FOLDER.rglob("*.h")) - {FOLDER / "export.h"})  # a macro alone
UMBRELLAS = [path for path in EVERY if not re.search(r"^(namespace|extern|struct)", path.read_text(encoding="utf-8"), re.M)]
HEADERS = [path for path in EVERY if path not in UMBRELLAS]


@pytest.fixture(scope="module")
def reference():
    spec = importlib.util.spec_from_file_location("cpp_reference", ROOT / "tools" / "site" / "cpp_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.reference


HEADER = """// What it is for,
// in two lines.
#pragma once

namespace postrider {

class Later;

namespace internal {
class BoxState;
}  // namespace internal

// A box of <numbers> and a_name.
class Box {
 public:
  // How many.
  int size() const;

  int last() const;

 private:
  int secret_;
  internal::BoxState* state_;
};

// --- functions ----

// Doubles.
int twice(int);
int thrice(int);

}  // namespace postrider
"""

WANTED = """What it is for, in two lines.

#### `Box`

A box of &lt;numbers&gt; and a\\_name.

```cpp
class Box {
 public:
  // How many.
  int size() const;

  int last() const;

};
```

**functions**

Doubles.

```cpp
int twice(int);
int thrice(int);
```
"""


def test_a_header(reference):
    assert reference(HEADER).strip() == WANTED.strip()


@pytest.mark.parametrize("path", HEADERS, ids=lambda path: str(path.relative_to(FOLDER)))
def test_every_header_has_declarations(reference, path):
    page = reference(path.read_text(encoding="utf-8"))
    assert "```cpp" in page
    assert " private:" not in page


def test_the_page_names_every_header():
    page = (ROOT / "docs" / "reference" / "cpp.md").read_text(encoding="utf-8")
    names = [f"postrider/{path.relative_to(FOLDER)}" for path in HEADERS]
    assert [name for name in names if f"<!-- header: {name} -->" not in page] == []


def test_umbrellas_only_include_and_the_page_says_what():
    page = (ROOT / "docs" / "reference" / "cpp.md").read_text(encoding="utf-8")
    assert {"graph.h", "postrider.h", "skill.h"} <= {path.name for path in UMBRELLAS}
    for path in UMBRELLAS:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("//")]
        assert all(line.startswith(("#include", "#pragma")) for line in lines), path.name
        assert f"`postrider/{path.name}`" in page
