#!/usr/bin/env python3
"""The PostgreSQL extension in a real server.

Usage: postgresql.py PREFIX PROGRAM
"""

import csv
import pathlib
import re
import signal
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from program import Program  # noqa: E402
from server import Server, SqlError  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "sql/postgresql"
QUICK = """'{"effort": "quick", "max_epochs": 20, "hidden": [12], "ensemble_size": 4, "encoding": "standard"}'"""
COLUMNS = "area, side, garden, built, price"
# Areas of which some are missing, sides, gardens, days, and a price that follows from them.
HOUSES = """
CREATE TABLE houses AS
SELECT i AS number, CASE WHEN i % 19 = 0 THEN NULL ELSE 40 + (i * 37 % 100) END::numeric AS area,
       CASE WHEN i % 3 = 0 THEN 'north' ELSE 'south' END AS side, i % 2 = 0 AS garden, date '1990-01-01' + i * 29 % 5000 AS built,
       (80 + 2 * (i * 37 % 100) + CASE WHEN i % 3 = 0 THEN 0 ELSE 30 END + (i * 7919 % 11))::double precision AS price,
       CASE WHEN i * 37 % 100 > 50 THEN 'large' ELSE 'small' END AS size
FROM generate_series(1, 300) i;
"""


class Extension(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.server = Server(cls.temporary.name, SOURCE, PREFIX)
        cls.addClassCleanup(cls.server.stop)
        cls.server.start()
        cls.models = pathlib.Path(cls.temporary.name) / "models"
        cls.models.mkdir()
        cls.program = Program(PROGRAM, cls.models)
        cls.server.sql("CREATE EXTENSION postrider;" + HOUSES)
        cls.server.sql(f"SELECT postrider_train('house', 'SELECT {COLUMNS} FROM houses', 'price', {QUICK})")

    def expect_refused(self, text, part, code=None, user="owner"):
        with self.assertRaises(SqlError) as caught:
            self.server.sql(text, user)
        self.assertIn(part, str(caught.exception))
        if code is not None:
            self.assertEqual(caught.exception.code, code, str(caught.exception))

    def test_trains_what_the_program_would(self):
        """The bytes are those of a file that the program wrote for the same rows and options."""
        rows = self.server.sql(f"COPY (SELECT {COLUMNS} FROM houses) TO STDOUT CSV HEADER")
        text = "\n".join(row[0] for row in rows).replace(",t,", ",true,").replace(",f,", ",false,") + "\n"
        (self.models / "rows.csv").write_text(text)
        self.program.expect(0, "train", "rows.csv", "--target", "price", "-o", "house.safetensors", "--force", "--effort", "quick", "--max-epochs", "20",
                            "--hidden", "12", "--ensemble-size", "4", "--encoding", "standard")
        (self.models / "stored.safetensors").write_bytes(bytes.fromhex(self.server.value("SELECT encode(model, 'hex') FROM postrider_models WHERE name = 'house'")))
        self.program.expect(0, "predict", "stored.safetensors", "rows.csv", "-o", "stored.csv", "--force")
        self.program.expect(0, "predict", "house.safetensors", "rows.csv", "-o", "file.csv", "--force")
        self.assertEqual((self.models / "stored.csv").read_text(), (self.models / "file.csv").read_text())

        # And so are the predictions: row by row of a whole row with columns that the model does not know.
        found = self.server.sql("SELECT p.mean, p.std, p.low, p.high FROM houses h, postrider_predict('house', h) p ORDER BY number")
        with open(self.models / "file.csv") as file:
            expected = list(csv.DictReader(file))
        self.assertEqual(len(found), 300)
        for ours, theirs in zip(found, expected, strict=True):
            for value, name in zip(ours, ("mean", "std", "low", "high"), strict=True):
                self.assertAlmostEqual(float(value), float(theirs[name]), delta=1e-5 * abs(float(value)) + 1e-6)

        # A file in the folder that the superuser names.
        self.server.sql(f"LOAD 'postrider'; ALTER SYSTEM SET postrider.model_directory = '{self.models}'; SELECT pg_reload_conf();")
        time.sleep(0.5)
        of_file = self.server.sql("SELECT (postrider_predict('file:house.safetensors', h)).mean FROM houses h ORDER BY number LIMIT 3")
        self.assertEqual([row[0] for row in of_file], [row[0] for row in found[:3]])
        for name in ("../models/house.safetensors", "/etc/passwd", ".hidden", ""):
            self.expect_refused(f"SELECT postrider_predict('file:{name}', h) FROM houses h", "without its path", "42602")
        self.expect_refused("SELECT postrider_predict('file:none', h) FROM houses h", "cannot be read", "58P01")
        (self.models / "damaged").write_bytes((self.models / "house.safetensors").read_bytes()[:-7])
        self.expect_refused("SELECT postrider_predict('file:damaged', h) FROM houses h", "damaged", "22000")
        self.server.sql("CREATE ROLE guest LOGIN")
        # Nobody else can, neither once the extension is loaded nor before.
        (self.models / "other").mkdir()
        (self.models / "other/secret").write_bytes((self.models / "house.safetensors").read_bytes())
        self.expect_refused("SELECT postrider_predict('house', r) FROM (SELECT 1 AS a WHERE false) r; SET postrider.model_directory = '/'", "permission denied", "42501", user="guest")
        self.expect_refused(f"SET postrider.model_directory = '{self.models}/other'; SELECT postrider_predict('file:secret', ROW(1))",
                            "cannot be read", "58P01", user="guest")
        self.expect_refused("SELECT postrider_predict('house', ROW(1))", "permission denied", "42501", user="guest")

    def test_rows_may_be_of_any_kind(self):
        plain = self.server.value("SELECT (postrider_predict('house', h)).mean FROM houses h WHERE number = 5")
        other = self.server.value(
            "SELECT (postrider_predict('house', r)).mean FROM (SELECT area::real, side::varchar, garden, built::timestamp, 'x' AS more FROM houses WHERE number = 5) r")
        self.assertEqual(plain, other)
        self.server.sql("SET DateStyle = 'German'; SET TimeZone = 'Asia/Tokyo'; DO $$ BEGIN ASSERT (SELECT (postrider_predict('house', h)).mean "
                        f"FROM houses h WHERE number = 5)::text = '{plain}'; END $$")
        missing = self.server.sql("SELECT (p).std FROM (SELECT postrider_predict('house', r) p FROM (VALUES (60, 'north', true, date '2000-01-01'),"
                                  " (NULL, 'north', true, date '2000-01-01'), (60, 'west', true, NULL)) r(area, side, garden, built)) s")
        known, no_area, _ = (float(row[0]) for row in missing)
        self.assertGreater(no_area, 3 * known)
        self.assertEqual(self.server.sql("SELECT postrider_predict('house', NULL)"), [[""]])
        narrow, wide = (self.server.sql(f"SELECT (p).high - (p).low FROM (SELECT postrider_predict('house', h, {level}) p FROM houses h WHERE number = 5) s")
                        for level in (0.5, 0.99))
        self.assertLess(float(narrow[0][0]), float(wide[0][0]))

    def test_classes(self):
        self.server.sql(f"SELECT postrider_train('size', 'SELECT area, side, size FROM houses', 'size', {QUICK})")
        rows = self.server.sql("SELECT size, (c).class, (c).probability, postrider_probability('size', h, 'large'), postrider_probability('size', h, 'small')"
                               " FROM (SELECT *, postrider_classify('size', h) c FROM houses h WHERE area IS NOT NULL) h")
        right = 0
        for truth, likeliest, probability, large, small in rows:
            self.assertAlmostEqual(float(large) + float(small), 1, places=6)
            self.assertAlmostEqual(float(probability), max(float(large), float(small)))
            self.assertEqual(likeliest, "large" if float(large) > float(small) else "small")
            right += truth == likeliest
        self.assertGreater(right, 0.95 * len(rows))
        self.expect_refused("SELECT postrider_predict('size', h) FROM houses h", "the target has classes", "22023")
        self.expect_refused("SELECT postrider_classify('house', h) FROM houses h", "the target is numeric", "22023")
        self.expect_refused("SELECT postrider_probability('size', h, 'huge') FROM houses h", "\"huge\" is not one of its classes", "22023")

    def test_goes_on_learning(self):
        self.server.sql(f"SELECT postrider_train('going', 'SELECT {COLUMNS} FROM houses WHERE number <= 200', 'price', {QUICK})")
        before = self.server.value("SELECT (postrider_predict('going', h)).mean FROM houses h WHERE number = 5")
        self.assertEqual(self.server.value("SELECT postrider_update('going', 'SELECT * FROM houses WHERE number > 200')"), "300")
        self.assertEqual(self.server.value("SELECT postrider_rows(model) FROM postrider_models WHERE name = 'going'"), "300")
        self.assertNotEqual(self.server.value("SELECT (postrider_predict('going', h)).mean FROM houses h WHERE number = 5"), before)
        self.assertEqual(self.server.value("SELECT postrider_update('nobody', 'SELECT 1')"), "")
        self.expect_refused("SELECT postrider_update('going', 'SELECT area FROM houses')", "the query lacks the column \"side\"", "42703")

    def test_what_is_wrong_is_said(self):
        for text, part, code in (
            ("SELECT postrider_predict('nobody', h) FROM houses h", "there is no model \"nobody\"", "42704"),
            ("SELECT postrider_predict('house', r) FROM (SELECT side, garden, built FROM houses) r", "the row lacks the column \"area\"", "42703"),
            ("SELECT postrider_predict('house', r) FROM (SELECT 'wide' AS area, side, garden, built FROM houses) r", "column \"area\": \"wide\"", "22000"),
            ("SELECT postrider_predict('house', r) FROM (SELECT 'Infinity'::float8 AS area, side, garden, built FROM houses) r", "column \"area\"", None),
            ("SELECT postrider_predict('house', r) FROM (SELECT ARRAY[1] AS area, side, garden, built FROM houses) r", "column \"area\" is of type integer[]", "42804"),
            ("SELECT postrider_predict('house', r) FROM (SELECT area, side, garden, date 'infinity' AS built FROM houses) r", "column \"built\"", "22008"),
            ("SELECT postrider_predict('house', h, 2) FROM houses h", "level = 2", "22023"),
            ("SELECT postrider_train('x', 'SELECT area FROM houses', 'price')", "price", "22023"),
            ("SELECT postrider_train('x', 'SELECT area, price FROM houses WHERE false', 'price')", "returned no row", "02000"),
            ("SELECT postrider_train('x', 'DELETE FROM houses', 'price')", "must be one that returns rows", "22023"),
            ("SELECT postrider_train('x', 'DELETE FROM houses RETURNING *', 'price')", "not allowed", "0A000"),
            ("SELECT postrider_train('x', 'SELECT (', 'price')", "syntax error", "42601"),
            ("SELECT postrider_train('file:x', 'SELECT area, price FROM houses', 'price', '{\"effort\": \"quick\", \"max_epochs\": 1}')", "check", "23514"),
            ("SELECT postrider_train('x', 'SELECT area, price FROM houses', 'price', '{\"epochs\": 3}')", "option = \"epochs\": must be one of", "22023"),
            ("SELECT postrider_train('x', 'SELECT area, price FROM houses', 'price', '{\"threads\": 4}')", "threads = 4", "22023"),
            ("SELECT postrider_train('x', 'SELECT area, price FROM houses', 'price', '{\"checkpoint\": \"/tmp/x\"}')", "writes no files", "42501"),
            ("SELECT postrider_train('x', 'SELECT area, price FROM houses', 'price', '[1]')", "must be an object", "22023"),
        ):
            with self.subTest(text):
                self.expect_refused(text, part, code)
        self.assertEqual(self.server.value("SELECT count(*) FROM houses"), "300")

    def test_hostile_bytes_are_errors(self):
        """Whoever may write the table may write anything into it; each session and the server stay."""
        session = self.server.value("SELECT pg_postmaster_start_time()")
        whole = bytes.fromhex(self.server.value("SELECT encode(model, 'hex') FROM postrider_models WHERE name = 'house'"))
        header = int.from_bytes(whole[:8], "little")
        attacks = [b"", b"x", b"\0" * 100, b"\xff" * 100, whole[:7], whole[:8], whole[: header // 2], whole[: header + 8], whole[:-1], whole + b"x",
                   (2**63).to_bytes(8, "little") + whole[8:], (2**40).to_bytes(8, "little") + whole[8:], whole[:8] + b"[" * header + whole[8 + header :]]
        attacks += [whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :] for at in range(9, len(whole), len(whole) // 60)]
        # The same without checksums, so that more than these refuse it.
        bare = re.sub(rb'"checksum[^"]*":"[^"]*",?', lambda found: b" " * len(found[0]), whole[8 : 8 + header]).replace(b", *}", b"}")
        attacks += [whole[:8] + bare[:at] + bytes([bare[at] ^ 0x11]) + bare[at + 1 :] + whole[8 + header :] for at in range(1, len(bare), max(1, len(bare) // 60))]
        statements = ["CREATE TABLE attacks (number int, bytes bytea);", "COPY attacks FROM STDIN;"]
        statements += [f"{number}\t\\\\x{attack.hex()}" for number, attack in enumerate(attacks)] + ["\\."]
        statements.append("""
            CREATE FUNCTION outcome(attack bytea) RETURNS text LANGUAGE plpgsql AS $$
            DECLARE found text;
            BEGIN
              UPDATE postrider_models SET model = attack WHERE name = 'attacked';
              SELECT (postrider_predict('attacked', h)).mean INTO found FROM houses h WHERE number = 5;
              RETURN 'predicted';
            EXCEPTION WHEN others THEN RETURN SQLSTATE;
            END $$;
            INSERT INTO postrider_models SELECT 'attacked', model FROM postrider_models WHERE name = 'house';
            SELECT number, outcome(bytes) FROM attacks ORDER BY number;""")
        found = dict(self.server.sql("\n".join(statements)))
        self.assertEqual(len(found), len(attacks))
        for number in range(73):  # all that have checksums, and those that are cut
            self.assertIn(found[str(number)], ("22000", "22023"), number)
        self.assertLessEqual(set(found.values()), {"22000", "22023", "predicted"})
        self.assertEqual(self.server.value("SELECT pg_postmaster_start_time()"), session)
        self.assertNotIn("terminated by signal", self.server.log())

    def test_statements_can_be_cancelled(self):
        """Training ends soon after Ctrl-C, a time limit, or the end of its session by another; nothing is kept, and the server goes on."""
        endless = "SELECT postrider_train('endless', 'SELECT area, side, price FROM houses', 'price', '{\"max_epochs\": 100000000, \"stopping\": \"epochs\", \"encoding\": \"standard\", \"hidden\": [30]}')"
        self.expect_refused(f"SET statement_timeout = 1000; {endless}", "statement timeout", "57014")
        psql = self.server.session(f"SET application_name = 'cancelled'; {endless}", start_new_session=True)
        end = time.monotonic() + 20
        while not self.server.sql("SELECT 1 FROM pg_stat_activity WHERE application_name = 'cancelled' AND query LIKE '%endless%'"):
            self.assertLess(time.monotonic(), end)
        time.sleep(0.5)
        begin = time.monotonic()
        psql.send_signal(signal.SIGINT)
        error = psql.stderr.read()
        psql.stdout.close()
        psql.stderr.close()
        psql.wait()
        self.assertIn("user request", error)
        self.assertLess(time.monotonic() - begin, 10)
        psql = self.server.session(f"SET application_name = 'ended'; {endless}")
        time.sleep(1)
        self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ended'")
        self.assertIn("terminating connection", psql.stderr.read())
        psql.stdout.close()
        psql.stderr.close()
        psql.wait()
        self.assertEqual(self.server.sql("SELECT 1 FROM postrider_models WHERE name = 'endless'"), [])

    def test_memory_does_not_grow(self):
        """Models go when their statement ends, also one that failed."""
        memory = "SELECT (pg_read_file('/proc/' || pg_backend_pid() || '/statm'))"
        use = "SELECT count(postrider_predict('house', h)) FROM houses h WHERE number < 3;\n"
        fail = "DO $$ BEGIN PERFORM postrider_predict('house', r) FROM (SELECT 'wide' AS area, side, garden, built FROM houses) r; EXCEPTION WHEN others THEN NULL; END $$;\n"
        statements = (use + fail) * 30
        pages = [int(row[0].split()[1]) for row in self.server.sql(f"{statements}{memory};{statements * 4}{memory};") if " " in row[0]]
        self.assertEqual(len(pages), 2)
        model = int(self.server.value("SELECT length(model) FROM postrider_models WHERE name = 'house'"))
        # 240 more models, each of at least its file's size, would show.
        self.assertLess((pages[1] - pages[0]) * 4096, 60 * model)


if __name__ == "__main__":
    PREFIX, PROGRAM = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
