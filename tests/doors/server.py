"""A PostgreSQL server of a test's own: files in a folder of its own, a socket there and no port, started and stopped by its process id.

The server's files are linked or copied into the folder, and the extension is put beside them: a server finds its files by where it is itself.
"""

import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import time

# It refuses to run as root; this user comes with Debian's package.
USER = "postgres"


def installed():
    """The folders of PostgreSQL by their names, as pg_config tells them."""
    lines = subprocess.run(["pg_config"], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return {name: value for name, _, value in (line.partition(" = ") for line in lines)}


def as_user():
    """Arguments of subprocess that make a process not root's."""
    if os.geteuid() != 0:
        return {}
    entry = pwd.getpwnam(USER)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


class SqlError(Exception):
    """What the server said; `code` is its SQLSTATE."""

    def __init__(self, message):
        super().__init__(message)
        self.code = message.partition("ERROR:")[2].strip()[:5]


class Server:
    def __init__(self, folder, source, prefix):
        """`source` is the extension's folder, `prefix` that of the installed library."""
        self.folder = pathlib.Path(folder)
        self.folder.chmod(0o755)
        self.root, self.data = self.folder / "root", self.folder / "data"
        self._copy_server()
        self._build(pathlib.Path(source), pathlib.Path(prefix))
        self.data.mkdir()
        (self.folder / "socket").mkdir()
        if os.geteuid() == 0:
            for path in (self.data, self.folder / "socket"):
                shutil.chown(path, USER)
        self._run(["initdb", "--pgdata", str(self.data), "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync", "--username", "owner"])
        self.process = None

    def _copy_server(self):
        """Programs as copies, since a link would lead to the true place, and all else as links."""
        folders = installed()
        self.programs = self.root / folders["BINDIR"].lstrip("/")
        self.libraries = self.root / folders["PKGLIBDIR"].lstrip("/")
        self.shared = self.root / folders["SHAREDIR"].lstrip("/")
        self.programs.mkdir(parents=True)
        for name in ("initdb", "postgres"):
            shutil.copy2(pathlib.Path(folders["BINDIR"]) / name, self.programs / name)
        for here, there in ((self.libraries, folders["PKGLIBDIR"]), (self.shared, folders["SHAREDIR"])):
            here.mkdir(parents=True, exist_ok=True)
            for path in pathlib.Path(there).iterdir():
                if path.name not in ("extension", "bin"):
                    (here / path.name).symlink_to(path)
        (self.shared / "extension").mkdir()
        for path in (pathlib.Path(folders["SHAREDIR"]) / "extension").glob("plpgsql*"):
            (self.shared / "extension" / path.name).symlink_to(path)

    def _build(self, source, prefix):
        build = self.folder / "build"
        build.mkdir()
        library = next(prefix.rglob("libpostrider.so")).parent
        for path in library.glob("libpostrider.so*"):  # where the server's user can read it
            shutil.copy2(path, build, follow_symlinks=False)
        environment = {**os.environ, "PKG_CONFIG_PATH": f"{library}/pkgconfig"}
        subprocess.run(["make", "--silent", "-f", str(source / "Makefile"), f"VPATH={source}", "with_llvm=no", "COPT=-Werror"], cwd=build, check=True,
                       env=environment, stdout=subprocess.DEVNULL)
        shutil.copy2(build / "postrider.so", self.libraries)
        for path in (*source.glob("*.control"), *source.glob("*.sql")):
            shutil.copy2(path, self.shared / "extension")
        self._environment = {**os.environ, "LD_LIBRARY_PATH": str(build), "PGHOST": str(self.folder / "socket"), "PGDATABASE": "postgres", "PGUSER": "owner",
                             "LC_ALL": "C"}

    def _run(self, command):
        found = subprocess.run([str(self.programs / command[0]), *command[1:]], cwd="/", env=self._environment, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, **as_user())
        if found.returncode != 0:
            raise RuntimeError(found.stdout)

    def start(self):
        with open(self.folder / "log", "w") as log:
            self.process = subprocess.Popen(
                [str(self.programs / "postgres"), "-D", str(self.data), "-c", "listen_addresses=", "-c", f"unix_socket_directories={self.folder / 'socket'}",
                 "-c", "fsync=off", "-c", "restart_after_crash=on"],
                cwd="/", env=self._environment, stdout=log, stderr=log, **as_user())
        end = time.monotonic() + 60
        while True:
            try:
                self.sql("SELECT 1")
                return
            except SqlError:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(self.log()) from None
                time.sleep(0.1)

    def stop(self):
        """Waits for sessions to end at once, and for the server."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(timeout=60)

    def log(self):
        return (self.folder / "log").read_text()

    def session(self, text, user="owner", **how):
        """A running psql that reads `text`."""
        psql = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1", "--set", "VERBOSITY=verbose", "--username", user]
        process = subprocess.Popen(psql, env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)
        process.stdin.write(text)
        process.stdin.close()
        return process

    def sql(self, text, user="owner"):
        """The rows that statements return, as lists of texts."""
        process = self.session(text, user)
        out, error = process.stdout.read(), process.stderr.read()
        process.stdout.close()
        process.stderr.close()
        if process.wait() != 0:
            raise SqlError(error)
        return [line.split("|") for line in out.splitlines()]

    def value(self, text, user="owner"):
        """The one value that a statement returns."""
        ((value,),) = self.sql(text, user)
        return value
