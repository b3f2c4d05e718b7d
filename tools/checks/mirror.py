#!/usr/bin/env python3
"""Tests mirror the sources both ways, and every factor has its headings, its test and its page.

A file of src/<layer> has a test of the same name in tests/<layer>, or stands in TESTED_BY with the test
that covers it; a test has a file that it tests, and is listed so that it runs. One aspect of a subject may
have a file of its own: <subject>_<aspect>_test.cc.

The header comment of a factor states its mathematics under fixed headings. A stated limit carries a
tag, [limit: name], and an assertion of the factor's test carries the same tag in its text. A tag in a
comment does not count: what it stands above may be gone.
"""

import re
from pathlib import Path

from tree import LAYERS, ROOT, files, finish, read

HEADINGS = ("Density:", "Messages:", "Domain:", "Limits:", "Reference:")
LIMIT = re.compile(r"\[limit:\s*([^\]]+?)\s*\]")
# What begins a statement that fails where something is wrong.
ASSERTION = re.compile(r"(?:EXPECT_\w+|ASSERT_\w+|expect_\w+|agreement\.\w+)\(")

# Files of src/factor that serve factors and are none.
FACTOR_HELPERS = ("list-inl.h", "concept-inl.h", "interval-inl.h", "linearised-inl.h",
                  "relu_tilted-inl.h", "tilted-inl.h")

# Files without a test of their own, and the one that covers them. There are three good reasons: a part
# that only its whole can call, plain declarations, and programs, which are called as a user calls them.
TESTED_BY = {
    # Parts of a whole.
    "audit/certificate_report": "audit/network_certificate_test.cc",
    "estimator/column_forms": "estimator/encoding_choice_test.cc",
    "estimator/race": "estimator/encoding_choice_test.cc",
    "base/descriptor": "base/file_writer_test.cc",
    "base/large_pages": "train/store_test.cc",
    "base/file_place": "base/file_writer_test.cc",
    "base/file_place_posix": "base/file_writer_test.cc",
    "base/file_place_windows": "base/file_writer_everywhere_test.cc",
    "base/system_files": "data/byte_source_test.cc",
    "base/system_files_posix": "data/byte_source_test.cc",
    "base/system_files_windows": "base/file_writer_everywhere_test.cc",
    "base/windows": "base/zero_pages_test.cc",
    "base/zero_pages_posix": "base/zero_pages_test.cc",
    "base/zero_pages_windows": "base/zero_pages_test.cc",
    "data/arrow_column": "data/arrow_batches_test.cc",
    "data/csv_rows": "data/csv_test.cc",
    "data/libsvm_rows": "data/libsvm_test.cc",
    "data/profile_cells": "data/table_profile_test.cc",
    "data/text_window": "data/csv_test.cc",
    "dist/checkpoint": "dist/distributed_test.cc",
    "dist/coordinator": "dist/distributed_test.cc",
    "dist/driver": "dist/distributed_test.cc",
    "dist/member_sum": "dist/distributed_test.cc",
    "dist/packing": "dist/round_request_test.cc",
    "dist/setting": "dist/distributed_test.cc",
    "dist/shard": "dist/distributed_test.cc",
    "dist/distributed_training": "dist/distributed_test.cc",
    "estimator/dense": "estimator/regressor_test.cc",
    "estimator/description": "estimator/model_file_test.cc",
    "estimator/estimator": "estimator/ensemble_test.cc",
    "estimator/model_options": "estimator/model_file_test.cc",
    "estimator/network_file": "estimator/model_file_test.cc",
    "estimator/standard_normal": "estimator/left_out_scores_test.cc",
    "estimator/untrained": "estimator/learning_test.cc",
    "factor/linearised": "factor/leaky_relu_test.cc",
    "factor/relu_tilted": "factor/leaky_relu_test.cc",
    "factor/scalar": "factor/library_test.cc",
    "factor/tilted": "factor/probit_test.cc",
    "graph/evidence": "graph/graph_test.cc",
    "graph/graphviz": "graph/graph_test.cc",
    "graph/state": "graph/graph_test.cc",
    "math/cut_coefficients": "math/normal_test.cc",
    "math/dispatch": "math/lane_test.cc",
    "math/mills_coefficients": "math/normal_test.cc",
    "skill/answers": "skill/history_test.cc",
    "skill/options": "skill/learning_test.cc",
    "skill/replay": "skill/learning_test.cc",
    "skill/rules": "skill/history_test.cc",
    "skill/state": "skill/history_test.cc",
    "skill/sweeps": "skill/history_test.cc",
    "sparse/options": "sparse/sparse_model_test.cc",
    "sparse/slot_memory": "sparse/weight_table_test.cc",
    "sparse/state": "sparse/sparse_model_test.cc",
    "sweep/examples": "sweep/engine_test.cc",
    "sweep/kernels": "sweep/engine_test.cc",
    "sweep/kernels_double": "sweep/engine_test.cc",
    "sweep/kernels_float": "sweep/engine_test.cc",
    "sweep/messages": "sweep/engine_test.cc",
    "sweep/pack/kernels": "sweep/pack/engine_test.cc",
    "sweep/pack/kernels_double": "sweep/pack/engine_test.cc",
    "sweep/pack/kernels_float": "sweep/pack/engine_test.cc",
    "sweep/pack/pass": "sweep/pack/engine_test.cc",
    "sweep/pack/units": "sweep/pack/engine_test.cc",
    "sweep/pack/weights": "sweep/pack/engine_test.cc",
    "sweep/pack/workspace": "sweep/pack/engine_test.cc",
    "sweep/pass": "sweep/engine_test.cc",
    "sweep/weights": "sweep/engine_test.cc",
    "sweep/workspace": "sweep/engine_test.cc",
    "table/json_reading": "table/notes_test.cc",
    "table/learning": "table/table_model_test.cc",
    "train/class_scores": "train/class_targets_test.cc",
    "train/gaussian_targets": "train/trainer_test.cc",
    "train/identity": "train/checkpoint_test.cc",
    "train/option_table": "train/options_test.cc",
    "train/row_sweeps": "train/round_test.cc",
    "train/training_lane": "train/pack_trainer_test.cc",
    "train/training_rows": "train/round_test.cc",
    # Declarations: a concept, interfaces, structs.
    "data/row_source": "data/table_reader_test.cc",
    "estimator/state": "estimator/learning_test.cc",
    "factor/concept": "factor/library_test.cc",
    "factor/list": "factor/library_test.cc",
    "model/network_state": "model/network_test.cc",
    "sweep/arrays": "sweep/engine_test.cc",
    "sweep/call": "sweep/engine_test.cc",
    "sweep/observation": "sweep/engine_test.cc",
    "sweep/record": "sweep/engine_test.cc",
    "sweep/tag": "sweep/engine_test.cc",
    "table/state": "table/table_model_test.cc",
    "train/epoch_engine": "train/epoch_driver_test.cc",
    "train/job": "train/fleet_test.cc",
    "train/observed_targets": "train/class_targets_test.cc",
    "train/state": "train/trainer_test.cc",
    "train/stream_scores": "train/stream_test.cc",
}
# Whole folders of the program: what their files make is looked at from outside.
FOLDERS_TESTED_BY = {
    "cli": "cli/commands.py",
    "mpi": "cli/ranks.py",
    "arrow_files": "cli/arrow_files.py",
    "cli/commands": "cli/commands.py",
    "cli/rate": "cli/rate.py",
    "cli/serve": "cli/serve.py",
    "cli/stream": "cli/stream.py",
    "cli/report": "cli/report/report_test.cc",
}


def subjects_of(path, name):
    folder = Path("src", *path.parts[1:-1])
    inside = [folder / (name + ending) for ending in (".h", ".cc", "-inl.h")]
    return inside + [Path("include/postrider", name + ".h")]


def test_problems(path):
    name = path.name[:-len("_test.cc")]
    subjects = subjects_of(path, name)
    if not any((ROOT / subject).is_file()
               for subject in subjects + subjects_of(path, name.rpartition("_")[0])):
        yield f"{path}: tests none of " + ", ".join(map(str, subjects))
    listing = path.parent / "CMakeLists.txt"
    text = read(listing) if (ROOT / listing).is_file() else ""
    listed = re.findall(r"[\w./-]+", re.sub(r"#.*", "", text))
    if path.name not in listed:
        yield f"{path}: not in {listing}, so it never runs"


def subject_name(path):
    """A source's folder and name below src, such as graph/state."""
    return (Path(*path.parts[1:-1]) / re.sub(r"(-inl)?\.(h|cc)$", "", path.name)).as_posix()


def has_own_test(subject, tests):
    own = re.compile(re.escape(subject) + r"(_[a-z]+)?_test\.cc")
    return any(own.fullmatch(test) for test in tests)


def source_problems(subjects, tests):
    for subject in sorted(subjects):
        if has_own_test(subject, tests):
            if subject in TESTED_BY:
                yield f"tools/checks/mirror.py: {subject} has a test of its own by now"
        elif subject not in TESTED_BY and Path(subject).parent.as_posix() not in FOLDERS_TESTED_BY:
            yield f"src/{subject}: has no test, tests/{subject}_test.cc, and is not in TESTED_BY"
    for subject in TESTED_BY:
        if subject not in subjects:
            yield f"tools/checks/mirror.py: {subject} is not there any more"
    for test in {*TESTED_BY.values(), *FOLDERS_TESTED_BY.values()}:
        if not (ROOT / "tests" / test).is_file():
            yield f"tools/checks/mirror.py: tests/{test} is not there"


def without_comments(text):
    """The text with comments blanked; what looks like one inside of a string stays."""
    token = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
    return token.sub(lambda found: found[0] if found[0][0] == '"' else " ", text)


def asserted_limits(test):
    """Tags in the text of assertions: statements end at ; and blocks begin and end with braces."""
    found = set()
    for statement in re.split(r";|[{}]\s*\n", without_comments(test)):
        first = ASSERTION.search(statement)
        if first:
            found |= set(LIMIT.findall(statement[first.end():]))
    return found


def factor_problems(path):
    name = path.name[:-len("-inl.h")]
    comments = "\n".join(line for line in read(path).splitlines() if line.lstrip().startswith("//"))
    for heading in HEADINGS:
        if heading not in comments:
            yield f"{path}: no heading \"{heading}\" in the comment"
    page = Path("docs/factors", name + ".md")
    if not (ROOT / page).is_file():
        yield f"{path}: {page} is missing"
    test = Path("tests/factor", name + "_test.cc")
    if not (ROOT / test).is_file():
        yield f"{path}: {test} is missing"
        return
    asserted = asserted_limits(read(test))
    for limit in LIMIT.findall(comments):
        if limit not in asserted:
            yield f"{path}: [limit: {limit}] has no assertion with this tag in {test}"


problems = []
subjects, tests = set(), set()
for source in files(".h", ".cc"):
    if source.parts[0] == "tests" and source.parts[1] in LAYERS and source.name.endswith("_test.cc"):
        problems += test_problems(source)
        tests.add(source.relative_to("tests").as_posix())
    if source.parts[0] == "src":
        subjects.add(subject_name(source))
    if source.parent == Path("src/factor") and source.name.endswith("-inl.h"):
        if source.name not in FACTOR_HELPERS:
            problems += factor_problems(source)
problems += source_problems(subjects, tests)
finish(problems)
