"""The options that a replay does not obey: those of this plugin are all known, and values that do nothing are set."""

from __future__ import annotations

import argparse

from _pytest.config import get_config
from _pytest.config.argparsing import Parser

from flakeledger.evidence.pytest_plugin import pytest_addoption
from flakeledger.evidence.seeding_options import ABSENT_OPTIONS, QUIET_OPTIONS, quiet


def test_every_option_of_the_plugin_may_stand_in_the_addopts_of_a_project() -> None:
    parser = Parser(_ispytest=True)
    pytest_addoption(parser)
    (group,) = [group for group in parser._groups if group.name == "flakeledger"]
    names = {name for option in group.options for name in option.names()}
    assert names == {name for name in ABSENT_OPTIONS if name.startswith("--flakeledger")}


def test_only_options_that_exist_are_quieted() -> None:
    options = argparse.Namespace(maxfail=1, tx=["popen"], verbose=2)
    quiet(options, QUIET_OPTIONS)
    assert vars(options) == {"maxfail": 0, "tx": [], "verbose": 2}


def test_pytests_own_options_get_the_values_that_they_have_where_nobody_says_anything() -> None:
    unsaid = vars(get_config()._parser.parse_known_args([]))
    own = {name: value for name, value in QUIET_OPTIONS.items() if name in unsaid}
    assert {"lf", "maxfail", "setuponly", "setupplan", "stepwise", "trace", "usepdb"} <= own.keys()
    assert {name: value or None for name, value in own.items()} == {name: unsaid[name] or None for name in own}
