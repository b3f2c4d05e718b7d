#!/usr/bin/env python3
"""`postrider stream` with brokers that want to know who asks, by connections that nobody else can read.

Usage: stream_secure.py PROGRAM [KAFKA_BROKER]
"""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from brokers import Certificates, Kafka, Redis
from kafka_proxy import KafkaProxy
from streaming import StreamCase

SECRET = "open-sesame"


def has_tls(program):
    return "libssl" in subprocess.run(["ldd", str(program)], capture_output=True, text=True).stdout


class SecureRedis(StreamCase):
    program_path = property(lambda _: PROGRAM)

    def setUp(self):
        super().setUp()
        self.certificates = Certificates(self.folder / "certificates")

    def settings(self, *lines):
        (self.folder / "settings").write_text("# of a test\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
        return ["--broker-config", "settings"]

    def stream(self, source, *options, code=0):
        shutil.copy(self.folder / "m", self.folder / "r")
        printed = self.program.expect(code, "stream", "r", "--from", source, "--until-end", "--patience", "2", *options)
        self.assertNotIn(SECRET, printed)
        return printed

    def by_tls(self, *options):
        redis = Redis(self.folder, *options, certificates=self.certificates)
        self.addCleanup(redis.kill)
        for row in self.rows:
            redis.add("rows", row)
        return redis, f"rediss://localhost:{redis.port}/rows"

    @unittest.skipUnless(shutil.which("redis-server"), "no redis-server")
    def test_redis_by_tls(self):
        if not has_tls(PROGRAM):
            self.assertIn("needs a program that was built with OpenSSL", self.stream("rediss://localhost:1/rows", code=2))
            self.skipTest("built without OpenSSL")
        redis, source = self.by_tls("--tls-auth-clients", "optional")
        trusted = "ssl.ca.location=" + self.certificates.of("authority.pem")
        self.stream(source, *self.settings(trusted))
        self.assertEqual(self.weights("r"), self.learned_by_update())
        # Nobody but who can show a certificate of the authority is believed, for the name that it is asked by.
        begin = "its certificate is not accepted: "
        self.assertIn(begin, self.stream(source, code=3))
        self.assertIn(begin, self.stream(source, *self.settings("ssl.ca.location=" + self.certificates.of("stranger.pem")), code=3))
        other = source.replace("localhost", "127.0.0.2")
        self.assertIn(begin + "IP address mismatch", self.stream(other, *self.settings(trusted), code=3))
        self.stream(other, *self.settings(trusted, "ssl.endpoint.identification.algorithm=none"))
        self.stream(source, *self.settings("enable.ssl.certificate.verification=false"))
        # Without TLS on either side there is no connection.
        self.stream(source.replace("rediss", "redis"), code=3)
        plain = Redis(self.folder)
        self.addCleanup(plain.kill)
        self.assertIn("no connection by TLS: ", self.stream(f"rediss://localhost:{plain.port}/rows", code=3))

    @unittest.skipUnless(shutil.which("redis-server"), "no redis-server")
    def test_redis_that_wants_a_certificate(self):
        if not has_tls(PROGRAM):
            self.skipTest("built without OpenSSL")
        _, source = self.by_tls()
        trusted = "ssl.ca.location=" + self.certificates.of("authority.pem")
        certificate = "ssl.certificate.location=" + self.certificates.of("client.pem")
        self.stream(source, *self.settings(trusted), code=3)
        self.stream(source, *self.settings(trusted, certificate, "ssl.key.location=" + self.certificates.of("client.key")))
        self.assertEqual(self.weights("r"), self.learned_by_update())
        locked = "ssl.key.location=" + self.certificates.of("client.locked")
        self.stream(source, *self.settings(trusted, certificate, locked, "ssl.key.password=locked-away"))
        printed = self.stream(source, *self.settings(trusted, certificate, locked, f"ssl.key.password={SECRET}"), code=2)
        self.assertIn("ssl.key.location = ", printed)
        self.assertIn("must be given with the other one", self.stream(source, *self.settings(trusted, certificate), code=2))
        self.assertIn('ssl.ca.location = "nowhere": must be a file of PEM', self.stream(source, *self.settings("ssl.ca.location=nowhere"), code=2))

    @unittest.skipUnless(shutil.which("redis-server"), "no redis-server")
    def test_users_of_redis(self):
        redis = Redis(self.folder)
        self.addCleanup(redis.kill)
        for row in self.rows:
            redis.add("rows", row)
        redis.call("ACL", "SETUSER", "reader", "on", ">" + SECRET, "~rows", "+xread", "+xrange", "+info")
        redis.call("CONFIG", "SET", "requirepass", "of-the-default-user")
        source = f"redis://reader@127.0.0.1:{redis.port}/rows"
        self.stream(source, *self.settings(f"password={SECRET}"))
        self.assertEqual(self.weights("r"), self.learned_by_update())
        self.stream(source.replace("reader@", ""), *self.settings("username=reader", f"password = {SECRET}"))
        self.assertIn("the user reader needs a password", self.stream(source, code=2))
        self.assertIn("must be reader, the user of the address",
                      self.stream(source, *self.settings("username=writer", f"password={SECRET}"), code=2))
        self.assertIn("WRONGPASS", self.stream(source, *self.settings(f"password={SECRET}x"), code=3))
        os.environ["REDISCLI_AUTH"] = SECRET
        self.addCleanup(os.environ.pop, "REDISCLI_AUTH")
        self.stream(source)
        self.assertEqual(self.weights("r"), self.learned_by_update())

    def test_a_password_has_no_place_in_an_address(self):
        for password in (SECRET, "a/" + SECRET, "a@" + SECRET):
            for scheme in ("redis", "rediss", "kafka", "redis+sentinel"):
                printed = self.stream(f"{scheme}://reader:{password}@host:6379/rows", code=2)
                self.assertIn(f'--from = "{scheme}://reader:***@host:6379/rows": must not have a password', printed)
        # An @ in a key is none.
        printed = self.stream("redis://127.0.0.1:1/a@b", code=3)
        self.assertNotIn("password", printed)

    def test_settings_that_make_no_sense(self):
        redis, secure, kafka = "redis://127.0.0.1:1/rows", "rediss://127.0.0.1:1/rows", "kafka://127.0.0.1:1/rows"
        for source, line, said in (
            (redis, SECRET, "line 3: must be key=value"),
            (redis, f"passphrase={SECRET}", "line 3: passphrase: is not a setting for Redis: must be username, password"),
            (redis, f"password=a\npassword={SECRET}", "line 4: password: stands twice"),
            (redis, "ssl.ca.location=x", "line 3: ssl.ca.location: needs an address that begins with rediss"),
            (redis, f"sentinel.password={SECRET}", "line 3: sentinel.password: needs an address redis+sentinel://"),
            (secure, "enable.ssl.certificate.verification=perhaps", "line 3: enable.ssl.certificate.verification: must be true or false"),
            (secure, "ssl.endpoint.identification.algorithm=", "must be https or none"),
            (kafka, f"sasl.passphrase={SECRET}", 'line 3: sasl.passphrase: No such configuration property: "sasl.passphrase"'),
            (kafka, "security.protocol=tls", 'line 3: security.protocol: Invalid value "tls"'),
            (kafka, "enable.auto.commit=true", "line 3: enable.auto.commit: must be left out, or be false"),
            (kafka, "check.crcs=false", "line 3: check.crcs: must be left out, or be true"),
            (kafka, "bootstrap.servers=other:9092", "line 3: bootstrap.servers: must be left out, or be as in the address of --from: 127.0.0.1:1"),
            (kafka, "metadata.broker.list=other:9092", "line 3: metadata.broker.list: must be left out"),
            (kafka, "test.mock.num.brokers=1", "line 3: test.mock.num.brokers: must be left out"),
            (kafka, "security.protocol=ssl\nssl.ca.location=nowhere", "ssl.ca.location failed"),
        ):
            if source == kafka and not BROKER:
                continue
            self.assertIn(said, self.stream(source, *self.settings(line), code=2))
        self.assertIn("--broker-config missing: ", self.stream(redis, "--broker-config", "missing", code=3))
        self.assertIn("needs a broker in --from", self.stream("more.csv", *self.settings("username=a"), code=2))

    @unittest.skipUnless(len(sys.argv) > 2, "built without librdkafka")
    def test_kafka_by_tls_with_a_user(self):
        kafka = Kafka(BROKER, partitions=1)
        self.addCleanup(kafka.stop)
        kafka.send(self.rows)
        proxy = KafkaProxy(kafka.address, certificates=self.certificates, login=("reader", SECRET))
        self.addCleanup(proxy.close)
        source = f"kafka://localhost:{proxy.port}/rows"
        trusted = ["security.protocol=sasl_ssl", "ssl.ca.location=" + self.certificates.of("authority.pem")]
        login = ["sasl.mechanism=PLAIN", "sasl.username=reader", f"sasl.password={SECRET}"]
        self.stream(source, *self.settings(*trusted, *login, f"bootstrap.servers=localhost:{proxy.port}", "enable.auto.commit=false"))
        self.assertEqual(self.weights("r"), self.learned_by_update())
        self.assertGreater(proxy.logins, 0)
        stranger = ["security.protocol=sasl_ssl", "ssl.ca.location=" + self.certificates.of("stranger.pem")]
        self.assertIn("certificate verify failed", self.stream(source, *self.settings(*stranger, *login), code=3))
        wrong = ["sasl.mechanism=PLAIN", "sasl.username=reader", f"sasl.password={SECRET}x"]
        printed = self.stream(source, *self.settings(*trusted, *wrong), code=3)
        self.assertIn("SASL", printed)


PROGRAM = pathlib.Path(sys.argv[1]).resolve()
BROKER = sys.argv[2] if len(sys.argv) > 2 else None

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
