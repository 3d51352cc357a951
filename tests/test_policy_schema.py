from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
import yaml

from flakeledger.model.policy_schema import policy_schema
from policies import SMALLEST, WHOLE, faults


def validator() -> jsonschema.Draft7Validator:
    schema = policy_schema()
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


@pytest.mark.parametrize("text", [SMALLEST, WHOLE])
def test_the_schema_accepts_what_we_accept(text: str) -> None:
    assert list(validator().iter_errors(yaml.safe_load(text))) == []


@pytest.mark.parametrize(
    "text",
    [
        *(SMALLEST + line for line in ("colour: red", "level: strict", "seeds: ../x", "seeds: /x", "owners: all")),
        *(
            SMALLEST + f"limits: {{{limit}}}"
            for limit in ("min_seeds: 19", "max_window_days: 91", "warn_days: -1", "x: 1")
        ),
        *(SMALLEST + f"forbid: {pairs}" for pairs in ("[[generator]]", "[[generator, generator]]", "[[a, b]]")),
        SMALLEST.replace("version: 1", "version: 2"),
        SMALLEST.replace("name: local", "name: a/b"),
        SMALLEST.replace("[/ledgers/]", "[]"),
        "version: 1",
    ],
)
def test_the_schema_refuses_what_we_refuse(text: str) -> None:
    assert faults(text)
    assert list(validator().iter_errors(yaml.safe_load(text)))


def test_the_schema_describes_every_key_and_is_plain_json() -> None:
    schema = policy_schema()
    assert json.loads(json.dumps(schema)) == schema

    def descend(part: Any) -> None:
        for name, child in part.get("properties", {}).items():
            assert child.get("description"), name
            descend(child)
            descend(child.get("items", {}))
        if "properties" in part:
            assert part["additionalProperties"] is False

    descend(schema)
