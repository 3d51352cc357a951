"""The options that a replay does not obey: those of this plugin are all known, and values that do nothing are set."""

from __future__ import annotations

import argparse

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
