"""A copy of the sources with a build of its own, in which mutants are tried. The work tree is never changed."""

import fcntl
import os
import platform
import re
import signal
import subprocess
import time

# Measured on the sweep kernels, the slowest files: one instruction set instead of five, and -O1 instead of -O3,
# compile in a tenth of the time. The fused multiply-add of the widest sets stays in use.
ONE_INSTRUCTION_SET = ("-march=haswell -maes "
                       "-DHWY_DISABLED_TARGETS=HWY_SSSE3+HWY_SSE4+HWY_AVX3+HWY_AVX3_DL")
CONFIGURATION = ("-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1", "-DPOSTRIDER_BUILD_EXAMPLES=OFF",
                 "-DPOSTRIDER_BUILD_EXPERIMENTS=OFF", "-DPOSTRIDER_BUILD_BENCH=OFF")

PROGRAM = "postrider-program"  # what tests called cli_... run
HANGS_AFTER = 10               # times as long as without a mutant
LEAST_LIMIT = 30               # seconds; a machine may be busy
# As GoogleTest and unittest print it.
FAILED_CASE = re.compile(r"^(?:\[  FAILED  \]|FAIL:|ERROR:) (\S+?)(?:,| \(|$)", re.MULTILINE)


class BuildFailed(Exception):
    pass


def source_files(root):
    """Paths relative to the root: tracked, or not yet tracked but not ignored."""
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root,
        check=True, stdout=subprocess.PIPE).stdout.decode()
    return sorted({name for name in listing.split("\0") if name and (root / name).is_file()})


def run_limited(command, folder, seconds):
    """Exit code and output; the code is None if it took longer, after which all it started is ended."""
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return None, output
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise


class Scratch:
    def __init__(self, root, folder, jobs):
        self.root, self.jobs = root, jobs
        self.source, self.build = folder / "src", folder / "build"
        folder.mkdir(parents=True, exist_ok=True)
        self.lock = open(folder / "lock", "w", encoding="utf-8")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.lock.close()
            raise BuildFailed(f"another run works in {folder}") from None
        self.limits = {}  # seconds, per test
        self.targets = set()
        self.original = None  # of the file that a mutant is in

    def copy_sources(self):
        """Writes what differs and removes what is gone, so that the last build is still of use."""
        names = source_files(self.root)
        for name in names:
            content, to = (self.root / name).read_bytes(), self.source / name
            if not to.is_file() or to.read_bytes() != content:
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(content)
                to.chmod((self.root / name).stat().st_mode & 0o777)
        for path in [path for path in self.source.rglob("*") if path.is_file()]:
            if path.relative_to(self.source).as_posix() not in set(names):
                path.unlink()

    def configure(self):
        command = ["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", *CONFIGURATION]
        if platform.machine() in ("x86_64", "AMD64"):
            command.append(f"-DCMAKE_CXX_FLAGS={ONE_INSTRUCTION_SET}")
        code, output = run_limited(command, self.source, None)
        if code != 0:
            raise BuildFailed(output)
        _, listing = run_limited(["ninja", "-t", "targets", "all"], self.build, None)
        self.targets = set(re.findall(r"^(\S+): ", listing, re.MULTILINE))

    def target_of(self, test):
        """A layer's tests are one program; those of the command line run the program itself."""
        layer = test.split("_")[0]
        if layer == "cli":
            return PROGRAM
        for target in (test, f"{layer}_tests"):
            if target in self.targets:
                return target
        raise BuildFailed(f"nothing to build for the test {test}: is it the name that ctest has for it?")

    def make(self, tests):
        command = ["ninja", "-j", str(self.jobs), *sorted({self.target_of(test) for test in tests})]
        code, output = run_limited(command, self.build, None)
        if code != 0:
            raise BuildFailed(output)

    def passes(self, test):
        """None, or why it fails: the failing case, or that it hangs."""
        limit = self.limits.get(test)
        code, output = run_limited(["ctest", "-R", f"^{test}$", "--output-on-failure", "--no-tests=error"], self.build,
                                   limit)
        if code == 0:
            return None
        if code is None:
            return "hangs"
        case = FAILED_CASE.search(re.sub(r"^\d+: ", "", output, flags=re.MULTILINE))
        return case.group(1) if case else "fails"

    def pass_without_mutants(self, tests):
        """Builds and runs them as they are, which says how long each may take; returns those that fail."""
        self.make(tests)
        failing = []
        for test in tests:
            start = time.monotonic()
            if self.passes(test) is not None:
                failing.append(test)
            self.limits[test] = max(LEAST_LIMIT, HANGS_AFTER * (time.monotonic() - start))
        return failing

    def put(self, place, replacement):
        path = self.source / place.path
        self.original = path.read_text(encoding="utf-8")
        path.write_text(place.put(self.original, replacement), encoding="utf-8")

    def restore(self, place):
        # Written anew and not with its old time: what was built from the mutant must be built again.
        (self.source / place.path).write_text(self.original, encoding="utf-8")
