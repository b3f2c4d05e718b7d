#!/usr/bin/env python3
"""tools/mutate on small lists and on a project of three lines, whose tests notice one mutant of four."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

from mutation.definitions import definitions  # noqa: E402
from mutation.mutants import ListError, Sources, chosen, problems_of, read_list  # noqa: E402
from mutation.scratch import BuildFailed, Scratch, run_limited  # noqa: E402

ENTRY = """
[[mutant]]
name = "{name}"
in = "{inside}"
breaks = "Something."
find = "{find}"
replace = "{replace}"
tests = [{tests}]
"""

# It ends at once, and its test fails if the sum is wrong.
PROJECT = """
cmake_minimum_required(VERSION 3.16)
project(sum LANGUAGES CXX)
enable_testing()
add_executable(sum_tests src/sum.cc)
add_test(NAME sum COMMAND sum_tests)
"""
SOURCE = """
int sum(int a, int b) { return a + b; }
bool goes_on() { return false; }
int unused() { return 1; }
int main() { while (goes_on()) {} return sum(2, 3) == 5 ? 0 : 1; }
"""


# Everything that the places of mutants stand in, and what only looks like it.
SHAPES = """
#define MACRO(x) void x() {
namespace postrider {
namespace {
constexpr int kTable[] = {1, 2};
// void commented() {
const char* const text = "void quoted() {";
template <typename Lane, typename = decltype(Lane{})>
  requires(Lane::kWide)
Lane twice(Lane x) noexcept {
  if (x > 0) {
    const auto inner = [&](Lane y) { return y + y; };
    return inner(x);
  }
  return {x};
}
}  // namespace

class Holder final : public Base<int> {
 public:
  explicit Holder(Options options = {}) : options_{options}, size_(1) { begin(); }
  bool operator==(const Holder& other) const { return size_ == other.size_; }
  struct Part {
    int size() const { return 1'000; }
  };
  int size() const;

 private:
  int size_ = 0;
};

int Holder::size() const {
  return size_;
}
Holder::~Holder() { end(); }
}  // namespace postrider
"""


def entry(name, find="a + b", replace="a - b", tests='"sum"', inside="sum"):
    return ENTRY.format(name=name, find=find, replace=replace, tests=tests, inside=inside)


class InFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        (self.root / "tests" / "mutants").mkdir(parents=True)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def listed(self, **layers):
        for layer, text in layers.items():
            self.write(f"tests/mutants/{layer}.toml", text)
        return read_list(self.root / "tests" / "mutants")


class Lists(InFolder):
    def test_mutants_are_read_by_layer(self):
        mutants = self.listed(math=entry("one") + entry("two", replace="b"), cli=entry("three"))
        self.assertEqual([(m.layer, m.name) for m in mutants], [("cli", "three"), ("math", "one"), ("math", "two")])
        self.write("src/sum.cc", SOURCE)
        sources = Sources(self.root)
        place = sources.place(mutants[2])
        self.assertEqual(place.put(sources.text(place.path), mutants[2].replace), SOURCE.replace("a + b", "b"))
        self.assertEqual(mutants[1].tests, ("sum",))

    def test_a_list_that_makes_no_sense_is_refused(self):
        for text in (entry("one") + entry("one"), entry("one", replace="a + b"), entry("one", tests=""), "[[mutant]]\n",
                     entry("one") + "more = 1\n", "[[mutant\n"):
            with self.subTest(text), self.assertRaises(ListError):
                self.listed(math=text)

    def test_a_stale_mutant_is_named(self):
        mutants = self.listed(math=entry("gone", find="a * b") + entry("twice", find="int") + entry("fine") +
                              entry("nowhere", inside="difference") + entry("elsewhere", inside="main"))
        self.write("src/sum.cc", SOURCE)
        problems = problems_of(mutants, self.root)
        self.assertEqual([problem.split()[0] for problem in problems], ["gone", "twice", "nowhere", "elsewhere"])
        self.assertIn("0 times", problems[0])
        self.assertIn("3 times", problems[1])
        self.assertIn("nothing is called difference", problems[2])

    def test_a_mutant_finds_its_function_wherever_it_stands(self):
        mutant = self.listed(math=entry("one", find="a +\\n  b"))[0]
        self.write("src/deep/other.h", SOURCE.replace("{ return a + b; }", "{\n    return a\n        + b;\n}"))
        self.assertEqual(Sources(self.root).place(mutant).path.as_posix(), "src/deep/other.h")
        self.write("src/sum.cc", SOURCE)
        self.assertIn("2 times", problems_of([mutant], self.root)[0])

    def test_the_end_of_a_path_tells_functions_of_one_name_apart(self):
        mutant = self.listed(math=entry("one") + 'file = "deep/sum.cc"\n')[0]
        self.write("src/sum.cc", SOURCE)
        self.write("src/deep/sum.cc", SOURCE)
        self.assertEqual(Sources(self.root).place(mutant).path.as_posix(), "src/deep/sum.cc")
        (self.root / "src" / "deep" / "sum.cc").unlink()
        self.assertIn("nothing is called sum of deep/sum.cc", problems_of([mutant], self.root)[0])

    def test_they_are_chosen_by_name_layer_and_seed(self):
        mutants = self.listed(math="".join(entry(f"m{k}") for k in range(20)), cli=entry("c"))
        self.assertEqual([m.name for m in chosen(mutants, ["cli", "m3"])], ["c", "m3"])
        self.assertEqual(chosen(mutants, []), mutants)
        some = chosen(mutants, [], sample=5, seed=1)
        self.assertEqual(len(some), 5)
        self.assertEqual(some, chosen(mutants, [], sample=5, seed=1))
        self.assertNotEqual(some, chosen(mutants, [], sample=5, seed=2))
        with self.assertRaises(ListError):
            chosen(mutants, ["m3", "nobody"])


class Definitions(unittest.TestCase):
    def test_functions_and_types_are_found_with_their_names_and_ends(self):
        found = {one.name: SHAPES[one.begin:one.end] for one in definitions(SHAPES)}
        self.assertEqual(list(found), ["twice", "Holder", "Holder::Holder", "Holder::operator==", "Holder::Part", "Holder::Part::size",
                                       "Holder::size", "Holder::~Holder"])
        self.assertTrue(found["twice"].startswith("template <typename Lane") and found["twice"].endswith("return {x};\n}"))
        self.assertTrue(found["Holder"].startswith("class Holder") and found["Holder"].endswith("size_ = 0;\n}"))
        self.assertTrue(found["Holder::Holder"].endswith("{ begin(); }"))
        self.assertEqual(found["Holder::Part::size"], "int size() const { return 1'000; }")
        self.assertEqual(found["Holder::size"], "int Holder::size() const {\n  return size_;\n}")


class Runs(InFolder):
    def scratch(self):
        self.write("src/sum.cc", SOURCE)
        self.write("CMakeLists.txt", PROJECT)
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
        scratch = Scratch(self.root, self.root / "build" / "mutate", 1)
        self.addCleanup(scratch.lock.close)
        scratch.copy_sources()
        scratch.configure()
        self.assertEqual(scratch.pass_without_mutants(["sum"]), [])
        return scratch

    def test_what_tests_notice(self):
        (self.root / ".gitignore").write_text("/build/\n")
        mutants = {m.name: m for m in self.listed(
            math=entry("wrong") + entry("unseen", find="return 1", replace="return 2", inside="unused") +
            entry("no code", replace="a +") + entry("hangs", find="return false", replace="return true", inside="goes_on"))}
        scratch = self.scratch()
        sources = Sources(self.root)
        before = (self.root / "src" / "sum.cc").read_bytes()

        def verdict(name):
            place = sources.place(mutants[name])
            scratch.put(place, mutants[name].replace)
            try:
                scratch.make(["sum"])
                return scratch.passes("sum")
            finally:
                scratch.restore(place)

        self.assertEqual(verdict("wrong"), "fails")
        self.assertIsNone(verdict("unseen"))
        self.assertRaises(BuildFailed, verdict, "no code")
        scratch.limits["sum"] = 2
        self.assertEqual(verdict("hangs"), "hangs")
        # Nothing is left of any of them.
        self.assertEqual(scratch.pass_without_mutants(["sum"]), [])
        self.assertEqual((self.root / "src" / "sum.cc").read_bytes(), before)
        self.assertRaises(BuildFailed, scratch.target_of, "nobody")
        # One run at a time.
        self.assertRaises(BuildFailed, Scratch, self.root, self.root / "build" / "mutate", 1)

    def test_a_program_and_what_it_started_end_at_the_limit(self):
        code, _ = run_limited(["sh", "-c", "sleep 100 & wait"], self.root, 0.2)
        self.assertIsNone(code)


class Program(unittest.TestCase):
    def test_the_list_of_this_repository_has_no_stale_mutant(self):
        tool = ROOT / "tools" / "mutate"
        done = subprocess.run([sys.executable, tool, "--list", "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreaterEqual(len(done.stdout.splitlines()), 60)

    def test_a_part_writes_only_where_it_is_told(self):
        tool = ROOT / "tools" / "mutate"
        done = subprocess.run([sys.executable, tool, "nobody"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("neither a mutant nor a layer: nobody", done.stderr)


unittest.main()
