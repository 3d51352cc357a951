"""What looks like a secret in witnesses and contracts, and what ordinary test data must not be taken for."""

from __future__ import annotations

import base64
import json
import random
import string
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from commands import Answer, typed
from flakeledger.evidence import secrets
from flakeledger.evidence.secrets import Secret, secret_among, secret_in, secret_in_witness
from flakeledger.model.ledger_paths import FIXTURES
from flakeledger.model.witness import Witness
from growing import assert_linear
from world import REFUND, World

_DRAW = random.Random(17)  # tokens that nobody uses
_WORD = string.ascii_letters + string.digits


def drawn(count: int, letters: str = _WORD) -> str:
    return "".join(_DRAW.choice(letters) for _ in range(count))


# made here, so that no scanner of this repository finds them
KEY = "-----BEGIN {} PRIVATE KEY-----\n" + drawn(64) + "\n" + drawn(64) + "\n-----END {} PRIVATE KEY-----\n"
FORMS = {
    "AWS access key": ("AKIA" + drawn(16, string.ascii_uppercase + string.digits), "AWS Access Key"),
    "GitHub token": ("ghp_" + drawn(36), "GitHub Token"),
    "fine-grained GitHub token": (f"github_pat_{drawn(22)}_{drawn(59)}", "GitHub Token"),
    "GitLab token": ("glpat-" + drawn(20), "GitLab Token"),
    "Slack token": ("xoxb-123456789012-123456789012-" + drawn(24), "Slack Token"),
    "Slack hook": (
        f"https://hooks.slack.com/services/T{drawn(8)}/B{drawn(8)}/{drawn(24)}",
        "Slack Token",
    ),
    "Stripe key": ("sk_live_" + drawn(24), "Stripe Access Key"),
    "RSA key": (KEY.format("RSA", "RSA"), "Private Key"),
    "OpenSSH key": (KEY.format("OPENSSH", "OPENSSH"), "Private Key"),
    "JWT": (
        ".".join(
            base64.urlsafe_b64encode(part).decode().rstrip("=")
            for part in (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"1234567890"}', b"0123456789abcdef")
        ),
        "JSON Web Token",
    ),
    "basic authentication": ("https://finley:" + "hunter2@db.shop.io/orders", "Basic Auth Credentials"),
    "an account behind an invented name": (
        "https://finley:" + "hunter2@example.com.shop.io/",
        "Basic Auth Credentials",
    ),
    "PyPI token": ("pypi-AgEIcHlwaS5vcmc" + drawn(60), "PyPI Token"),
    "Google key": ("AIza" + drawn(35), "Google API Key"),
    "Azure": (f"AccountName=shop;AccountKey={drawn(86)}==", "Azure Storage Account access key"),
}


@pytest.mark.parametrize(("text", "kind"), FORMS.values(), ids=FORMS.keys())
def test_a_credential_is_found_wherever_it_stands(text: str, kind: str) -> None:
    places: dict[str, object] = {
        "orders[1].note": {"orders": [{}, {"note": text}]},
        "note": {"note": f"see {text} there"},
        "long": {"long": f"{'x' * 5000} {text} {'y' * 5000}"},
        "lap": {"lap": f"{'x ' * 1000}{text}{' y' * 3000}"},
        "pairs[0][1]": {"pairs": [["note", text]]},
        # bytes of a witness, in their faithful form
        "raw.base64": {"raw": {"$": "bytes", "base64": base64.b64encode(text.encode()).decode()}},
    }
    for place, value in places.items():
        assert secret_in(value) == Secret(kind, place)


@pytest.mark.parametrize("inner", ["text", 7, {"a": "b"}, None], ids=repr)
def test_a_name_that_is_a_secret_is_found_and_not_told(inner: object) -> None:
    text, kind = FORMS["GitHub token"]
    found = secret_in({"schema": "a/1", "users": {text: inner}})
    assert found == Secret(kind, "users")


def test_an_allowing_comment_allows_nothing() -> None:
    assert secret_in({"note": FORMS["GitHub token"][0] + "  # pragma: allowlist secret"}) is not None


TELLING = {
    "aws_secret_access_key": drawn(40),
    "password": "S3cr3t!Passw0rd",
    "client_secret": drawn(32),
    "api_key": drawn(40, "0123456789abcdef"),
    "dbPassword": "xK9#mq2LvR7p",
}


@pytest.mark.parametrize(("name", "text"), TELLING.items())
def test_what_is_random_counts_under_a_telling_name(name: str, text: str) -> None:
    assert secret_in({"accounts": [{name: text}]}) is not None
    assert secret_in({"accounts": {name: ["x", text]}}) is not None
    assert secret_in({"$": "dict", "items": [[name, text]]}) is not None
    assert secret_in({"article": text}) is None


ORDINARY: dict[str, object] = {
    "ids of orders": {"schema": "orders/2", "orders": [{"id": "order-1"}, {"id": "ORD-2026-000017"}]},
    "a UUID": {"id": "7f3c9d2e-4b1a-4c8e-9f60-2d5b8a1c3e47"},
    "a UUID under a telling name": {"token": "7f3c9d2e-4b1a-4c8e-9f60-2d5b8a1c3e47"},
    "dates": {"due": "2026-11-19", "at": "2026-10-11T00:00:00.123456+02:00"},
    "base64 of test data": {"blob": base64.b64encode(bytes(range(256))).decode()},
    "digests": {"sha256": drawn(64, "0123456789abcdef"), "commit": drawn(40, "0123456789abcdef")},
    "words under telling names": {"password": "correct horse", "secret": "none", "token": "a"},
    "an invented password": {"password": "pw1", "token": "token-0001", "pwd": "secret12"},
    "numbers under telling names": {"token": "1234567890", "api_key": "0000000000"},
    "a template": {"password": "${PASSWORD_2}"},
    "an invented account": {"url": "https://user:pw@example.com/x", "dsn": "postgres://a:b@localhost:5432/shop"},
    "addresses": {"mail": "finley@shop.io", "host": "10.0.0.7", "url": "https://shop.io:8443/a?b=c"},
    "what Hypothesis draws": {"x": "0", "s": "\u0000\U0010ffff", "xs": [0, 1, None, True, ["", ""]]},
    "a mark of a public key": {"key": "-----BEGIN PUBLIC KEY-----"},
    "text": {"statement": "the secret of a good password is that nobody knows the token"},
    "nothing": {},
}


@pytest.mark.parametrize("value", ORDINARY.values(), ids=ORDINARY.keys())
def test_ordinary_data_passes(value: object) -> None:
    assert secret_in(value) is None


def test_of_a_witness_only_the_example_is_looked_at() -> None:
    """Its digests are random, and the paths of its generators may be called anything."""
    hashes = {"tests/password_strategies.py": drawn(64, "0123456789abcdef")}
    example = {"arguments": {"x": 7}}
    witness = Witness("PROP-1", REFUND, None, example, drawn(64, "0123456789abcdef"), hashes, "complete")
    assert secret_in_witness(witness) is None
    found = secret_in_witness(witness._replace(example={"arguments": {"url": FORMS["JWT"][0]}}))
    assert found == Secret("JSON Web Token", "arguments.url")


@pytest.mark.parametrize(
    "words", [[drawn(32)], ["a", drawn(24) + "7"], [FORMS["AWS access key"][0]], ["0f3a9c7e1b5d8264"]], ids=repr
)
def test_a_word_that_looks_random_may_not_be_shown(words: list[str]) -> None:
    assert secret_among(words)


def test_names_may_be_shown() -> None:
    names = [
        "AssertionError",
        "PROP-014",
        "quantity_in_minor_units",
        "InvalidRequestParameterError",
        "line_2",
        "sha256",
    ]
    assert not secret_among(names)
    assert not secret_among([])


PIECES = ("eyJ", "artif", "://a:", "awskey", "https://", "ibm_cos_hmac_access_key ", " ", "xoxa-1-", "password=", "@a.")


@pytest.mark.parametrize("piece", PIECES)
def test_no_text_takes_more_than_its_share(piece: str) -> None:
    def work(size: int) -> Callable[[], object]:
        text = piece * (size // len(piece))
        return lambda: secret_in({"text": text, text: 1})

    assert_linear(work, 200_000)


def test_depth_costs_no_more_than_length() -> None:
    value: object = FORMS["JWT"][0]
    for _ in range(190):
        value = ["password", value]
    assert secret_in(value) == Secret("JSON Web Token", "[1]" * 26 + "…")


def test_a_place_is_short() -> None:
    token, kind = FORMS["GitHub token"]
    assert secret_in({"x" * 500: {"y": token}}) == Secret(kind, "…")
    assert Secret(kind, "").told == "what looks like a secret (GitHub Token) at its top level"
    assert Secret(kind, "a.b").told == "what looks like a secret (GitHub Token) at a.b"


def test_it_answers_from_a_process_of_its_own(tmp_path: Path) -> None:
    environment = {"PATH": "/usr/bin:/bin"}
    token = FORMS["Slack token"][0]
    assert secrets.ask(str(tmp_path), environment, {"arguments": {"x": token}}) == Secret("Slack Token", "arguments.x")
    assert secrets.ask(str(tmp_path), environment, {"arguments": {"x": 7}}) is None


def test_no_hook_and_no_other_command_imports_the_scanner() -> None:
    names = "flakeledger.cli.freeze, flakeledger.cli.lock, flakeledger.evidence.capture, flakeledger.cli.excerpt"
    code = f"import sys; import {names}, flakeledger.evidence.secrets; print('detect_secrets' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


# contracts

CONTRACT = "tests/fixtures/rates.json"
SPOILT = json.dumps({"schema": "users/1", "users": [{"key": FORMS["GitHub token"][0]}]})


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.new(tmp_path / "shop")


def refused(world: World, answer: Answer, before: str) -> None:
    """The command said no, with the place and without the secret, and wrote nothing."""
    assert answer.code == 1, answer
    assert "holds what looks like a secret (GitHub Token) at users[0].key" in answer.out
    assert "ghp_" not in answer.out + answer.err
    assert world.read(FIXTURES) == before


def test_a_contract_with_a_secret_is_not_locked(world: World) -> None:
    before = world.read(FIXTURES)
    world.write(CONTRACT, SPOILT)
    refused(world, typed(world, "lock", "--add", CONTRACT), before)
    world.write(CONTRACT, '{"schema": "users/1", "users": [{"key": "invented"}]}\n')
    assert typed(world, "lock", "--add", CONTRACT).code == 0


def test_a_secret_that_comes_into_a_contract_is_not_locked_anew(world: World) -> None:
    world.write(CONTRACT, '{"schema": "users/1", "users": []}\n')
    assert typed(world, "lock", "--add", CONTRACT).code == 0
    before = world.read(FIXTURES)
    world.write(CONTRACT, SPOILT)
    refused(world, typed(world, "lock"), before)


def test_other_locks_do_not_ask(world: World) -> None:
    """Files that are locked by their bytes may be anything, an image or a key that a test of keys needs."""
    world.write("tests/fixtures/key.txt", FORMS["RSA key"][0])
    assert typed(world, "lock", "--add", "tests/fixtures/key.txt").code == 0
