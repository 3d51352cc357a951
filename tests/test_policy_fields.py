from __future__ import annotations

from flakeledger.model.policy import Limits, Policy
from flakeledger.model.policy_fields import LIMIT_FIELDS, POLICY_FIELDS, PolicyField


def test_the_defaults_of_the_table_are_those_of_the_records() -> None:
    def defaults(fields: tuple[PolicyField, ...], skipped: set[str]) -> dict[str, object]:
        return {field.name: field.default for field in fields if field.name not in skipped}

    record = Policy._field_defaults
    unlike = {"version", "paths", "runners", "limits"}
    assert defaults(POLICY_FIELDS, unlike) == {name: value for name, value in record.items() if name not in unlike}
    assert defaults(LIMIT_FIELDS, set()) == Limits()._asdict()
