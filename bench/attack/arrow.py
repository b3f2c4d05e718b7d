#!/usr/bin/env python3
"""Attacks the readers of Arrow's family with mutated files and bodies, and adds what came of it to bench/results/attack.json.

  build/arrow/venv/bin/python bench/attack/arrow.py --reader build/asan/bench/attack/attack_arrow --module build/asan/postrider_arrow.so
                                                    [--program build/release/src/cli/postrider --served-module ...] [--tries 2000]

Needs pyarrow. The reader is compiled with AddressSanitizer (`cmake --preset asan -DPOSTRIDER_BUILD_BENCH=ON`), and so is the module (tools/arrow-module
--build build/asan); Arrow's own library is not, but its buffers are watched. With --program, the same bodies go to `serve` of an ordinary build as well, which
must answer an honest body after each of them; in its answers no text may stand that is neither in the body nor one of the program's own. Exit code 1 if something died, or if a byte from elsewhere was shown.
"""

import argparse
import http.client
import io
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBERS = (0, 1, -1, 7, 64, 104, 1 << 16, 1 << 30, (1 << 31) - 1, -(1 << 31))


def table(rows=60, seed=1):
    draw = random.Random(seed)
    side = [draw.choice(["north", "south", "west", None]) for _ in range(rows)]
    return pa.table({
        "area": [draw.uniform(20, 120) for _ in range(rows)],
        "side": side,
        "garden": pa.array([draw.choice([None, 1, 2, 3]) for _ in range(rows)]),
        "kind": pa.array([draw.choice(["a house", "a flat in town"]) for _ in range(rows)]).dictionary_encode(),
        "view": pa.array([draw.choice(["sea", "a text that is longer than twelve bytes"]) for _ in range(rows)], pa.string_view()),
        "built": pa.array([draw.randrange(1_700_000_000) for _ in range(rows)], pa.timestamp("s")),
        "sold": [draw.random() < 0.5 for _ in range(rows)],
    })


def stream_of(rows, compression=None):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, rows.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as stream:
        stream.write_table(rows, max_chunksize=17)
    return sink.getvalue()


def feather_of(rows, compression):
    sink = io.BytesIO()
    pa.feather.write_feather(rows, sink, compression=compression, chunksize=17)
    return sink.getvalue()


def parquet_of(rows):
    sink = io.BytesIO()
    pa.parquet.write_table(rows.drop_columns(["view"]), sink, row_group_size=17)
    return sink.getvalue()


def originals():
    rows = table()
    return {
        "stream.plain": stream_of(rows),
        "stream.zstd": stream_of(rows, "zstd"),
        "feather.plain": feather_of(rows, "uncompressed"),
        "feather.lz4": feather_of(rows, "lz4"),
        "parquet": parquet_of(rows),
    }


def mutated(data, draw):
    """Some bytes, a bit, a number of four or eight bytes at its place, a piece that is gone, or one that is there twice."""
    out = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        at = draw.randrange(len(out) - 8)
        way = draw.randrange(6)
        if way == 0:
            out[at] = draw.randrange(256)
        elif way == 1:
            out[at] ^= 1 << draw.randrange(8)
        elif way == 2:
            out[at // 4 * 4:at // 4 * 4 + 4] = draw.choice(NUMBERS).to_bytes(4, "little", signed=True)
        elif way == 3:
            out[at // 8 * 8:at // 8 * 8 + 8] = draw.choice(NUMBERS).to_bytes(8, "little", signed=True)
        elif way == 4:
            del out[at:at + draw.choice((1, 8, 64))]
        else:
            out[at:at] = out[at:at + draw.choice((4, 8, 64))]
    return bytes(out)


def aimed(data, draw):
    """Offsets of texts: ascending whole numbers of four bytes each, of which a few are moved."""
    out = bytearray(data)
    starts = [at for at in range(0, len(out) - 32, 4)
              if (found := [int.from_bytes(out[at + 4 * k:at + 4 * k + 4], "little") for k in range(6)]) == sorted(found)
              and found[0] == 0 and 0 < found[-1] < 2000]
    if not starts:
        return mutated(data, draw)
    at = draw.choice(starts)
    shift = draw.choice((8, 64, 4096, 1 << 20, 1 << 30))
    for place in range(draw.randrange(1, 18)):
        here = at + 4 * place
        moved = int.from_bytes(out[here:here + 4], "little") + shift
        out[here:here + 4] = (moved % (1 << 32)).to_bytes(4, "little")
    return bytes(out)


def write_files(folder, tries):
    draw, kept, out = random.Random(33), originals(), []
    names = list(kept)
    for number in range(tries):
        name = names[number % len(names)]
        change = aimed if number % 3 == 0 else mutated
        path = folder / f"{number}.{name}{'.body' if number % 2 else ''}"
        path.write_bytes(change(kept[name], draw))
        out.append(path)
    return out


def read_all(reader, module, paths):
    told = subprocess.run([reader, module], input="\n".join(map(str, paths)) + "\n", capture_output=True, text=True, check=True,
                          env={**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system",
                               "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4096:handle_segv=0"})
    sys.stderr.write(told.stderr)
    return json.loads(told.stdout)


class Served:
    """A server that must stay; None where there is no program."""

    def __init__(self, program, module, folder):
        rows = table(300, 2).append_column("price", pa.array([random.Random(k).gauss(0, 1) for k in range(300)]))
        environment = {**os.environ, "POSTRIDER_ARROW": str(module)}
        pa.parquet.write_table(rows.drop_columns(["view"]), folder / "train.parquet")
        subprocess.run([program, "train", folder / "train.parquet", "-t", "price", "-o", folder / "m", "--max-epochs", "3", "--hidden", "4", "--encoding",
                        "standard", "--quiet"], check=True, env=environment)
        self.honest = stream_of(table().drop_columns(["view"]))
        self.process = subprocess.Popen([program, "serve", folder / "m", "--port", "0"], stdout=subprocess.PIPE, text=True, env=environment)
        self.port = int(self.process.stdout.readline().split("http://127.0.0.1:")[1].split(":")[0])

    def ask(self, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("POST", "/predict", body, {"Content-Type": "application/vnd.apache.arrow.stream"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def attack(self, paths):
        refused = answered = foreign = dead = 0
        for path in paths:
            body = path.read_bytes()
            try:
                status, answer = self.ask(body)
            except (OSError, http.client.HTTPException):
                dead += self.process.poll() is not None
                if dead:
                    break
                continue
            refused += status != 200
            answered += status == 200
            foreign += status != 200 and ".plain" in path.name and not is_own(json.loads(answer)["error"], body)
        alive = self.process.poll() is None and self.ask(self.honest)[0] == 200
        self.process.terminate()
        self.process.wait()
        return {"tries": len(paths), "refused": refused, "same": 0, "other_model": answered, "silently_different": foreign, "nan": 0,
                "aborts": dead + (not alive)}


OWN_WORDS = ("a date beyond the year 9999",)


def is_own(message, body):
    """Whether what a message quotes stands in the body, or is the program's own."""
    for text in re.findall(r'"([^"]*)"', message):
        whole = text.removesuffix("...")
        if whole and whole not in OWN_WORDS and "?" not in whole and whole.encode() not in body and whole not in message.split(":")[0]:
            return False
    return True


def add_to_results(path, entries):
    results = json.loads(path.read_text())
    names = {entry["name"] for entry in entries}
    signed = [{**entry, "by": "bench/attack/arrow.py"} for entry in entries]
    results["attacks"] = [each for each in results["attacks"] if each["name"] not in names] + signed
    results["totals"] = {key: sum(each.get(key, 0) for each in results["attacks"]) for key in results["totals"]}
    path.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reader", required=True)
    parser.add_argument("--module", required=True)
    parser.add_argument("--program")
    parser.add_argument("--served-module")
    parser.add_argument("--tries", type=int, default=2000)
    parser.add_argument("--out", default=ROOT / "bench" / "results" / "attack.json", type=pathlib.Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        paths = write_files(folder, given.tries)
        entries = [{"name": "arrow", "what": "mutated Parquet, Arrow and Feather files and bodies, under AddressSanitizer; one that is accepted is another valid file",
                    **read_all(given.reader, given.module, paths)}]
        if given.program:
            served = Served(pathlib.Path(given.program).resolve(), pathlib.Path(given.served_module or given.module).resolve(), folder)
            entries.append({"name": "arrow bodies", "what": "the same as bodies of requests to serve, which must stay and show no byte from elsewhere",
                            **served.attack(paths)})
    for entry in entries:
        print(json.dumps(entry))
    add_to_results(given.out, entries)
    return int(any(entry["aborts"] or entry["silently_different"] for entry in entries))


if __name__ == "__main__":
    sys.exit(main())
