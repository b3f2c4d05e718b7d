"""Addresses of brokers, and the file of settings that the program takes as --broker-config."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

# Nobody may change how the position is found, nor have bytes learned that changed on the way.
_FIXED: dict[str, Any] = {
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "auto.offset.reset": "error",
    "enable.partition.eof": True,
    "check.crcs": True,
}
_OTHER_NAMES = {
    "metadata.broker.list": "bootstrap.servers",
    "auto.commit.enable": "enable.auto.commit",
    "topic.auto.offset.reset": "auto.offset.reset",
}
_FOR_REDIS = {
    "username": "username",
    "password": "password",
    "sentinel.username": "sentinel_username",
    "sentinel.password": "sentinel_password",
    "ssl.ca.location": "ssl_ca_certs",
    "ssl.certificate.location": "ssl_certfile",
    "ssl.key.location": "ssl_keyfile",
    "ssl.key.password": "ssl_password",
}
_SWITCHES = {"enable.ssl.certificate.verification": ("true", "false"), "ssl.endpoint.identification.algorithm": ("https", "none")}
_SECRET = re.compile("password|secret|jaas|token|pem|oauthbearer")


class Address(NamedTuple):
    """Where events come from, taken apart."""

    text: str
    kind: str
    encrypted: bool
    user: str
    hosts: list[str]
    master: str
    names: list[str]


def parse_address(text: str) -> Address:
    """Raises ValueError, which shows no password."""
    shown = _without_password(text)
    if shown != text:
        raise ValueError(
            f'address = "{shown}": must not have a password, which would be seen by others; REDISCLI_AUTH or a file of broker_config may hold it'
        )
    found = re.fullmatch(r"(kafka|rediss?)(\+sentinel)?://(?:([^/@]+)@)?([^/@]+)/(?:([^/]+)/)?([^/]+)", text)
    kind = "kafka" if found and found[1] == "kafka" else "redis"
    hosts, names = (found[4].split(","), found[6].split(",")) if found else ([], [])
    makes_sense = (
        found is not None
        and all(hosts)
        and all(names)
        and bool(found[2]) == bool(found[5])
        and not (kind == "kafka" and (found[2] or found[3]))
    )
    if found is None or not makes_sense:
        raise ValueError(
            f'address = "{text}": must be redis://HOST:PORT/KEY or kafka://HOST:PORT/TOPIC, rediss:// for TLS, '
            "or redis+sentinel://HOST:PORT/MASTER/KEY; several hosts, keys or topics have commas between them"
        )
    return Address(text, kind, found[1] == "rediss", found[3] or "", hosts, found[5] or "", names)


def _without_password(text: str) -> str:
    """As it is, or with stars in place of a password; what stands before an @ behind a slash is a port or a password."""
    begin = text.find("://") + 3
    at, colon, slash = text.rfind("@"), text.find(":", begin), text.find("/", begin)
    if begin < 3 or at < 0 or colon < 0 or colon > at:
        return text
    if 0 <= slash < at and re.match(r":\d+[/,]", text[colon:]):
        return text
    return text[: colon + 1] + "***" + text[at:]


class Setting(NamedTuple):
    """One line of the file. Its value is never shown: a password may stand in the line of another key by mistake."""

    key: str
    value: str
    line: int


@dataclass
class BrokerSettings:
    """The lines of a file, `key=value` each."""

    path: str = ""
    settings: list[Setting] = field(default_factory=list)

    @classmethod
    def read(cls, path: str | os.PathLike[str] | None) -> BrokerSettings:
        if path is None:
            return cls()
        out = cls(os.fspath(path))
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                text = line.strip()
                if not text or text.startswith("#"):
                    continue
                key, equals, value = (part.strip() for part in text.partition("="))
                if not key or not equals:
                    out.refuse(Setting("", "", number), "must be key=value, or a comment that begins with #")
                setting = Setting(key, value, number)
                if any(other.key == key for other in out.settings):
                    out.refuse(setting, "stands twice in this file")
                out.settings.append(setting)
        return out

    def refuse(self, setting: Setting | None, why: str) -> NoReturn:
        if setting is None:
            raise ValueError(f"{self.path}: {why}" if self.path else why)
        raise ValueError(f"{self.path}, line {setting.line}: " + (f"{setting.key}: " if setting.key else "") + why)

    def for_kafka(self, address: Address) -> dict[str, Any]:
        """As librdkafka takes them, with what must be as it is."""
        hosts = ",".join(address.hosts)
        out: dict[str, Any] = {"group.id": "postrider", "log_level": 0}
        for setting in self.settings:
            key = _OTHER_NAMES.get(setting.key, setting.key)
            if key == "bootstrap.servers" and setting.value != hosts:
                self.refuse(setting, f"must be left out, or be as in the address: {hosts}")
            if key.startswith("test.mock."):
                self.refuse(setting, "must be left out: it would read from a broker of its own")
            if key in _FIXED:
                if setting.value != str(_FIXED[key]).lower():
                    fixed = str(_FIXED[key]).lower()
                    self.refuse(setting, f"must be left out, or be {fixed}: the model's file, and nothing else, knows what was learned")
            elif key != "bootstrap.servers":
                out[setting.key] = setting.value
        return {**out, "bootstrap.servers": hosts, **_FIXED}

    def refuse_by_words(self, words: str) -> NoReturn:
        """What librdkafka says of settings that it does not take, with the line that it speaks of."""
        for setting in self.settings:
            if f'"{setting.key}"' in words or words.startswith(setting.key):
                self.refuse(setting, "its value is refused by librdkafka" if _SECRET.search(setting.key) else words)
        self.refuse(None, words)

    def for_redis(self, address: Address) -> dict[str, Any]:
        """Arguments of redis-py's clients; those for Sentinels begin with sentinel_."""
        out: dict[str, Any] = {"username": address.user or None, "password": os.environ.get("REDISCLI_AUTH")}
        if address.encrypted:
            out |= {"ssl": True, "ssl_cert_reqs": "required", "ssl_check_hostname": True}
        for setting in self.settings:
            self._expect_sense(setting, address)
            if setting.key in _FOR_REDIS:
                out[_FOR_REDIS[setting.key]] = setting.value
            elif setting.value == "false":
                out |= {"ssl_cert_reqs": "none", "ssl_check_hostname": False}
            elif setting.value == "none":
                out["ssl_check_hostname"] = False
        if out["username"] and not out["password"]:
            self.refuse(None, f"the user {out['username']} needs a password: REDISCLI_AUTH or a line password= in a file of broker_config may hold it")
        return out

    def _expect_sense(self, setting: Setting, address: Address) -> None:
        switch = _SWITCHES.get(setting.key)
        if switch is None and setting.key not in _FOR_REDIS:
            self.refuse(setting, f"is not a setting for Redis: must be {', '.join((*_FOR_REDIS, *_SWITCHES))}")
        if switch is not None and setting.value not in switch:
            self.refuse(setting, f"must be {switch[0]} or {switch[1]}")
        if "ssl." in setting.key and not address.encrypted:
            self.refuse(setting, "needs an address that begins with rediss, which is Redis by TLS")
        if setting.key.startswith("sentinel.") and not address.master:
            self.refuse(setting, "needs an address redis+sentinel://HOST:PORT/MASTER/KEY")
        if setting.key == "username" and address.user and setting.value != address.user:
            self.refuse(setting, f"must be {address.user}, the user of the address")
