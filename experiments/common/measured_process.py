"""Seconds and memory of a process, whoever starts it.

A new process counts the memory of the one that it was forked from, until it becomes another program, as its own peak. So this file is
called as a program, too: a small one, which starts the command and prints what the system says of it.
"""
import json
import os
import subprocess
import sys
import time

BYTES, MEGABYTE = 1024, 1e6  # of what the system counts memory in, and of what we do


def measured(command, **variables):
    """Seconds and peak memory of a command that runs with these variables besides those of the environment; ends the program if it fails."""
    command = [str(part) for part in command]
    found = subprocess.run([sys.executable, "-S", __file__, *command], stdout=subprocess.PIPE, text=True, env=os.environ | variables)
    if found.returncode != 0:
        sys.exit(f"{' '.join(command)} failed")
    return json.loads(found.stdout)


def main():
    begin = time.perf_counter()
    process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    print(json.dumps({"peak_megabytes": round(usage.ru_maxrss * BYTES / MEGABYTE, 1),
                      "processor_seconds": round(usage.ru_utime + usage.ru_stime, 1), "wall_seconds": round(seconds, 2)}))
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
